"""The compiled unit-cost alignment at the sizes where its code changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bit_vectors
from misword.alignment import UNIT_TIES, align, kernels
from misword.alignment.engine import Ties
from misword.core.types import Tokens

# Around one, two and four 64-bit words, one byte of codes, and the longest short hypothesis.
EDGES = [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 191, 193, 254, 255, 256, 257, 1023, 1024, 1025]


def sides(
    rows: list[tuple[list[int], list[int]]], kind: type[np.generic], size: int
) -> list[Tokens]:
    made = []
    for side in zip(*rows, strict=True):
        ids = np.array([token for row in side for token in row], kind)
        offsets = np.cumsum([0, *map(len, side)], dtype=np.int64)
        made.append(Tokens(ids, offsets, range(size)))  # type: ignore[arg-type]
    return made


def edited(rng: np.random.Generator, text: list[int], size: int, rate: float) -> list[int]:
    """A text with substitutions, insertions and deletions."""
    result = []
    for token in text:
        draw = rng.random() / rate
        if draw < 0.4:
            result.append(int(rng.integers(size)))
        elif draw < 0.7:
            result += [token, int(rng.integers(size))]
        elif draw >= 1:
            result.append(token)
    return result


@pytest.mark.parametrize("ties", UNIT_TIES)
@pytest.mark.parametrize(("kind", "size"), [(np.uint8, 3), (np.uint8, 256), (np.int32, 1000)])
def test_sizes_at_the_edges(ties: Ties, kind: type[np.generic], size: int) -> None:
    """All operations are those of the oracle, for groups of full and of unequal lanes."""
    rng = np.random.default_rng(3)
    rows = []
    for m in EDGES:
        text = rng.integers(0, size, m).tolist()
        rows.append((text, edited(rng, text, size, 0.3)))
        others = [rng.integers(0, size, n).tolist() for n in (0, 1, 9, m, m + 1, 256)]
        rows += [(text, other) for other in others]
    order = rng.permutation(len(rows)).tolist()
    rows = [rows[k] for k in order]
    alignment = align(*sides(rows, kind, size), ties=ties)
    counted = align(*sides(rows, kind, size), ties=ties, operations=False, workers=3)
    assert (alignment.counts == counted.counts).all()
    assert (alignment.costs == counted.costs).all()
    for p, (ref, hyp) in enumerate(rows):
        cost, ops = bit_vectors.unit_pair(ref, hyp, ties)
        assert alignment.costs[p] == cost
        assert alignment.operations(p).tolist() == ops
        assert counted.counts[p].tolist() == np.bincount(ops, minlength=4).tolist()


def test_arguments_that_would_read_outside_of_an_array_are_refused() -> None:
    good, bad = ([0, 1], [1]), ([0, 1], [5])
    whole = sides([good], np.int32, 3)
    with pytest.raises(ValueError, match="token ids must be from 0 to 2"):
        align(*sides([bad], np.int32, 3))
    for offsets in ([0, 3], [-1, 2], [2, 0]):
        wrong = Tokens(whole[0].ids, np.array(offsets), whole[0].vocabulary)
        with pytest.raises(ValueError, match="offsets must rise"):
            align(wrong, whole[1])
    for pair in ([0, 1], [-1, 0], [1, 0]):
        with pytest.raises(ValueError, match="pairs must be"):
            align(*whole, pairs=np.array([pair]))


@pytest.mark.parametrize("size", [2**62, 2**63 - 1])
def test_a_vocabulary_that_does_not_fit_into_memory_is_an_error(size: int) -> None:
    """The kernel checks sizes and allocations, and writes nothing."""
    whole = kernels.Sides.of(*sides([([0, 1], [1])], np.int32, 3))
    output = kernels.KernelOutput.of(np.array([3]), operations=True, unit=True)
    output.counts[:] = -1
    with pytest.raises(MemoryError, match="misword_align_unit"):
        kernels.align_unit(
            replace(whole, size=size), np.zeros((1, 2), int), 0, 1, "jiwer", 1e9, output
        )
    assert (output.counts == -1).all()
