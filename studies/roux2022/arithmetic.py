"""The section on the numbers that the paper prints: reductions, and what the text says of them."""

from __future__ import annotations

from studies.common.conclusions import (
    DIFFERS,
    NOT_AVAILABLE,
    REPRODUCED,
    Conclusion,
    Section,
    compared,
)
from studies.common.markdown import number, page, paragraph, signed, table
from studies.roux2022.published import (
    LER_RESCORED,
    SEMANTIC,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_3_REDUCTIONS,
    TITLES,
)

RELATIVE_ROUNDING, ROUNDING = 0.0501, 0.0051
FILES = "the transcripts and lists of the paper are not here"


def printed_numbers() -> Section:
    """Return the section on the arithmetic of Tables 1 to 3."""
    relative = {
        metric: (100 * (after / before - 1), printed)
        for metric, (before, after, printed) in TABLE_2.items()
    }
    absolute = {
        tag: (after - before, TABLE_3_REDUCTIONS[tag]) for tag, (before, after) in TABLE_3.items()
    }
    wrong_relative = _wrong(relative, RELATIVE_ROUNDING)
    wrong_absolute = _wrong(absolute, ROUNDING)
    rows = [
        ["Table 2", TITLES[name], signed(printed, 1), signed(ours, 1)]
        for name, (ours, printed) in wrong_relative.items()
    ] + [
        ["Table 3", name, signed(printed), signed(ours)]
        for name, (ours, printed) in wrong_absolute.items()
    ]
    text = """The reductions of Table 2 are relative, in percent; those of Table 3, which the text
    calls relative, are differences x 100. Cells that do not follow from the cells before them:"""
    return Section(
        page(
            "## Tables 1 to 3: the printed numbers",
            paragraph(text),
            table(["", "", "printed", "computed again"], rows, text_columns=2),
            paragraph(_gains_text({name: row[2] for name, row in TABLE_2.items()})),
            paragraph(_correlation_text()),
        ).strip(),
        (
            Conclusion(
                "Table 1, printed numbers",
                "SemDist has the lowest, CER and LCER the highest correlation",
                compared([float(_extremes_hold())], [1.0], 0),
            ),
            Conclusion(
                "Table 2, printed numbers",
                "the reductions follow from the rates",
                DIFFERS if wrong_relative else REPRODUCED,
                f"{', '.join(TITLES[name] for name in wrong_relative)} by the last digit; "
                "LER after rescoring is a misprint",
            ),
            Conclusion(
                "Table 3, printed numbers",
                "the reductions follow from the distances",
                DIFFERS if wrong_absolute else REPRODUCED,
                f"{', '.join(wrong_absolute)} by the last digit",
            ),
            Conclusion("Tables 1 to 3, the paper's systems", "all cells", NOT_AVAILABLE, FILES),
        ),
    )


def _gains_text(printed: dict[str, float]) -> str:
    """Compare what the text says about the gain of WER with the printed reductions."""
    most = min(printed, key=lambda metric: printed[metric])
    corrected = 100 * (LER_RESCORED / TABLE_2["ler"][0] - 1)
    return f"""The text says that WER gains most; by the printed cells it is {TITLES[most]}
    ({signed(printed[most], 1)} %). With {LER_RESCORED} instead of {number(TABLE_2["ler"][1])}
    the change of LER is {signed(corrected, 1)} %, and the text is right: a misprint."""


def _wrong(
    cells: dict[str, tuple[float, float]], tolerance: float
) -> dict[str, tuple[float, float]]:
    """Return the cells that differ by more than their rounding."""
    return {name: both for name, both in cells.items() if abs(both[0] - both[1]) > tolerance}


def _extremes_hold() -> bool:
    """Return whether the lowest and the highest cells of Table 1 are those of the text."""
    cells = {(a, b): value for a, row in TABLE_1.items() for b, value in row.items()}
    highest = max(cells, key=lambda pair: cells[pair])
    means = {name: _mean_correlation(name) for name in TITLES}
    return set(highest) == {"lcer", "cer"} and min(means, key=lambda n: means[n]) == "semdist"


def _mean_correlation(name: str) -> float:
    """Return the mean of the printed correlations of a metric with the others."""
    values = [value for a, row in TABLE_1.items() for b, value in row.items() if name in (a, b)]
    return sum(values) / len(values)


def _correlation_text() -> str:
    means = ", ".join(
        f"{TITLES[name]} {number(_mean_correlation(name), 1)}" for name in ("wer", *SEMANTIC)
    )
    return (
        f"""The mean of the correlations of a metric with the eight others in Table 1: {means}."""
    )
