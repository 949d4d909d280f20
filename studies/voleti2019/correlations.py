"""The sections on Table 2 and Figure 2: correlation with the scores of people under noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from studies.common.charts import Bar, bar_chart, figure
from studies.common.conclusions import (
    DIFFERS,
    NOT_AVAILABLE,
    REPRODUCED,
    Conclusion,
    Section,
    holding,
    joined,
)
from studies.common.markdown import number, page, paragraph, percent, table
from studies.common.resampled import Estimate
from studies.voleti2019.claims import Difference, is_higher
from studies.voleti2019.measured import CLEAN_FITS, MODELS, WERS, WORD_ENCODERS, Measured
from studies.voleti2019.published import (
    ENCODERS,
    INFERSENT,
    TABLE_2,
    lowest_at_thirty,
    ratio_follows,
)
from studies.voleti2019.similarity import INFERSENT as INFERSENT_REASON
from studies.voleti2019.similarity import commands

TEN, THIRTY = WERS.index(0.1), WERS.index(0.3)
SHOWN = (0, TEN, THIRTY)
AVERAGES = ("mean", "mean-stop")
OURS = "our vectors"


def printed_ratios() -> Section:
    """Return the section on the printed numbers of Table 2."""
    wrong = [key for key, cells in TABLE_2.items() if not ratio_follows(cells)]
    lowest = {corpus: lowest_at_thirty(corpus) for _, corpus in TABLE_2}
    worst = all(name.startswith("AVG") for name in lowest.values())
    rows = [
        [name, corpus, *map(number, cells), number(100 * cells.thirty / cells.clean)]
        for (name, corpus), cells in TABLE_2.items()
    ]
    text = f"""{len(TABLE_2) - len(wrong)} of the {len(TABLE_2)} printed ratios follow from the
    printed correlations, within their rounding. The text says that averages perform worst of all
    at a high WER; by the cells, {
        "; ".join(f"{name} is lowest on {corpus}" for corpus, name in lowest.items())
    }."""
    header = ["", "corpus", "PCC0", "PCC10", "PCC30", "PCC30 / PCC0", "computed again"]
    return Section(
        page(
            "## Table 2: the printed numbers", paragraph(text), table(header, rows, text_columns=2)
        ).strip(),
        (
            Conclusion(
                "Table 2, printed numbers",
                "the ratios follow from the correlations",
                DIFFERS if wrong else REPRODUCED,
            ),
            Conclusion(
                "Table 2, printed numbers",
                "averages have the lowest correlation at 30 %",
                REPRODUCED if worst else DIFFERS,
                "; ".join(f"{corpus}: {name}" for corpus, name in lowest.items()),
            ),
        ),
    )


def correlations(measured: Mapping[str, Measured]) -> Section:
    """Return the section on Table 2 and Figure 2."""
    size = ", ".join(f"{corpus} {len(found.gold):,}" for corpus, found in measured.items())
    text = f"""Pearson's correlation x 100 of the similarities of noisy pairs with the scores of
    people, the mean over trials; the paper's in parentheses, which are for development and test
    sets together. Ours are for the development sets ({size} pairs). `ratio` is PCC30 / PCC0 in
    percent; intervals are over pairs and trials."""
    tables, figures, images = [], {}, []
    for corpus, found in measured.items():
        names = [name for name in found.similarities if name not in CLEAN_FITS]
        rows = [_row(corpus, found, name) for name in found.similarities]
        rows.append(_paper_row(corpus))
        header = [corpus, "PCC0", "PCC10", "PCC30", "interval", "ratio", "interval"]
        tables.append(table(header, rows))
        file = f"voleti2019-figure-2-{corpus.lower()}.svg"
        figures[file] = chart(corpus, found, names)
        images.append(figure(file, f"Correlation at 0, 10 and 30 % WER, {corpus}"))
    return Section(
        page(
            "## Table 2 and Figure 2: correlation with people's scores",
            paragraph(text),
            *images,
            *tables,
        ).strip(),
        (*claims(measured, OURS), without_infersent()),
        commands(),
        figures,
    )


def _row(corpus: str, found: Measured, name: str) -> list[str]:
    printed = TABLE_2.get((ENCODERS.get(name, ""), corpus))
    values = [percent(found.pearson(name, level).value) for level in SHOWN]
    thirty, ratio = found.pearson(name, THIRTY), found.ratio(name, THIRTY)
    cells = [f" ({number(cell)})" for cell in printed] if printed else [""] * 4
    return [
        name,
        *(value + cell for value, cell in zip(values, cells[:3], strict=True)),
        f"{percent(thirty.low, 1)} to {percent(thirty.high, 1)}",
        percent(ratio.value, 1) + cells[3],
        f"{percent(ratio.low, 1)} to {percent(ratio.high, 1)}",
    ]


def _paper_row(corpus: str) -> list[str]:
    """Return the row of InferSent, which has only the paper's numbers."""
    *cells, ratio = (f"({number(cell)})" for cell in TABLE_2[INFERSENT, corpus])
    return ["InferSent", *cells, "", ratio, ""]


