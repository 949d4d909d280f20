"""One entrance to the aligners: choose the plain or the compiled way, cut the work, gather.

Aligning is exact. Among alignments of equal cost the tie rule decides:

- `misword`: going back from the end, a hit or substitution, else an insertion, else a deletion;
- `jiwer`: what jiwer 4 (rapidfuzz) picks; `kaldialign`: what kaldialign picks.

The number of errors is the same under all of them; its split into kinds is not.

Known problems: beyond about 2,000 x 2,000 tokens rapidfuzz divides a pair, and where it cuts
decides among equals; there `jiwer` asks rapidfuzz itself, which must then be installed.

Reference: H. Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit distances,
2003.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.plain import unit_pair, weighted_pair
from misword.core.errors import MissingExtraError, OptionError
from misword.core.types import Alignment, Offsets, Op, Tokens
from misword.core.workers import run

Ties = Literal["misword", "jiwer", "kaldialign"]
TIES: tuple[Ties, ...] = get_args(Ties)
OPS = np.uint8
Operations = list[int] | NDArray[OPS]

# Above this much work (tokens and cells, roughly) compiled code wins even if it must be loaded.
UNIT_KERNEL_FROM = 400_000
WEIGHTED_KERNEL_FROM = 1_000_000

# rapidfuzz 3 cuts a pair in two where its bit matrices would pass one MiB.
RAPIDFUZZ_WHOLE_BITS = (1 << 20) * 8 // 2


def align(
    reference: Tokens,
    hypothesis: Tokens,
    *,
    pairs: NDArray[np.int64] | None = None,
    ties: Ties = "misword",
    costs: Costs | None = None,
    operations: bool = True,
    workers: int | None = None,
) -> Alignment:
    """Align `reference[pairs[p, 0]]` with `hypothesis[pairs[p, 1]]` for every row `p` of `pairs`.

    Without `pairs`, row by row; without `costs`, every edit costs 1; without `operations`, only
    counts.

    >>> from misword.text.texts import Texts
    >>> from misword.text.tokens import encode_words
    >>> align(*encode_words([Texts.of(["a b c"]), Texts.of(["a x c d"])])).counts
    array([[2, 1, 1, 0]])
    """
    _check(reference, hypothesis, ties, costs)
    if pairs is None:
        if len(reference) != len(hypothesis):
            raise ValueError(f"{len(reference)} references, {len(hypothesis)} hypotheses")
        rows = np.arange(len(reference))
        pairs = np.stack([rows, rows], axis=1)
    sizes = np.stack([reference.lengths[pairs[:, 0]], hypothesis.lengths[pairs[:, 1]]], axis=1)
    sizes = sizes.astype(np.int64)
    if costs is None:
        return _unit(reference, hypothesis, pairs, sizes, ties, operations, workers)
    return _weighted(reference, hypothesis, pairs, sizes, costs, operations, workers)


def _check(reference: Tokens, hypothesis: Tokens, ties: str, costs: Costs | None) -> None:
    """The kernels trust their input: what they must not meet is refused here."""
    if ties not in TIES:
        raise OptionError(f"no tie rule {ties!r}", fix=f"use one of: {', '.join(TIES)}")
    size = len(reference.vocabulary)
    if len(hypothesis.vocabulary) != size:
        raise ValueError("the two sides must share a vocabulary")
    if costs is not None and min(len(costs.deletion), len(costs.insertion)) < size:
        raise ValueError(f"the costs do not cover all {size} tokens of the vocabulary")


def _unit(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    sizes: NDArray[np.int64],
    ties: Ties,
    operations: bool,
    workers: int | None,
) -> Alignment:
    work = sizes[:, 1] * (1 + sizes[:, 0] // 256) + sizes[:, 0]
    if ties == "jiwer" and (divided := sizes.prod(axis=1) >= RAPIDFUZZ_WHOLE_BITS).any():
        return _partly_by_rapidfuzz(reference, hypothesis, pairs, divided, operations, workers)
    if work.sum() < UNIT_KERNEL_FROM:
        found = _plain(reference, hypothesis, pairs, lambda r, h: unit_pair(r, h, ties))
        return _gather(found, None, operations)
    from misword.alignment import kernels

    counts, ops, slots = _arrays(sizes, operations)
    rule = getattr(kernels, ties.upper())
    size = max(len(reference.vocabulary), 1)
    begins = slots.copy()

    def chunk(lo: int, hi: int) -> None:
        kernels.unit(
            reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets, pairs,
            lo, hi, rule, size, counts, ops, begins, operations,
        )  # fmt: skip

    run(chunk, work + 8, workers)
    costs = counts[:, 1:].sum(axis=1).astype(np.float64)
    return _compact(counts, costs, ops, begins, slots, operations)


def _weighted(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    sizes: NDArray[np.int64],
    costs: Costs,
    operations: bool,
    workers: int | None,
) -> Alignment:
    work = sizes.prod(axis=1)
    if work.sum() < WEIGHTED_KERNEL_FROM:
        totals: list[float] = []

        def pair(ref: list[int], hyp: list[int]) -> list[int]:
            total, ops = weighted_pair(ref, hyp, costs)
            totals.append(total)
            return ops

        found = _plain(reference, hypothesis, pairs, pair)
        return _gather(found, np.array(totals), operations)
    from misword.alignment import weighted_kernels as kernels

    counts, ops, slots = _arrays(sizes, operations)
    sums = np.zeros(len(pairs))
    begins = slots.copy()
    prices = (
        costs.prices, costs.insertion, costs.deletion, costs.starts, costs.partners, costs.default,
        costs.sieve,
    )  # fmt: skip

    def chunk(lo: int, hi: int) -> None:
        kernels.weighted(
            reference.ids, reference.offsets, hypothesis.ids, hypothesis.offsets, pairs,
            lo, hi, prices, sums, counts, ops, begins, operations,
        )  # fmt: skip

    run(chunk, work + 8, workers)
    return _compact(counts, sums, ops, begins, slots, operations)


def _plain(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    pair: Callable[[list[int], list[int]], Operations],
) -> list[Operations]:
    ref_ids, ref_at = reference.ids.tolist(), reference.offsets.tolist()
    hyp_ids, hyp_at = hypothesis.ids.tolist(), hypothesis.offsets.tolist()
    return [
        pair(ref_ids[ref_at[r] : ref_at[r + 1]], hyp_ids[hyp_at[h] : hyp_at[h + 1]])
        for r, h in pairs.tolist()
    ]


def _gather(
    found: list[Operations], costs: NDArray[np.float64] | None, operations: bool
) -> Alignment:
    """An Alignment from the operations of each pair."""
    offsets = np.cumsum([0, *map(len, found)], dtype=np.int64)
    arrays = [np.asarray(ops, OPS) for ops in found]
    ops = np.concatenate(arrays) if arrays else np.zeros(0, OPS)
    owner = np.repeat(np.arange(len(found)), np.diff(offsets))
    flat = np.bincount(owner * len(Op) + ops, minlength=len(found) * len(Op))
    counts = flat.reshape(len(found), len(Op)).astype(np.int64)
    if costs is None:
        costs = counts[:, 1:].sum(axis=1).astype(np.float64)
    return Alignment(counts, costs, *((ops, offsets) if operations else ()))


def _arrays(
    sizes: NDArray[np.int64], operations: bool
) -> tuple[NDArray[np.int64], NDArray[OPS], Offsets]:
    """Empty counts, room for the operations, and where each pair's room ends."""
    slots = np.cumsum(sizes.sum(axis=1)) if operations else np.zeros(len(sizes), np.int64)
    room = int(slots[-1]) if operations and len(slots) else 0
    return np.zeros((len(sizes), len(Op)), np.int64), np.empty(room, OPS), slots


