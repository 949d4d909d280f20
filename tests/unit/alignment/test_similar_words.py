"""Words that look alike are paired; counts and costs stay the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.alignment.engine import align, steps
from misword.alignment.similar_words import find_spacings, pair_similar_words
from misword.core.types import Alignment, Op, Tokens
from misword.text.texts import Texts
from misword.text.tokens import encode_words

LETTERS = {Op.HIT: "H", Op.SUBSTITUTION: "S", Op.INSERTION: "I", Op.DELETION: "D"}
WORDS = st.lists(st.sampled_from(["a", "ab", "abc", "b", "bc", "x"]), max_size=7).map(" ".join)


def aligned(reference: str, hypothesis: str) -> tuple[Alignment, Alignment, Tokens, Tokens]:
    ours, theirs = encode_words([Texts.of([reference]), Texts.of([hypothesis])])
    plain = align(ours, theirs)
    return plain, pair_similar_words(plain, ours, theirs, np.array([[0, 0]])), ours, theirs


def paired(reference: str, hypothesis: str) -> list[tuple[str, str, str]]:
    """The steps after words were paired; `-` for no word."""
    _, alike, *sides = aligned(reference, hypothesis)
    path = steps(alike, sides[0], sides[1], np.array([[0, 0]]))
    texts = [
        ["-" if at < 0 else side.vocabulary[at] for at in ids]
        for side, ids in zip(sides, path[2:], strict=True)
    ]
    return [(LETTERS[Op(op)], *both) for op, *both in zip(path.ops, *texts, strict=True)]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("greenhorns flat", "greenhorn", [("S", "greenhorns", "greenhorn"), ("D", "flat", "-")]),
        ("flat greenhorns", "greenhorn", [("D", "flat", "-"), ("S", "greenhorns", "greenhorn")]),
        ("cats", "the cat", [("I", "-", "the"), ("S", "cats", "cat")]),
        ("cats", "cat the", [("S", "cats", "cat"), ("I", "-", "the")]),
        (
            "we saw boats sail",
            "he saw a boat sailed",
            [
                ("S", "we", "he"),
                ("H", "saw", "saw"),
                ("I", "-", "a"),
                ("S", "boats", "boat"),
                ("S", "sail", "sailed"),
            ],
        ),
        ("some thing new", "something", [("S", "some", "something"), ("D", "thing", "-"),
                                         ("D", "new", "-")]),
    ],
)  # fmt: skip
def test_worked_by_hand(
    reference: str, hypothesis: str, expected: list[tuple[str, str, str]]
) -> None:
    assert paired(reference, hypothesis) == expected


@given(WORDS, WORDS)
def test_counts_and_hits_stay_the_same(reference: str, hypothesis: str) -> None:
    plain, alike, *_ = aligned(reference, hypothesis)
    assert np.array_equal(alike.counts, plain.counts)
    assert np.array_equal(alike.costs, plain.costs)
    assert np.array_equal(alike.all_operations == Op.HIT, plain.all_operations == Op.HIT)
    for op in Op:
        assert (alike.all_operations == op).sum() == plain.counts[0, op]


@given(WORDS, WORDS)
def test_no_word_is_substituted_by_itself(reference: str, hypothesis: str) -> None:
    for kind, one, other in paired(reference, hypothesis):
        assert kind != "S" or one != other


def distance(one: str, other: str) -> float:
    """The relative edit distance, by the textbook's recursion."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1] / max(len(one), len(other))


@given(
    st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.text("wxyz", min_size=1, max_size=4), min_size=1, max_size=6),
)
def test_the_sum_is_the_smallest(short: list[str], long: list[str]) -> None:
    """All ways to choose the paired words, tried one by one; no word is a join of others here."""
    long = [word if n % 2 else f"a{word}" for n, word in enumerate(long)]
    if len(short) > len(long):
        short, long = long, short
    made = [
        distance(one, other)
        for kind, one, other in paired(" ".join(short), " ".join(long))
        if kind == "S"
    ]
    if len(made) < len(short):  # two words are the same: a hit
        return
    ways = combinations(range(len(long)), len(short))
    smallest = min(
        sum(distance(word, long[at]) for word, at in zip(short, way, strict=True)) for way in ways
    )
    assert sum(made) == pytest.approx(smallest)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "blocks"),
    [
        ("some thing", "something", [(0, 2)]),
        ("is icecream good", "is ice cream good", [(1, 3)]),
        ("never the less ok", "nevertheless ok", [(0, 3)]),
        ("a some thing b to day c", "a something b today c", [(1, 3), (4, 6)]),
        ("big some thing here", "something", [(1, 3)]),
        ("some thing", "somethings", []),
        ("some thing", "thingsome", []),
        ("a b", "c", []),
        ("same words", "same words", []),
    ],
)
def test_spacings(reference: str, hypothesis: str, blocks: list[tuple[int, int]]) -> None:
    _, alike, *sides = aligned(reference, hypothesis)
    found = find_spacings(alike, sides[0], sides[1], np.array([[0, 0]]))
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == blocks


def test_runs_end_with_the_utterance() -> None:
    """The errors at the end of one pair and at the start of the next are two runs."""
    ours, theirs = encode_words([Texts.of(["cats x", "b boats"]), Texts.of(["cat", "boat"])])
    rows = np.array([[0, 0], [1, 1]])
    alike = pair_similar_words(align(ours, theirs), ours, theirs, rows)
    assert alike.all_operations.tolist() == [1, 3, 3, 1]


def test_nothing_to_align() -> None:
    assert paired("", "") == []
