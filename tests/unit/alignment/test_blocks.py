"""Alignment with blocks: the kernel against direct Python code."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from block_oracle import Pair, Sequences, Span, expand, flatten
from misword.alignment.blocks import (
    FORGIVEN,
    NOT_OPTIONAL,
    BlockAlignment,
    Forgiveness,
    Prices,
    Spans,
    WrittenReferences,
    align_blocks,
)
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
        found.append(Span(start, end, draw(st.integers(0, KEYS - 1))))
    return found


@st.composite
def pairs_of(draw: st.DrawFn, sequence: st.SearchStrategy[Sequences] = sequences) -> Pair:
    """A reference, a hypothesis, and what is forgiven."""
    written, heard = draw(sequence), draw(st.lists(word, max_size=8))
    return Pair(
        written,
        heard,
        draw(st.lists(word, min_size=SIZE, max_size=SIZE)) if draw(st.booleans()) else range(SIZE),
        draw(st.dictionaries(word, st.integers(0, 3), max_size=2)),
        [draw(spans_of(len(segment))) for segment in flatten(written)[0]],
        draw(spans_of(len(heard))),
        draw(st.lists(st.integers(0, 31), min_size=KEYS, max_size=KEYS)),
        draw(st.sampled_from(PRICES)),
    )


def make_tokens(rows: list[list[int]]) -> Tokens:
    ids = np.array([word for row in rows for word in row], np.int32)
    return Tokens(ids, np.cumsum([0, *map(len, rows)], dtype=np.int64), VOCABULARY)


def make_spans(rows: list[list[Span]]) -> Spans:
    row = np.repeat(np.arange(len(rows)), [len(spans) for spans in rows])
    table = np.array([span for spans in rows for span in spans], np.int64).reshape(-1, 3)
    at = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    assert len(row) == at[-1]
    return Spans(at, *np.ascontiguousarray(table.T))


def align_pair(pair: Pair, bound: int = -1, cells: int = 1) -> BlockAlignment:
    """Align one pair with the kernel."""
    segments, signs = flatten(pair.sequence)
    references = WrittenReferences(
        make_tokens(segments),
        np.zeros(1, np.int64),
        np.frombuffer(signs.encode(), np.uint8),
        np.array([0, len(signs)]),
    )
    optional = np.full(SIZE, NOT_OPTIONAL, np.uint8)
    for number, family in pair.optional.items():
        optional[number] = family
    forgiveness = Forgiveness(
        np.array(pair.class_of, np.int32),
        optional,
        make_spans([list(spans) for spans in pair.reference_spans]),
        make_spans([list(pair.hypothesis_spans)]),
        np.array(pair.family_of_key, np.uint8),
    )
    hypotheses = make_tokens([list(pair.hypothesis)])
    bounds = np.array([bound])
    only = np.zeros((1, 2), np.int64)
    return align_blocks(references, hypotheses, only, forgiveness, pair.prices, bounds, 1, cells)


def price_of(ops: list[int], prices: Prices) -> int:
    costs = {Op.SUBSTITUTION: prices[0], Op.DELETION: prices[1], Op.INSERTION: prices[2]}
    return sum(price * ops.count(op) for op, price in costs.items())


def is_plain(pair: Pair) -> bool:
    """Whether nothing of a pair can be forgiven, and its reference has no alternatives."""
    has_groups = any(isinstance(item, list) for item in pair.sequence)
    words = [*flatten(pair.sequence)[0][0], *pair.hypothesis]
    useful = any(
        any(True for _ in pair.block_steps(node, heard))
        for node in range(1, len(pair.nodes))
        if pair.nodes[node].word is not None
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
    check(pair, align_pair(pair))


@settings(max_examples=500)
@given(pairs_of(), st.integers(0, 12))
def test_alignments_do_not_depend_on_the_bound(pair: Pair, more: int) -> None:
    """A bound that is too low is not believed, but 0 says that the texts are equal."""
    bound = pair.best(pair.last, len(pair.hypothesis)).price + more
    if bound:
        check(pair, align_pair(pair, bound))
    too_low = align_pair(pair, max(1, bound // 2))
    check(pair, too_low)