def _compact(
    counts: NDArray[np.int64],
    costs: NDArray[np.float64],
    ops: NDArray[OPS],
    begins: Offsets,
    ends: Offsets,
    operations: bool,
) -> Alignment:
    """Close the gaps between the pairs' operations."""
    if not operations:
        return Alignment(counts, costs)
    lengths = ends - begins
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    edges = np.zeros(len(ops) + 1, np.int8)
    np.add.at(edges, begins, 1)
    np.add.at(edges, ends, -1)
    return Alignment(counts, costs, ops[np.cumsum(edges[:-1], dtype=np.int8) > 0], offsets)


def _partly_by_rapidfuzz(
    reference: Tokens,
    hypothesis: Tokens,
    pairs: NDArray[np.int64],
    divided: NDArray[np.bool_],
    operations: bool,
    workers: int | None,
) -> Alignment:
    """jiwer's rule where some pairs are so long that rapidfuzz divides them."""
    rest = align(reference, hypothesis, pairs=pairs[~divided], ties="jiwer", workers=workers)
    far = _plain(reference, hypothesis, pairs[divided], _ask_rapidfuzz)
    near = iter(range(len(rest)))
    whole = iter(far)
    found = [next(whole) if long else rest.operations(next(near)) for long in divided]
    return _gather(found, None, operations)


def _ask_rapidfuzz(ref: list[int], hyp: list[int]) -> list[int]:
    try:
        from rapidfuzz.distance import Levenshtein
    except ModuleNotFoundError:
        raise MissingExtraError(
            "ties=jiwer on a pair this long needs rapidfuzz, whose cut decides the split",
            fix="pip install 'misword[compat]', or use ties=misword",
        ) from None
    kinds = {"equal": Op.HIT, "replace": Op.SUBSTITUTION, "insert": Op.INSERTION}
    ops: list[int] = []
    for code in Levenshtein.opcodes(ref, hyp):
        length = max(code.src_end - code.src_start, code.dest_end - code.dest_start)
        ops += [kinds.get(code.tag, Op.DELETION)] * length
    return ops
