"""What is measured is measured on unseen references: folds, selection, learning curve, chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged import NAMES, PLANTED, planted_choices, planted_ratings
from misword.asr.people.judgements import Choices, Judgements, Ratings, Rows, Vector
from misword.asr.people.learning import (
    agreements,
    credit,
    held_out,
    learn_weights,
    learning_curve,
    proportions,
    smallest_set,
    splits,
)

LEVELS = np.array([1.0, 0.7, 0.0])


def predictions(judged: Judgements, *, select: bool = False, repeats: int = 1) -> Vector:
    def learn(rows: Rows) -> Vector:
        return learn_weights(judged, rows, None, 0, select=select)

    return held_out(judged, learn, folds=5, repeats=repeats, seed=0)


def spoilt(judged: Judgements, rows: Rows, seed: int) -> Judgements:
    """The same judgements, with other features and other opinions of people in some rows."""
    rng = np.random.default_rng(seed)
    features = judged.features.copy()
    features[rows] = rng.normal(0, 50, (len(rows), features.shape[1]))
    if isinstance(judged, Choices):
        votes = judged.votes.copy()
        votes[rows] = rng.integers(0, 9, (len(rows), 2))
        return replace(judged, features=features, votes=votes)
    assert isinstance(judged, Ratings)
    ratings = judged.ratings.copy()
    ratings[rows] = rng.normal(0, 100, len(rows))
    return replace(judged, features=features, ratings=ratings)


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(2, 10), st.integers(0, 99)
)
def test_folds_keep_references_together(numbers: list[int], folds: int, seed: int) -> None:
    references = np.unique(numbers, return_inverse=True)[1]
    tested: list[int] = []
    for learn, test in splits(references, folds, np.random.default_rng(seed)):
        assert not set(references[learn]) & set(references[test])
        assert sorted([*learn.tolist(), *test.tolist()]) == list(range(len(numbers)))
        tested += test.tolist()
    assert sorted(tested) == list(range(len(numbers)))


@pytest.mark.parametrize("select", [False, True])
@pytest.mark.parametrize(
    "judged", [planted_choices(rows=80), planted_ratings(rows=80)], ids=["choices", "ratings"]
)
@settings(max_examples=10)
@given(seed=st.integers(0, 1000), fold=st.integers(0, 4))
def test_nothing_of_the_test_fold_is_learnt_from(
    judged: Judgements, select: bool, seed: int, fold: int
) -> None:
    """Other votes and features in a test fold change neither weights nor scaling nor selection."""
    learn, test = list(splits(judged.references, 5, np.random.default_rng(0)))[fold]
    changed = spoilt(judged, test, seed)
    before = learn_weights(judged, learn, None, 0, select=select)
    after = learn_weights(changed, learn, None, 0, select=select)
    np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(judged.sizes(learn), changed.sizes(learn))
    # Votes of the fold do not change what is predicted for it.
    if isinstance(judged, Choices) and isinstance(changed, Choices):
        revoted = replace(judged, votes=changed.votes)
        same = predictions(revoted, select=select)[0, test]
        np.testing.assert_array_equal(same, predictions(judged, select=select)[0, test])


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_the_inner_folds_of_a_selection_read_only_the_given_rows(seed: int) -> None:
    judged = planted_choices(seed=1, rows=80)
    rows = np.flatnonzero(judged.references % 3 > 0)
    others = np.flatnonzero(judged.references % 3 == 0)
    chosen, steps = smallest_set(judged, rows, None, 0)
    again, other_steps = smallest_set(spoilt(judged, others, seed), rows, None, 0)
    assert chosen == again
    for step, other in zip(steps, other_steps, strict=True):
        np.testing.assert_array_equal(step.losses, other.losses)


def test_planted_weights_are_found() -> None:
    found = proportions(planted_choices(rows=4000).fit(np.arange(4000)))
    np.testing.assert_allclose(found, proportions(PLANTED), atol=0.03)
    rated = proportions(planted_ratings(rows=3000).fit(np.arange(3000)))
    np.testing.assert_allclose(rated, proportions(PLANTED), atol=0.03)


def test_permuted_votes_give_chance() -> None:
    """With half credit for ties, 20 permutations of 400 votes average to 50 % within 2 points."""
    shares = []
    for seed in range(20):
        judged = planted_choices(seed)
        votes = np.random.default_rng(seed).permutation(judged.votes)
        permuted = replace(judged, votes=votes)
        right, tied = credit(predictions(permuted)[0], permuted.sides)
        decided = permuted.sides != 0
        shares.append((right + tied / 2)[decided].mean())
    assert np.mean(shares) == pytest.approx(0.5, abs=0.02)
    assert max(shares) < 0.6


def test_permuted_votes_give_chance_with_a_selection() -> None:
    shares = []
    for seed in range(8):
        judged = planted_choices(seed, rows=150)
        votes = np.random.default_rng(seed).permutation(judged.votes)
        permuted = replace(judged, votes=votes)
        right, tied = credit(predictions(permuted, select=True)[0], permuted.sides)
        shares.append((right + tied / 2)[permuted.sides != 0].mean())
    assert np.mean(shares) == pytest.approx(0.5, abs=0.04)


def test_the_selection_removes_what_people_do_not_use() -> None:
    judged = planted_choices(rows=3000, references=1000)
    assert smallest_set(judged, np.arange(3000), None, 0)[0] == (0, 1)


def test_the_selection_keeps_metrics_if_there_are_few_judgements() -> None:
    """A set that is not shown to be as good is not chosen: twenty choices show nothing."""
    judged = planted_choices(rows=20, references=20)
    chosen, steps = smallest_set(judged, np.arange(20), None, 0)
    best = min(steps, key=lambda step: step.losses.sum())
    assert chosen == best.metrics


def test_the_learning_curve_tests_unseen_references_only() -> None:
    judged, seen = planted_choices(rows=120, references=40), []

    def record(values: Vector, rows: Rows) -> Vector:
        seen.append(rows)
        return agreements(judged, values, rows, LEVELS)

    fitted: list[Rows] = []

    class Recorded(Choices):
        def fit(self, rows: Rows, proportions: Vector | None = None) -> Vector:
            fitted.append(rows)
            return super(Choices, self).fit(rows, proportions)

    points = learning_curve(
        Recorded(NAMES, judged.features, judged.references, judged.votes), None, record, 0
    )
    assert [point.size for point in points] == [20, 50]
    for learnt, tested in zip(fitted, seen, strict=True):
        assert len(learnt) in (20, 50)
        assert not set(judged.references[learnt]) & set(judged.references[tested])


def test_a_learnt_prior_pulls_more_than_equal_influence() -> None:
    judged, rows = planted_choices(rows=20, references=20), np.arange(20)
    prior = np.array([0.0, 0.0, 1.0])
    alone, pulled = proportions(judged.fit(rows)), proportions(judged.fit(rows, prior))
    assert pulled[2] > alone[2]
    many = planted_choices(rows=4000)
    learnt = proportions(many.fit(np.arange(4000), prior))
    np.testing.assert_allclose(learnt, proportions(PLANTED), atol=0.03)


def test_a_prior_does_not_depend_on_the_scale_of_rates() -> None:
    """Weights are those of rates: a metric in percent has a hundredth of the weight."""
    judged, rows = planted_choices(rows=60), np.arange(60)
    scale = np.array([1.0, 100.0, 0.01])
    scaled = replace(judged, features=judged.features * scale)
    prior = np.array([0.2, 0.5, 0.3])
    np.testing.assert_allclose(scaled.fit(rows) * scale, judged.fit(rows), atol=1e-6)
    found = scaled.fit(rows, prior / scale) * scale
    np.testing.assert_allclose(found, judged.fit(rows, prior), atol=1e-6)
