"""The paired bootstrap, over utterances and blocks, and Holm's correction."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import MismatchError
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import ratio
from misword.stat.paired import by_block, holm, paired

Rng = np.random.Generator


def rate(terms: Statistics) -> Statistics:
    return ratio(terms[..., 0], terms[..., 1])


def chance_allows(trials: int, level: float = 0.05) -> tuple[int, int]:
    """The range of the number of false positives of a calibrated test.

    Each trial finds something with chance `level`, so the count is binomial; a right test leaves
    these bounds with one seed in 500.
    """
    from scipy import stats

    low, high = stats.binom.ppf([0.001, 0.999], trials, level)
    return int(low), int(high)


def draw(rng: Rng, hard: Statistics, words: Statistics, factor: float = 1.0) -> Statistics:
    """A system's terms: errors in words that are as hard for it as for any other."""
    return np.stack([rng.binomial(words, hard * factor), words], axis=1)


def test_hand_worked() -> None:
    baseline = np.array([[2, 10], [4, 10], [0, 10], [2, 10]])
    system = np.array([[1, 10], [2, 10], [0, 10], [1, 10]])
    found = paired(baseline, system, rate)
    # 8 errors of 40 words, then 4.
    assert (found.baseline_rate, found.rate) == (0.2, 0.1)
    assert (found.difference, found.relative) == (-0.1, -0.5)
    # Every resample halves the errors, but for those of the third alone, which has none to halve.
    assert found.relative_low == pytest.approx(-0.5)
    assert found.relative_high == pytest.approx(-0.5)
    assert found.low < -0.1 < found.high <= 0


def test_p_is_the_share_of_swaps_that_differ_as_much() -> None:
    """The test swaps the rows of both systems in all ways and compares the rates exactly."""
    rng = np.random.default_rng(1)
    words = rng.integers(5, 40, 8)
    baseline, system = (np.stack([rng.binomial(words, share), words], 1) for share in (0.3, 0.2))
    for hypothesis_words in (0, 1):  # the denominators of the two rates may differ
        system[:, 1] += hypothesis_words * rng.integers(0, 4, 8)
        differences = []
        for swaps in product([False, True], repeat=8):
            swapped = np.array(swaps)[:, None]
            before = np.where(swapped, system, baseline).sum(axis=0)
            after = np.where(swapped, baseline, system).sum(axis=0)
            differences.append(rate(after) - rate(before))
        observed = abs(differences[0]) - 1e-12
        assert paired(baseline, system, rate).p == np.mean(np.abs(differences) >= observed)


@pytest.mark.parametrize("whole", [True, False])
def test_identical_systems(whole: bool) -> None:
    rng = np.random.default_rng(0)
    terms = np.stack([rng.random(50), np.ones(50)], axis=1)
    terms = (10 * terms).astype(np.int64) if whole else terms
    found = paired(terms, terms.copy(), rate)
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    assert (found.relative, found.relative_low, found.relative_high) == (0, 0, 0)
    assert found.p == 1


def test_two_systems_without_errors() -> None:
    perfect = np.array([[0, 10]] * 6)
    found = paired(perfect, perfect, rate)
    assert (found.relative, found.relative_low, found.relative_high, found.p) == (0, 0, 0, 1)
    assert paired(perfect, perfect, rate, Bootstrap(0)).relative == 0


def test_sums_do_not_round() -> None:
    """Ten times 0.1 is 1, as in the summary of scores; a running sum is slightly less."""
    terms = np.array([[0.1, 0.1]] * 10)
    assert sum(terms[:, 0].tolist()) < 1
    assert paired(terms, terms, lambda sums: np.asarray(sums[..., 0])).rate == 1


def test_as_many_errors_at_other_places() -> None:
    """A difference of 0 is not significant, though the systems differ in every row."""
    baseline = np.array([[0.1, 1], [0.2, 1], [0.3, 1], [0.7, 1]])
    found = paired(baseline, baseline[::-1], rate)
    assert found.difference == 0
    assert found.p == 1
    assert found.low < 0 < found.high


def test_a_difference_of_rounding_is_none() -> None:
    """Where all rows tie, so do all resamples, and rounding must not decide."""
    baseline = np.array([[0.1, 1.0]] * 40)
    system = np.nextafter(baseline, 1)
    assert paired(baseline, system, rate).p == 1


def test_few_utterances_that_agree_are_no_proof() -> None:
    """All rows differ by the same, so the spread is 0. n rows agree in sign 2 times in 2^n."""
    baseline = np.array([[3, 10]] * 12)
    system = baseline - [[1, 0]]
    for rows in (2, 4, 6, 12):
        assert paired(baseline[:rows], system[:rows], rate).p == 2 / 2**rows


def test_undefined() -> None:
    one, none = np.array([[1, 10]]), np.array([[1, 0], [2, 0]])
    alone = paired(one, one + 1, rate)
    assert (alone.baseline_rate, alone.rate) == (0.1, 2 / 11)
    assert alone.difference == pytest.approx(0.9 / 11)
    assert np.isnan([alone.low, alone.high, alone.relative_low, alone.relative_high, alone.p]).all()
    lost = paired(none, none, rate)
    assert np.isnan([lost.rate, lost.difference, lost.relative, lost.low, lost.p]).all()
    many = np.repeat(one, 5, axis=0)
    drawn_never = paired(many, many + np.array([1, 0]), rate, Bootstrap(0))
    assert np.isnan([drawn_never.low, drawn_never.high, drawn_never.relative_low]).all()
    assert drawn_never.p == 2 / 2**5


