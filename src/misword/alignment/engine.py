"""Alignment of many pairs: `align` divides the work among threads.

Alignments are exact: none has a lower cost. Among alignments of equal cost the tie rule chooses:

- `misword`: from the end backwards, a hit or substitution, else an insertion, else a deletion;
- `jiwer`: the choice of jiwer 4 (rapidfuzz); `kaldialign`: the choice of kaldialign.

The number of errors is the same for all tie rules; the numbers of substitutions, insertions and
deletions may differ.

Known problems: rapidfuzz divides pairs of more than about 2,000 x 2,000 tokens, and the place of
the division decides ties. For such pairs the rule `jiwer` calls rapidfuzz itself, which must then
be installed.

Reference: H. Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit distances,
2003.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from misword.alignment import kernels
from misword.alignment.costs import Costs
from misword.alignment.plain import weighted_pair
from misword.core import kernel_thresholds
from misword.core.errors import MissingExtraError, OptionError
from misword.core.types import Alignment, Offsets, Op, Tokens
from misword.core.workers import run

Ties = Literal["misword", "jiwer", "kaldialign"]
TIES: tuple[Ties, ...] = get_args(Ties)
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

    Without `pairs`, row `p` is aligned with row `p`. Without `costs`, every edit costs 1. Without
    `operations`, the result has only counts and costs. With `costs`, `guide` may be the unit-cost
    alignment of the same pairs, if the caller has it; otherwise it is computed.

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
    job = Job(reference, hypothesis, pairs, operations, workers)
    return job.unit(ties) if costs is None else job.weighted(costs, guide)


def check_arguments(reference: Tokens, hypothesis: Tokens, ties: str, costs: Costs | None) -> None:
    """Raise if the arguments do not fit together; the compiled code does not check them."""
    if ties not in TIES:
        raise OptionError(f"no tie rule {ties!r}", fix=f"use one of: {', '.join(TIES)}")
    size = len(reference.vocabulary)
    if len(hypothesis.vocabulary) != size:
        raise ValueError("the two sides must share a vocabulary")
    if costs is not None and min(len(costs.deletion), len(costs.insertion)) < size:
        raise ValueError(f"the costs do not cover all {size} tokens of the vocabulary")


def check_pairs(pairs: NDArray[np.int64], reference: Tokens, hypothesis: Tokens) -> None:
    """Raise if a pair is not two numbers of texts."""
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"pairs must be rows of two numbers, not an array of shape {pairs.shape}")
    sizes = len(reference), len(hypothesis)
    if len(pairs) and (pairs.min() < 0 or (pairs.max(axis=0) >= sizes).any()):
        raise ValueError("pairs must be numbers of texts, counted from 0")


@dataclass(frozen=True, slots=True, eq=False)
class Job:
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
        output = kernels.Output.of(ref + hyp, self.operations)

        def chunk(lo: int, hi: int) -> None:
            kernels.align_unit(sides, self.pairs, lo, hi, ties, output)

        run(chunk, hyp * (1 + ref // 256) + ref + 8, self.workers)
        if output.ops is None:
            return Alignment(output.counts, output.costs)
        return Alignment(
            output.counts, output.costs, *_compact(output.ops, output.slots, np.cumsum(ref + hyp))
        )

    def weighted(self, costs: Costs, guide: Alignment | None) -> Alignment:
        """Align with any costs."""
        work = self.sizes.prod(axis=1)
        if work.sum() < kernel_thresholds.WEIGHTED_ALIGNMENT:
            return self.plain(lambda ref, hyp: weighted_pair(ref, hyp, costs))
        from misword.alignment import weighted_kernels

        guide = guide if guide is not None and guide.ops is not None else self.guide()
        how = costs.kernel_arguments, costs.cheapest, costs.uniform_gaps, guide.ops, guide.offsets
        return self.compiled(weighted_kernels.weighted, how, work)

    def guide(self) -> Alignment:
        """Return the unit-cost alignment with operations; its cost bounds that of the cheapest."""
        return replace(self, operations=True).unit("misword")

    def plain(self, pair: Callable[[list[int], list[int]], CostAndOperations]) -> Alignment:
        """Align pair by pair with the Python function `pair`."""
        ref_ids, ref_at = self.reference.ids.tolist(), self.reference.offsets.tolist()
        hyp_ids, hyp_at = self.hypothesis.ids.tolist(), self.hypothesis.offsets.tolist()
        results = [
            pair(ref_ids[ref_at[r] : ref_at[r + 1]], hyp_ids[hyp_at[h] : hyp_at[h + 1]])
            for r, h in self.pairs.tolist()
        ]
        return _join(results, self.operations)

    def compiled(
        self, kernel: Callable[..., None], how: tuple[Any, ...], work: NDArray[np.int64]
    ) -> Alignment:
        """Align chunks of pairs in threads; `how` has the further arguments of the kernel."""
        sizes = self.sizes.sum(axis=1) if self.operations else np.zeros(len(self.pairs), np.int64)
        ends = np.cumsum(sizes)
        begins = ends.copy()
        ops = np.empty(sizes.sum(), OPS)
        counts, costs = np.zeros((len(sizes), len(Op)), np.int64), np.zeros(len(sizes))

        def chunk(lo: int, hi: int) -> None:
            kernel(
                self.reference.ids, self.reference.offsets,
                self.hypothesis.ids, self.hypothesis.offsets,
                self.pairs, lo, hi, how, costs, counts, ops, begins, self.operations,
            )  # fmt: skip

        run(chunk, work + 8, self.workers)
        if not self.operations:
            return Alignment(counts, costs)
        return Alignment(counts, costs, *_compact(ops, begins, ends))

    def partly_by_rapidfuzz(self, divided: NDArray[np.bool_]) -> Alignment:
        """Align by the rule of jiwer when rapidfuzz would divide the pairs in `divided`."""
        short = replace(self, pairs=self.pairs[~divided], operations=True).unit("jiwer")
        long = replace(self, pairs=self.pairs[divided], operations=True).plain(_rapidfuzz_pair)
        turns = np.cumsum(divided), np.cumsum(~divided)
        results: list[CostAndOperations] = []
        for p, is_long in enumerate(divided):
            part, turn = (long, turns[0][p] - 1) if is_long else (short, turns[1][p] - 1)
            results.append((part.costs[turn], part.operations(turn)))
        return _join(results, self.operations)


def _join(results: Sequence[CostAndOperations], operations: bool) -> Alignment:
    """Return one `Alignment` from the cost and the operations of each pair."""
    arrays = [np.asarray(ops, OPS) for _, ops in results]
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    ops = np.concatenate(arrays) if arrays else np.zeros(0, OPS)
    owner = np.repeat(np.arange(len(results)), np.diff(offsets))
    flat = np.bincount(owner * len(Op) + ops, minlength=len(results) * len(Op))
    counts = flat.reshape(len(results), len(Op)).astype(np.int64)
    costs = np.array([cost for cost, _ in results], np.float64)
    return Alignment(counts, costs, *((ops, offsets) if operations else ()))


def _compact(ops: NDArray[OPS], begins: Offsets, ends: Offsets) -> tuple[NDArray[OPS], Offsets]:
    """Return the operations of all pairs without gaps between them, and their offsets."""
    from misword.alignment.operation_kernels import compact

    offsets = np.concatenate([[0], np.cumsum(ends - begins)]).astype(np.int64)
    compact(ops, begins, offsets)
    return ops[: offsets[-1]].copy(), offsets


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
