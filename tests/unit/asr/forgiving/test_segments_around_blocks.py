"""Segments around forgiven blocks, and what is made of them."""

from __future__ import annotations

from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from misword.alignment.engine import align
from misword.asr.forgiving.blocks import Blocks, BlockSegments
from misword.core.types import Op, Sides
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Row = tuple[list[str], list[str], list[tuple[int, int, int, int]]]


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """A reference, a hypothesis, and blocks: position and size on each side."""
    reference: list[str] = []
    hypothesis: list[str] = []
    blocks = []
    words = st.lists(st.sampled_from("abc"), max_size=3)
    for _ in range(draw(st.integers(0, 3))):
        reference += draw(words)
        hypothesis += draw(words)
        sizes = draw(st.sampled_from([(1, 1), (2, 1), (1, 3), (0, 1), (1, 0)]))
        blocks.append((len(reference), sizes[0], len(hypothesis), sizes[1]))
        reference += draw(st.lists(st.sampled_from("xy"), min_size=sizes[0], max_size=sizes[0]))
        hypothesis += draw(st.lists(st.sampled_from("zw"), min_size=sizes[1], max_size=sizes[1]))
    return reference + draw(words), hypothesis + draw(words), blocks


def around(listed: list[Row]) -> tuple[BlockSegments, Sides]:
    references = Texts.of(" ".join(reference) for reference, _, _ in listed)
    hypotheses = Texts.of(" ".join(hypothesis) for _, hypothesis, _ in listed)
    reference, hypothesis = encode_words([references, hypotheses])
    table = [
        (pair, start, start + size, place, place + heard, 0)
        for pair, row in enumerate(listed)
        for start, size, place, heard in row[2]
    ]
    blocks = Blocks(*np.array(table, np.int64).reshape(-1, 6).T)
    index = np.stack([np.arange(len(listed))] * 2, axis=1)
    return BlockSegments.of(blocks, index), (reference, hypothesis)


@given(st.lists(rows(), min_size=1, max_size=4))
def test_alignments_around_blocks(listed: list[Row]) -> None:
    """The errors are those of the segments; the reference words of blocks are hits."""
    segments, sides = around(listed)
    aligned = segments.align(sides, partial(align, operations=True))
    for pair, (reference, hypothesis, blocks) in enumerate(listed):
        errors, at = 0.0, (0, 0)
        for start, size, place, heard in [*blocks, (len(reference), 0, len(hypothesis), 0)]:
            part = reference[at[0] : start], hypothesis[at[1] : place]
            tokens = encode_words([Texts.of([" ".join(words)]) for words in part])
            errors += align(*tokens).costs[0]
            at = start + size, place + heard
        counts = aligned.counts[pair]
        assert aligned.costs[pair] == errors == counts[1:].sum()
        assert counts[Op.HIT] + counts[Op.SUBSTITUTION] + counts[Op.DELETION] == len(reference)
    assert (aligned.all_operations[aligned.forgiven] == Op.HIT).all()
    assert len(aligned.forgiven) == sum(len(row[2]) for row in listed)


@given(st.lists(rows(), min_size=1, max_size=4))
def test_collapsed_and_rewritten_texts(listed: list[Row]) -> None:
    segments, sides = around(listed)
    collapsed = segments.collapsed(sides)
    rewritten = segments.rewritten(sides)
    for pair, (reference, hypothesis, blocks) in enumerate(listed):
        for side, words in enumerate((reference, hypothesis)):
            assert " ".join(filter(None, collapsed[side][pair])).split() == words
        expected, at = [], 0
        for start, size, place, heard in blocks:
            expected += reference[at:start] + hypothesis[place : place + heard]
            at = start + size
        assert rewritten[pair] == expected + reference[at:]
