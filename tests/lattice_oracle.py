"""Alternatives and equivalents by direct Python code, to compare the compiled search with.

`{ a / b }` is parsed by a regular expression and a stack; a lattice is a list of edges, and the
best path is found with one numpy row of the edit matrix at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# A slash alone, before `@` as a word, or after `@` as a word.
SLASH = re.compile(
    r"(?<![^\s{}])/(?![^\s{}])|/(?=@(?![^\s{}]))|(?:(?<=[\s{}]@)|(?<=^@))/(?![^\s{}])"
)
SIGNS = re.compile(rf"[{{}}]|{SLASH.pattern}")
NOTHING = "@"

# A sequence of words and of groups; a group is a list of alternative sequences.
Sequences = list["str | list[Sequences]"]
Phrase = tuple[str, ...]
Classes = tuple[tuple[Phrase, ...], ...]
# Returns the normalised words of a word: none, one or several.
NormalWords = Callable[[str], Sequence[str]]
MatrixRow = NDArray[np.int64]  # of the edit matrix: a value for each number of hypothesis words


class Edge(NamedTuple):
    """A phrase, possibly empty, from one node to a later one."""

    start: int
    end: int
    phrase: tuple[str, ...]


@dataclass(slots=True)
class Lattice:
    """A graph that starts with node 0.

    `edges` are the phrases of the plain reference. `others` are alternative phrases, each with the
    number of words of the plain reference that it replaces.
    """

    nodes: int = 1
    edges: list[Edge] = field(default_factory=list)
    others: list[tuple[Edge, int]] = field(default_factory=list)

    def node(self) -> int:
        """Add a node after all others and return its number."""
        self.nodes += 1
        return self.nodes - 1

    def reading(self, hypothesis: Sequence[str]) -> list[str]:
        """Return the words of the path with the fewest errors for the hypothesis.

        An alternative phrase that is not shorter than the plain one and shares no word with the
        hypothesis is skipped: all its words are errors, and the plain phrase cannot have more.
        """
        vocabulary = set(hypothesis)
        edges = self.edges + [
            edge
            for edge, span in self.others
            if len(edge.phrase) < span or not vocabulary.isdisjoint(edge.phrase)
        ]
        if len(edges) == self.nodes - 1:  # a single path
            return [word for edge in edges for word in edge.phrase]
        return _best_path(_joined(edges, self.nodes - 1), self.nodes - 1, hypothesis)


def _joined(edges: list[Edge], last: int) -> list[Edge]:
    """Join edges that meet in a node with one incoming and one outgoing edge."""
    incoming = np.bincount([edge.end for edge in edges], minlength=last + 1)
    outgoing: dict[int, list[Edge]] = {}
    for edge in edges:
        outgoing.setdefault(edge.start, []).append(edge)

    def is_inner(node: int) -> bool:
        return node != last and incoming[node] == 1 and len(outgoing[node]) == 1

    joined = []
    for edge in edges:
        if edge.start and is_inner(edge.start):
            continue
        end, words = edge.end, list(edge.phrase)
        while is_inner(end):
            following = outgoing[end][0]
            end = following.end
            words += following.phrase
        joined.append(Edge(edge.start, end, tuple(words)))
    return joined


def _best_path(edges: list[Edge], last: int, hypothesis: Sequence[str]) -> list[str]:
    """Return the words of the best path.

    The forward pass computes the fewest errors at each node after each number of hypothesis words;
    the best path is then followed back from the last node.
    """
    codes: dict[str, int] = {}
    words = np.array([codes.setdefault(word, len(codes)) for word in hypothesis], np.int64)
    steps = np.arange(len(hypothesis) + 1)
    # For each node and number of hypothesis words: the errors, the number of the edge by which the
    # best path arrives, and the number of hypothesis words before that edge.
    best: dict[int, tuple[MatrixRow, MatrixRow, MatrixRow]] = {0: (steps, steps, steps)}
    # Sorted by end, so that all edges into a node come before those out of it; else as listed.
    for number, edge in sorted(enumerate(edges), key=lambda item: item[1].end):
        phrase = [codes.get(word, -1) for word in edge.phrase]
        errors, before = _through(best[edge.start][0], phrase, words)
        if edge.end not in best:
            best[edge.end] = errors, np.full_like(steps, number), before
            continue
        previous = best[edge.end]
        better = errors < previous[0]
        arrived = errors, np.full_like(steps, number), before
        best[edge.end] = tuple(  # type: ignore[assignment]
            np.where(better, new, old) for new, old in zip(arrived, previous, strict=True)
        )
    node, at, phrases = last, len(hypothesis), []
    while node:
        _, by, before = best[node]
        edge, at = edges[by[at]], int(before[at])
        phrases.append(edge.phrase)
        node = edge.start
    return [word for phrase in reversed(phrases) for word in phrase]


def _through(
    row: MatrixRow, phrase: Sequence[int], words: MatrixRow
) -> tuple[MatrixRow, MatrixRow]:
    """Return the row of the edit matrix after a phrase, and where each cell's path entered it."""
    steps = np.arange(len(row))
    entered = steps
    for code in phrase:
        swapped, deleted = row[:-1] + (words != code), row + 1
        swap = swapped <= deleted[1:]
        row, origin = deleted, entered.copy()
        row[1:][swap] = swapped[swap]
        origin[1:][swap] = entered[:-1][swap]
        # Insertions: the least cost of all cells to the left plus one for each cell in between.
        level = row - steps
        least = np.minimum.accumulate(level)
        source = np.maximum.accumulate(np.where(level == least, steps, 0))
        row, entered = least + steps, origin[source]
    return row, entered


