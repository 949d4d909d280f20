"""Alignment of one pair in plain Python, for small inputs: loading compiled code would take longer.

The algorithms are those of `alignment/kernels.py`, with Python integers as bit vectors of any
length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misword.alignment.costs import Costs
from misword.core.types import Op


def weighted_pair(ref: Sequence[int], hyp: Sequence[int], costs: Costs) -> tuple[float, list[int]]:
    """Return the least total cost and its operations.

    Of equal costs, a hit or substitution is taken before an insertion, and that before a deletion.
    """
    insertion, deletion = costs.insertion.tolist(), costs.deletion.tolist()
    line = [0.0]
    for token in hyp:
        line.append(line[-1] + insertion[token])
    directions = []
    prices = costs.grid(np.asarray(ref, np.int64), np.asarray(hyp, np.int64)).tolist()
    for word, price in zip(ref, prices, strict=True):
        drop = deletion[word]
        new, row = [line[0] + drop], []
        for j, token in enumerate(hyp):
            ways = (line[j] + price[j], new[j] + insertion[token], line[j + 1] + drop)
            best = min(ways)
            way = ways.index(best)
            row.append(way + 1 if way or token != word else Op.HIT)
            new.append(best)
        directions.append(row)
        line = new
    ops: list[int] = []
    i, j = len(ref), len(hyp)
    while i or j:
        op = directions[i - 1][j - 1] if i and j else Op.DELETION if i else Op.INSERTION
        i -= op != Op.INSERTION
        j -= op != Op.DELETION
        ops.append(op)
    return line[-1], ops[::-1]
