"""The texts of both sides before and after normalisation, and alternatives in the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import ChosenSegments, WrittenReferences
from misword.core.errors import InputError
from misword.core.types import Offsets, Sides, Tokens, join_ranges
from misword.native.library import INTEGER, array, kernel
from misword.text.normalizers import Chain, normalize
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_words

if TYPE_CHECKING:
    from polars import Series

    from misword.asr.forgiving.spans import SideSpans

# Alternatives in references and hypotheses: the positions of their braces and slashes.
#
# `{ gonna / going to }` has two readings, `{ um / @ }` may be left out, as in NIST sclite. A slash
# separates alternatives if it stands alone or beside `@`; braces without such a slash are ordinary
# text. The readers of trn and stm files write all alternatives in this form
# (`io/transcripts/alternatives.py`).

NOTHING = "@"  # the empty alternative; also the empty form in lists of equivalents
DEEPEST = 50  # levels of groups within groups

_find_alternatives = kernel(
    "misword_find_alternatives", array(np.uint8), INTEGER, INTEGER, array(np.int64, out=True),
    array(np.int64, out=True), array(np.int64, out=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """The signs of alternatives in a column of texts: braces and the slashes between them.

    Text `r` has the signs `offsets[r]` to `offsets[r + 1] - 1`; sign `s` is the byte
    `positions[s]` of the column. The signs divide the column into segments of plain words.
    """

    texts: Texts
    positions: Offsets
    offsets: Offsets

    @classmethod
    def none(cls, texts: Texts) -> Signs:
        """Return the signs of texts without alternatives."""
        return cls(texts, np.zeros(0, np.int64), np.zeros(texts.rows + 1, np.int64))

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The sign at each position: `{`, `/` or `}`."""
        return np.frombuffer(self.texts.data, np.uint8)[self.positions]

    @property
    def segments(self) -> Texts:
        """The text of all segments: one more than there are signs in each text."""
        data = np.frombuffer(self.texts.data, np.uint8).copy()
        data[self.positions] = 0
        return Texts(data.tobytes(), self.texts.rows + len(self.positions))

    @property
    def depths(self) -> Offsets:
        """For each segment, the number of groups of alternatives around it."""
        kinds, rows = self.kinds, np.repeat(np.arange(self.texts.rows), np.diff(self.offsets))
        depths = np.zeros(self.texts.rows + len(kinds), np.int64)
        steps = (kinds == ord("{")).astype(np.int64) - (kinds == ord("}"))
        segments = rows + np.arange(len(kinds)) + 1  # the segment after each sign
        depths[segments] = np.cumsum(steps)
        return depths


def find_signs(texts: Texts, ids: Series, side: str = "utterance") -> Signs:
    """Find the signs of alternatives; `ids` are the ids of the utterances, for messages.

    Braces without a separate slash are ordinary text. Groups may be nested.
    """
    data, offsets = texts.data, np.zeros(texts.rows + 1, np.int64)
    if b"{" not in data:
        return Signs.none(texts)
    text = np.frombuffer(data, np.uint8)  # in memory a NUL follows, as in every `bytes` object
    room = sum(np.count_nonzero(text == sign) for sign in b"{/}")
    positions, unclosed = np.empty(room, np.int64), np.empty(1, np.int64)
    _find_alternatives(text, texts.rows, room, positions, offsets, unclosed)
    if (row := int(unclosed[0])) >= 0:
        raise InputError(
            f"braces do not match in {texts.split()[row]!r}",
            where=f"{side} {ids[row]!r}",
            fix="write alternatives as { a / b }, or switch them off with --no-alternatives",
        )
    signs = Signs(texts, positions[: offsets[-1]].copy(), offsets)
    depths = signs.depths
    if (deepest := int(depths.max())) > DEEPEST:
        first_segments = offsets[:-1] + np.arange(texts.rows)
        row = int(np.searchsorted(first_segments, depths.argmax(), "right")) - 1
        message = f"nested alternatives, {deepest} levels deep; at most {DEEPEST} are read"
        raise InputError(message, where=f"{side} {ids[row]!r}")
    return signs


