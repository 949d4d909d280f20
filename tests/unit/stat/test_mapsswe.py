"""The matched-pairs sentence-segment word error test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.types import Op
from misword.stat.mapsswe import Operations, from_words, mapsswe, segments

LETTERS = "HSID"  # as in Op
Steps = list[str]


def errors(utterances: Steps) -> Operations:
    """Operations from a string of letters for each utterance."""
    owners = np.repeat(np.arange(len(utterances)), [len(steps) for steps in utterances])
    kinds = [LETTERS.index(letter) for steps in utterances for letter in steps]
    return Operations(owners, np.array(kinds, np.uint8))


def found(baseline: Steps, system: Steps) -> list[list[int]]:
    counts: list[list[int]] = segments(errors(baseline), errors(system)).tolist()
    return counts


def slow(baseline: Steps, system: Steps) -> list[list[int]]:
    """Word by word, as NIST's state machine goes: two good words after an error end a segment."""
    result = []
    for one, two in zip(baseline, system, strict=True):
        if len(one.replace("I", "")) != len(two.replace("I", "")):
            places = [(sum(k != "H" for k in one), sum(k != "H" for k in two))]
        else:
            places = list(zip(_places(one), _places(two), strict=True))
        open_, good = [0, 0], 0
        for place, counts in enumerate(places):
            is_word = place % 2 == 1
            if any(counts):
                open_, good = [a + b for a, b in zip(open_, counts, strict=True)], 0
            elif is_word:
                good += 1
            if good == 2 and any(open_):
                result.append(open_)
                open_ = [0, 0]
        if any(open_):
            result.append(open_)
    return result


def _places(steps: str) -> list[int]:
    """Operations in each gap and word of a reference by turns."""
    counts = [0]
    for step in steps:
        if step == "I":
            counts[-1] += 1
        else:
            counts += [int(step != "H"), 0]
    return counts


def test_hand_worked() -> None:
    """Nine reference words in the first utterance, four in the second, two in the third.

    first     a  b  c  d  e  f  g  h  i
    baseline  S  H  H  H  D  H  S  H  H     segments: {a}, {e f g}: one good word does not part
    system    H  H  H  H  H  H  S  H  H     errors of the baseline and the system: 1 0, 2 1

    second    a  b  .  c  d
    baseline  H  H  I  H  D                 an insertion between b and c, which d joins
    system    S  H     H  H                 a, b, insertion: b alone is good, so one segment: 2 1

    third     a  b  .
    baseline  H  H
    system    H  H  I                       after two good words at the end: 0 1
    """
    baseline = errors(["SHHHDHSHH", "HHIHD", "HH"])
    system = errors(["HHHHHHSHH", "SHHH", "HHI"])
    assert segments(baseline, system).tolist() == [[1, 0], [2, 1], [2, 1], [0, 1]]
    # Differences -1 -1 -1 1: mean -1/2; squares from it 1/4 1/4 1/4 9/4, over 3: variance 1.
    # z = -1/2 / (1 / sqrt 4) = -1; Student's t with 3 degrees of freedom is farther from 0 than 1
    # with the probability 2/3 - sqrt(3) / (2 pi) = 0.391002.
    test = mapsswe(baseline, system)
    assert (test.segments, test.mean, test.deviation, test.z) == (4, -0.5, 1.0, -1.0)
    assert test.p == pytest.approx(2 / 3 - 3**0.5 / (2 * math.pi))
    assert mapsswe(system, baseline).z == 1.0


