"""The section on Figure 1: similarity of noisy and clean sentences over WER."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from misword.stat.student_t import mean_of
from studies.common.charts import Point, figure, line_chart
from studies.common.conclusions import NOT_AVAILABLE, Conclusion, Section, conclusion, fact
from studies.common.markdown import number, page, paragraph, table
from studies.common.tallies import tally
from studies.voleti2019.claims import is_higher
from studies.voleti2019.materials import CORPORA, GLOVE
from studies.voleti2019.measured import CLEAN_FITS, MODELS, TRIALS, WERS, WORD_ENCODERS, Measured
from studies.voleti2019.published import SIMILARITY_AT_50

STRAIGHT = 0.95  # R2 of a line that is called straight here
STEEPEST = ("sif", "usif")
CHART = "voleti2019-figure-1.svg"
INFERSENT = "its weights are in no package registry"


def similarities(measured: Mapping[str, Measured]) -> Section:
    """Return the section on Figure 1."""
    text = f"""The mean similarity of a noisy sentence and its clean form (cosine; for the subspace
    by its principal angles). SIF and uSIF are fitted on each noisy corpus, as in the paper; those
    with `(clean)` on the clean sentences. `slope` is the change for a WER of 100 %, with a 95 %
    interval over {TRIALS} trials; R² is that of the regression line, the lowest of the trials. The
    paper's numbers at 50 % are those of its text: Figure 1 itself is a drawing. Only the order can
    be compared, because the vectors differ."""
    first = next(iter(measured))
    blocks = [figure(CHART, f"Similarity over WER, {first}")]
    for corpus, found in measured.items():
        header = [corpus, *(f"at {100 * wer:g} %" for wer in WERS), "paper, at 50 %", "slope", "R²"]
        blocks.append(table(header, [_row(found, name) for name in found.similarities]))
    return Section(
        page("## Figure 1: similarity under noise", paragraph(text), *blocks).strip(),
        tuple(claims(measured)),
        commands(),
        {CHART: chart(first, measured[first])},
    )


def _row(found: Measured, name: str) -> list[str]:
    values = [found.similarity(name, level).value for level in range(len(WERS))]
    slope = mean_of(found.slopes(name))
    r2 = min(line.r2 for line in found.lines(name))
    return [
        name,
        *(number(value, 3) for value in values),
        number(SIMILARITY_AT_50.get(name), 3),
        f"{number(slope.value, 3)} ({number(slope.low, 3)} to {number(slope.high, 3)})",
        number(r2, 4),
    ]


def chart(corpus: str, found: Measured) -> str:
    """Return the chart of the similarities of a corpus."""
    series = {
        name: [Point(100 * wer, *_interval(found, name, level)) for level, wer in enumerate(WERS)]
        for name in found.similarities
        if name not in CLEAN_FITS
    }
    title = f"Similarity of noisy and clean sentences, {corpus} dev"
    return line_chart(title, ("WER, %", "mean similarity"), series, (0.4, 1.0))


def _interval(found: Measured, name: str, level: int) -> tuple[float, float | None, float | None]:
    mean = found.similarity(name, level)
    return (mean.value, mean.low, mean.high) if level else (mean.value, None, None)


def claims(measured: Mapping[str, Measured]) -> Iterable[Conclusion]:
    """Yield the paper's claims about Figure 1, with what shows."""
    part = "Figure 1, our vectors"
    exact = all(
        bool(np.all(each.with_clean[0] == 1))
        for found in measured.values()
        for each in found.similarities.values()
    )
    yield Conclusion(part, "without noise the similarity is 1", fact(exact))
    yield Conclusion(part, f"it falls in a line (R² above {STRAIGHT})", tally(
        straight(found, name) for found in measured.values() for name in found.similarities
    ))  # fmt: skip
    falls = {
        "the mean falls least": [("mean", other) for other in _others("mean")],
        "without stop words the mean falls faster": [("mean", "mean-stop")],
        "SIF and uSIF fall faster than the subspace": [("subspace", name) for name in STEEPEST],
        "SIF falls faster than uSIF": [("usif", "sif")],
        "sentence models fall faster than the mean": [("mean", name) for name in MODELS],
        "sentence models fall less than SIF": [(name, "sif") for name in MODELS],
    }
    for claim, pairs in falls.items():
        yield Conclusion(part, claim, is_higher(measured, pairs, Measured.slope_difference))
    yield Conclusion("Figure 1, InferSent", "InferSent is in between", NOT_AVAILABLE, INFERSENT)


def _others(name: str) -> list[str]:
    return [other for other in (*WORD_ENCODERS, *MODELS) if other != name]


def straight(found: Measured, name: str) -> str:
    """Return whether a line explains the similarities, from R2 of the trials."""
    mean = mean_of([line.r2 - STRAIGHT for line in found.lines(name)])
    return conclusion(mean.low, mean.high, "higher")


def commands() -> tuple[str, ...]:
    """Return the commands that measure all encoders."""
    encoders = ",".join([*WORD_ENCODERS.values(), *MODELS])
    return tuple(
        f"misword robust {file} --vectors vectors/en.vec.gz --channel-vectors "
        f"build/studies/{GLOVE} --lang en --refit --trials {TRIALS} --encoders {encoders}"
        for file in CORPORA.values()
    )