@dataclass(frozen=True, eq=False)
class ComparedTexts:
    """References and hypotheses before and after the normalizers of `chain`.

    `signs` are the signs of alternatives in the references before normalisation.
    """

    raw: tuple[Texts, Texts]
    normal: tuple[Texts, Texts]
    signs: Signs
    chain: Chain

    @classmethod
    def of(cls, references: Texts, hypotheses: Texts, signs: Signs, chain: Chain) -> ComparedTexts:
        """Normalise the texts."""
        normal = normalize(references, chain), normalize(hypotheses, chain)
        return cls((references, hypotheses), normal, signs, chain)

    @property
    def changed(self) -> bool:
        """Whether normalisation changed a text."""
        return any(n is not r for n, r in zip(self.normal, self.raw, strict=True))

    @cached_property
    def words(self) -> Sides:
        """The words of both sides after normalisation.

        The rows of the references are followed by the segments of references with alternatives, and
        these by their written readings; the rows of the hypotheses by an empty one.
        """
        return self._words(self.normal, normalize(self._segments(), self.chain))

    def _words(self, texts: tuple[Texts, Texts], segments: Texts) -> Sides:
        references, hypotheses = texts
        columns = [references, segments, append(hypotheses, [b""])]
        plain, parts, heard = encode_words(columns)
        words = plain.append(parts)
        if len(self.signs):
            words = words.append(_joined_rows(words, self._first_segments, self.written_reading))
        return words, heard

    @cached_property
    def written_reading(self) -> ChosenSegments:
        """The reading with the first alternative of each group that has words before normalisation.

        References with nested groups, and those with one segment of words, have no written reading.
        """
        signs, references = self.signs, self.signs.texts.rows
        if not len(signs):
            return ChosenSegments.none(references)
        counts = np.diff(signs.offsets)
        filled = encode_words([self._segments()])[0].lengths > 0
        first = signs.offsets[:-1] + np.arange(references)
        before = np.zeros(len(filled), np.uint8)  # the sign before each segment
        before[np.delete(np.arange(len(filled)), first)] = signs.kinds
        alternative = (before == ord("{")) | (before == ord("/"))
        group = np.cumsum(before == ord("{"))
        taken = filled & ~alternative
        candidates = np.flatnonzero(filled & alternative)
        taken[candidates[np.unique(group[candidates], return_index=True)[1]]] = True
        owner = np.repeat(np.arange(references), counts + 1)
        deepest = np.maximum.reduceat(signs.depths, first)
        pieces = np.bincount(owner[taken], minlength=references)
        has_reading = (deepest == 1) & (pieces > 1)
        chosen = np.flatnonzero(taken & has_reading[owner])
        at = np.concatenate([[0], np.cumsum(np.where(has_reading, pieces, 0))]).astype(np.int64)
        rows = references + len(filled) + np.cumsum(has_reading) - 1
        return ChosenSegments(np.where(has_reading, rows, -1), chosen - first[owner[chosen]], at)

    @property
    def plain_words(self) -> Sides:
        """The words without the segments and without the empty hypothesis."""
        reference, hypothesis = (
            side.first(texts.rows) for side, texts in zip(self.words, self.normal, strict=True)
        )
        return reference, hypothesis

    @property
    def known_words(self) -> Sides | None:
        """The plain words if they are computed already, else None."""
        return self.plain_words if "words" in vars(self) else None

    @property
    def written(self) -> WrittenReferences:
        """The references as segments and signs."""
        words, first = self.words[0], self._first_segments
        return WrittenReferences(
            words, first, self.signs.kinds, self.signs.offsets, self.written_reading
        )

    @property
    def _first_segments(self) -> Offsets:
        """The row of the first segment of each reference; without alternatives its own row."""
        signs, rows = self.signs, np.arange(self.normal[0].rows)
        several = np.diff(signs.offsets) > 0
        return np.where(several, len(rows) + signs.offsets[:-1] + rows, rows)

    def _segments(self) -> Texts:
        """Return the segments of all references, without the signs of empty alternatives."""
        if not len(self.signs):
            return Texts.of([])
        segments = self.signs.segments
        if NOTHING.encode() not in segments.data:
            return segments
        rows = segments.split()
        for row in np.flatnonzero(self.signs.depths).tolist():
            if NOTHING in rows[row]:
                rows[row] = " ".join(word for word in rows[row].split() if word != NOTHING)
        return Texts.of(rows)

    def as_written(self) -> WordsAsWritten:
        """Return the words before normalisation, with their places in the normalised words.

        If the normalizers do not work word by word, such places do not exist, and the result is
        the normalised words themselves.
        """
        normal = self.words
        if not self.changed:
            return WordsAsWritten(normal)
        raw = self._words(self.raw, self._segments())
        sizes = self._normal_sizes(raw[0].vocabulary)
        places = []
        for before, after in zip(raw, normal, strict=True):
            place = np.concatenate([[0], np.cumsum(sizes[before.ids])])
            if not np.array_equal(place[before.offsets], after.offsets):
                return WordsAsWritten(normal)
            places.append(place)
        return WordsAsWritten(raw, (places[0], places[1]))

    def _normal_sizes(self, vocabulary: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of words that normalisation makes of each word."""
        numbers = np.arange(len(vocabulary) + 1)
        distinct = decode_words(Tokens(numbers[:-1].astype(np.int32), numbers, vocabulary))
        return encode_words([normalize(distinct, self.chain)])[0].lengths


@dataclass(frozen=True, slots=True, eq=False)
class WordsAsWritten:
    """Words before normalisation; `places` says where each begins in the normalised words."""

    sides: Sides
    places: tuple[Offsets, Offsets] | None = None

    def in_normal_text(self, spans: SideSpans) -> SideSpans:
        """Return spans with positions in the normalised words, without spans that become empty."""
        if self.places is None:
            return spans
        moved = []
        for found, tokens, places in zip(spans, self.sides, self.places, strict=True):
            first = tokens.offsets[found.row]
            start, end = (places[first + at] - places[first] for at in (found.start, found.end))
            moved.append(found._replace(start=start, end=end).take(start < end))
        return moved[0], moved[1]


def append(texts: Texts, rows: list[bytes]) -> Texts:
    """Return the texts with further rows."""
    return Texts(b"\0".join([texts.data, *rows] if texts.rows else rows), texts.rows + len(rows))


def _joined_rows(words: Tokens, first_segment: Offsets, reading: ChosenSegments) -> Tokens:
    """Return the words of the written readings: a row for each reference that has one."""
    owner = np.repeat(np.arange(len(first_segment)), np.diff(reading.at))
    segments = first_segment[owner] + reading.chosen
    ids = words.ids[join_ranges(words.offsets[segments], words.lengths[segments])]
    sizes = np.bincount(owner, words.lengths[segments], len(first_segment)).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes[reading.row >= 0])]).astype(np.int64)
    return Tokens(ids, offsets, words.vocabulary)


def map_tokens(tokens: Tokens, numbers: NDArray[np.int32]) -> Tokens:
    """Return tokens with the number of each word instead of its id."""
    return Tokens(numbers[tokens.ids], tokens.offsets, tokens.vocabulary)