@pytest.mark.parametrize(
    ("baseline", "system", "expected"),
    [
        (["SHHS"], ["HHHH"], [[1, 0], [1, 0]]),  # two right words separate segments
        (["SHS"], ["HHH"], [[2, 0]]),  # one right word does not
        (["SHHS"], ["HSHH"], [[2, 1]]),  # words right in one system only do not
        (["SHIHS"], ["HHHH"], [[3, 0]]),  # an insertion stands between two right words
        (["SHHS"], ["HHIHH"], [[2, 1]]),  # of either system
        (["SHHIHHS"], ["HHHHHH"], [[1, 0], [1, 0], [1, 0]]),  # alone a segment of its own
        (["SH"], ["SH"], [[1, 1]]),
        (["S", "S"], ["H", "H"], [[1, 0], [1, 0]]),  # utterances are separate
        (["HH"], ["HH"], []),
        (["I"], [""], [[1, 0]]),  # an empty reference
        ([""], ["II"], [[0, 2]]),
        (["HHS"], ["HH"], [[1, 0]]),  # different readings: one segment
        (["SHHHHS", "S"], ["SHHH", "H"], [[2, 1], [1, 0]]),
        ([], [], []),
    ],
)
def test_segments(baseline: Steps, system: Steps, expected: list[list[int]]) -> None:
    assert found(baseline, system) == expected
    assert found(system, baseline) == [pair[::-1] for pair in expected]


@st.composite
def two_systems(draw: st.DrawFn) -> tuple[Steps, Steps]:
    """Alignments with the same references, mostly right; some were read differently."""
    word = st.sampled_from("HHHHSD")
    baseline: Steps = []
    system: Steps = []
    for size in draw(st.lists(st.integers(0, 12), max_size=5)):
        for side in (baseline, system):
            own = draw(st.integers(0, 12)) if draw(st.integers(0, 9)) == 0 else size
            steps = draw(st.lists(word, min_size=own, max_size=own))
            for place in draw(st.lists(st.integers(0, own), max_size=2)):
                steps.insert(place, "I")
            side.append("".join(steps))
    return baseline, system


@given(two_systems())
def test_against_the_slow_way(systems: tuple[Steps, Steps]) -> None:
    baseline, system = systems
    assert found(baseline, system) == slow(baseline, system)
    wrong = [sum(step != "H" for step in "".join(side)) for side in systems]
    assert segments(errors(baseline), errors(system)).sum(axis=0).tolist() == wrong


def test_identical_systems() -> None:
    side = errors(["HSHHD", "IHH"])
    assert mapsswe(side, side).p == 1
    assert mapsswe(errors(["HH"]), errors(["HH"])).p == 1
    assert mapsswe(errors(["SHHH"]), errors(["HHHD"])).p == 1  # as many errors at another place


def test_undefined() -> None:
    one = mapsswe(errors(["S"]), errors(["H"]))
    assert (one.segments, one.mean) == (1, -1)
    assert np.isnan([one.deviation, one.z, one.p]).all()
    same = mapsswe(errors(["S"] * 9), errors(["H"] * 9))
    assert (same.mean, same.deviation) == (-1, 0)
    assert np.isnan([same.z, same.p]).all()


def test_utterances_are_independent_if_there_are_enough() -> None:
    """Twelve utterances with two segments of equal differences: -1 in nine of them, else 1.

    Their sums minus twice the mean of -1/2 are -1 and 3: 9 + 27 = 36, times 12/11 39.27. The sum of
    the differences, -12, divided by the root of this is -1.9149. With nine utterances the segments
    count as independent: -1 in 12 segments, 1 in 6, mean -1/3; the sum of squares is 16, times
    18/17 16.94; -6 divided by the root of this is -1.4577.
    """
    from scipy import stats

    def two(sizes: tuple[int, int]) -> float:
        first, second = "SHHSHH", "HHHHHH"
        left = errors([first] * sizes[0] + [second] * sizes[1])
        return mapsswe(left, errors([second] * sizes[0] + [first] * sizes[1])).p

    assert two((9, 3)) == pytest.approx(2 * stats.t.sf(12 / (36 * 12 / 11) ** 0.5, 11))
    assert two((6, 3)) == pytest.approx(2 * stats.t.sf(6 / (16 * 18 / 17) ** 0.5, 17))


