"""Error rates of entities by class on Eval-10 of Earnings-21 (Del Rio et al., 2021).

The published rates are of all 44 calls, by fstalign; the data here are ten of them. The references
of these calls lack the last digit of a year at the end of a sentence (`201` for `2019`), so the
verbalisations of the sidecars are read as alternatives.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

import misword

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


def entity_rates(shared: Path, forgive: str) -> dict[str, tuple[float, ...]]:
    """Return the rates of the classes in percent, in the order of SYSTEMS."""
    folder = shared / "earnings21"
    corpus, _ = misword.read_corpus(
        folder / "nlp_references",
        [folder / name for name in SYSTEMS],
        alternatives_from=folder / "normalizations",
        tags_from=folder / "wer_tags",
    )
    scores = misword.score(
        corpus, metrics="wer", normalize="lower", forgive=forgive, entities="tags"
    )
    rows = scores.entities(bootstrap=0).select("class", "system", "rate").rows()
    found = {(name, system): 100 * rate for name, system, rate in rows}
    return {name: tuple(found[name, system] for system in SYSTEMS) for name in PUBLISHED}


def agreeing_pairs(ours: tuple[float, ...], published: tuple[float, ...]) -> int:
    """Count the pairs of systems that are in the same order in both."""
    pairs = combinations(range(len(SYSTEMS)), 2)
    return sum((ours[a] < ours[b]) == (published[a] < published[b]) for a, b in pairs)


def test_rates_come_near_to_the_published_ones(shared: Path) -> None:
    """Without forgiving, as published: the mean difference is below two points."""
    rates = entity_rates(shared, "")
    differences = [
        abs(ours - theirs)
        for name, published in PUBLISHED.items()
        for ours, theirs in zip(rates[name], published, strict=True)
    ]
    assert sum(differences) / len(differences) < 2.0
    pairs = {name: agreeing_pairs(rates[name], PUBLISHED[name]) for name in PUBLISHED}
    assert pairs == {"PERSON": 6, "ORG": 5, "MONEY": 5, "CARDINAL": 5, "DATE": 6, "YEAR": 6}


@pytest.mark.slow
def test_forgiving_changes_the_order_of_money(shared: Path) -> None:
    """The published rates count differences of writing of amounts as errors."""
    rates = entity_rates(shared, "writing")
    pairs = {name: agreeing_pairs(rates[name], PUBLISHED[name]) for name in PUBLISHED}
    assert pairs == {"PERSON": 6, "ORG": 6, "MONEY": 4, "CARDINAL": 5, "DATE": 6, "YEAR": 5}
