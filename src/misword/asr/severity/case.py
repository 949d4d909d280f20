"""One pair of texts with its errors, as the detectors see it: pieces of words, open and closed.

It also has what detectors of several modules share: risks, and the comparison of classes of words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from misword.asr.severity.language import Cue
from misword.asr.severity.levels import LabelledError
from misword.asr.severity.words import Facts, WordKnowledge

# The least weight of a word that is a name because of its capital: texts without punctuation do not
# show where sentences begin.
RARE_ENOUGH = 0.85
# A phrase must have an error among this many of its first pieces.
AROUND = 3
NOTHING: frozenset[str] = frozenset()

# Risks, set by hand (`levels` says what they mean): of a harmless error, and of words that changed
# places.
SMALL = 0.03
EXCHANGED = 0.88


class Span(NamedTuple):
    """The pieces `start` to `end - 1` of a side."""

    start: int
    end: int


class PlacedCue(NamedTuple):
    """A cue and the pieces that it consists of."""

    cue: Cue
    span: Span


class Phrase(NamedTuple):
    """A word or phrase of the lists of a language that has a piece with an error.

    `cues` are its closed classes, `same` the classes of what means the same as it.
    """

    span: Span
    text: tuple[str, ...]
    cues: tuple[Cue, ...]
    same: frozenset[str]
    filler: bool


@dataclass(slots=True, eq=False)
class Side:
    """The words of one text in pieces.

    `pieces[k]` is a part of the word `word_of[k]` in its base form, in the region `region[k]`: -1
    for a word that is correct. `facts[k]` is what the lists say of it, `anchor[k]` the number of
    correct words before it. `open` has the pieces whose error has no label yet, `in_region` the
    pieces of each region, and `phrases` the listed phrases around errors, the longest of those that
    begin at the same piece first.
    """

    words: Sequence[str]
    knowledge: WordKnowledge
    pieces: list[str] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    word_of: list[int] = field(default_factory=list)
    region: list[int] = field(default_factory=list)
    anchor: list[int] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    in_region: list[list[int]] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)

    def fill(self, regions: Sequence[int], anchors: Sequence[int], number: int) -> None:
        """Divide the words into pieces; each word has a region, -1 if it is correct."""
        parts = list(map(self.knowledge.parts, self.words))
        self.pieces = [piece for word in parts for piece, _ in word]
        self.facts = [facts for word in parts for _, facts in word]
        if len(self.pieces) == len(parts) and all(parts):
            self.word_of = list(range(len(parts)))
            self.region, self.anchor = list(regions), list(anchors)
        else:
            self.word_of = of = [at for at, word in enumerate(parts) for _ in word]
            self.region, self.anchor = [regions[at] for at in of], [anchors[at] for at in of]
        self.in_region = [[] for _ in range(number)]
        for at, region in enumerate(self.region):
            if region >= 0:
                self.in_region[region].append(at)
        self.open = {at for places in self.in_region for at in places}
        self.find_phrases()

    def find_phrases(self) -> None:
        """List the phrases with an error; a phrase is searched for near its begin only."""
        pieces, facts, wrong, size = self.pieces, self.facts, self.open, len(self.pieces)
        known = self.knowledge.language
        for at in range(size):
            longest = facts[at].longest
            if not longest:
                continue
            if longest == 1:
                if at not in wrong:
                    continue
            elif wrong.isdisjoint(range(at, at + AROUND)):
                continue
            for end in range(min(at + longest, size), at, -1):
                text = tuple(pieces[at:end])
                cues = known.cues.get(text, ())
                same, filler = known.same.get(text, NOTHING), text in known.fillers
                if (cues or same or filler) and not wrong.isdisjoint(range(at, end)):
                    self.phrases.append(Phrase(Span(at, end), text, cues, same, filler))

    def in_order(self) -> list[int]:
        """Return the open pieces in order."""
        return sorted(self.open)

    def of_region(self, region: int) -> list[int]:
        """Return the open pieces of a region in order."""
        if region < 0:
            return []
        return [at for at in self.in_region[region] if at in self.open]

    def text(self, span: Span) -> tuple[str, ...]:
        """Return the pieces of a span."""
        return tuple(self.pieces[span.start : span.end])

    def regions_of(self, span: Span) -> set[int]:
        """Return the regions that pieces of a span are in."""
        return {self.region[at] for at in range(*span)} - {-1}

    def cues(self) -> list[PlacedCue]:
        """Return the cues with an open piece; within a longer one of a section there is none.

        Nor is a negation within a longer phrase one: `no doubt`, `no one but`.
        """
        found, covered = list[PlacedCue](), dict[str, int]()
        for span, _, cues, _, _ in self.phrases:
            if not cues or self.open.isdisjoint(range(*span)):
                continue
            for cue in cues:
                if covered.get(cue.section, 0) <= span.start:
                    covered[cue.section] = span.end
                    found.append(PlacedCue(cue, span))
                if span.end - span.start > 1:
                    covered["negation"] = max(span.end, covered.get("negation", 0))
        return found

    def closed_cues(self, near: Span, section: str, reach: int) -> set[str]:
        """Return the classes of correct words beside a span."""
        known = self.knowledge.language.cues
        names = set()
        for at in range(max(0, near.start - reach), min(len(self.pieces), near.end + reach)):
            if at not in self.open and not near.start <= at < near.end:
                names |= {
                    cue.name for cue in known.get((self.pieces[at],), ()) if cue.section == section
                }
        return names

    def weight(self, at: int) -> float:
        """Return how much a piece says."""
        return self.facts[at].weight

    def is_initialism(self, at: int) -> bool:
        """Whether a piece is written in capitals only."""
        word = self.words[self.word_of[at]]
        return len(self.pieces[at]) > 1 and word.isupper()

    def is_name(self, at: int, *, cased: bool) -> bool:
        """Whether a piece is a name: by its capital within a sentence, or by the lists."""
        if self.facts[at].name:
            return True
        word = self.word_of[at]
        written = self.words[word].lstrip("\"'([¿¡“‘«-")
        if not cased or self.pieces[at] in ("i", "i'm") or not any(map(str.isupper, written)):
            return False
        if self.weight(at) >= RARE_ENOUGH and any(map(str.isupper, written[1:])):
            return True  # `USDA`, `iPhone`, also at the beginning of a sentence
        if not word or not written[:1].isupper():
            return False
        if self.words[word - 1].endswith((".", "?", "!", ":", "…")):
            return False
        return self.weight(at) >= RARE_ENOUGH


@dataclass(slots=True, eq=False)
class Case:
    """A pair of texts: both sides, the regions of errors, and the labels found so far."""

    knowledge: WordKnowledge
    reference: Side
    hypothesis: Side
    regions: int
    cased: bool = False
    errors: list[LabelledError] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        knowledge: WordKnowledge,
        reference: Sequence[str],
        hypothesis: Sequence[str],
        operations: Sequence[int],
        *,
        cased: bool = False,
    ) -> Case:
        """Divide the words into pieces; operations are 0 hit, 1 substitution, 2 insertion, 3.

        In texts that are `cased`, a capital marks names.
        """
        left, right = Side(reference, knowledge), Side(hypothesis, knowledge)
        hits = 0
        region, within = -1, False
        regions: tuple[list[int], list[int]] = [], []
        anchors: tuple[list[int], list[int]] = [], []
        for operation in operations:
            if operation == 0:
                within, own = False, -1
            elif within:
                own = region
            else:
                region, within = region + 1, True
                own = region
            if operation != 2:
                regions[0].append(own)
                anchors[0].append(hits)
            if operation != 3:
                regions[1].append(own)
                anchors[1].append(hits)
            hits += operation == 0
        left.fill(regions[0], anchors[0], region + 1)
        right.fill(regions[1], anchors[1], region + 1)
        return cls(knowledge, left, right, region + 1, cased)

    def label(
        self, label: str, risk: float, left: Sequence[int] = (), right: Sequence[int] = ()
    ) -> None:
        """Give pieces of both sides a label, and close them."""
        ranges = []
        for side, places in ((self.reference, left), (self.hypothesis, right)):
            if places:
                side.open.difference_update(places)
                ranges += [side.word_of[min(places)], side.word_of[max(places)] + 1]
            else:
                ranges += [0, 0]
        self.errors.append(LabelledError(label, risk, *ranges))

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides."""
        return self.reference, self.hypothesis

    def open_cues(self, number: int, cues: list[PlacedCue]) -> list[PlacedCue]:
        """Return the cues of a side that have an open piece."""
        side = self.sides[number]
        return [cue for cue in cues if any(at in side.open for at in range(*cue.span))]

    def open_places(self, number: int, cue: PlacedCue) -> list[int]:
        """Return the open pieces of a cue."""
        return [at for at in range(*cue.span) if at in self.sides[number].open]

    def distance(self, mine: PlacedCue, theirs: PlacedCue) -> int:
        """Return by how many correct words two cues are apart."""
        left, right = self.sides
        return abs(left.anchor[mine.span.start] - right.anchor[theirs.span.start])