def simulated(
    rng: np.random.Generator, rows: int, factor: float = 1.0, *, apart: bool = False
) -> tuple[Operations, Operations]:
    """Two systems that find the same words hard; the second has `factor` times the errors.

    If they are `apart`, each of them finds some of the utterances hard that the other does not.
    """
    words = rng.integers(5, 20, rows)
    owners = np.repeat(np.arange(rows), words)
    factors = rng.gamma(1.0, size=(2, rows)) if apart else np.array([[1.0], [factor]])
    hard = rng.beta(1, 6, rows) * factors
    kinds = [np.where(rng.random(len(owners)) < side[owners], 1, 0) for side in hard]
    return Operations(owners, kinds[0].astype(np.uint8)), Operations(
        owners, kinds[1].astype(np.uint8)
    )


def test_calibration() -> None:
    """Two systems of one quality: p < 0.05 in no more trials than chance allows, and no fewer.

    The number of such trials is binomial; a right test leaves the bounds with one seed in 500.
    """
    from scipy import stats

    rng = np.random.default_rng(0)
    low, high = stats.binom.ppf([0.001, 0.999], 300, 0.05)
    found = sum(mapsswe(*simulated(rng, 150)).p < 0.05 for _ in range(300))
    assert low <= found <= high


@pytest.mark.parametrize("rows", [20, 60])
def test_segments_of_an_utterance_that_depend_on_each_other(rows: int) -> None:
    """If a system fails in all of an utterance, its segments are not independent."""
    from scipy import stats

    rng = np.random.default_rng(rows)
    tests = [mapsswe(*simulated(rng, rows, apart=True)) for _ in range(400)]
    assert sum(test.p < 0.05 for test in tests) <= stats.binom.ppf(0.999, 400, 0.05)
    # The normal distribution of z has too many such trials.
    assert sum(abs(test.z) > 1.96 for test in tests) > stats.binom.ppf(0.95, 400, 0.05)


def test_power() -> None:
    rng = np.random.default_rng(1)
    found = [mapsswe(*simulated(rng, 150, 0.75)) for _ in range(50)]
    assert sum(test.p < 0.05 and test.mean < 0 for test in found) > 40


def test_from_words() -> None:
    refs = ["a b c d e f", "", "g h", "{ um / @ } i j"]
    said = {
        "one": ["x b c d e y", "", "g h", "i j"],
        "two": ["a b c d e f", "z", "g", "um i k"],
        "three": ["a b c d e f", "", "g h", "i j"],
    }
    words = misword.score(refs, said, "wer").words()
    # um and nothing are readings of two lengths: the last utterance is one segment.
    truth = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    assert sorted(segments(*from_words(words, "one", "two")).tolist()) == sorted(truth)
    back = words.sort("utt", descending=True, maintain_order=True)
    assert sorted(segments(*from_words(back, "one", "two")).tolist()) == sorted(truth)
    assert segments(*from_words(words, "three", "three")).tolist() == []
    silent = segments(*from_words(words, "one", "four"))  # a system that has no words at all
    assert silent[:, 0].sum() == 2
    assert silent[:, 1].sum() == 0


def test_from_words_of_systems_in_orders_of_their_own() -> None:
    ids = ["u1", "u2", "u3"]
    one = misword.score(["a b", "c d", "e"], {"one": ["a x", "c d", "e"]}, "wer", ids=ids)
    two = misword.score(["e", "c d", "a b"], {"two": ["y", "z", "a b"]}, "wer", ids=ids[::-1])
    words = (one + two).words()
    assert segments(*from_words(words, "one", "two")).tolist() == [[1, 0], [0, 2], [0, 1]]


def test_kinds_are_operations() -> None:
    pair = misword.score(["a b c"], {"one": ["a x c y"], "two": ["a b"]}, "wer").words()
    one, two = from_words(pair, "one", "two")
    assert one.kinds.tolist() == [Op.HIT, Op.SUBSTITUTION, Op.HIT, Op.INSERTION]
    assert two.kinds.tolist() == [Op.HIT, Op.HIT, Op.DELETION]
    test = mapsswe(one, two)
    assert (test.segments, test.mean) == (1, -1)
