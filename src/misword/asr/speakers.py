"""Who said what, and when: the words of each speaker of each recording, on both sides.

Each pair of a corpus is a recording; the words of both sides have speakers (`Corpus.words`). The
words of a speaker are joined to one stream in the order in which the segments begin. Names of
speakers differ between the two sides: metrics decide which speakers are the same
(`asr/metrics/speakers.py`).

Times: a word with times of its own keeps them. Where successive words of a segment have the same
times, as in SegLST and stm, they share the interval in proportion to their characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.asr.pairs import Pairs
from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.types import OF_REFERENCES, Tokens, offsets_of
from misword.io.transcripts.words import complete_words
from misword.text.normalizers import normalize
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
FIX = (
    "use a format that names the speakers: stm, SegLST, nlp, or the JSON of a recogniser with "
    "speakers"
)


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Successive words of one side of a recording, as units with one speaker and interval each.

    A unit is a run of words that share an interval. `tokens` has a row for each unit. `speaker` and
    `segment` number the speaker and the segment of each unit; segments are in the order in which
    they begin. `names` are the speakers, in alphabetical order.
    """

    tokens: Tokens
    texts: pl.Series
    speaker: Integers
    segment: Integers
    begin: Numbers
    end: Numbers
    names: tuple[str, ...]

    def joined(self, groups: Integers, count: int) -> Tokens:
        """Return the words of `count` groups of units; `groups` numbers that of each unit."""
        order = np.argsort(groups, kind="stable")
        taken = self.tokens.take(order)
        sizes = np.bincount(groups, self.tokens.lengths, minlength=count).astype(np.int64)
        return Tokens(taken.ids, offsets_of(sizes), taken.vocabulary)

    @property
    def streams(self) -> Tokens:
        """The words of each speaker."""
        return self.joined(self.speaker, len(self.names))

    @property
    def stream_texts(self) -> list[str]:
        """The text of each speaker."""
        said: list[list[str]] = [[] for _ in self.names]
        for speaker, text in zip(self.speaker.tolist(), self.texts.to_list(), strict=True):
            said[speaker].append(text)
        return [" ".join(parts) for parts in said]

    @property
    def spoken(self) -> tuple[Tokens, Integers]:
        """The words of each segment that has words, and its speaker."""
        has_words = self.tokens.lengths > 0
        distinct, first, groups = np.unique(
            self.segment[has_words], return_index=True, return_inverse=True
        )
        kept = self._units(has_words)
        return kept.joined(groups, len(distinct)), kept.speaker[first]

    def _units(self, kept: NDArray[np.bool_]) -> Stretch:
        rows = np.flatnonzero(kept)
        return Stretch(
            self.tokens.take(rows),
            self.texts.filter(pl.Series(kept)),
            self.speaker[rows],
            self.segment[rows],
            self.begin[rows],
            self.end[rows],
            self.names,
        )

    def times(self) -> tuple[Numbers, Numbers]:
        """Return the begin and the end of each word of `streams`, in its order.

        The words of a unit share its interval in proportion to their characters.
        """
        return self.times_in(np.argsort(self.speaker, kind="stable"))

    def times_in(self, order: Integers) -> tuple[Numbers, Numbers]:
        """Return the begin and the end of each word of the units in an order."""
        taken = self.tokens.take(order)
        sizes = np.fromiter(map(len, taken.vocabulary[:]), np.float64)[taken.ids]
        lengths = taken.lengths
        ends = np.cumsum(sizes)
        at = np.repeat(np.concatenate([[0.0], ends])[taken.offsets[:-1]], lengths)
        total = np.repeat(np.add.reduceat(np.append(sizes, 0.0), taken.offsets[:-1]), lengths)
        begin, end = (np.repeat(side[order], lengths) for side in (self.begin, self.end))
        share = (end - begin) / total
        return begin + (ends - sizes - at) * share, begin + (ends - at) * share


