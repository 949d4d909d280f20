"""Alignment with blocks by direct Python code, to compare the kernel with.

The price of each prefix of a path and of the hypothesis is computed by recursion, and the rule of
`misword.alignment.blocks` decides between steps that lead to equally good alignments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from misword.alignment.blocks import FIRST_OF_BLOCK, FORGIVEN, OF_HYPOTHESIS, UNIT_PRICES, Prices
from misword.core.types import Op

# A sequence of words and of groups; a group is a list of alternative sequences.
Sequences = list["int | list[Sequences]"]


class Span(NamedTuple):
    """Words `start` to `end - 1` of a row, read as `key`; they are optional if it is below 0."""

    start: int
    end: int
    key: int


class Rank(NamedTuple):
    """What the best alignment has least of."""

    price: int
    forgiven: int


class Step(NamedTuple):
    """A step of an alignment: what it adds, the node and hypothesis words before, and the words."""

    added: Rank
    node: int
    heard: int
    ops: list[int]
    words: list[int]


def flatten(sequence: Sequences) -> tuple[list[list[int]], str]:
    """Return the segments of a sequence, and the signs between them."""
    segments: list[list[int]] = [[]]
    signs = ""

    def add_sign(sign: str) -> None:
        nonlocal signs
        signs += sign
        segments.append([])

    def add(items: Sequences) -> None:
        for item in items:
            if isinstance(item, int):
                segments[-1].append(item)
                continue
            for number, alternative in enumerate(item):
                add_sign("/" if number else "{")
                add(alternative)
            add_sign("}")

    add(sequence)
    return segments, signs


def written_segments(segments: list[list[int]], signs: str) -> list[int]:
    """Return the numbers of the segments of the written reading.

    It has of each group the first alternative that has words. There is none with groups in groups.
    """
    taken, depth, open_group = [0] if segments[0] else [], 0, False
    for number, sign in enumerate(signs, 1):
        depth += (sign == "{") - (sign == "}")
        if depth > 1:
            return []
        if segments[number] and (sign == "}" or sign == "{" or open_group):
            taken.append(number)
        open_group = sign != "}" and not segments[number] and (sign == "{" or open_group)
    return taken


def expand(sequence: Sequences) -> list[list[int]]:
    """Return all readings of a sequence."""
    options = [
        [[item]] if isinstance(item, int) else [words for s in item for words in expand(s)]
        for item in sequence
    ]
    return [[word for part in chosen for word in part] for chosen in product(*options)]


@dataclass(slots=True)
class Node:
    """A node with what is before it: a node and a word, or the last nodes of alternatives."""

    ends: list[int]
    word: int | None = None
    segment: int = 0
    position: int = 0  # of the word in its segment


@dataclass
class Pair:
    """A reference and a hypothesis, and what is forgiven."""

    sequence: Sequences
    hypothesis: Sequence[int]
    class_of: Sequence[int]
    optional: Mapping[int, int]  # the family of each optional word
    reference_spans: Sequence[Sequence[Span]]  # of each segment
    hypothesis_spans: Sequence[Span]
    family_of_key: Sequence[int]
    prices: Prices = UNIT_PRICES
    written_spans: Sequence[Span] = ()  # of the words of `written`
    nodes: list[Node] = field(default_factory=lambda: [Node([])])

    def __post_init__(self) -> None:
        self._segment = 0
        self._position = 0
        self.last = self._append(0, self.sequence)
        self.best = lru_cache(maxsize=None)(self._best)

    def _append(self, node: int, sequence: Sequences) -> int:
        """Append a sequence after a node, and return the last node."""
        for item in sequence:
            if isinstance(item, int):
                self.nodes.append(Node([node], item, self._segment, self._position))
                self._position += 1
            else:
                ends = []
                for alternative in item:
                    self._segment, self._position = self._segment + 1, 0
                    ends.append(self._append(node, alternative))
                self._segment, self._position = self._segment + 1, 0
                self.nodes.append(Node(ends))
            node = len(self.nodes) - 1
        return node

    @cached_property
    def written(self) -> list[int]:
        """The nodes of the words of the written reading."""
        taken = written_segments(*flatten(self.sequence))
        return [
            number
            for number, node in enumerate(self.nodes)
            if node.word is not None and node.segment in taken
        ]

    def start_of(self, end: int, words: int) -> int:
        """Return the node that is some words before another in one segment."""
        for _ in range(words):
            (end,) = self.nodes[end].ends
        return end

    @cached_property
    def blocks(self) -> list[tuple[int, Span, int, Span]]:
        """The segment, reference span, and number in the order of listing, and hypothesis span.

        The hypothesis span of an optional reference span is empty; there is one at each place. The
        segment of spans of the written reading is -1.
        """
        found: list[tuple[int, Span, int, Span]] = []
        empty = [Span(at, at, 0) for at in range(len(self.hypothesis) + 1)]
        heard_spans = sorted(self.hypothesis_spans, key=lambda span: span.start)
        listed = [*enumerate(self.reference_spans), (-1, self.written_spans)]
        for segment, spans in listed:
            for span in sorted(spans, key=lambda span: span.start):
                partners = [heard for heard in heard_spans if heard.key == span.key]
                for heard in empty if span.key < 0 else partners:
                    found.append((segment, span, len(found), heard))
        return found

    def family_of(self, key: int) -> int:
        """Return the number of the family of a key."""
        return self.family_of_key[key] if key >= 0 else -1 - key

    def steps(self, node: int, heard: int) -> Iterator[Step]:
        """Yield the possible last steps before a node and a hypothesis word, in order."""
        at = self.nodes[node]
        if at.word is None and at.ends:
            yield from (Step(Rank(0, 0), end, heard, [], []) for end in at.ends)
            return
        other = self.hypothesis[heard - 1] if heard else -1
        if at.word is not None and heard:
            hit = self.class_of[at.word] == self.class_of[other]
            price = 0 if hit else self.prices.substitution
            operation = Op.HIT if hit else Op.SUBSTITUTION
            yield Step(Rank(price, 0), at.ends[0], heard - 1, [operation], [at.word])
        if heard and other in self.optional:
            op = FORGIVEN + FIRST_OF_BLOCK + OF_HYPOTHESIS + self.optional[other]
            yield Step(Rank(0, 1), node, heard - 1, [op], [])
        elif heard:
            yield Step(Rank(self.prices.insertion, 0), node, heard - 1, [Op.INSERTION], [])
        if at.word is not None and at.word in self.optional:
            op = FORGIVEN + FIRST_OF_BLOCK + self.optional[at.word]
            yield Step(Rank(0, 1), at.ends[0], heard, [op], [at.word])
        elif at.word is not None:
            yield Step(Rank(self.prices.deletion, 0), at.ends[0], heard, [Op.DELETION], [at.word])
        yield from self.block_steps(node, heard)

    def block_steps(self, node: int, heard: int) -> Iterator[Step]:
        """Yield the blocks that end before a node and a hypothesis word, in order."""
        at = self.nodes[node]
        found = []
        for span in self.hypothesis_spans:
            if span.key < 0 and span.end == heard:
                size, family = span.end - span.start, self.family_of(span.key)
                ops = [FORGIVEN + family + OF_HYPOTHESIS] * size
                ops[0] += FIRST_OF_BLOCK
                step = Step(Rank(0, size), node, span.start, ops, [])
                found.append(((size, family, len(self.blocks)), step))
        for segment, span, number, other in self.blocks if at.word is not None else []:
            size, other_size = span.end - span.start, other.end - other.start
            if segment < 0:
                nodes = self.written[span.start : span.end]
                ends, start = nodes[-1] == node, self.nodes[nodes[0]].ends[0]
            else:
                ends = (segment, span.end - 1) == (at.segment, at.position)
                nodes = [self.start_of(node, k) for k in reversed(range(size))] if ends else []
                start = self.start_of(node, size) if ends else 0
            if not ends or other.end != heard:
                continue
            words = [self.nodes[number].word or 0 for number in nodes]
            heard_words = self.hypothesis[other.start : other.end]
            if [self.class_of[w] for w in words] == [self.class_of[w] for w in heard_words]:
                continue
            family = self.family_of(span.key)
            ops = [FORGIVEN + family] * size + [FORGIVEN + family + OF_HYPOTHESIS] * other_size
            ops[0] += FIRST_OF_BLOCK
            added = Rank(0, size + other_size)
            step = Step(added, start, other.start, ops, words)
            found.append(((size + other_size, family, number), step))
        yield from (step for _, step in sorted(found, key=lambda item: item[0]))

    def _best(self, node: int, heard: int) -> Rank:
        """Return the rank of the best alignment of what is before a node and a word."""
        if not node and not heard:
            return Rank(0, 0)
        return min(self.rank(step) for step in self.steps(node, heard))

    def rank(self, step: Step) -> Rank:
        """Return the rank of the best alignment that ends with a step."""
        price, forgiven = self.best(step.node, step.heard)
        return Rank(price + step.added.price, forgiven + step.added.forgiven)

    def alignment(self) -> tuple[Rank, list[int], list[int]]:
        """Return the rank of the best alignment, its operations, and the words of its reading."""
        node, heard = self.last, len(self.hypothesis)
        rank = self.best(node, heard)
        ops: list[int] = []
        words: list[int] = []
        while node or heard:
            wanted = self.best(node, heard)
            step = next(step for step in self.steps(node, heard) if self.rank(step) == wanted)
            ops, words = step.ops + ops, step.words + words
            node, heard = step.node, step.heard
        return rank, ops, words
