"""Simulated comparisons: few false alarms, and no large difference is missed."""

from __future__ import annotations

import pytest

from simulate_verdicts import simulate

# Of 120 trials with a probability of 5 %, more than this many are false alarms once in 3,000 times.
TRIALS, MOST_ALARMS = 120, 15


@pytest.mark.parametrize(
    "systems", [2, 4, *(pytest.param(many, marks=pytest.mark.slow) for many in (12, 30))]
)
def test_verdicts(systems: int) -> None:
    alarms = trials = 0
    for speakers in (2, 5, 6, 8, 11, 14, 15, 25, 60):
        found = simulate(systems, speakers, TRIALS)
        assert found.misses == 0, speakers
        assert found.false_alarms <= MOST_ALARMS, speakers
        alarms, trials = alarms + found.false_alarms, trials + found.trials
    assert alarms <= 0.07 * trials  # three standard errors above 5 %


def test_what_is_tested() -> None:
    assert not simulate(2, 5, 1).by_speaker
    assert simulate(2, 6, 1).by_speaker
    assert not simulate(30, 10, 1).by_speaker
    assert simulate(30, 11, 1).by_speaker
