"""How late streaming recognisers return words, and how often they take them back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.metrics import Metric
from misword.asr.metrics.times import AlignedSides, aligned_sides
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.parts import Settings
from misword.core.types import Op, Statistics, Tokens, join_ranges, offsets_of
from misword.stat.measure import ratio_of_terms
from misword.stat.score_tables import LATENCY_RESULTS, LATENCY_SEGMENTS, LATENCY_WORDS
from misword.text.normalizers import normalize
from misword.text.texts import Texts
from misword.text.tokens import encode_words

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
ROUNDING = 1e-9
# Cells of tables of edit distances that are computed at once.
CELLS = 1 << 21


@dataclass(frozen=True, slots=True)
class Latency(Metric):
    """Share of segments whose final result comes more than `limit` seconds after their speech.

    Hypotheses are logs of streams, with the time at which each result came. A table shows the
    latency of words (first shown, and final) and of segments (from the end of the speech to the
    last final result) as percentiles, and revised words for each final word; another one the errors
    of partial results. The end of the speech is that of the last word of the segment in the
    reference if its words have times, otherwise that of the log.

    Known problems: the times of both sides must have the same origin; a word that the reference
    does not have is not timed. Nothing is forgiven, and alternatives are refused.

    Example: `misword score ref.ctm stream.jsonl --metrics wer,latency:limit=0.8`
    """

    name: ClassVar[str] = "latency"
    title: ClassVar[str] = "late segments"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("ma2020", "shangguan2020")
    statistics: ClassVar[tuple[str, ...]] = ("late", "segments")

    limit: float = 1.0

    def check(self, context: Context) -> None:
        """Raise if the limit is negative."""
        Metric.check(self, context)
        if not 0 <= self.limit < np.inf:
            raise OptionError(f"limit is {self.limit}", fix="use 0 or more seconds")

    def settings(self, context: Context) -> Settings:
        """The limit."""
        return (("limit", f"{self.limit:g}"),)

    def measure(self, pairs: Pairs) -> Statistics:
        """Count segments that are late, and segments whose latency is known."""
        found = stream_segments(pairs)
        known = ~np.isnan(found.latency)
        late = known & (np.nan_to_num(found.latency) > self.limit + ROUNDING)
        counts = [np.bincount(found.pair[rows], minlength=len(pairs)) for rows in (late, known)]
        return np.column_stack(counts).astype(np.int64)

    def terms(self, statistics: Statistics) -> Statistics:
        """Late segments, and segments."""
        return statistics

    def rate(self, terms: Statistics) -> Statistics:
        """Late segments divided by segments; nan without any."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """Segments whose latency is known."""
        return np.asarray(statistics[..., 1])


class StreamSegments(NamedTuple):
    """The segments of all hypotheses: their pair, the words of both sides, and their latency.

    Segment `s` has the hypothesis words from `heard[s, 0]` to `heard[s, 1]`, and the reference
    words from `said[s, 0]` to `said[s, 1]`, as numbers over all pairs. `final` is the time of its
    last final result.
    """

    pair: Integers
    heard: Integers
    said: Integers
    final: Numbers
    latency: Numbers


def stream_segments(pairs: Pairs) -> StreamSegments:
    """Return the segments of all hypotheses, computed once."""
    return pairs.once("segments of streams", lambda: _stream_segments(pairs))


def _sides(pairs: Pairs) -> AlignedSides:
    return aligned_sides(pairs, "latency", ())


def _stream_segments(pairs: Pairs) -> StreamSegments:
    sides = _sides(pairs)
    said, heard = sides.both
    if len(heard.emitted) and np.isnan(heard.emitted).all():
        raise InputError(
            "the words of the hypotheses have no times at which they came",
            fix="use the log of a stream: JSON lines of results with `emitted`, SimulEval's "
            "instances.log, or SimulStream's log",
        )
    size = len(heard.tokens.ids)
    first, after = heard.borders(0), heard.borders(1) + 1
    pair = np.searchsorted(heard.tokens.offsets, first, side="right") - 1
    # The words of the reference of a segment begin with the first that is aligned with it; those
    # of the first segment of a pair with the first of the pair.
    partner = np.full(size, len(said.tokens.ids), np.int64)
    partner[sides.places[1]] = sides.places[0]
    following = np.minimum.accumulate(partner[::-1])[::-1]
    limits = said.tokens.offsets
    opens = np.diff(pair, prepend=-1) > 0
    begins = np.where(opens, limits[pair], np.minimum(following[first], limits[pair + 1]))
    closes = np.append(opens, True)[1:]
    ends = np.where(closes, limits[pair + 1], np.append(begins, 0)[1:])
    spans = list(zip(first.tolist(), after.tolist(), strict=True))
    final = np.array([heard.emitted[a:b].max() for a, b in spans], np.float64)
    # The end of the speech: that of the last aligned word in the reference, or that of the log.
    spoken = np.append(said.ends_of_speech, np.nan)
    last = [partner[a:b][partner[a:b] < len(said.tokens.ids)][-1:] for a, b in spans]
    end = np.array([spoken[each[0]] if len(each) else np.nan for each in last], np.float64)
    end = np.where(np.isnan(end), heard.segments[after - 1, 1], end)
    parts = np.column_stack([first, after]), np.column_stack([begins, ends])
    return StreamSegments(pair, *parts, final, final - end)


class Results(NamedTuple):
    """The results of all segments, in the order in which they came.

    `segment` is the row of `StreamSegments`, `tokens` the words as they are after normalisation,
    with the vocabulary of the sides. `whole` says whether the segment was not cut.
    """

    segment: Integers
    emitted: Numbers
    tokens: Tokens
    whole: NDArray[np.bool_]


def _results(pairs: Pairs, found: StreamSegments) -> Results:
    """Return the results that came before the words were final, and the final ones."""
    heard = _sides(pairs).both[1]
    rows = _rows_of_results(pairs)
    numbers = heard.numbers[found.heard[:, 0]].tolist()
    keys = zip(found.pair.tolist(), numbers, strict=True)
    row_of = {key: row for row, key in enumerate(keys)}
    known = zip(rows["pair"].to_list(), rows["segment"].to_list(), strict=True)
    places = np.array([row_of.get(key, -1) for key in known], np.int64)
    # Results of a segment without words are those of the segment before whose word they stand.
    beside = zip(rows["pair"].to_list(), rows["beside"].to_list(), strict=True)
    others = np.array([row_of[key] for key in beside], np.int64)
    segment = np.where(places >= 0, places, others)
    order = np.lexsort([rows["emitted"].to_numpy(), segment])
    (coded,) = encode_words([normalize(Texts.of(rows["text"]), pairs.reader.texts.chain)])
    ids = {word: number for number, word in enumerate(heard.tokens.vocabulary[:])}
    new = np.array([ids.setdefault(word, len(ids)) for word in coded.vocabulary[:]], np.int32)
    tokens = Tokens(new[coded.ids], coded.offsets, list(ids)).take(order)
    whole = (places >= 0) & heard.whole[found.heard[:, 0]][segment]
    return Results(segment[order], rows["emitted"].to_numpy()[order], tokens, whole[order])


def _rows_of_results(pairs: Pairs) -> pl.DataFrame:
    """Return `pair`, `segment`, `emitted` and `text` of each result, and what it stands beside."""
    words, keys = pairs.source.words, pairs.keys.with_row_index("pair")
    schema = {"pair": pl.Int64, "beside": pl.Int64, "segment": pl.Int64, "emitted": pl.Float64}
    if words is None or "results" not in words.columns:
        return pl.DataFrame(schema=schema | {"text": pl.String})
    listed = words.drop_nulls("results").select(
        "system", "utt", "place", pl.col("segment").alias("beside"), "results"
    )
    joined = (
        keys.filter(pl.col("rank") == 1).join(listed, on=["system", "utt"]).sort("pair", "place")
    )
    return (
        joined.select(pl.col("pair").cast(pl.Int64), "beside", "results")
        .explode("results")
        .unnest("results")
    )


def latency_records(pairs: Pairs) -> dict[str, pl.DataFrame]:
    """Return the records of latencies (`stat/times/latency.py`)."""
    found = stream_segments(pairs)
    results = _results(pairs, found)
    keys = pairs.keys.select("utt", "system", "rank")
    words = np.diff(found.heard, axis=1)[:, 0]
    segments = {
        "latency": found.latency,
        "words": words.astype(np.int64),
        "revised": np.bincount(results.segment, _revised(results), len(words)).astype(np.int64),
    }
    errors, sizes = _errors_of_results(pairs, found, results)
    rows = np.flatnonzero(results.whole)
    before = found.final[results.segment[rows]] - results.emitted[rows]
    partial = {"before": before, "words": sizes, "errors": errors}
    return {
        LATENCY_WORDS: _word_latencies(pairs, found, results),
        LATENCY_SEGMENTS: _record(keys[found.pair], segments),
        LATENCY_RESULTS: _record(keys[found.pair[results.segment[rows]]], partial),
    }


def _record(keys: pl.DataFrame, columns: dict[str, Any]) -> pl.DataFrame:
    return keys.with_columns(pl.DataFrame(columns).fill_nan(None))


def _revised(results: Results) -> Integers:
    """Return how many words of the result before each one it takes back.

    These are the words after the beginning that both have, as in measures of erasure (N.
    Arivazhagan et al., Re-translation versus Streaming for Simultaneous Translation, IWSLT 2020).
    """
    ids, at = results.tokens.ids, results.tokens.offsets
    taken = np.zeros(len(results.segment), np.int64)
    for row in range(1, len(taken)):
        if results.segment[row] == results.segment[row - 1]:
            before, now = ids[at[row - 1] : at[row]], ids[at[row] : at[row + 1]]
            size = min(len(before), len(now))
            differing = np.flatnonzero(before[:size] != now[:size])
            taken[row] = len(before) - (differing[0] if len(differing) else size)
    return taken


def _word_latencies(pairs: Pairs, found: StreamSegments, results: Results) -> pl.DataFrame:
    """Return the latencies of right words whose end in the speech is known."""
    sides = _sides(pairs)
    said, heard = sides.both
    places = [side[sides.hits] for side in sides.places]
    end = said.token_times[places[0], 1]
    if not np.isfinite(end).any():  # the reference has no times of words: those of the log
        end = heard.token_times[places[1], 1]
    first = _first_shown(heard.tokens, heard.emitted, found, results)[places[1]] - end
    final = heard.emitted[places[1]] - end
    pair = np.searchsorted(heard.tokens.offsets, places[1], side="right") - 1
    keys = pairs.keys.select("utt", "system", "rank")[pair]
    return _record(keys, {"first": first, "final": final}).drop_nulls("final")


def _first_shown(
    heard: Tokens, emitted: Numbers, found: StreamSegments, results: Results
) -> Numbers:
    """Return when each final word was first shown: in the first result that has it in its place."""
    shown = emitted.copy()
    rows = np.flatnonzero(results.whole)
    if not len(rows):
        return shown
    finals = _slices(heard, found.heard, results.tokens.vocabulary)
    tokens = results.tokens.take(rows)
    index = np.column_stack([results.segment[rows], np.arange(len(rows))])
    alignment = align(finals, tokens, pairs=index, operations=True)
    for at, row in enumerate(rows.tolist()):
        ops = alignment.operations(at)
        places = (np.cumsum(ops != Op.INSERTION) - 1)[ops == Op.HIT]
        places = places + found.heard[results.segment[row], 0]
        shown[places] = np.fmin(shown[places], results.emitted[row])
    return shown


def _slices(tokens: Tokens, spans: Integers, vocabulary: Any) -> Tokens:
    """Return some spans of tokens as sequences."""
    lengths = spans[:, 1] - spans[:, 0]
    return Tokens(tokens.ids[join_ranges(spans[:, 0], lengths)], offsets_of(lengths), vocabulary)


def _errors_of_results(
    pairs: Pairs, found: StreamSegments, results: Results
) -> tuple[Integers, Integers]:
    """Return the errors and the reference words of the results of whole segments.

    A result is compared with that beginning of the words of the reference that it fits best; a
    final one with all of them.
    """
    said = _sides(pairs).both[0].tokens
    rows = np.flatnonzero(results.whole)
    references = _slices(said, found.said, results.tokens.vocabulary)
    final = results.emitted[rows] >= found.final[results.segment[rows]]
    errors, sizes = np.zeros((2, len(rows)), np.int64)
    width = references.lengths[results.segment[rows]] + 1
    order = np.argsort(width, kind="stable")
    at = 0
    while at < len(order):
        size = 1
        while at + size < len(order) and (size + 1) * width[order[at + size]] <= CELLS:
            size += 1
        part = order[at : at + size]
        best = _beginnings(
            references, results.segment[rows[part]], results.tokens.take(rows[part]), final[part]
        )
        errors[part], sizes[part] = best
        at += size
    return errors, sizes


def _beginnings(
    references: Tokens, of: Integers, texts: Tokens, whole: NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    """Return the least distance of each text from a beginning of its reference, and its length.

    Of several, it is the longest. Where `whole`, the beginning is all of the reference.
    """
    lengths = references.lengths[of]
    columns = np.arange(int(lengths.max(initial=0)) + 1)
    said = np.full((len(of), len(columns) - 1), -1, np.int64)
    for row, reference in enumerate(of.tolist()):
        span = slice(references.offsets[reference], references.offsets[reference + 1])
        said[row, : lengths[row]] = references.ids[span]
    table = np.broadcast_to(columns, (len(of), len(columns))).copy()
    sizes = texts.lengths
    for place in range(int(sizes.max(initial=0))):
        rows = np.flatnonzero(sizes > place)
        word = texts.ids[texts.offsets[:-1][rows] + place]
        below = table[rows] + 1
        differs = said[rows] != word[:, None]
        below[:, 1:] = np.minimum(below[:, 1:], table[rows, :-1] + differs)
        table[rows] = np.minimum.accumulate(below - columns, axis=1) + columns
    beyond = columns > lengths[:, None]
    table = np.where(
        beyond | (whole[:, None] & (columns < lengths[:, None])), np.iinfo(np.int64).max, table
    )
    best = len(columns) - 1 - table[:, ::-1].argmin(axis=1)
    return table[np.arange(len(of)), best], best
