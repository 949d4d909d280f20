"""Alignment of many pairs by threads; the limit of the edit matrix; the steps of alignments.

Alignments are exact: none has a lower cost. Among alignments of equal cost the tie rule chooses:

- `misword`: from the end backwards, a hit or substitution, else an insertion, else a deletion;
- `jiwer`: the choice of jiwer 4 (rapidfuzz); `kaldialign`: the choice of kaldialign;
- `sclite`: the choice of NIST sclite: a substitution costs 4, an insertion or a deletion 3; among
  alignments of equal cost the rule `misword` chooses.

The number of errors is the same for the first three rules; the numbers of substitutions, insertions
and deletions may differ. With `sclite` it is sometimes larger: its alignment of `a b c d e` with
`x y z a b` has three insertions and three deletions (cost 18), not five substitutions (cost 20).

Known problems: rapidfuzz divides pairs of more than about 2,000 x 2,000 tokens, and the place of
the division decides ties. For such pairs the rule `jiwer` calls rapidfuzz itself, which must then
be installed.

Reference: H. Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit distances,
2003.
"""

from __future__ import annotations

import os
from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from misword.alignment import kernels
from misword.alignment.costs import Costs
from misword.core.errors import InputError, MissingExtraError, OptionError
from misword.core.types import Alignment, Op, Tokens, offsets_of
from misword.core.workers import run

# The limit of the edit matrix, so that no input keeps misword busy for minutes.
#
# The time of an alignment is proportional to the cells of the edit matrix that must be computed.
# For texts with few errors these are few: about the length of the text times the number of errors.
# Two texts of a million characters that have nothing in common would take minutes. They are refused
# in less than a second, because the first cells show how many there will be.

CELLS_VARIABLE = "MISWORD_MAX_CELLS"
DEFAULT_CELLS = 4e11  # two texts of 600,000 characters, whatever they are: some ten seconds
# A cell takes as long as so many cells with unit costs, of which 64 are computed at once.
WEIGHTED = 64
FORGIVING = 16


def cell_limit() -> float:
    """Return the limit: that of the environment variable MISWORD_MAX_CELLS, or the default."""
    text = os.environ.get(CELLS_VARIABLE, "")
    if not text:
        return DEFAULT_CELLS
    try:
        cells = float(text)
    except ValueError:
        cells = -1.0
    if isnan(cells) or cells <= 0:
        raise OptionError(
            f"{CELLS_VARIABLE} is {text!r}", fix=f"give a number such as {DEFAULT_CELLS:.0e}"
        )
    return cells


def check_cells(
    reference: NDArray[np.int64],
    hypothesis: NDArray[np.int64],
    width: NDArray[np.float64] | None = None,
    weight: float = 1,
) -> None:
    """Raise if pairs of texts of so many tokens need more cells than the limit.

    `width` is a number of cells that is enough for each token of a pair, if it is known. A cell
    counts as `weight` cells with unit costs.
    """
    needed = np.asarray(hypothesis, np.float64)
    if width is not None:
        needed = np.minimum(needed, width)
    cells = weight * needed * (reference + 1.0)
    if len(cells) and cells.max() > cell_limit():
        largest = int(np.argmax(cells))
        raise too_long(int(reference[largest]), int(hypothesis[largest]))


def too_long(reference: int, hypothesis: int) -> InputError:
    """Return the error about two texts of so many tokens that need more cells than the limit."""
    return InputError(
        f"an utterance is too long to be aligned: {reference:,} and {hypothesis:,} tokens that "
        f"differ much need more than {cell_limit():.0e} cells of the edit matrix",
        fix="divide the utterance, or leave out the metric of these tokens; "
        f"to wait for it, set the environment variable {CELLS_VARIABLE}={100 * cell_limit():.0e}",
    )


# The alignment.

Ties = Literal["misword", "jiwer", "kaldialign", "sclite"]
TIES: tuple[Ties, ...] = get_args(Ties)
UNIT_TIES = TIES[:3]  # the rules by which every edit costs 1
SCLITE_SUBSTITUTION, SCLITE_GAP = 4.0, 3.0
OPS = np.uint8
CostAndOperations = tuple[float, list[int] | NDArray[OPS]]

# rapidfuzz 3 divides a pair if its bit matrices would be larger than one MiB.
RAPIDFUZZ_WHOLE_BITS = (1 << 20) * 8 // 2


