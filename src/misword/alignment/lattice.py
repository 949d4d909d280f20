"""References that may be read in several ways: find the reading nearest to a hypothesis.

A lattice is a graph of phrases from its first node to its last; every edge leads to a node of a
higher number. The best reading has the fewest word errors; among equals, the first listed wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.int64]


@dataclass(slots=True)
class Lattice:
    """Edges `(from, to, words)`, grown from node 0; a phrase may be empty."""

    nodes: int = 1
    edges: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)

    def node(self) -> int:
        """Add a node after all others."""
        self.nodes += 1
        return self.nodes - 1

    def reading(self, hypothesis: Sequence[str]) -> list[str]:
        """The words of the path with the fewest errors against the hypothesis."""
        best = self._forward(hypothesis)
        node, at, words = self.nodes - 1, len(hypothesis), []
        while node:
            edge = best[node][1]
            start, _, phrase = self.edges[edge[at]]
            rows = _through(best[start][0], phrase, hypothesis)
            at = _enter(rows, phrase, hypothesis, at)
            words.append(phrase)
            node = start
        return [word for phrase in reversed(words) for word in phrase]

    def _forward(self, hypothesis: Sequence[str]) -> list[tuple[Row, Row]]:
        """For each node: least errors after each number of hypothesis words, and by which edge."""
        size = len(hypothesis) + 1
        far = np.iinfo(np.int64).max // 2
        best = [(np.full(size, far), np.zeros(size, np.int64)) for _ in range(self.nodes)]
        best[0] = (np.arange(size), np.zeros(size, np.int64))
        # All edges into a node before any out of it, in the order they were listed.
        for number, (start, end, phrase) in sorted(enumerate(self.edges), key=lambda e: e[1][1]):
            row = _through(best[start][0], phrase, hypothesis)[-1]
            costs, edge = best[end]
            better = row < costs
            best[end] = np.where(better, row, costs), np.where(better, number, edge)
        return best


def _through(row: Row, phrase: Sequence[str], hypothesis: Sequence[str]) -> list[Row]:
    """Rows of the edit matrix before the phrase and after each of its words."""
    rows = [row]
    steps = np.arange(len(row))
    words = np.array(hypothesis, dtype=object)
    for word in phrase:
        new = rows[-1] + 1
        new[1:] = np.minimum(new[1:], rows[-1][:-1] + (words != word))
        rows.append(np.minimum.accumulate(new - steps) + steps)
    return rows


def _enter(rows: list[Row], phrase: Sequence[str], hypothesis: Sequence[str], at: int) -> int:
    """How many hypothesis words came before the phrase, if it ends after `at` of them."""
    for k in range(len(phrase), 0, -1):
        above, here = rows[k - 1], rows[k]
        while True:
            diagonal = at and above[at - 1] + (hypothesis[at - 1] != phrase[k - 1]) == here[at]
            if diagonal or above[at] + 1 == here[at]:
                at -= bool(diagonal)
                break
            at -= 1
    return at
