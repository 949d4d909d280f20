"""The agreement of blends with people, and that of one voter with the others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import NAMES, planted_choices, planted_ratings
from misword.asr.people.judgements import Choices
from misword.asr.people.learning import (
    agreement_rows,
    correlation_of,
    correlation_rows,
    majorities,
    voter_credit,
    weight_rows,
)
from misword.stat.bootstrap import Bootstrap

LEVELS = {"100 %": 1.0, "70 %": 0.7, "any": 0.0}
votes = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: sum(pair) > 1)


@given(votes)
def test_one_voter_against_the_others_by_counting(pair: tuple[int, int]) -> None:
    """Leave out each voter in turn, and compare with the majority of the rest; a tie is half."""
    people = [1] * pair[0] + [-1] * pair[1]
    shares = []
    for place, own in enumerate(people):
        rest = sum(people[:place] + people[place + 1 :])
        shares.append(0.5 if rest == 0 else float(np.sign(rest) == own))
    found = voter_credit(np.array([pair]))
    assert found is not None
    assert found[0][0] == pytest.approx(np.mean(shares))


def test_one_voter_needs_others() -> None:
    assert voter_credit(np.array([[1, 0], [3, 4]])) is None


def test_the_blend_that_says_what_people_say_agrees_always() -> None:
    judged = planted_choices(rows=40)
    rows = agreement_rows(judged, judged.sides[None, :], LEVELS, Bootstrap(100))
    blend = [row for row in rows if row["metric"] == "blend"]
    decided = judged.sides != 0
    assert [row["agreed"] for row in blend] == [1, 1, 1]
    assert blend[2]["choices"] == decided.sum()
    assert blend[0]["choices"] == (judged.votes.min(axis=1) == 0).sum()
    opposite = agreement_rows(judged, -judged.sides[None, :], LEVELS, Bootstrap(0))
    assert opposite[0]["agreed"] == 0


def test_the_agreement_is_the_mean_over_repeats() -> None:
    judged = planted_choices(rows=40)
    held_out = np.stack([judged.sides, -judged.sides])
    row = agreement_rows(judged, held_out, LEVELS, Bootstrap(0))[2]
    assert row["agreed"] == 0.5


def test_ties_are_not_agreement_and_count_half_in_half() -> None:
    judged = planted_choices(rows=40)
    row = agreement_rows(judged, np.zeros((1, 40)), LEVELS, Bootstrap(0))[2]
    assert (row["agreed"], row["half"], row["ties"]) == (0, 0.5, 1)


def test_metrics_are_tested_against_the_blend() -> None:
    judged = planted_choices(rows=200)
    rows = agreement_rows(judged, judged.sides[None, :], LEVELS, Bootstrap(0))
    found = {(row["metric"], row["consensus"]): row["p"] for row in rows}
    assert found["wer", "any"] < 0.001  # people do not use it
    assert np.isnan(found["blend", "any"])
    assert np.isnan(found["one voter", "any"])


def test_equal_votes_belong_to_no_level() -> None:
    judged = Choices(NAMES, np.ones((2, 3)), np.arange(2), np.array([[3, 3], [0, 0]]))
    assert majorities(judged).tolist() == [-1, -1]
    rows = agreement_rows(judged, np.ones((1, 2)), LEVELS, Bootstrap(0))
    assert {row["choices"] for row in rows} == {0}


def test_intervals_are_over_references() -> None:
    """Choices that are copies add no information: the interval stays as wide."""
    judged = planted_choices(rows=60, references=60)
    copied = Choices(
        NAMES,
        np.repeat(judged.features, 4, axis=0),
        np.repeat(judged.references, 4),
        np.repeat(judged.votes, 4, axis=0),
    )
    wide = [
        agreement_rows(part, part.features[:, 0][None, :], LEVELS, Bootstrap(400))[2]
        for part in (judged, copied)
    ]
    widths = [row["high"] - row["low"] for row in wide]
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


def test_weights_have_intervals_that_contain_them() -> None:
    judged = planted_choices(rows=300)
    weights = judged.fit(np.arange(300))
    rows = weight_rows(judged, weights / weights.sum(), None, Bootstrap(200))
    assert sum(row["weight"] for row in rows) == pytest.approx(1)
    assert sum(row["influence"] for row in rows) == pytest.approx(1)
    for row, known in zip(rows, [0.75, 0.25, 0.0], strict=True):
        assert 0 <= row["low"] <= known <= row["high"] <= 1


def test_correlation_of_a_perfect_and_of_a_constant_blend() -> None:
    judged = planted_ratings(rows=50)
    rows = correlation_rows(judged, judged.ratings[None, :], Bootstrap(0))
    assert rows[0]["pearson"] == pytest.approx(1)
    assert rows[0]["kendall"] == pytest.approx(1)
    assert np.isnan(correlation_of(judged, np.zeros(50), np.arange(50)))[0]


def test_levels_are_nested() -> None:
    judged = planted_choices(rows=100)
    shares = majorities(judged)
    for low, high in product([0.0, 0.5, 0.7], [0.7, 0.9, 1.0]):
        assert set(np.flatnonzero(shares >= high)) <= set(np.flatnonzero(shares >= low))