def align(
    reference: Tokens,
    hypothesis: Tokens,
    *,
    pairs: NDArray[np.int64] | None = None,
    ties: Ties = "misword",
    costs: Costs | None = None,
    guide: Alignment | None = None,
    operations: bool = True,
    workers: int | None = None,
) -> Alignment:
    """Align `reference[pairs[p, 0]]` with `hypothesis[pairs[p, 1]]` for every row `p` of `pairs`.

    Without `pairs`, row `p` is aligned with row `p`. Without `costs`, every edit costs 1, unless
    `ties` is `sclite`. Without `operations`, the result has only counts and costs. With `costs`,
    `guide` may be the unit-cost alignment of the same pairs, if the caller has it; otherwise it is
    computed.

    >>> from misword.text.texts import Texts
    >>> from misword.text.tokens import encode_words
    >>> align(*encode_words([Texts.of(["a b c"]), Texts.of(["a x c d"])])).counts
    array([[2, 1, 1, 0]])
    """
    check_arguments(reference, hypothesis, ties, costs)
    if pairs is None:
        if len(reference) != len(hypothesis):
            raise ValueError(f"{len(reference)} references, {len(hypothesis)} hypotheses")
        rows = np.arange(len(reference))
        pairs = np.stack([rows, rows], axis=1)
    pairs = np.ascontiguousarray(pairs, np.int64)
    check_pairs(pairs, reference, hypothesis)
    job = AlignmentJob(reference, hypothesis, pairs, operations, workers)
    if costs is None and ties == "sclite":
        costs = sclite_costs(len(reference.vocabulary))
    return job.unit(ties) if costs is None else job.weighted(costs, guide)


def sclite_costs(size: int) -> Costs:
    """Return the costs of sclite for a vocabulary of `size` tokens."""
    gap = SCLITE_GAP
    return Costs.pairs(
        [], [], [], size=size, default=SCLITE_SUBSTITUTION, insertion=gap, deletion=gap
    )


def check_arguments(reference: Tokens, hypothesis: Tokens, ties: str, costs: Costs | None) -> None:
    """Raise if the arguments do not fit together; the compiled code does not check them."""
    if ties not in TIES:
        raise OptionError(f"unknown tie rule {ties!r}", fix=f"use one of: {', '.join(TIES)}")
    size = len(reference.vocabulary)
    if len(hypothesis.vocabulary) != size:
        raise ValueError("the two sides must share a vocabulary")
    if costs is not None and min(len(costs.deletion), len(costs.insertion)) < size:
        raise ValueError(f"the costs do not cover all {size} tokens of the vocabulary")


def check_pairs(pairs: NDArray[np.int64], reference: Sized, hypothesis: Sized) -> None:
    """Raise if a pair is not two numbers of texts."""
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs must be rows of two numbers, not an array of shape {pairs.shape}")
    for rows, texts in zip(pairs.T, (reference, hypothesis), strict=True):
        if len(rows) and (rows.min() < 0 or rows.max() >= len(texts)):
            raise ValueError("pairs must be numbers of texts, counted from 0")


