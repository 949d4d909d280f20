"""Compiled edit distances of many short sequences: as `weighted_kernels`, but without operations.

`closest` searches a prefix tree of all sequences, so that a common prefix is aligned once.

The cost of insertions is subtracted from the recurrence: `line[j]` holds the cost minus that of
inserting the first `j` tokens. A step to the right then costs nothing, so that a cell needs its
left neighbour for a comparison only, which is faster. Costs are multiples of 2^-40, so the sums are
exact in both forms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled
from misword.core.types import Ids, Offsets

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# The columns that `build_tree` fills (depth, token, skip, first, shortest, longest), then the order
# of the sequences and the node of the end of each.
Tree = tuple[Integers, Integers, Integers, Integers, Integers, Integers, Integers, Integers]


@compiled
def distance(
    ref: Ids, hyp: Ids, insertion: Floats, deletion: Floats, beyond: Floats, line: Floats
) -> float:
    """Return the cost of the cheapest alignment of two sequences.

    `beyond` is the cost of each substitution minus that of the insertion. `line` is scratch memory
    for one element more than `hyp` has tokens.
    """
    n = len(hyp)
    base = 0.0
    for j in range(n):
        line[j] = 0.0
        base += insertion[hyp[j]]
    line[n] = 0.0
    for i in range(len(ref)):
        token = ref[i]
        drop = deletion[token]
        diagonal = line[0]
        left = diagonal + drop
        line[0] = left
        for j in range(n):
            above = line[j + 1]
            swapped = diagonal + beyond[token, hyp[j]]
            dropped = above + drop
            best = swapped if swapped < dropped else dropped
            left = best if best < left else left
            line[j + 1] = left
            diagonal = above
    total: float = line[n] + base
    return total


@compiled
def pairwise(
    ref_ids: Ids,
    ref_at: Offsets,
    hyp_ids: Ids,
    hyp_at: Offsets,
    pairs: Integers,
    lo: int,
    hi: int,
    how: tuple[Floats, Floats, Floats, int],
    distances: Floats,
) -> None:
    """Write the distances of the pairs `lo..hi`.

    `how` is the insertion costs, the deletion costs, `beyond` and the longest hypothesis.
    """
    insertion, deletion, beyond, longest = how
    line = np.empty(longest + 1, np.float64)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        distances[p] = distance(
            ref_ids[ref_at[r] : ref_at[r + 1]], hyp_ids[hyp_at[h] : hyp_at[h + 1]],
            insertion, deletion, beyond, line,
        )  # fmt: skip


@compiled
def build_tree(
    ids: Ids,
    offsets: Offsets,
    order: Integers,
    depth: Integers,
    token: Integers,
    skip: Integers,
    first: Integers,
    shortest: Integers,
    longest: Integers,
    ends: Integers,
) -> int:
    """Fill the nodes of the prefix tree of all sequences, parents first; return their number.

    `order` sorts the sequences. A node is a prefix of one or more sequences: its `depth` (number of
    tokens), its last `token`, the node after its branch (`skip`), the `first` of its sequences in
    `order`, and the number of tokens after it in its `shortest` and `longest` sequence. `ends` is
    the node at which each sequence ends. Node 0, the root, is the empty prefix.
    """
    path = np.zeros(len(depth) + 1, np.int64)  # the node at each depth of the last sequence
    depth[0], token[0], first[0] = 0, -1, 0
    shortest[:] = len(depth)
    longest[:] = 0
    size, deepest = 1, 0
    for turn in range(len(order)):
        row = ids[offsets[order[turn]] : offsets[order[turn] + 1]]
        before = row[:0]
        if turn:
            before = ids[offsets[order[turn - 1]] : offsets[order[turn - 1] + 1]]
        shared = 0
        while shared < min(len(row), len(before)) and row[shared] == before[shared]:
            shared += 1
        for level in range(deepest, shared, -1):
            skip[path[level]] = size
        for level in range(shared, len(row)):
            depth[size], token[size], first[size] = level + 1, row[level], turn
            path[level + 1] = size
            size += 1
        deepest = len(row)
        ends[turn] = path[deepest]
        for level in range(deepest + 1):
            node, rest = path[level], deepest - level
            shortest[node] = min(shortest[node], rest)
            longest[node] = max(longest[node], rest)
    for level in range(deepest, -1, -1):
        skip[path[level]] = size
    return size


@compiled
def insert(ids: NDArray[np.int32], costs: Floats, size: int, column: int, cost: float) -> int:
    """Insert a column into a list that is sorted by cost, then by column; return its new size."""
    k = len(ids)
    if size == k:
        last = k - 1
        if cost > costs[last] or (cost == costs[last] and column > ids[last]):
            return size
    else:
        last = size
        size += 1
    while last > 0 and (
        cost < costs[last - 1] or (cost == costs[last - 1] and column < ids[last - 1])
    ):
        ids[last], costs[last] = ids[last - 1], costs[last - 1]
        last -= 1
    ids[last], costs[last] = column, cost
    return size


@compiled
def descend(
    above: Floats,
    line: Floats,
    ref: Ids,
    drops: Floats,
    token: int,
    added: float,
    beyond: Floats,
    shortest: int,
    longest: int,
    cheapest: tuple[float, float],
) -> float:
    """Fill `line` for one more token from the line before it; return a lower bound of all costs.

    `drops`, the cost of deleting the first tokens of the reference, is subtracted from the line. If
    the rest of the reference is longer than the `longest` rest of a sequence, or shorter than the
    `shortest`, the bound includes the `cheapest` deletions or insertions that must follow.
    """
    left = above[0] + added
    line[0] = left
    rest = len(ref)
    least: float = (
        left + max(rest - longest, 0) * cheapest[1] + max(shortest - rest, 0) * cheapest[0]
    )
    for j in range(len(ref)):
        swapped = above[j] + beyond[ref[j], token]
        put = above[j + 1] + added
        best = swapped if swapped < put else put
        left = best if best < left else left
        line[j + 1] = left
        rest -= 1
        cost = left + drops[j + 1]
        cost += max(rest - longest, 0) * cheapest[1] + max(shortest - rest, 0) * cheapest[0]
        least = cost if cost < least else least
    return least


@compiled
def search(
    ref: Ids,
    tree: Tree,
    how: tuple[Floats, Floats, tuple[float, float]],
    limit: float,
    own: int,
    lines: Floats,
    drops: Floats,
    ids: NDArray[np.int32],
    costs: Floats,
) -> int:
    """Write the nearest sequences of one sequence that cost at most `limit`; return their number.

    A branch of the tree is skipped when the lower bound of its costs is too high.
    """
    depth, token, skip, first, shortest, longest, order, ends = tree
    insertion, beyond, cheapest = how
    size, worst, m = 0, limit, len(ref)
    node = 0
    while node < len(depth):
        level = depth[node]
        if level:
            t = token[node]
            least = descend(
                lines[level - 1], lines[level], ref, drops, t, insertion[t], beyond,
                shortest[node], longest[node], cheapest,
            )  # fmt: skip
            if least > worst:
                node = skip[node]
                continue
        cost = lines[level, m] + drops[m]
        if cost <= worst:
            at = first[node]
            while at < len(order) and ends[at] == node:
                if order[at] != own:
                    size = insert(ids, costs, size, order[at], cost)
                at += 1
            if size == len(ids):
                worst = min(limit, costs[size - 1])
        node += 1
    return size


@compiled
def closest(
    ref_ids: Ids,
    ref_at: Offsets,
    lo: int,
    hi: int,
    tree: Tree,
    how: tuple[Floats, Floats, Floats, tuple[float, float], float],
    limit: float,
    own: Integers,
    ids: NDArray[np.int32],
    costs: Floats,
) -> None:
    """Write the nearest sequences of each sequence `lo..hi`.

    The search is repeated with rising limits until enough sequences are found.
    `greatest_insertion`, the last of `how`, is the greatest cost of inserting a whole sequence: no
    alignment costs more than that plus the deletion of the reference.
    """
    insertion, deletion, beyond, cheapest, greatest_insertion = how
    depth = tree[0]
    longest = 0
    for r in range(lo, hi):
        longest = max(longest, ref_at[r + 1] - ref_at[r])
    lines = np.zeros((depth.max() + 1, longest + 1), np.float64)
    drops = np.zeros(longest + 1, np.float64)
    for r in range(lo, hi):
        ref = ref_ids[ref_at[r] : ref_at[r + 1]]
        for j in range(len(ref)):
            drops[j + 1] = drops[j] + deletion[ref[j]]
        most = min(limit, drops[len(ref)] + greatest_insertion)
        near = min(most, greatest_insertion / 16)
        while True:
            size = search(
                ref, tree, (insertion, beyond, cheapest), near, own[r], lines, drops, ids[r],
                costs[r],
            )  # fmt: skip
            if size == ids.shape[1] or near >= most:
                break
            near = min(most, near * 1.5 + 1.0)
        ids[r, size:] = -1
        costs[r, size:] = np.inf