def parse(text: str) -> Sequences:
    """Parse the alternatives of one reference, which may be nested.

    >>> parse("so { um / @ } we {gonna / going to} go")
    ['so', [['um'], []], 'we', [['gonna'], ['going', 'to']], 'go']
    """
    top: Sequences = []
    current, start = top, 0
    outer: list[tuple[Sequences, list[Sequences]]] = []
    for position, sign in [*signs_of(text), (len(text), "")]:
        words = text[start:position].split()
        current.extend(word for word in words if not (outer and word == NOTHING))
        start = position + 1
        if sign == "{":
            group: list[Sequences] = [[]]
            current.append(group)
            outer.append((current, group))
            current = group[0]
        elif sign == "/":
            outer[-1][1].append([])
            current = outer[-1][1][-1]
        elif sign == "}":
            current = outer.pop()[0]
    return top


def signs_of(text: str) -> list[tuple[int, str]]:
    """Find the braces and slashes of alternatives: pairs of braces with a free-standing slash."""
    signs: list[tuple[int, str]] = []
    opened: list[list[int]] = []  # the position of each open brace and of its slashes
    for match in SIGNS.finditer(text):
        if match[0] == "{":
            opened.append([match.start()])
        elif match[0] == "/" and opened:
            opened[-1].append(match.start())
        elif match[0] == "}" and opened:
            brace, *slashes = opened.pop()
            if slashes:
                signs += [(brace, "{"), *((at, "/") for at in slashes), (match.start(), "}")]
    if any(len(marks) > 1 for marks in opened):
        raise ValueError(f"braces do not match in {text!r}")
    return sorted(signs)


def build_lattice(sequence: Sequences, normal_words: NormalWords, classes: Classes) -> Lattice:
    """Build the graph of all readings of a reference."""
    graph = Lattice()
    _append(graph, 0, sequence, normal_words)
    _add_equivalents(graph, classes)
    return graph


def _append(graph: Lattice, start: int, sequence: Sequences, normal_words: NormalWords) -> int:
    """Append a sequence after node `start`; return the node where it ends."""
    for item in sequence:
        if isinstance(item, str):
            for word in normal_words(item):
                end = graph.node()
                graph.edges.append(Edge(start, end, (word,)))
                start = end
        else:
            ends = [_append(graph, start, alternative, normal_words) for alternative in item]
            join = graph.node()
            graph.edges += [Edge(end, join, ()) for end in ends]
            start = join
    return start


def _add_equivalents(graph: Lattice, classes: Classes) -> None:
    """Add edges for the other forms of a class beside each path that spells one of its forms."""
    outgoing: dict[int, list[Edge]] = {}
    for edge in graph.edges:
        outgoing.setdefault(edge.start, []).append(edge)

    def ends(node: int, form: Phrase) -> Iterator[int]:
        """Yield the ends of all paths from a node that spell a form."""
        if not form:
            yield node
            return
        for edge in outgoing.get(node, []):
            if edge.phrase == form[: len(edge.phrase)]:
                yield from ends(edge.end, form[len(edge.phrase) :])

    for edge in graph.edges:
        first = edge.phrase[0] if edge.phrase else ""
        spelled = [(form, forms) for forms in classes for form in forms if form[:1] == (first,)]
        for form, forms in spelled:
            for end in dict.fromkeys(ends(edge.start, form)):
                new = (Edge(edge.start, end, other) for other in forms if other != form)
                graph.others += [(other, len(form)) for other in new]


def write(sequence: Sequences) -> str:
    """Return the text of a sequence: the inverse of `parse`."""
    return " ".join(
        item if isinstance(item, str) else "{ " + " / ".join(write(s) or "@" for s in item) + " }"
        for item in sequence
    )


def expand(sequence: Sequences) -> list[list[str]]:
    """Return all readings of a sequence."""
    options = [
        [[item]] if isinstance(item, str) else [words for s in item for words in expand(s)]
        for item in sequence
    ]
    return [[word for part in chosen for word in part] for chosen in product(*options)]
