"""References that may be read in several ways: find the reading nearest to a hypothesis.

A lattice is a graph of phrases from its first node to its last; every edge leads to a node of a
higher number. The best reading has the fewest word errors; among equals, the first listed wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.int64]


class Edge(NamedTuple):
    """A phrase, possibly empty, from one node to a later one."""

    start: int
    end: int
    phrase: tuple[str, ...]


@dataclass(slots=True)
class Lattice:
    """A graph grown from node 0; `others` are edges laid beside a stretch of so many words."""

    nodes: int = 1
    edges: list[Edge] = field(default_factory=list)
    others: list[tuple[Edge, int]] = field(default_factory=list)

    def node(self) -> int:
        """Add a node after all others."""
        self.nodes += 1
        return self.nodes - 1

    def reading(self, hypothesis: Sequence[str]) -> list[str]:
        """The words of the path with the fewest errors against the hypothesis.

        A phrase beside the plain one that is no shorter and has no word of the hypothesis cannot
        beat it: each of its words is an error, as at worst are the plain one's.
        """
        heard = set(hypothesis)
        edges = self.edges + [
            edge
            for edge, span in self.others
            if len(edge.phrase) < span or not heard.isdisjoint(edge.phrase)
        ]
        if len(edges) == self.nodes - 1:  # a single path
            return [word for edge in edges for word in edge.phrase]
        return _best_path(_joined(edges, self.nodes - 1), self.nodes - 1, hypothesis)


def _joined(edges: list[Edge], last: int) -> list[Edge]:
    """Fewer edges, longer phrases: nodes with one way in and one way out are passed through."""
    ways_in = np.bincount([edge.end for edge in edges], minlength=last + 1)
    onward: dict[int, list[Edge]] = {}
    for edge in edges:
        onward.setdefault(edge.start, []).append(edge)

    def plain(node: int) -> bool:
        return node != last and ways_in[node] == 1 and len(onward[node]) == 1

    joined = []
    for edge in edges:
        if edge.start and plain(edge.start):
            continue
        end, words = edge.end, list(edge.phrase)
        while plain(end):
            following = onward[end][0]
            end = following.end
            words += following.phrase
        joined.append(Edge(edge.start, end, tuple(words)))
    return joined


def _best_path(edges: list[Edge], last: int, hypothesis: Sequence[str]) -> list[str]:
    """Least errors at each node after each number of hypothesis words, and back along them."""
    codes: dict[str, int] = {}
    heard = np.array([codes.setdefault(word, len(codes)) for word in hypothesis], np.int64)
    steps = np.arange(len(hypothesis) + 1)
    # For each node: errors, the edge they came by, and how much had been heard before that edge.
    best: dict[int, tuple[Row, Row, Row]] = {0: (steps, steps, steps)}
    # All edges into a node before any out of it, in the order they were listed.
    for number, edge in sorted(enumerate(edges), key=lambda item: item[1].end):
        phrase = [codes.get(word, -1) for word in edge.phrase]
        errors, before = _through(best[edge.start][0], phrase, heard)
        if edge.end not in best:
            best[edge.end] = errors, np.full_like(steps, number), before
            continue
        known = best[edge.end]
        better = errors < known[0]
        arrived = errors, np.full_like(steps, number), before
        best[edge.end] = tuple(  # type: ignore[assignment]
            np.where(better, new, old) for new, old in zip(arrived, known, strict=True)
        )
    node, at, phrases = last, len(hypothesis), []
    while node:
        _, by, before = best[node]
        edge, at = edges[by[at]], int(before[at])
        phrases.append(edge.phrase)
        node = edge.start
    return [word for phrase in reversed(phrases) for word in phrase]


def _through(row: Row, phrase: Sequence[int], heard: Row) -> tuple[Row, Row]:
    """A row of the edit matrix carried through a phrase, and where each cell's path entered it."""
    steps = np.arange(len(row))
    entered = steps
    for code in phrase:
        swapped, deleted = row[:-1] + (heard != code), row + 1
        swap = swapped <= deleted[1:]
        row, origin = deleted, entered.copy()
        row[1:][swap] = swapped[swap]
        origin[1:][swap] = entered[:-1][swap]
        # Insertions: the least of all cells to the left, each a step dearer than its neighbour.
        level = row - steps
        least = np.minimum.accumulate(level)
        source = np.maximum.accumulate(np.where(level == least, steps, 0))
        row, entered = least + steps, origin[source]
    return row, entered
