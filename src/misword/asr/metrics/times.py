"""How far the times of words are from those of the references."""

from __future__ import annotations

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
from misword.io.transcripts.words import in_order
from misword.stat.measure import ratio_of_terms
from misword.stat.score_tables import RECORDING_TIMES as RECORDINGS
from misword.stat.score_tables import WORD_TIMES as RECORD
from misword.stat.word_times import OUT, word_time_tables
from misword.text.normalizers import normalize
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
# Times are written with two or three decimals; differences of them are rounded.
ROUNDING = 1e-9
SHOWN = 3


@dataclass(frozen=True, slots=True)
class WordTimes(Metric):
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
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("mcauliffe2017",)
    statistics: ClassVar[tuple[str, ...]] = ("off", "timed", "timed_reference")

    tolerance: float = 0.2

    def check(self, context: Context) -> None:
        """Raise if the tolerance is negative."""
        Metric.check(self, context)
        if not 0 <= self.tolerance < np.inf:
            raise OptionError(f"tolerance is {self.tolerance}", fix="use 0 or more seconds")

    def settings(self, context: Context) -> Settings:
        """The tolerance."""
        return (("tolerance", f"{self.tolerance:g}"),)

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

    def terms(self, statistics: Statistics) -> Statistics:
        """Words that are off, and words with times on both sides."""
        return statistics[..., :2]

    def rate(self, terms: Statistics) -> Statistics:
        """Words that are off divided by words with times on both sides; nan without any."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """Words with times on both sides."""
        return np.asarray(statistics[..., 1])


class TimeErrors(NamedTuple):
    """A row for each reference word with times: its pair, and errors in seconds, nan if unknown."""

    pair: Integers
    begin: Numbers
    end: Numbers


def time_errors(pairs: Pairs) -> TimeErrors:
    """Return the errors of the times of all words, computed once."""
    return pairs.once("errors of times", lambda: _time_errors(pairs))


def _time_errors(pairs: Pairs) -> TimeErrors:
    if len(pairs.reader.texts.signs):
        raise InputError(
            "word-times does not read references with alternatives", fix="use --no-alternatives"
        )
    sides = _sides(pairs)
    tokens = [side.tokens for side in sides]
    ops = align(tokens[0], tokens[1], operations=True).all_operations
    said, heard = (side.token_times for side in sides)
    # Pairs follow each other on both sides, so that places count over all of them.
    hits = ops == Op.HIT
    places = [(np.cumsum(ops != left_out) - 1)[hits] for left_out in (Op.INSERTION, Op.DELETION)]
    errors = np.full((len(said), 2), np.nan)
    errors[places[0]] = heard[places[1]] - said[places[0]]
    errors[np.isnan(errors).any(axis=1)] = np.nan
    timed = ~np.isnan(said).any(axis=1)
    pair = np.repeat(np.arange(len(pairs)), tokens[0].lengths)[timed]
    return TimeErrors(pair, errors[timed, 0], errors[timed, 1])


class _Side(NamedTuple):
    """The words of one side: the tokens of each pair, and of each word its times and its tokens."""

    tokens: Tokens
    times: Numbers
    sizes: Integers

    @property
    def token_times(self) -> Numbers:
        """The begin and the end of each token; nan for the parts of a word that was divided."""
        times = np.repeat(self.times, self.sizes, axis=0)
        times[np.repeat(self.sizes, self.sizes) > 1] = np.nan
        return times


def _sides(pairs: Pairs) -> list[_Side]:
    words = pairs.source.words
    if words is None:
        words = in_order(pl.DataFrame(schema={"system": pl.String}))
    keys = pairs.keys.with_row_index("pair").select("pair", "utt", "system", "rank")
    keys = keys.filter(pl.col("rank") == 1)  # words of others have no times
    found = []
    corpus = pairs.source
    for what, frame in (("references", corpus.references), ("hypotheses", corpus.hypotheses)):
        is_reference = what == "references"
        own = words.filter((pl.col("system") == OF_REFERENCES) == is_reference)
        if not own["begin"].count() and frame["text"].str.contains(r"\S").any():
            raise InputError(
                f"the words of the {what} have no times",
                fix="use a format with times of words: ctm, or the JSON of a recogniser",
            )
        on = ["utt"] if is_reference else ["utt", "system"]
        timed = _own_times(own)
        if is_reference and len(own) and not timed["begin"].count():
            raise InputError(
                "the words of the references have the times of their segments, not their own",
                fix="use a format with times of words: ctm, or the JSON of a recogniser",
            )
        found.append(keys.join(timed, on=on, how="inner").sort("pair", "place"))
    chain = pairs.reader.texts.chain
    coded = encode_words([normalize(Texts.of(side["word"]), chain) for side in found])
    return [_joined(rows, each, len(pairs)) for rows, each in zip(found, coded, strict=True)]


def _own_times(words: pl.DataFrame) -> pl.DataFrame:
    """Return words, without the times of those that share them with a word beside them."""
    interval = pl.struct("segment", "begin", "end").rle_id().over("system", "utt")
    alone = pl.len().over("system", "utt", "run") == 1
    times = [pl.when(alone).then(pl.col(side)).alias(side) for side in ("begin", "end")]
    numbered = words.sort("system", "utt", "place").with_columns(interval.alias("run"))
    return numbered.with_columns(times).select("system", "utt", "place", "begin", "end", "word")


def _joined(rows: pl.DataFrame, tokens: Tokens, pairs: int) -> _Side:
    """Return the words of each pair as one sequence."""
    ends = np.searchsorted(rows["pair"].to_numpy(), np.arange(pairs + 1))
    times = rows.select(pl.col("begin", "end").cast(pl.Float64).fill_null(np.nan)).to_numpy()
    joined = Tokens(tokens.ids, tokens.offsets[ends], tokens.vocabulary)
    return _Side(joined, times, tokens.lengths.astype(np.int64))


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


def time_records(pairs: Pairs) -> dict[str, pl.DataFrame]:
    """Return the record of the errors of times (`stat/word_times.py`)."""
    found = time_errors(pairs)
    keys = pairs.keys.select("utt", "system", "rank")[found.pair]
    sides = {"begin": found.begin, "end": found.end}
    return {RECORD: keys.with_columns(pl.DataFrame(sides).fill_nan(None))}


def notes_on_times(records: dict[str, pl.DataFrame]) -> list[str]:
    """Return a note on recordings whose times are out as a whole."""
    notes = []
    out = word_time_tables(records)[RECORDINGS].filter("out")
    for (system,), rows in out.group_by("system", maintain_order=True):
        names = ", ".join(map(repr, rows["utt"].head(SHOWN).to_list()))
        more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
        notes.append(
            f"{system}: times of words are out as a whole, by more than {OUT:g} s in the median: "
            f"{names}{more}"
        )
    return notes