def chart(corpus: str, found: Measured, names: Sequence[str]) -> str:
    """Return the bars of Figure 2 for a corpus."""
    series = {
        f"{100 * WERS[level]:g} % WER": [
            Bar(*(100 * value for value in found.pearson(name, level))) for name in names
        ]
        for level in SHOWN
    }
    return bar_chart(f"Correlation with people's scores, {corpus} dev", "Pearson x 100",
                     names, series, (0, 100))  # fmt: skip


def claims(measured: Mapping[str, Measured], where: str) -> Iterable[Conclusion]:
    """Yield the paper's claims about Table 2 and Figure 2, with what shows."""
    part = f"Table 2 and Figure 2, {where}"
    models = [name for name in MODELS if all(name in m.similarities for m in measured.values())]
    weighted = [(name, "mean") for name in ("sif", "usif")]
    best = [(name, other) for name in models for other in WORD_ENCODERS]
    higher = {
        "without noise SIF and uSIF are above the mean": (0, weighted),
        "at 30 % SIF and uSIF are above the mean": (THIRTY, weighted),
        "at 30 % the subspace is above the mean": (THIRTY, [("subspace", "mean")]),
        "without noise sentence models are above all others": (0, best),
        "at 30 % sentence models are above all others": (THIRTY, best),
    }
    for claim, (level, pairs) in higher.items():
        yield Conclusion(part, claim, is_higher(measured, pairs, _pearson_at(level)))
    kept = {
        "SIF and uSIF keep more of their correlation than the mean": weighted,
        "the subspace keeps more of its correlation than the mean": [("subspace", "mean")],
        "sentence models keep more of their correlation than all others": best,
    }
    for claim, pairs in kept.items():
        yield Conclusion(part, claim, is_higher(measured, pairs, _ratios))
    yield Conclusion(part, "at 30 % an average has the lowest correlation of all", joined({
        corpus: holding(_average_lowest(found)) for corpus, found in measured.items()
    }))  # fmt: skip


def without_infersent() -> Conclusion:
    """Return the conclusion on InferSent."""
    return Conclusion(
        "Table 2 and Figure 2, InferSent", "InferSent is best", NOT_AVAILABLE, INFERSENT_REASON
    )


def _pearson_at(level: int) -> Difference:
    """Return the function that compares two encoders by their correlation at a level."""
    return lambda found, name, other: found.pearson_difference(name, other, level)


def _ratios(found: Measured, name: str, other: str) -> Estimate:
    return found.ratio_difference(name, other, THIRTY)


def _average_lowest(found: Measured) -> float:
    """Return the share of resamples in which an unweighted average is lowest at 30 % WER."""
    names = [name for name in found.similarities if name not in CLEAN_FITS]
    columns = np.column_stack([found.resampled[name][:, THIRTY] for name in names])
    lowest = columns.argmin(axis=1)
    return float(np.mean([names[place] in AVERAGES for place in lowest]))
