"""The order of four recognisers by class of entities on Earnings-21, and how certain it is.

The published rates (Del Rio et al., 2021) are of 44 calls, by fstalign; the data are ten of the
calls, with the verbalisations of the sidecars as alternatives. For each class: the rates, how many
of the six pairs of recognisers are in the published order, Spearman's rank correlation, and the
share of resamples of the ten calls in which all four recognisers are in the published order. Then
each pair that is in another order, with the difference of the rates, its 95 % interval and the
share of resamples in which the pair is in the published order. Writes
bench/results/entity-orders.md.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import misword

RESULTS = Path(__file__).parent / "results" / "entity-orders.md"
DATA = Path(__file__).parents[2] / "shared" / "data" / "earnings21"
SYSTEMS = ("google", "amazon", "microsoft", "speechmatics")
# Published rates in percent, in the order of SYSTEMS.
PUBLISHED = {
    "PERSON": (48.2, 46.6, 45.2, 51.7),
    "ORG": (35.9, 39.9, 35.6, 44.3),
    "MONEY": (23.7, 18.4, 11.9, 12.2),
    "CARDINAL": (17.8, 18.3, 7.4, 11.1),
    "DATE": (9.8, 7.8, 5.0, 6.5),
    "YEAR": (21.6, 19.9, 3.2, 16.4),
}
RESAMPLES, SEED = 10_000, 0
PAIRS = list(combinations(range(len(SYSTEMS)), 2))


def counts(forgive: str) -> pl.DataFrame:
    """Return errors and words of each call, recogniser and class."""
    corpus, _ = misword.read_corpus(
        DATA / "nlp_references",
        [DATA / name for name in SYSTEMS],
        alternatives_from=DATA / "normalizations",
        tags_from=DATA / "wer_tags",
    )
    scores = misword.score(
        corpus, metrics="wer", normalize="lower", forgive=forgive, entities="tags"
    )
    errors = pl.sum_horizontal("substitutions", "deletions", "insertions").alias("errors")
    return scores.records["entity_counts"].select("utt", "system", "class", errors, "words")


def by_call(table: pl.DataFrame, name: str) -> NDArray[np.float64]:
    """Return errors and words of a class: calls, recognisers, 2."""
    own = table.filter(pl.col("class") == name)
    calls = {utt: row for row, utt in enumerate(own["utt"].unique().sort())}
    values = np.zeros((len(calls), len(SYSTEMS), 2))
    for utt, system, _, errors, words in own.iter_rows():
        values[calls[utt], SYSTEMS.index(system)] = errors, words
    return values


def rates_of(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rates in percent of all calls, and those of each resample of the calls."""
    drawn = np.random.default_rng(SEED).integers(0, len(values), (RESAMPLES, len(values)))
    sums, resampled = values.sum(axis=0), values[drawn].sum(axis=1)
    return 100 * sums[:, 0] / sums[:, 1], 100 * resampled[..., 0] / resampled[..., 1]


def agree(rates: NDArray[np.float64], published: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each pair of recognisers is in the published order, for one or many sets of rates."""
    first, second = map(list, zip(*PAIRS, strict=True))
    same: NDArray[np.bool_] = (rates[..., first] < rates[..., second]) == (
        published[first] < published[second]
    )
    return same


def tables(title: str, forgive: str) -> list[str]:
    """Return the table of all classes, and that of the pairs in another order."""
    table = counts(forgive)
    classes = ["| class | published | here | pairs | ρ | published order, % of resamples |"]
    classes += ["|:--|:--|:--|--:|--:|--:|"]
    others = ["| class | pair | difference, points | 95 % interval | published order, % |"]
    others += ["|:--|:--|--:|:--|--:|"]
    for name, listed in PUBLISHED.items():
        published = np.array(listed)
        rates, resampled = rates_of(by_call(table, name))
        same, held = agree(rates, published), agree(resampled, published)
        shown = [" / ".join(f"{rate:.1f}" for rate in values) for values in (published, rates)]
        share = 100 * held.all(axis=1).mean()
        ours, theirs = (values.argsort().argsort() for values in (rates, published))  # no ties
        rho = np.corrcoef(ours, theirs)[0, 1]
        classes.append(f"| {name} | {' | '.join(shown)} | {same.sum()} | {rho:.1f} | {share:.0f} |")
        for number in np.flatnonzero(~same).tolist():
            one, two = PAIRS[number]
            low, high = np.quantile(resampled[:, one] - resampled[:, two], [0.025, 0.975])
            others.append(
                f"| {name} | {SYSTEMS[one]} − {SYSTEMS[two]} | {rates[one] - rates[two]:+.1f} "
                f"| {low:+.1f} to {high:+.1f} | {100 * held[:, number].mean():.0f} |"
            )
    return [f"### {title}", "\n".join(classes), "\n".join(others)]


def main() -> None:
    """Score the calls with and without forgiving, and write the tables."""
    names = " / ".join(SYSTEMS)
    parts = [
        "# Order of recognisers by class of entities",
        f"Ten calls of Earnings-21; rates in percent of {names}; {RESAMPLES:,} resamples of calls.",
        *tables("`--normalize lower`", ""),
        *tables("`--normalize lower --forgive writing`", "writing"),
    ]
    text = "\n\n".join(parts)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