def one_side(number: int, places: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the pieces of both sides, if only the side of this number has some."""
    return (places, ()) if number == 0 else ((), places)


# Classes of words in place of others.

Risks = dict[frozenset[str], float]


def risk_table(text: str) -> Risks:
    """Return risks by pair of classes, from lines of the form `A, B: risk`."""
    lines = (line.partition(":") for line in text.strip().splitlines())
    return {frozenset(n.strip() for n in names.split(",")): float(r) for names, _, r in lines}


def label_classes(
    case: Case,
    label: str,
    known: Risks,
    usual: float,
    lost: Callable[[str], float],
    left: list[PlacedCue],
    right: list[PlacedCue],
) -> None:
    """Label classes in place of others, then those that one side alone has."""
    left, right = list(left), list(right)
    for mine in list(left):
        near = [theirs for theirs in right if case.distance(mine, theirs) <= 2]
        if near:
            theirs = min(near, key=lambda cue: case.distance(mine, cue))
            left.remove(mine)
            right.remove(theirs)
            risk = known.get(frozenset((mine.cue.name, theirs.cue.name)), usual)
            places = case.open_places(0, mine), case.open_places(1, theirs)
            if places[0] and places[1]:
                case.label(label if risk >= 0.25 else "function", risk, *places)
    for number, cues in ((0, left), (1, right)):
        for cue in cues:
            own = case.open_places(number, cue)
            risk = lost(cue.cue.name) * (1 if number == 0 else 0.85)
            if own and len(own) == cue.span.end - cue.span.start:
                case.label(label if risk >= 0.25 else "function", risk, *one_side(number, own))
