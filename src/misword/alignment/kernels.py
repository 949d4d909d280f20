"""The compiled kernels of alignment: with unit costs, with any costs, and a list of substitutions.

The kernels write the operations of a pair from the end of its room in `ops` backwards: before the
call `slots[p]` is the end of the room of pair `p`, after it the first of its operations.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import KernelCosts
from misword.core.types import Alignment, Op, Tokens, offsets_of
from misword.native.byte_ranges import gather
from misword.native.library import INTEGER, MISMATCH, REAL, SMALL, TOO_LARGE, array, kernel

Integers = NDArray[np.int64]

# Number of 64-bit words of each bit matrix in memory at a time.
MATRIX_WORDS = 1 << 19
# Number of cells of the edit matrix whose directions are in memory at a time.
DIRECTION_CELLS = 1 << 22
TIE_RULES = {"misword": 0, "jiwer": 1, "kaldialign": 2}  # as in kernels.h

IDS, OFFSETS = array(np.uint8, np.int32), array(np.int64)
OUTPUT = (
    array(np.float64, out=True),
    array(np.int64, out=True),
    array(np.uint8, out=True, optional=True),
    array(np.int64, out=True),
)
_align_unit = kernel(
    "misword_align_unit", IDS, OFFSETS, IDS, OFFSETS, SMALL, INTEGER, array(np.int64), INTEGER,
    INTEGER, SMALL, INTEGER, REAL, *OUTPUT, array(np.int64, out=True),
)  # fmt: skip

_align_weighted = kernel(
    "misword_align_weighted", IDS, OFFSETS, IDS, OFFSETS, SMALL, ctypes.POINTER(KernelCosts),
    array(np.int64), INTEGER, INTEGER, array(np.uint8), OFFSETS, INTEGER, *OUTPUT,
)  # fmt: skip
_list_substitutions = kernel(
    "misword_list_substitutions", IDS, OFFSETS, IDS, OFFSETS, SMALL, array(np.int64), INTEGER,
    INTEGER, array(np.uint8), OFFSETS, OFFSETS, *[array(np.int64, out=True)] * 3,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The token ids of both sides as the kernels take them: of one type, and contiguous."""

    reference: NDArray[Any]
    reference_at: Integers
    hypothesis: NDArray[Any]
    hypothesis_at: Integers
    size: int

    @classmethod
    def of(cls, reference: Tokens, hypothesis: Tokens) -> Sides:
        """Prepare two sides; raise ValueError if an id or an offset is outside of its array."""
        size = len(reference.vocabulary)
        kind = np.uint8 if reference.ids.dtype == hypothesis.ids.dtype == np.uint8 else np.int32
        ids = [np.ascontiguousarray(side.ids, kind) for side in (reference, hypothesis)]
        if any(_outside(side, size) for side in ids):
            raise ValueError(f"token ids must be from 0 to {size - 1}")
        at = [np.ascontiguousarray(side.offsets, np.int64) for side in (reference, hypothesis)]
        for side, offsets in zip(ids, at, strict=True):
            if offsets[0] < 0 or offsets[-1] > len(side) or (np.diff(offsets) < 0).any():
                raise ValueError("offsets must rise from 0 to the number of tokens")
        return cls(ids[0], at[0], ids[1], at[1], size)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The first parameters of the alignment kernels."""
        return self.reference, self.reference_at, self.hypothesis, self.hypothesis_at


def _outside(ids: NDArray[Any], size: int) -> bool:
    return bool(len(ids)) and (int(ids.min()) < 0 or int(ids.max()) >= size)


@dataclass(frozen=True, slots=True, eq=False)
class KernelOutput:
    """What an alignment kernel fills: costs and counts of each pair and, if wanted, operations.

    With unit costs it also fills `bursts`, the most successive insertions of each pair.
    """

    costs: NDArray[np.float64]
    counts: Integers
    ops: NDArray[np.uint8] | None
    slots: Integers
    bursts: Integers | None = None

    @classmethod
    def of(cls, room: Integers, operations: bool, *, unit: bool) -> KernelOutput:
        """Allocate the output of pairs that have these numbers of tokens on both sides."""
        pairs = len(room)
        ends = np.cumsum(room) if operations else np.zeros(pairs, np.int64)
        ops = np.empty(int(room.sum()), np.uint8) if operations else None
        counts = np.empty((pairs, len(Op)), np.int64)
        return cls(np.empty(pairs), counts, ops, ends, np.empty(pairs, np.int64) if unit else None)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The parameters that both kernels of alignment write to."""
        return self.costs, self.counts, self.ops, self.slots


def align_unit(
    sides: Sides,
    pairs: Integers,
    lo: int,
    hi: int,
    ties: str,
    most_cells: float,
    output: KernelOutput,
) -> bool:
    """Align pairs `lo..hi` with unit costs; return whether `most_cells` are enough for each."""
    width = sides.reference.itemsize
    status = _align_unit(
        *sides.arguments, width, sides.size, pairs, lo, hi, TIE_RULES[ties], MATRIX_WORDS,
        most_cells, *output.arguments, output.bursts,
    )  # fmt: skip
    return status != TOO_LARGE


def align_weighted(
    sides: Sides,
    pairs: Integers,
    lo: int,
    hi: int,
    costs: KernelCosts,
    guide: Alignment,
    output: KernelOutput,
) -> None:
    """Align pairs `lo..hi` with the least total cost; `guide` is their unit-cost alignment."""
    status = _align_weighted(
        *sides.arguments, sides.reference.itemsize, costs, pairs, lo, hi, guide.all_operations,
        guide.all_offsets, DIRECTION_CELLS, *output.arguments,
    )  # fmt: skip
    if status == MISMATCH:
        raise ValueError("the operations of the guide are not those of the pairs")


def alignment_of(output: KernelOutput) -> Alignment:
    """Return the alignment that the kernels wrote, with the operations pair after pair."""
    if output.ops is None:
        return Alignment(output.counts, output.costs, bursts=output.bursts)
    lengths = output.counts.sum(axis=1)
    ops = gather(output.ops, output.slots, lengths)
    offsets = offsets_of(lengths)
    return Alignment(output.counts, output.costs, ops, offsets, bursts=output.bursts)


def list_substitutions(
    sides: Sides,
    pairs: Integers,
    lo: int,
    hi: int,
    alignment: Alignment,
    starts: Integers,
    listed: tuple[Integers, Integers, Integers],
) -> None:
    """Write pair, reference id and hypothesis id of the substitutions of pairs `lo..hi`."""
    status = _list_substitutions(
        *sides.arguments, sides.reference.itemsize, pairs, lo, hi, alignment.all_operations,
        alignment.all_offsets, starts, *listed,
    )  # fmt: skip
    if status == MISMATCH:
        raise ValueError("the operations of the alignment are not those of the pairs")
