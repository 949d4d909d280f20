"""How far the times of words and of segments are from those of the references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.parts import Settings
from misword.core.types import OF_REFERENCES, Op, Statistics, Tokens
from misword.io.transcripts.words import complete_words, in_order
from misword.stat.measure import ratio_of_terms
from misword.stat.score_tables import SEGMENT_TIMES, WORD_TIMES
from misword.stat.times.words import OUT, errors_of_recordings
from misword.text.normalizers import normalize
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
# Times are written with two or three decimals; differences of them are rounded.
ROUNDING = 1e-9
SHOWN = 3


@dataclass(frozen=True, slots=True)
class TimeMetric(Metric):
    """Share of times that are off by more than `tolerance` seconds, of those that are compared."""

    family: ClassVar[str] = "words"

    tolerance: float = 0.2

    def check(self, context: Context) -> None:
        """Raise if the tolerance is negative."""
        Metric.check(self, context)
        if not 0 <= self.tolerance < np.inf:
            raise OptionError(f"tolerance is {self.tolerance}", fix="use 0 or more seconds")

    def settings(self, context: Context) -> Settings:
        """The tolerance."""
        return (("tolerance", f"{self.tolerance:g}"),)

    def terms(self, statistics: Statistics) -> Statistics:
        """What is off, and what is compared."""
        return statistics[..., :2]

    def rate(self, terms: Statistics) -> Statistics:
        """What is off divided by what is compared; nan if nothing is."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """What is compared."""
        return np.asarray(statistics[..., 1])


@dataclass(frozen=True, slots=True)
class WordTimes(TimeMetric):
    """Share of right words whose begin or end is off by more than `tolerance` seconds.

    The words of both sides are aligned by their texts; the times of hits are compared if both sides
    have them. A table shows coverage, bias, median, mean and the share within 50, 100 and 200 ms of
    begins and of ends, and recordings that are out as a whole.

    Successive words of a segment with the same times have those of the segment, and are left out,
    as are words that normalisation divides.

    Known problems: nothing is forgiven, and alternatives are refused. Only hits are compared: a
    system with few of them can look good, so read the rate with the coverage and with WER.

    Example: `misword score ref.ctm hyp.ctm --metrics wer,word-times:tolerance=0.1`
    """

    name: ClassVar[str] = "word-times"
    title: ClassVar[str] = "word times"
    cites: ClassVar[tuple[str, ...]] = ("mcauliffe2017",)
    statistics: ClassVar[tuple[str, ...]] = ("off", "timed", "timed_reference")

    def measure(self, pairs: Pairs) -> Statistics:
        """Count words that are off, words with times on both sides, and reference words with times.

        There is a row for each pair.
        """
        found = time_errors(pairs)
        worst = np.maximum(abs(found.begin), abs(found.end))
        known = ~np.isnan(worst)
        off = known & (np.nan_to_num(worst) > self.tolerance + ROUNDING)
        rows = len(pairs)
        sums = [np.bincount(found.pair[kept], minlength=rows) for kept in (off, known)]
        return np.column_stack([*sums, np.bincount(found.pair, minlength=rows)]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class SegmentTimes(TimeMetric):
    """Share of begins and ends of segments that are off by more than `tolerance` seconds.

    Segments are the cues of subtitles, turns or phrases. The words of both sides are aligned by
    their texts. The begin of a segment of the reference is compared if its first word is right and
    begins a segment in the hypothesis too, and its end likewise by its last word. A table shows the
    share of borders that are compared, bias, median, mean and the share within 50, 100 and 200 ms.

    Known problems: borders that only one side has are not compared, so read the rate with the share
    that is compared. Nothing is forgiven, and alternatives are refused.

    Example: `misword score ref.srt hyp.srt --metrics wer,segment-times:tolerance=0.5`
    """

    name: ClassVar[str] = "segment-times"
    title: ClassVar[str] = "segment times"
    cites: ClassVar[tuple[str, ...]] = ("wilken2022",)
    statistics: ClassVar[tuple[str, ...]] = ("off", "compared", "borders")

    def measure(self, pairs: Pairs) -> Statistics:
        """Count borders that are off, borders that are compared, and borders of the reference."""
        found = segment_errors(pairs)
        counts = np.zeros((len(pairs), 3), np.int64)
        for errors in (found.begin, found.end):
            known = ~np.isnan(errors)
            off = abs(np.nan_to_num(errors)) > self.tolerance + ROUNDING
            for column, kept in enumerate((off, known, np.ones(len(known), np.bool_))):
                counts[:, column] += np.bincount(found.pair[kept], minlength=len(pairs))
        return counts


class TimeErrors(NamedTuple):
    """A row for each word or segment of the reference with times: its pair, and errors.

    Errors are in seconds, nan if unknown.
    """

    pair: Integers
    begin: Numbers
    end: Numbers


def time_errors(pairs: Pairs) -> TimeErrors:
    """Return the errors of the times of all words, computed once."""
    return pairs.once("errors of times", lambda: _time_errors(pairs))


def _time_errors(pairs: Pairs) -> TimeErrors:
    sides = aligned_sides(pairs, "word-times", ("references", "hypotheses"))
    said, heard = (side.token_times for side in sides.both)
    errors = np.full((len(said), 2), np.nan)
    hits = sides.hits
    errors[sides.places[0][hits]] = heard[sides.places[1][hits]] - said[sides.places[0][hits]]
    errors[np.isnan(errors).any(axis=1)] = np.nan
    timed = ~np.isnan(said).any(axis=1)
    pair = np.repeat(np.arange(len(pairs)), sides.both[0].tokens.lengths)[timed]
    return TimeErrors(pair, errors[timed, 0], errors[timed, 1])


def segment_errors(pairs: Pairs) -> TimeErrors:
    """Return the errors of the times of all segments, computed once."""
    return pairs.once("errors of segments", lambda: _segment_errors(pairs))


def _segment_errors(pairs: Pairs) -> TimeErrors:
    sides = aligned_sides(pairs, "segment-times", ())
    for side, what in zip(sides.both, ("references", "hypotheses"), strict=True):
        if len(side.segments) and np.isnan(side.segments).all():
            raise InputError(
                f"the words of the {what} have no segments with times",
                fix="use a format with segments: srt, vtt, SegLST or TextGrid",
            )
    heard_at = np.full(len(sides.both[0].tokens.ids), NOWHERE, np.int64)
    heard_at[sides.places[0][sides.hits]] = sides.places[1][sides.hits]
    said, heard = sides.both
    borders = []
    for column in (0, 1):
        own, other = said.borders(column), heard.borders(column)
        errors = np.full(len(own), np.nan)
        matched = np.flatnonzero(heard_at[own] != NOWHERE)
        matched = matched[np.isin(heard_at[own[matched]], other)]
        times = heard.segments[heard_at[own[matched]], column]
        errors[matched] = times - said.segments[own[matched], column]
        borders.append(errors)
    first = said.borders(0)
    pair = np.searchsorted(said.tokens.offsets, first, side="right") - 1
    known = ~np.isnan(said.segments[first, 0])
    return TimeErrors(pair[known], borders[0][known], borders[1][known])


NOWHERE = -1


class AlignedSides(NamedTuple):
    """The words of both sides of all pairs, and where their alignments bring them together.

    `places` has the numbers of the words of each hit or substitution on both sides, `hits` says
    which of these are hits. Pairs follow each other on both sides.
    """

    both: list[Side]
    places: tuple[Integers, Integers]
    hits: NDArray[np.bool_]


def aligned_sides(pairs: Pairs, name: str, timed: Sequence[str]) -> AlignedSides:
    """Align the words of all pairs by their texts; the sides named in `timed` need times."""
    if len(pairs.reader.texts.signs):
        raise InputError(
            f"{name} does not read references with alternatives", fix="use --no-alternatives"
        )

    def found() -> AlignedSides:
        sides = _sides(pairs)
        tokens = [side.tokens for side in sides]
        ops = align(tokens[0], tokens[1], operations=True).all_operations
        both = (ops == Op.HIT) | (ops == Op.SUBSTITUTION)
        said, heard = ((np.cumsum(ops != lacking) - 1)[both] for lacking in LACKING)
        return AlignedSides(sides, (said, heard), ops[both] == Op.HIT)

    for what in timed:
        _check_times(pairs, what)
    return pairs.once("aligned words with times", found)


# Steps that have no word of the reference, and steps that have none of the hypothesis.
LACKING = (Op.INSERTION, Op.DELETION)


class Side(NamedTuple):
    """The words of one side: the tokens of each pair, and of each word its times and its tokens.

    `segments` has the begin and the end of the segment of each token, `numbers` its number in the
    file, -1 if it has none, and `segment` a number that differs between successive segments.
    `whole` says whether the segment is not cut. `emitted` is the time at which the word came.
    """

    tokens: Tokens
    times: Numbers
    sizes: Integers
    segments: Numbers
    segment: Integers
    numbers: Integers
    whole: NDArray[np.bool_]
    emitted: Numbers

    @property
    def ends_of_speech(self) -> Numbers:
        """The end of each token: its own, or that of its segment if it is the last one there."""
        ends, last = self.token_times[:, 1], self.borders(1)
        ends[last] = np.where(np.isnan(ends[last]), self.segments[last, 1], ends[last])
        return ends

    @property
    def token_times(self) -> Numbers:
        """The begin and the end of each token; nan for the parts of a word that was divided."""
        times = np.repeat(self.times, self.sizes, axis=0)
        times[np.repeat(self.sizes, self.sizes) > 1] = np.nan
        return times

    def borders(self, column: int) -> Integers:
        """Return the first (column 0) or the last token of each segment."""
        changes = np.flatnonzero(np.diff(self.segment))
        if not len(self.segment):
            return changes
        return (
            np.append(0, changes + 1) if column == 0 else np.append(changes, len(self.segment) - 1)
        )


def _check_times(pairs: Pairs, what: str) -> None:
    """Raise if no word of a side has times of its own."""
    corpus = pairs.source
    frame = corpus.references if what == "references" else corpus.hypotheses
    own = _words_of(pairs, what)
    fix = "use a format with times of words: ctm, or the JSON of a recogniser"
    if not own["begin"].count() and frame["text"].str.contains(r"\S").any():
        raise InputError(f"the words of the {what} have no times", fix=fix)
    if what == "references" and len(own) and not has_own_times(pairs):
        what = f"the words of the {what} have the times of their segments, not their own"
        raise InputError(what, fix=fix)


def has_own_times(pairs: Pairs) -> bool:
    """Return whether words of the references have times that are not those of their segment."""
    return bool(_own_times(_words_of(pairs, "references"))["begin"].count())


def _words_of(pairs: Pairs, what: str) -> pl.DataFrame:
    words = pairs.source.words
    if words is None:
        words = in_order(pl.DataFrame(schema={"system": pl.String}))
    return words.filter((pl.col("system") == OF_REFERENCES) == (what == "references"))


def _sides(pairs: Pairs) -> list[Side]:
    keys = pairs.keys.with_row_index("pair").select("pair", "utt", "system", "rank")
    keys = keys.filter(pl.col("rank") == 1)  # words of others have no times
    corpus = complete_words(pairs.source)
    assert corpus.words is not None
    found = []
    for is_reference in (True, False):
        own = corpus.words.filter((pl.col("system") == OF_REFERENCES) == is_reference)
        on = ["utt"] if is_reference else ["utt", "system"]
        found.append(keys.join(_own_times(own), on=on, how="inner").sort("pair", "place"))
    chain = pairs.reader.texts.chain
    coded = encode_words([normalize(Texts.of(side["word"]), chain) for side in found])
    return [_joined(rows, each, len(pairs)) for rows, each in zip(found, coded, strict=True)]


def _own_times(words: pl.DataFrame) -> pl.DataFrame:
    """Return words, without the times of those that share them with a word beside them.

    `segment_begin` and `segment_end` are the times of the segment in the whole recording. If a
    segment was cut, only its first part has its begin, and only its last part its end.
    """
    interval = pl.struct("segment", "begin", "end").rle_id().over("system", "utt")
    alone = pl.len().over("system", "utt", "run") == 1
    times = [pl.when(alone).then(pl.col(side)).alias(side) for side in ("begin", "end")]
    in_segment = ("system", "recording", "segment")
    utt = pl.col("utt")
    opens, closes = (utt == edge.over(in_segment) for edge in (utt.min(), utt.max()))
    known = pl.col("segment").is_not_null()
    spans = [
        pl.when(known & here).then(time.over(in_segment)).alias(name)
        for here, time, name in (
            (opens, pl.col("begin").min(), "segment_begin"),
            (closes, pl.col("end").max(), "segment_end"),
        )
    ]
    numbered = words.sort("system", "utt", "place").with_columns(
        interval.alias("run"), (opens & closes).alias("whole"), *spans
    )
    return numbered.with_columns(times).select(
        *("system", "utt", "place", "begin", "end", "word"),
        *("segment", "segment_begin", "segment_end", "emitted", "whole"),
    )


def _joined(rows: pl.DataFrame, tokens: Tokens, pairs: int) -> Side:
    """Return the words of each pair as one sequence."""
    ends = np.searchsorted(rows["pair"].to_numpy(), np.arange(pairs + 1))
    sizes = tokens.lengths.astype(np.int64)

    def numbers(*names: str) -> Numbers:
        return rows.select(pl.col(names).cast(pl.Float64).fill_null(np.nan)).to_numpy()

    number = rows.select(pl.struct("pair", "segment").rle_id().cast(pl.Int64)).to_series()
    return Side(
        Tokens(tokens.ids, tokens.offsets[ends], tokens.vocabulary),
        numbers("begin", "end"),
        sizes,
        np.repeat(numbers("segment_begin", "segment_end"), sizes, axis=0),
        np.repeat(number.to_numpy(), sizes),
        np.repeat(rows["segment"].fill_null(-1).to_numpy(), sizes),
        np.repeat(rows["whole"].to_numpy(), sizes),
        np.repeat(numbers("emitted")[:, 0], sizes),
    )


def word_begins(pairs: Pairs) -> pl.DataFrame:
    """Return when words begin: `utt`, `system`, `rank`, `side`, `place` and `begin` in seconds.

    `side` is `reference` or `hypothesis`; `place` counts the words as they are compared. The words
    of references are in the rows of one system. There are no rows of hypotheses if the words of
    references have times, and none of references with alternatives.
    """
    keys = pairs.keys.with_row_index("pair").select("pair", "utt", "system", "rank")
    keys = keys.filter(pl.col("rank") == 1)
    words = pairs.source.words
    empty = keys.select("utt", "system", "rank").clear().with_columns(
        pl.lit("").alias("side"), pl.lit(0, pl.Int64).alias("place"), pl.lit(0.0).alias("begin")
    )  # fmt: skip
    if words is None:
        return empty
    is_own = pl.col("system") == OF_REFERENCES
    if not len(pairs.reader.texts.signs):
        once = keys.unique("utt", keep="first", maintain_order=True)
        found = _begins(pairs, once, words.filter(is_own), "reference")
        if found is not None:
            return found
    found = _begins(pairs, keys, words.filter(~is_own), "hypothesis")
    return empty if found is None else found


def _begins(
    pairs: Pairs, keys: pl.DataFrame, words: pl.DataFrame, side: str
) -> pl.DataFrame | None:
    """Return the begins of the words of one side; None if no word has one of its own."""
    timed = _own_times(words)
    on = ["utt"] if side == "reference" else ["utt", "system"]
    kept = timed.drop("system") if side == "reference" else timed
    rows = keys.join(kept, on=on, how="inner").sort("pair", "place")
    if not rows["begin"].count():
        return None
    chain = pairs.reader.texts.chain
    (tokens,) = encode_words([normalize(Texts.of(rows["word"]), chain)])
    joined = _joined(rows, tokens, len(pairs))
    lengths = joined.tokens.lengths
    pair = np.repeat(np.arange(len(pairs)), lengths)
    own = pairs.keys.select("utt", "system", "rank")[pair]
    return own.with_columns(
        pl.lit(side).alias("side"),
        pl.Series("place", np.arange(len(pair)) - np.repeat(joined.tokens.offsets[:-1], lengths)),
        pl.Series("begin", joined.token_times[:, 0]).fill_nan(None),
    )


def time_records(pairs: Pairs, metrics: Iterable[Metric]) -> dict[str, pl.DataFrame]:
    """Return the records of the errors of times (`stat/times/words.py`) that the metrics have."""
    named = {metric.name for metric in metrics}
    records = {}
    for name, record, errors in (
        (WordTimes.name, WORD_TIMES, time_errors),
        (SegmentTimes.name, SEGMENT_TIMES, segment_errors),
    ):
        if name in named:
            found = errors(pairs)
            keys = pairs.keys.select("utt", "system", "rank")[found.pair]
            sides = {"begin": found.begin, "end": found.end}
            records[record] = keys.with_columns(pl.DataFrame(sides).fill_nan(None))
    return records


def notes_on_times(records: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return a note on recordings whose times are out as a whole."""
    notes = []
    for record, what in ((WORD_TIMES, "words"), (SEGMENT_TIMES, "segments")):
        if record not in records:
            continue
        out = errors_of_recordings(records[record]).filter("out")
        for (system,), rows in out.group_by("system", maintain_order=True):
            names = ", ".join(map(repr, rows["utt"].head(SHOWN).to_list()))
            more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
            notes.append(
                f"{system}: times of {what} are out as a whole, by more than {OUT:g} s in the "
                f"median: {names}{more}"
            )
    return notes
