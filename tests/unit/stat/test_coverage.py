"""Simulated test sets: intervals contain the true rate about as often as they say."""

from __future__ import annotations

import pytest

import simulate_intervals
from simulate_intervals import coverage, formulas

TRIALS = 300
# 95 % minus three standard errors of a share of 300 trials.
FEWEST = 0.912


@pytest.mark.parametrize("size", [20, 60])
@pytest.mark.parametrize(
    "name", ["wer", "speakers", "wil", "wer, difference", "speakers, difference"]
)
def test_intervals(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate_intervals, "POPULATION", 200_000)
    found = coverage(formulas()[name], size, TRIALS)
    assert found.contains >= max(FEWEST, found.plain)
    assert found.contains + found.above + found.below == pytest.approx(1)