def test_nothing_to_improve_on() -> None:
    perfect = np.array([[0, 10]] * 6)
    found = paired(perfect, np.array([[1, 10], [0, 10]] * 3), rate)
    assert found.difference == 0.05
    assert np.isnan([found.relative, found.relative_low, found.relative_high]).all()
    assert not np.isnan(found.p)


def test_undefined_resamples_are_left_out() -> None:
    """Five of six utterances have no words, so a third of the resamples has no rate.

    The others all have the same. One row is no evidence: p is 1.
    """
    baseline, system = np.array([[1, 10], *[[0, 0]] * 5]), np.array([[2, 10], *[[0, 0]] * 5])
    found = paired(baseline, system, rate)
    assert (found.low, found.high) == pytest.approx((0.1, 0.1))
    assert found.p == 1


def test_different_utterances_are_refused() -> None:
    with pytest.raises(MismatchError, match="3 rows of the baseline, 2 of the system"):
        paired(np.ones((3, 2)), np.ones((2, 2)), rate)


def test_order_of_the_systems() -> None:
    rng = np.random.default_rng(4)
    words = rng.integers(5, 30, 300)
    hard = rng.beta(1, 6, 300)
    one, two = draw(rng, hard, words), draw(rng, hard, words, 0.8)
    there, back = paired(one, two, rate), paired(two, one, rate)
    assert there.difference == -back.difference
    assert there.p == pytest.approx(back.p)
    assert there.low == pytest.approx(-back.high, rel=0.1)
    assert paired(one, two, rate, Bootstrap(seed=1)) == paired(one, two, rate, Bootstrap(seed=1))
    assert paired(one, two, rate, Bootstrap(seed=1)) != paired(one, two, rate, Bootstrap(seed=2))


def test_p_is_students_where_differences_are_normal() -> None:
    """For many normal differences the p-value is that of Student's test."""
    from scipy import stats

    rng = np.random.default_rng(5)
    for rows in (30, 400):
        noise = rng.normal(0, 1, rows)
        before = np.stack([np.full(rows, 50.0), np.ones(rows)], axis=1)
        after = before + np.stack([noise + 2 / np.sqrt(rows), np.zeros(rows)], axis=1)
        truth = stats.ttest_rel(after[:, 0], before[:, 0]).pvalue
        assert paired(before, after, rate, Bootstrap(0)).p == pytest.approx(truth, rel=0.1)


@pytest.mark.slow
def test_calibration() -> None:
    """Two systems of one quality: p < 0.05 in no more trials than chance allows, and no fewer."""
    rng = np.random.default_rng(6)
    found = 0
    for trial in range(500):
        words = rng.integers(3, 25, 200)
        hard = rng.beta(1, 6, 200)
        one, two = draw(rng, hard, words), draw(rng, hard, words)
        found += paired(one, two, rate, Bootstrap(400, seed=trial)).p < 0.05
    low, high = chance_allows(500)
    assert low <= found <= high


def test_power() -> None:
    """A system with a fifth fewer errors is found nearly always, one of a tenth often."""
    rng = np.random.default_rng(7)
    found = {0.8: 0, 0.9: 0}
    for trial, factor in product(range(50), found):
        words = rng.integers(3, 25, 200)
        hard = rng.beta(1, 6, 200)
        one, two = draw(rng, hard, words), draw(rng, hard, words, factor)
        found[factor] += paired(one, two, rate, Bootstrap(400, seed=trial)).p < 0.05
    assert found[0.8] > 40
    assert 10 < found[0.9] < found[0.8]


def test_blocks() -> None:
    """Each speaker is easier for one system, by chance: only the block test is calibrated."""
    rng = np.random.default_rng(8)
    alone = together = 0
    speaker = np.repeat(np.arange(12), 20)
    for trial in range(200):
        words = rng.integers(3, 25, len(speaker))
        one, two = (draw(rng, rng.beta(2, 12, 12)[speaker], words) for _ in range(2))
        ones, twos = by_block(one, speaker), by_block(two, speaker)
        alone += paired(one, two, rate, Bootstrap(200, seed=trial)).p < 0.05
        together += paired(ones, twos, rate, Bootstrap(200, seed=trial)).p < 0.05
    low, high = chance_allows(200)
    assert low <= together <= high
    assert alone > 3 * high


def test_by_block() -> None:
    terms = np.array([[1, 5], [2, 6], [3, 7], [4, 8]])
    summed = by_block(terms, np.array([1, 0, 1, 2]))
    assert summed.tolist() == [[2, 6], [4, 12], [4, 8]]
    assert summed.dtype == terms.dtype
    assert by_block(terms / 2, np.array([0, 0, 0, 0])).tolist() == [[5.0, 13.0]]


def test_holm_hand_worked() -> None:
    # Sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04; none below the one before: .06 at last.
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []
    assert holm([0.02]).tolist() == [0.02]


@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=6))
def test_holm_is_closed_testing(p: list[float]) -> None:
    """A hypothesis falls if every set it is in does, each set tested by Bonferroni's rule."""
    there = [i for i, value in enumerate(p) if value == value]
    sets = [s for size in range(1, len(there) + 1) for s in combinations(there, size)]
    truth = [
        max(min(1.0, len(s) * min(p[j] for j in s)) for s in sets if i in s)
        if i in there
        else np.nan
        for i in range(len(p))
    ]
    np.testing.assert_allclose(holm(p), truth)
