"""Compiled distances of many short sequences: the recurrence of `weighted_kernels` without a path.

`closest` walks a tree of all sequences, so that what several begin with is aligned once.

What an insertion costs is taken out of the recurrence: with `line[j]` less the price of inserting
the first `j` tokens, a step to the right costs nothing, and a cell waits for its left neighbour for
a comparison only. Prices are multiples of 2^-40, so the sums are exact either way.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from misword.core.compiled import compiled


@compiled
def distance(ref, hyp, insertion, deletion, beyond, line):
    """What the cheapest alignment costs; `beyond` is a substitution's price less the insertion's.

    `line` has room for one more than the tokens of `hyp`.
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
    return line[n] + base


@compiled
def pairwise(ref_ids, ref_at, hyp_ids, hyp_at, pairs, lo, hi, how, found):
    """Distances of the pairs `lo..hi`."""
    insertion, deletion, beyond, longest = how
    line = np.empty(longest + 1, np.float64)
    for p in range(lo, hi):
        r, h = pairs[p, 0], pairs[p, 1]
        found[p] = distance(
            ref_ids[ref_at[r] : ref_at[r + 1]], hyp_ids[hyp_at[h] : hyp_at[h + 1]],
            insertion, deletion, beyond, line,
        )  # fmt: skip


@compiled
def plant(ids, offsets, order, depth, token, skip, first, shortest, longest, ends):
    """Nodes of the tree of all sequences, parents first; returns how many.

    `order` sorts the sequences. A node stands for what some of them begin with: its `depth`, its
    last `token`, the node after its branch (`skip`), the `first` of its sequences in `order`, and
    how many tokens the `shortest` and `longest` of them have after it; `ends` says at which node a
    sequence ends. Node 0, the root, is the empty sequence.
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
def insert(ids, costs, size, column, cost):
    """Put a column into a list that is sorted by cost, then by column; returns how many it has."""
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
def descend(above, line, ref, drops, token, added, beyond, shortest, longest, cheapest):
    """One more token: fills `line` from the line before it; returns what all costs at least.

    Along a line the reference's tokens are deleted: what that costs, `drops`, is taken out. What is
    left of the reference and the `shortest` or `longest` rest may differ in length: the `cheapest`
    insertions and deletions are still to come.
    """
    left = above[0] + added
    line[0] = left
    rest = len(ref)
    least = left + max(rest - longest, 0) * cheapest[1] + max(shortest - rest, 0) * cheapest[0]
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
def search(ref, tree, how, limit, own, lines, drops, ids, costs):
    """The nearest sequences to one, none dearer than `limit`; returns how many.

    A branch is left as soon as all that is on it must cost too much.
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
def closest(ref_ids, ref_at, lo, hi, tree, how, limit, own, ids, costs):
    """The nearest sequences to each of `lo..hi`, by limits that rise until enough are found.

    `dearest` is the most that inserting a whole sequence costs: none can cost more than that and
    deleting all of the reference.
    """
    insertion, deletion, beyond, cheapest, dearest = how
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
        most = min(limit, drops[len(ref)] + dearest)
        near = min(most, dearest / 16)
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
