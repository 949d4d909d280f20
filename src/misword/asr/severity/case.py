"""One pair of texts with its errors, as the detectors see it: pieces of words, open and closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from misword.asr.severity.language import Cue
from misword.asr.severity.levels import LabelledError
from misword.asr.severity.words import WordKnowledge

# The least weight of a word that is a name because of its capital: texts without punctuation do not
# show where sentences begin.
RARE_ENOUGH = 0.85
# Pieces beside an open one that are searched for phrases.
AROUND = 3


class Span(NamedTuple):
    """The pieces `start` to `end - 1` of a side."""

    start: int
    end: int


class PlacedCue(NamedTuple):
    """A cue and the pieces that it consists of."""

    cue: Cue
    span: Span


@dataclass(slots=True, eq=False)
class Side:
    """The words of one text in pieces.

    `pieces[k]` is a part of the word `word_of[k]` in its base form, in the region `region[k]`: -1
    for a word that is correct. `anchor[k]` is the number of correct words before it. `open` has the
    pieces whose error has no label yet.
    """

    words: Sequence[str]
    knowledge: WordKnowledge
    pieces: list[str] = field(default_factory=list)
    word_of: list[int] = field(default_factory=list)
    region: list[int] = field(default_factory=list)
    anchor: list[int] = field(default_factory=list)
    open: set[int] = field(default_factory=set)

    def add(self, word: int, region: int, anchor: int) -> None:
        """Add a word: its pieces are open if it is in a region of errors."""
        for piece in self.knowledge.pieces(self.words[word]):
            if region >= 0:
                self.open.add(len(self.pieces))
            self.pieces.append(piece)
            self.word_of.append(word)
            self.region.append(region)
            self.anchor.append(anchor)

    def in_order(self) -> list[int]:
        """Return the open pieces in order."""
        return sorted(self.open)

    def of_region(self, region: int) -> list[int]:
        """Return the open pieces of a region in order."""
        return [at for at in sorted(self.open) if self.region[at] == region]

    def text(self, span: Span) -> tuple[str, ...]:
        """Return the pieces of a span."""
        return tuple(self.pieces[span.start : span.end])

    def near(self) -> list[int]:
        """Return the places at which a phrase with an open piece may begin."""
        places = {at - back for at in self.open for back in range(AROUND)}
        return sorted(at for at in places if at >= 0)

    def phrases(self) -> Iterator[Span]:
        """Yield the spans of the words and phrases around open pieces, the longest first."""
        starts, pieces, size = self.knowledge.language.starts, self.pieces, len(self.pieces)
        for at in self.near():
            longest = starts.get(pieces[at], 0)
            for end in range(min(at + longest, size), at, -1):
                if any(place in self.open for place in range(at, end)):
                    yield Span(at, end)

    def cues(self) -> list[PlacedCue]:
        """Return the cues with an open piece; within a longer one of a section there is none."""
        known, found = self.knowledge.language.cues, list[PlacedCue]()
        covered: dict[str, int] = {}
        for span in self.phrases():
            for cue in known.get(self.text(span), ()):
                if covered.get(cue.section, 0) <= span.start:
                    covered[cue.section] = span.end
                    found.append(PlacedCue(cue, span))
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
        return self.knowledge.weight(self.pieces[at])

    def is_name(self, at: int, *, cased: bool) -> bool:
        """Whether a piece is a name: by its capital within a sentence, or by the lists."""
        if self.knowledge.is_name(self.pieces[at]):
            return True
        word = self.word_of[at]
        written = self.words[word].lstrip("\"'([¿¡“‘«-")
        if not cased or not word or not written[:1].isupper() or self.pieces[at] in ("i", "i'm"):
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
    ) -> Case:
        """Divide the words into pieces; operations are 0 hit, 1 substitution, 2 insertion, 3."""
        left, right = Side(reference, knowledge), Side(hypothesis, knowledge)
        at = to = hits = 0
        region, within = -1, False
        for operation in operations:
            if operation == 0:
                within = False
                left.add(at, -1, hits)
                right.add(to, -1, hits)
                hits += 1
                at, to = at + 1, to + 1
                continue
            if not within:
                region, within = region + 1, True
            if operation != 2:
                left.add(at, region, hits)
                at += 1
            if operation != 3:
                right.add(to, region, hits)
                to += 1
        cased = (
            any(word[:1].isupper() for word in reference[1:]) and knowledge.language.code != "de"
        )
        return cls(knowledge, left, right, region + 1, cased)

    def label(
        self, label: str, risk: float, left: Sequence[int] = (), right: Sequence[int] = ()
    ) -> None:
        """Give pieces of both sides a label, and close them."""
        ranges = []
        for side, places in ((self.reference, left), (self.hypothesis, right)):
            side.open.difference_update(places)
            words = [side.word_of[at] for at in places]
            ranges += [min(words), max(words) + 1] if words else [0, 0]
        self.errors.append(LabelledError(label, risk, *ranges))

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides."""
        return self.reference, self.hypothesis
