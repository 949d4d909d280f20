"""Alignment with blocks: the kernel against direct Python code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from block_oracle import Node, Pair, Sequences, Span, expand, flatten, written_segments
from misword.alignment.blocks import (
    FAMILIES,
    FIRST_OF_BLOCK,
    FORGIVEN,
    NOT_OPTIONAL,
    OF_HYPOTHESIS,
    UNIT_PRICES,
    BlockAlignment,
    BlockSpans,
    ChosenSegments,
    Forgiveness,
    Prices,
    WrittenReferences,
    align_blocks,
)
from misword.core.errors import InputError
from misword.core.types import Op, Tokens

SIZE = 6  # words of the vocabulary
KEYS = 5
VOCABULARY = list("abcdef")

word = st.integers(0, SIZE - 1)
sequences: st.SearchStrategy[Sequences] = st.recursive(
    st.lists(word, max_size=5),
    lambda inner: st.lists(st.one_of(word, st.lists(inner, min_size=2, max_size=3)), max_size=4),
    max_leaves=8,
)
PRICES = [Prices(), Prices(4, 3, 3), Prices(2, 1, 3)]


@st.composite
def spans_of(draw: st.DrawFn, size: int) -> list[Span]:
    """Up to four spans of a row of words."""
    if not size:
        return []
    found = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, size - 1))
        end = draw(st.integers(start + 1, min(size, start + 3)))
        found.append(Span(start, end, draw(st.integers(-3, KEYS - 1))))
    return found


@st.composite
def pairs_of(draw: st.DrawFn, sequence: st.SearchStrategy[Sequences] = sequences) -> Pair:
    """A reference, a hypothesis, and what is forgiven."""
    written, heard = draw(sequence), draw(st.lists(word, max_size=8))
    segments, signs = flatten(written)
    size = sum(len(segments[number]) for number in written_segments(segments, signs))
    return Pair(
        written,
        heard,
        draw(st.lists(word, min_size=SIZE, max_size=SIZE)) if draw(st.booleans()) else range(SIZE),
        draw(st.dictionaries(word, st.integers(0, 3), max_size=2)),
        [draw(spans_of(len(segment))) for segment in segments],
        draw(spans_of(len(heard))),
        draw(st.lists(st.integers(0, 31), min_size=KEYS, max_size=KEYS)),
        draw(st.sampled_from(PRICES)),
        draw(spans_of(size)) if signs else [],
    )


def make_tokens(rows: list[list[int]]) -> Tokens:
    ids = np.array([word for row in rows for word in row], np.int32)
    return Tokens(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64), VOCABULARY)


def make_spans(rows: list[list[Span]]) -> BlockSpans:
    row = np.repeat(np.arange(len(rows)), [len(spans) for spans in rows])
    table = np.array([span for spans in rows for span in spans], np.int64).reshape(-1, 3)
    return BlockSpans.of(len(rows), row, *table.T)


def make_references(flat: list[tuple[list[list[int]], str]]) -> WrittenReferences:
    """References of which each has its signs and as many segments and one more.

    The rows of all segments are followed by the written reading of each reference.
    """
    signs = [signs for _, signs in flat]
    sign_at = np.cumsum([0, *map(len, signs)], dtype=np.int64)
    rows = [segment for segments, _ in flat for segment in segments]
    chosen = [written_segments(*reference) for reference in flat]
    readings = [
        [word for number in numbers for word in segments[number]]
        for numbers, (segments, _) in zip(chosen, flat, strict=True)
    ]
    reading = ChosenSegments(
        len(rows) + np.arange(len(flat)),
        np.array([number for numbers in chosen for number in numbers], np.int64),
        np.cumsum([0, *map(len, chosen)], dtype=np.int64),
    )
    return WrittenReferences(
        make_tokens([*rows, *readings]),
        sign_at[:-1] + np.arange(len(signs)),
        np.frombuffer("".join(signs).encode(), np.uint8),
        sign_at,
        reading,
    )


def align_pairs(
    pairs: list[Pair], bounds: list[int] | None = None, cells: int = 1, workers: int = 1
) -> BlockAlignment:
    """Align pairs with the kernel; classes, families and prices are those of the first pair."""
    first = pairs[0]
    flat = [flatten(pair.sequence) for pair in pairs]
    references = make_references(flat)
    listed = [list(spans) for pair in pairs for spans in pair.reference_spans]
    optional = np.full(SIZE, NOT_OPTIONAL, np.uint8)
    optional[list(first.optional)] = list(first.optional.values())
    forgiveness = Forgiveness(
        np.array(first.class_of, np.int32),
        optional,
        make_spans([*listed, *(list(pair.written_spans) for pair in pairs)]),
        make_spans([list(pair.hypothesis_spans) for pair in pairs]),
        np.array(first.family_of_key, np.uint8),
    )
    return align_blocks(
        references,
        make_tokens([list(pair.hypothesis) for pair in pairs]),
        np.stack([np.arange(len(pairs))] * 2, axis=1),
        forgiveness,
        first.prices,
        None if bounds is None else np.array(bounds),
        workers,
        cells,
    )


def price_of(ops: list[int], prices: Prices) -> int:
    costs = {Op.SUBSTITUTION: prices[0], Op.DELETION: prices[1], Op.INSERTION: prices[2]}
    return sum(price * ops.count(op) for op, price in costs.items())


def is_plain(pair: Pair) -> bool:
    """Whether nothing of a pair can be forgiven, and its reference has no alternatives."""
    has_groups = any(isinstance(item, list) for item in pair.sequence)
    words = [*flatten(pair.sequence)[0][0], *pair.hypothesis]
    useful = any(
        any(True for _ in pair.block_steps(node, heard))
        for node in range(len(pair.nodes))
        for heard in range(len(pair.hypothesis) + 1)
    )
    return not has_groups and not useful and not pair.optional.keys() & set(words)


def check(pair: Pair, found: BlockAlignment) -> None:
    """Compare the result of the kernel with direct code."""
    rank, ops, words = pair.alignment()
    if is_plain(pair):
        assert not len(found.pairs)
        assert not len(found.read)
        return
    assert found.ops.tolist() == ops
    assert price_of(ops, pair.prices) == rank.price
    assert sum(op >= FORGIVEN for op in ops) == rank.forgiven
    if len(found.read):
        assert found.readings.ids.tolist() == words
        assert words in expand(pair.sequence)
    else:
        assert [words] == expand(pair.sequence)


@settings(max_examples=1000)
@given(pairs_of())
def test_alignments_are_those_of_direct_code(pair: Pair) -> None:
    check(pair, align_pairs([pair]))


@settings(max_examples=500)
@given(pairs_of(), st.integers(0, 12))
def test_alignments_do_not_depend_on_the_bound(pair: Pair, more: int) -> None:
    """Nor does a bound that is too low change them, unless it is 0: then there is no error."""
    lowest = pair.best(pair.last, len(pair.hypothesis)).price
    check(pair, align_pairs([pair], [max(1, lowest + more)]))
    check(pair, align_pairs([pair], [max(1, lowest // 2)]))


@given(st.lists(pairs_of(), min_size=1, max_size=8))
def test_memory_is_reused_from_pair_to_pair(pairs: list[Pair]) -> None:
    for pair in pairs:
        shared = ("class_of", "optional", "family_of_key", "prices")
        vars(pair).update({name: getattr(pairs[0], name) for name in shared})
    together = align_pairs(pairs, cells=1 << 10, workers=3)
    alone = [align_pairs([pair]) for pair in pairs]
    assert together.pairs.tolist() == [k for k, found in enumerate(alone) if len(found.pairs)]
    assert together.read.tolist() == [k for k, found in enumerate(alone) if len(found.read)]
    assert together.ops.tolist() == [op for found in alone for op in found.ops.tolist()]
    words = [word for found in alone for word in found.readings.ids.tolist()]
    assert together.readings.ids.tolist() == words


A, B, C, D, E, F = range(SIZE)


def pair_of(
    reference: Sequences,
    hypothesis: list[int],
    spans: list[Span] | None = None,
    heard: list[Span] | None = None,
    optional: dict[int, int] | None = None,
    prices: Prices = UNIT_PRICES,
) -> Pair:
    """A pair in which no two words are equal; the spans are those of the first segment."""
    segments = [spans or [], *([] for _ in flatten(reference)[1])]
    return Pair(
        reference, hypothesis, range(SIZE), optional or {}, segments, heard or [], [7, 5, 3, 1, 0],
        prices,
    )  # fmt: skip


def written(found: BlockAlignment) -> str:
    """The operations as letters; forgiven words as the number of the family and the side."""
    letters = []
    for op in found.ops.tolist():
        if op < FORGIVEN:
            letters.append("HSID"[op])
        else:
            side = "h" if op & OF_HYPOTHESIS else "r"
            letters.append(f"{'|' if op & FIRST_OF_BLOCK else ''}{op % FAMILIES}{side}")
    return " ".join(letters)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        # a b c = a d c: two words as one.
        (pair_of([A, B, B, C], [A, D, C], [Span(1, 3, 0)], [Span(1, 2, 0)]), "H |7r 7r 7h H"),
        # Of two blocks that leave no error, the one with fewer words.
        (
            pair_of([A, B], [C, B], [Span(0, 2, 0), Span(0, 1, 1)], [Span(0, 2, 0), Span(0, 1, 1)]),
            "|5r 5h H",
        ),
        # Of two blocks of the same words, the family with the lower number.
        (
            pair_of([A], [C], [Span(0, 1, 0), Span(0, 1, 2)], [Span(0, 1, 0), Span(0, 1, 2)]),
            "|3r 3h",
        ),
        # A block is not used where its words are equal, and not where it saves no error.
        (pair_of([A, B], [A, B], [Span(0, 2, 0)], [Span(0, 2, 0)], {C: 9}), ""),
        (pair_of([A, B], [A, C], [Span(0, 2, 0)], [Span(0, 1, 0)], {B: 9}), "H S"),
        # Optional words: deleted, inserted, or matched.
        (pair_of([A, C, B], [A, B], optional={C: 9}), "H |9r H"),
        (pair_of([A, B], [A, C, B], optional={C: 9}), "H |9h H"),
        (pair_of([A, C, B], [A, C, B], optional={C: 9}), "H H H"),
        # Optional spans: left out on either side as a whole, also as the first and the last words.
        (pair_of([A, B, C, D], [A, D], [Span(1, 3, -10)]), "H |9r 9r H"),
        (pair_of([A, D], [A, B, C, D], heard=[Span(1, 3, -10)]), "H |9h 9h H"),
        (pair_of([B, C, A], [A], [Span(0, 2, -10)]), "|9r 9r H"),
        (pair_of([A], [B, C, A, B, C], heard=[Span(0, 2, -10), Span(3, 5, -2)]), "|9h 9h H |1h 1h"),
        (pair_of([A, B], [], [Span(0, 2, -1)]), "|0r 0r"),
        (pair_of([], [A, B], heard=[Span(0, 2, -1)]), "|0h 0h"),
        # A part of an optional span is an error, and all of it is a hit.
        (pair_of([A, B, C, D], [A, B, D], [Span(1, 3, -10)]), "H H D H"),
        (pair_of([A, B, C, D], [A, B, C, D], [Span(1, 3, -10)]), "H H H H"),
        # Other words at the place of an optional span are inserted.
        (pair_of([A, B, C, D], [A, E, D], [Span(1, 3, -10)]), "H |9r 9r I H"),
        # Optional spans of both sides at one place; they do not match each other.
        (
            pair_of([A, B, C, D], [A, E, F, E, D], [Span(1, 3, -10)], [Span(1, 4, -10)]),
            "H |9h 9h 9h |9r 9r H",
        ),
        # Two errors with unit prices; with the prices of sclite a deletion and an insertion.
        (pair_of([A, B, [[C], [D]]], [B, A, C]), "S S H"),
        (pair_of([A, B, [[C], [D]]], [B, A, C], prices=Prices(4, 3, 3)), "D H I H"),
        # The first of two alternatives with equally few errors.
        (pair_of([[[A], [B]], C], [D, C]), "S H"),
        (pair_of([[[A], []], C], [C]), "H"),
    ],
)
def test_examples_worked_by_hand(pair: Pair, expected: str) -> None:
    assert written(align_pairs([pair])) == expected


def test_a_span_of_a_segment_does_not_cross_a_sign() -> None:
    pair = pair_of([A, [[B], [C]]], [D], [Span(0, 1, 0)], [Span(0, 1, 0)])
    assert written(align_pairs([pair])) == "|7r 7h D"


def test_a_span_of_the_written_reading_may_be_in_several_segments() -> None:
    """A block of `a { b / c } d` read as `a b d`; the other alternative has no such block."""
    reference: Sequences = [A, [[], [B], [C]], D]
    for start, end, expected in [
        (0, 3, "|7r 7r 7r 7h"),
        (1, 3, "D |7r 7r 7h"),
        (0, 2, "|7r 7r 7h D"),
    ]:
        pair = pair_of(reference, [E], heard=[Span(0, 1, 0)])
        crossing = replace(pair, written_spans=[Span(start, end, 0)], nodes=[Node([])])
        check(crossing, found := align_pairs([crossing]))
        assert written(found) == expected
        assert found.readings.ids.tolist() == [A, B, D]


def test_what_is_left_out() -> None:
    """Pairs without alternatives of which nothing can be forgiven, and pairs without errors."""
    block = [Span(0, 1, 0)]
    pairs = [
        pair_of([A], [B]),
        pair_of([A], [B], block),
        pair_of([A], [A], block, block),
        pair_of([A], [B], block, block),
        pair_of([[[A], [B]]], [B]),
    ]
    found = align_pairs(pairs)
    assert found.pairs.tolist() == [3, 4]
    assert found.read.tolist() == [4]
    assert found.readings[0] == ["b"]
    assert align_pairs(pairs, [1, 1, 0, 0, 0]).pairs.tolist() == [4]


def long_pair(words: int, seed: int) -> Pair:
    """A pair of long texts with groups, optional words and spans, and many blocks."""
    rng = np.random.default_rng(seed)
    drawn = [int(word) for word in rng.integers(0, SIZE, words)]
    hypothesis = [word for word in drawn if rng.random() > 0.1]
    reference: Sequences = [*drawn]
    for at in rng.choice(words, words // 20, replace=False).tolist():
        reference[at] = [[A, B], [], [[[C], [D, D]], E]]
    spans = [
        [Span(at, at + 2, at % (KEYS + 1) - 1) for at in range(0, len(segment) - 2, 3)]
        for segment in flatten(reference)[0]
    ]
    heard = [Span(at, at + 1, at % KEYS) for at in range(0, len(hypothesis), 4)]
    heard += [Span(at, at + 3, -2) for at in range(0, len(hypothesis) - 2, 10)]
    families = list(range(KEYS))
    return Pair(reference, hypothesis, range(SIZE), {F: 30}, spans, heard, families)


@pytest.mark.parametrize("words", [60, 700])
def test_long_pairs_are_computed_in_parts(words: int) -> None:
    """The result does not depend on how many cells are kept in memory."""
    pair = long_pair(words, seed=words)
    whole = align_pairs([pair], cells=1 << 24)
    for bounds in (None, [words], [2 * words]):
        parts = align_pairs([pair], bounds, cells=1)
        assert (parts.ops == whole.ops).all()
        assert (parts.readings.ids == whole.readings.ids).all()
    if words < 100:
        check(pair, whole)


@pytest.mark.parametrize("factor", [10, 1_000, 4_000])
def test_costs_that_do_not_fit_32_bits(factor: int) -> None:
    """All prices times a factor: the same alignment, though the costs of most cells do not fit."""
    pair = long_pair(300, seed=1)
    expected = align_pairs([pair])
    pair.prices = Prices(factor, factor, factor)
    for bounds in (None, [300 * factor]):
        assert (align_pairs([pair], bounds).ops == expected.ops).all()


def test_costs_that_do_not_fit_near_the_best_path() -> None:
    """The price is the lowest, but the number of forgiven words does not count."""
    pair = long_pair(300, seed=1)
    expected = price_of(align_pairs([pair]).ops.tolist(), UNIT_PRICES)
    factor = 200_000
    pair.prices = Prices(factor, factor, factor)
    for bounds in (None, [300 * factor]):
        found = align_pairs([pair], bounds).ops.tolist()
        assert price_of(found, pair.prices) == factor * expected


def test_texts_that_are_too_long() -> None:
    prices = Prices(1 << 26, 1, 1)
    with pytest.raises(InputError, match="too many words"):
        align_pairs([pair_of([[[A], [B]]], [A], prices=prices)])


def test_an_optional_word_after_each_word() -> None:
    size = 12_000
    pair = pair_of([A, B] * size, [A] * size, optional={B: 2}, prices=Prices(4, 3, 3))
    expected = np.tile(np.array([Op.HIT, FORGIVEN + FIRST_OF_BLOCK + 2], np.uint8), size)
    assert (align_pairs([pair]).ops == expected).all()


@pytest.mark.parametrize("last", [A, D])
def test_consecutive_optional_spans_of_a_long_hypothesis(last: int) -> None:
    """The cost of inserting all their words does not fit 32 bits."""
    size = 12_000
    heard = [Span(2 * at, 2 * at + 2, -3) for at in range(size)]
    pair = pair_of([A], [*[B, C] * size, last], heard=heard)
    block = np.array([FIRST_OF_BLOCK, 0], np.uint8) + np.uint8(FORGIVEN + OF_HYPOTHESIS + 2)
    expected = [*np.tile(block, size).tolist(), Op.HIT if last == A else Op.SUBSTITUTION]
    assert align_pairs([pair]).ops.tolist() == expected


def test_arguments_are_checked() -> None:
    left, right = make_tokens([[A, B]]), make_tokens([[A]])
    references = replace(
        make_references([([[A, B]], "")]), segments=left, reading=ChosenSegments.none(1)
    )
    pairs = np.zeros((1, 2), np.int64)
    none = make_spans([[]])
    kinds, optional = np.arange(SIZE, dtype=np.int32), np.full(SIZE, NOT_OPTIONAL, np.uint8)
    plain = Forgiveness(kinds, optional, none, none, np.zeros(KEYS, np.uint8))

    def fails(match: str, **changes: Any) -> None:
        arguments = {
            "references": references,
            "hypotheses": right,
            "pairs": pairs,
            "forgiveness": plain,
            **changes,
        }
        with pytest.raises(ValueError, match=match):
            align_blocks(**arguments)

    fails("share a vocabulary", hypotheses=Tokens(right.ids, right.offsets, ["a"]))
    fails("token ids", references=replace(references, segments=make_tokens([[SIZE]])))
    fails("sign_at", references=replace(references, sign_at=np.zeros(1, np.int64)))
    fails("consist of segments", references=replace(references, first_segment=np.ones(1, np.int64)))
    row, zero, at = np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([0, 1])
    fails("a row and segments", references=replace(references, reading=ChosenSegments.none(2)))
    beyond = ChosenSegments(row, zero + 1, at)
    fails("segments of its reference", references=replace(references, reading=beyond))
    other = ChosenSegments(row, zero[:0], np.array([0, 0]))
    fails("the words of its segments", references=replace(references, reading=other))
    fails("numbers of texts", pairs=pairs + 1)
    fails("at least 1", prices=Prices(1, 0, 1))
    fails("a number for each pair", bounds=np.zeros(2, np.int64))
    fails("a number for each word", forgiveness=replace(plain, class_of=kinds[:-1]))
    fails("below 32", forgiveness=replace(plain, family_of_key=np.full(KEYS, 32, np.uint8)))
    fails("below 32", forgiveness=replace(plain, optional=np.full(SIZE, 32, np.uint8)))
    for span, match in [
        (Span(1, 3, 0), "within its row"),
        (Span(1, 1, 0), "at least one word"),
        (Span(-1, 1, 0), "within its row"),
        (Span(0, 1, KEYS), "from -32 to 4"),
        (Span(0, 1, -33), "from -32 to 4"),
    ]:
        fails(match, forgiveness=replace(plain, reference_spans=make_spans([[span]])))
    one = np.array([1, 0])
    unordered = BlockSpans(np.array([0, 2]), one, one + 1, one)
    fails("ordered by start", forgiveness=replace(plain, reference_spans=unordered))
    fails("one number more", forgiveness=replace(plain, hypothesis_spans=make_spans([[], []])))
    assert not len(align_blocks(references, left, pairs, plain).pairs)
