"""Correlations between metrics over utterances: Table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from misword.stat.scores import Scores
from studies.common.conclusions import Conclusion, Section, holding, joined
from studies.common.markdown import page, paragraph, percent, table
from studies.roux2022.published import METRICS, TABLE_1, TITLES
from studies.roux2022.systems import BASE, Recogniser

Numbers = NDArray[np.float64]
RESAMPLES = 1000
SENTENCES = ("semdist", "bertscore")


def correlations(recognisers: Sequence[Recogniser]) -> Section:
    """Return the section on Table 1."""
    rates = {each.title: utterance_rates(each.systems(BASE, each.main)) for each in recognisers}
    first = recognisers[0].title
    shares = {
        claim: {title: share_of_resamples(tables, holds) for title, tables in rates.items()}
        for claim, holds in CLAIMS.items()
    }
    text = f"""Pearson's correlation x 100 between metrics over utterances, averaged over the base
    and the rescored system: {first}, the paper's in parentheses."""
    claims = [
        [claim, *(percent(share, 0) for share in of.values())] for claim, of in shares.items()
    ]
    return Section(
        page(
            "## Table 1: correlations of metrics",
            paragraph(text),
            triangle(100 * mean_correlations(rates[first])),
            "The paper's observations, and in how many resamples of the utterances (%) they hold:",
            table(["", *rates], claims),
        ).strip(),
        tuple(
            Conclusion(
                "Table 1, our lists",
                claim,
                joined({title: holding(s) for title, s in of.items()}),
            )
            for claim, of in shares.items()
        ),
        (
            "misword correlate ref.csv base.csv rescored.csv --lang fr "
            f"--metrics {','.join(METRICS)} --vectors vectors/fr.vec.gz",
        ),
    )


def triangle(matrix: Numbers) -> str:
    """Return the lower triangle of a matrix of correlations, beside the paper's cells."""
    order = ["wer", *TABLE_1]
    rows = []
    for name, cells in TABLE_1.items():
        values = {other: matrix[METRICS.index(name), METRICS.index(other)] for other in cells}
        row = [f"{values[other]:.1f} ({printed:.1f})" for other, printed in cells.items()]
        rows.append([TITLES[name], *row, *[""] * (len(TABLE_1) - len(row))])
    return table(["", *(TITLES[name] for name in order[:-1])], rows)


def utterance_rates(scores: Scores) -> list[Numbers]:
    """Return for each system an array (utterances, metrics) of rates."""
    names = [f"{label}.rate" for label in METRICS]
    tables = [scores.utterances().filter(system=system) for system in scores.systems]
    return [table.select(names).to_numpy() for table in tables]


def mean_correlations(rates: Iterable[Numbers]) -> Numbers:
    """Return the correlations of metrics over utterances, averaged over the systems."""
    return np.asarray(np.mean([np.corrcoef(table, rowvar=False) for table in rates], axis=0))


def share_of_resamples(rates: Sequence[Numbers], claim: Callable[[Numbers], bool]) -> float:
    """Return the share of resamples of the utterances whose correlations agree with a claim."""
    size = len(rates[0])
    draws = np.random.default_rng(0).integers(size, size=(RESAMPLES, size))
    return float(np.mean([claim(mean_correlations(t[rows] for t in rates)) for rows in draws]))


def lowest_is_semdist(matrix: Numbers) -> bool:
    """Return whether SemDist has the lowest mean correlation with the other metrics."""
    return METRICS[int(matrix.sum(axis=1).argmin())] == "semdist"


def nearest_is_ember(matrix: Numbers) -> bool:
    """Return whether EmbER is the metric of words that is nearest to SemDist and to BERTScore."""
    of_words = [place for place, name in enumerate(METRICS) if name not in SENTENCES]
    nearest = (matrix[METRICS.index(name), of_words].argmax() for name in SENTENCES)
    return all(METRICS[of_words[int(place)]] == "ember" for place in nearest)


def highest_is_lcer(matrix: Numbers) -> bool:
    """Return whether CER and LCER have the highest correlation of all."""
    below = np.where(np.eye(len(matrix), dtype=bool), -1, matrix)
    pair = np.unravel_index(int(below.argmax()), below.shape)
    return {METRICS[int(place)] for place in pair} == {"cer", "lcer"}


CLAIMS: dict[str, Callable[[Numbers], bool]] = {
    "SemDist is correlated least with the others": lowest_is_semdist,
    "EmbER is the metric nearest to SemDist and BERTScore": nearest_is_ember,
    "CER and LCER have the highest correlation": highest_is_lcer,
}
