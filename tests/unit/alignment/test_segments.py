"""Cuts of a hypothesis at the segments of its reference: the errors of the parts add up."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from misword.alignment.engine import align
from misword.alignment.segments import AlignedRecording, Times, cut_hypothesis
from misword.core.types import Op, Tokens
from misword.text.tokens import encode_lists

WORDS = st.lists(st.sampled_from("abc"), max_size=14)
HIT, SUB, INS, DEL = (np.uint8(op) for op in Op)


def _path(*ops: np.uint8) -> AlignedRecording:
    return AlignedRecording.of(np.array(ops, np.uint8))


def _times(*spans: tuple[float, float]) -> Times:
    begin, end = np.array(spans, np.float64).T
    return Times(begin, end)


@given(
    reference=WORDS,
    hypothesis=WORDS,
    places=st.lists(st.floats(0, 1), max_size=5),
    seconds=st.none() | st.lists(st.floats(0, 9), min_size=30, max_size=30),
    timed=st.booleans(),
    on_path=st.booleans(),
)
def test_errors_of_parts_add_up(
    reference: list[str],
    hypothesis: list[str],
    places: list[float],
    seconds: list[float] | None,
    timed: bool,
    on_path: bool,
) -> None:
    tokens = encode_lists([reference, hypothesis])
    sides = tokens.take(np.array([0])), tokens.take(np.array([1]))
    whole = align(*sides)
    borders = np.array(sorted(round(place * len(reference)) for place in places), np.int64)
    words = segments = None
    if seconds is not None:
        begins = np.array(seconds[: len(hypothesis)], np.float64)
        words = Times(begins, begins + 0.2)
    if timed:
        starts = np.arange(len(borders) + 1, dtype=np.float64)
        segments = Times(starts, starts + 1)
    path = AlignedRecording.of(whole.operations(0))
    cuts = cut_hypothesis(path, borders, words, segments, on_path=on_path)
    ends = [np.concatenate([[0], cut, [len(side)]]) for cut, side in
            ((borders, reference), (cuts, hypothesis))]  # fmt: skip
    assert (np.diff(ends[1]) >= 0).all()
    parts = [
        Tokens(side.ids, end.astype(np.int64), side.vocabulary)
        for side, end in zip(sides, ends, strict=True)
    ]
    assert align(parts[0], parts[1]).costs.sum() == whole.costs.sum()


def test_a_word_without_partner_goes_to_the_right() -> None:
    path = _path(HIT, INS, INS, HIT)
    assert cut_hypothesis(path, np.array([1])).tolist() == [1]


def test_the_longest_silence_decides_without_times_of_segments() -> None:
    path = _path(HIT, INS, INS, HIT)
    words = _times((0, 0.5), (0.6, 1), (2, 2.5), (2.6, 3))
    assert cut_hypothesis(path, np.array([1]), words).tolist() == [2]


def test_times_of_segments_decide_before_silences() -> None:
    path = _path(HIT, INS, INS, HIT)
    words = _times((0, 0.5), (0.6, 1), (2, 2.5), (2.6, 3))
    segments = _times((0, 2.55), (2.56, 3))
    assert cut_hypothesis(path, np.array([1]), words, segments).tolist() == [3]


def test_words_without_times_are_placed_as_without_times() -> None:
    path = _path(HIT, INS, HIT)
    words = Times(np.array([0, np.nan, 2]), np.array([0.5, np.nan, 2.5]))
    assert cut_hypothesis(path, np.array([1]), words).tolist() == [1]
    segments = _times((0, 1), (1, 3))
    assert cut_hypothesis(path, np.array([1]), words, segments).tolist() == [1]


def test_substitutions_beside_a_border_may_move() -> None:
    # `x y` is heard for `b`, and either of them may be the inserted word.
    path = _path(HIT, INS, SUB, HIT)
    words = _times((0, 0.5), (0.6, 1), (1.1, 1.5), (3.6, 4))
    assert cut_hypothesis(path, np.array([2])).tolist() == [2]
    assert cut_hypothesis(path, np.array([2]), on_path=True).tolist() == [3]
    assert cut_hypothesis(path, np.array([2]), words).tolist() == [3]


def test_a_deleted_word_leaves_the_border_open() -> None:
    # One word is heard for two, which are in different segments.
    path = _path(HIT, DEL, SUB, HIT)
    words = _times((0, 0.5), (0.6, 1), (3, 3.5))
    assert cut_hypothesis(path, np.array([2])).tolist() == [1]
    assert cut_hypothesis(path, np.array([2]), words).tolist() == [2]


def test_segments_without_words_get_none() -> None:
    path = _path(HIT, HIT)
    assert cut_hypothesis(path, np.array([0, 1, 1, 2])).tolist() == [0, 1, 1, 2]


def test_a_forgiven_block_without_reference_words_is_not_divided() -> None:
    # `you know` is an optional phrase before the border, and `x` an insertion after it.
    path = AlignedRecording(
        np.array([HIT, HIT, INS, HIT]), np.array([1, 0, 0, 1]), np.array([1, 2, 1, 1])
    )
    words = _times((0, 0.1), (0.2, 0.3), (2, 2.1), (2.2, 2.3), (2.4, 2.5))
    assert cut_hypothesis(path, np.array([1]), words).tolist() == [1]
    words = _times((0, 0.1), (0.2, 0.3), (0.4, 0.5), (2.2, 2.3), (2.4, 2.5))
    assert cut_hypothesis(path, np.array([1]), words).tolist() == [3]