@dataclass(frozen=True, slots=True, eq=False)
class Speakers:
    """The words of both sides of all pairs: row `p` of the pairs has `sides[p]`."""

    sides: list[tuple[Stretch, Stretch]]

    @classmethod
    def of(cls, pairs: Pairs) -> Speakers:
        """Divide the words of all pairs; computed once."""
        return pairs.once("speakers", lambda: cls(list(_sides(pairs))))

    def check_times(self, name: str) -> None:
        """Raise unless all words have times."""
        for number, what in enumerate(("references", "hypotheses")):
            if any(np.isnan(side[number].begin).any() for side in self.sides):
                raise InputError(
                    f"{name}: some words of the {what} have no times",
                    fix="give a file with times of segments or words, or use cpwer",
                )


def _sides(pairs: Pairs) -> Iterator[tuple[Stretch, Stretch]]:
    corpus = pairs.source
    if corpus.words is None:
        raise InputError("neither side has words with speakers", fix=FIX)
    words = complete_words(corpus).words  # also of sides whose files have no speakers
    assert words is not None
    units = [
        _units(words.filter((pl.col("system") == OF_REFERENCES) == is_reference), what)
        for is_reference, what in ((True, "references"), (False, "hypotheses"))
    ]
    chain = pairs.reader.texts.chain
    tokens = encode_words([normalize(Texts.of(side["text"]), chain) for side in units])
    parts = [_parts(side, coded) for side, coded in zip(units, tokens, strict=True)]
    keys = pairs.keys.select("utt", "system").rows()
    empty = _nothing(units[0], tokens[0])
    for utt, system in keys:
        yield parts[0].get((OF_REFERENCES, utt), empty), parts[1].get((system, utt), empty)


def _units(words: pl.DataFrame, what: str) -> pl.DataFrame:
    """Return the units of one side: runs of words of a segment with the same interval, in order."""
    if words["speaker"].null_count():
        raise InputError(f"some words of the {what} have no speaker", fix=FIX)
    interval = pl.struct("segment", "speaker", "begin", "end").rle_id().over("system", "utt")
    units = (
        words.with_columns(interval.alias("unit"))
        .group_by("system", "utt", "unit", maintain_order=True)
        .agg(
            pl.col("word").str.join(" ").alias("text"),
            *(pl.col(name).first() for name in ("speaker", "segment", "begin", "end")),
        )
    )
    # Segments in the order in which they begin; those without times stay where they are.
    first = pl.col("begin").min().over("system", "utt", "segment", "speaker")
    known = pl.when(first.is_null().any().over("system", "utt")).then(None).otherwise(first)
    return units.with_columns(known.fill_null(0.0).alias("first")).sort(
        "system", "utt", "first", "unit", maintain_order=True
    )


def _parts(units: pl.DataFrame, tokens: Tokens) -> dict[tuple[str, str], Stretch]:
    """Return the words of each recording, by system and name."""
    recording = ["system", "utt"]
    speaker = pl.col("speaker").rank("dense").over(recording).cast(pl.Int64) - 1
    segment = pl.struct("segment", "speaker").rle_id().over(recording).cast(pl.Int64)
    numbered = units.select(speaker.alias("speaker"), segment.alias("segment"))
    speakers, segments = (column.to_numpy() for column in numbered.get_columns())
    begin, end = _seconds(units["begin"]), _seconds(units["end"])
    names = pl.col("speaker").unique().sort().alias("names")
    found, at = {}, 0
    for system, utt, size, known in (
        units.group_by(recording, maintain_order=True).agg(pl.len(), names).iter_rows()
    ):
        rows = slice(at, at + size)
        found[system, utt] = Stretch(
            tokens.take(np.arange(at, at + size)),
            units["text"][rows],
            speakers[rows],
            segments[rows],
            begin[rows],
            end[rows],
            tuple(known),
        )
        at += size
    return found


def _nothing(units: pl.DataFrame, tokens: Tokens) -> Stretch:
    """Return the words of a recording that has none."""
    none, times = np.zeros(0, np.int64), np.zeros(0)
    return Stretch(tokens.first(0), units["text"][:0], none, none, times, times, ())


def _seconds(column: pl.Series) -> Numbers:
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy()