def check_operations(alignment: Alignment, pairs: NDArray[np.int64]) -> None:
    """Raise if an alignment has no operations, or does not have those of as many pairs."""
    offsets, count = alignment.all_offsets, len(alignment.all_operations)
    if len(offsets) != len(pairs) + 1 or len(alignment) != len(pairs):
        raise ValueError(f"{len(pairs)} pairs, but an alignment of {len(alignment)}")
    if offsets[0] < 0 or offsets[-1] > count or (np.diff(offsets) < 0).any():
        raise ValueError("offsets must rise from 0 to the number of operations")


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentJob:
    """The pairs to align, whether to keep the operations, and the number of threads."""

    reference: Tokens
    hypothesis: Tokens
    pairs: NDArray[np.int64]
    operations: bool
    workers: int | None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Numbers of reference and hypothesis tokens of each pair."""
        rows, columns = self.pairs.T
        return np.stack([self.reference.lengths[rows], self.hypothesis.lengths[columns]], axis=1)

    def unit(self, ties: Ties) -> Alignment:
        """Align with unit costs."""
        ref, hyp = self.sizes.T
        if ties == "jiwer" and (divided := ref * hyp >= RAPIDFUZZ_WHOLE_BITS).any():
            return self.partly_by_rapidfuzz(divided)
        sides = kernels.Sides.of(self.reference, self.hypothesis)
        output = kernels.KernelOutput.of(ref + hyp, self.operations, unit=True)

        most_cells = cell_limit()

        def chunk(lo: int, hi: int) -> None:
            if not kernels.align_unit(sides, self.pairs, lo, hi, ties, most_cells, output):
                largest = int(np.argmax(ref[lo:hi] * hyp[lo:hi])) + lo
                raise too_long(int(ref[largest]), int(hyp[largest]))

        run(chunk, hyp * (1 + ref // 256) + ref + 8, self.workers)
        return kernels.alignment_of(output)

    def weighted(self, costs: Costs, guide: Alignment | None) -> Alignment:
        """Align with any costs."""
        ref, hyp = self.sizes.T
        path = guide if guide is not None and guide.ops is not None else self.guide()
        check_operations(path, self.pairs)
        # The cells that the guide does not exclude are at most so many beside the diagonal.
        check_cells(ref, hyp, 2 * path.costs + 1, WEIGHTED)
        sides = kernels.Sides.of(self.reference, self.hypothesis)
        output = kernels.KernelOutput.of(ref + hyp, self.operations, unit=False)
        kernel_costs = costs.for_kernels

        def chunk(lo: int, hi: int) -> None:
            kernels.align_weighted(sides, self.pairs, lo, hi, kernel_costs, path, output)

        run(chunk, ref * hyp + 8, self.workers)
        return kernels.alignment_of(output)

    def guide(self) -> Alignment:
        """Return the unit-cost alignment with operations; its cost bounds that of the cheapest."""
        return replace(self, operations=True).unit("misword")

    def partly_by_rapidfuzz(self, divided: NDArray[np.bool_]) -> Alignment:
        """Align by the rule of jiwer when rapidfuzz would divide the pairs in `divided`."""
        check_cells(*self.sizes.T)
        short = replace(self, pairs=self.pairs[~divided], operations=True).unit("jiwer")
        turns = np.cumsum(~divided) - 1
        results: list[CostAndOperations] = []
        for p, (r, h) in enumerate(self.pairs.tolist()):
            if divided[p]:
                results.append(_rapidfuzz_pair(_ids(self.reference, r), _ids(self.hypothesis, h)))
            else:
                results.append((short.costs[turns[p]], short.operations(turns[p])))
        return _join(results, self.operations)


def _ids(tokens: Tokens, row: int) -> list[int]:
    ids: list[int] = tokens.ids[tokens.offsets[row] : tokens.offsets[row + 1]].tolist()
    return ids


def _join(results: Sequence[CostAndOperations], operations: bool) -> Alignment:
    """Return one `Alignment` from the cost and the operations of each pair."""
    arrays = [np.asarray(ops, OPS) for _, ops in results]
    offsets = offsets_of(list(map(len, arrays)))
    ops = np.concatenate(arrays) if arrays else np.zeros(0, OPS)
    owner = np.repeat(np.arange(len(results)), np.diff(offsets))
    flat = np.bincount(owner * len(Op) + ops, minlength=len(results) * len(Op))
    counts = flat.reshape(len(results), len(Op)).astype(np.int64)
    costs = np.array([cost for cost, _ in results], np.float64)
    return Alignment(counts, costs, *((ops, offsets) if operations else ()))


def _rapidfuzz_pair(ref: list[int], hyp: list[int]) -> CostAndOperations:
    try:
        from rapidfuzz.distance import Levenshtein
    except ModuleNotFoundError:
        raise MissingExtraError(
            "ties=jiwer needs rapidfuzz for a pair this long, since rapidfuzz divides such pairs",
            fix="pip install 'misword[compat]', or use ties=misword",
        ) from None
    kinds = {"equal": Op.HIT, "replace": Op.SUBSTITUTION, "insert": Op.INSERTION}
    ops: list[int] = []
    for code in Levenshtein.opcodes(ref, hyp):
        length = max(code.src_end - code.src_start, code.dest_end - code.dest_start)
        ops += [kinds.get(code.tag, Op.DELETION)] * length
    return sum(op != Op.HIT for op in ops), ops


# The steps of alignments.


class Substitutions(NamedTuple):
    """The substitutions of all pairs: number of the pair, reference id, hypothesis id."""

    pair: NDArray[np.int64]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]


class Steps(NamedTuple):
    """The steps of all alignments: number of the pair, operation, ids (-1 for no token)."""

    pair: NDArray[np.int64]
    ops: NDArray[np.uint8]
    reference: NDArray[np.int64]
    hypothesis: NDArray[np.int64]


def steps(
    alignment: Alignment, reference: Tokens, hypothesis: Tokens, pairs: NDArray[np.int64]
) -> Steps:
    """Return the steps of all alignments with the tokens of both sides."""
    ops = alignment.all_operations
    ids = []
    for tokens, rows, absent in zip(
        (reference, hypothesis), pairs.T, (Op.INSERTION, Op.DELETION), strict=True
    ):
        side = np.full(len(ops), -1, np.int64)
        side[ops != absent] = tokens.take(rows).ids
        ids.append(side)
    owner = np.repeat(np.arange(len(alignment)), np.diff(alignment.all_offsets))
    return Steps(owner, ops, *ids)


def substitutions(
    alignment: Alignment,
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    workers: int | None = None,
) -> Substitutions:
    """Return the substituted tokens of all alignments."""
    pairs = np.ascontiguousarray(pairs, np.int64)
    check_pairs(pairs, reference, hypothesis)
    check_operations(alignment, pairs)
    sides = kernels.Sides.of(reference, hypothesis)
    starts = offsets_of(alignment.counts[:, Op.SUBSTITUTION])
    listed = Substitutions(*(np.empty(starts[-1], np.int64) for _ in range(3)))

    def chunk(lo: int, hi: int) -> None:
        kernels.list_substitutions(sides, pairs, lo, hi, alignment, starts, listed)

    run(chunk, np.diff(alignment.all_offsets), workers)
    return listed
