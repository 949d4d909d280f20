"""Kementchedjhieva et al. 2019: the arithmetic of two hit rates on one lexicon."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from misword.bli.evaluation.rates import HeadwordCounts, Rate, quotient
from misword.io.lexicons import read_lexicon
from misword.stat.paired import paired

WORDS = 1125  # of the German-English lexicon
FIRST_ONLY, SECOND_ONLY = 125, 50  # right by RCSLS alone, by VecMap alone


def counts(right: NDArray[np.bool_]) -> HeadwordCounts:
    """Headwords with one gold translation each, all known."""
    ones = np.ones(WORDS, np.int64)
    found = {1: right.astype(np.int64)}
    return HeadwordCounts(np.arange(WORDS), ones, ones, ones, ones, found, found)


def test_the_gap_between_two_mappings() -> None:
    """(125 - 50) / 1125 = 6.67 points, whatever both have right."""
    number = np.arange(WORDS)
    both = number >= 400
    rcsls = both | (number < FIRST_ONLY)
    vecmap = both | ((number >= FIRST_ONLY) & (number < FIRST_ONLY + SECOND_ONLY))
    before, after = (Rate("hit", 1).terms(counts(right)) for right in (vecmap, rcsls))
    found = paired(before, after, quotient)
    assert round(100 * found.difference, 2) == 6.67
    assert found.p < 0.01


def test_the_gap_after_verification() -> None:
    """(27 % of 125 - 50 % of 50) / 1125 is 0.78 points, not the printed 0.1."""
    assert round(100 * (0.27 * FIRST_ONLY - 0.50 * SECOND_ONLY) / WORDS, 2) == 0.78


@pytest.mark.parametrize("languages", ["de-en", "en-de", "bg-en", "en-bg"])
def test_parts_of_speech_are_read_as_released(shared: Path, languages: str) -> None:
    """One file for each part of speech; hardly any pair is invalid (`nw`) but in de-en."""
    folder = shared / "bli" / "lost-in-evaluation"
    kinds = ("a", "n", "nw", "o", "pn", "v")
    sizes = {
        kind: len(read_lexicon(folder / f"{languages}.5000-6500.{kind}.txt")) for kind in kinds
    }
    assert sizes["n"] == max(sizes.values())
    proper = read_lexicon(folder / f"{languages}.5000-6500.pn.txt")
    assert 0.2 < len(proper.headwords) / 1500 < 0.3
