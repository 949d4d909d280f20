"""Assignment of timed words (ctm) to the segments of a reference (stm)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Reading
from misword.io.transcripts.formats.ctm import read_words
from misword.io.transcripts.pairing import Transcript

if TYPE_CHECKING:
    import polars as pl

CHANNEL = ["file", "channel"]
IGNORED = -1


def read_into_segments(source: Source, references: Transcript) -> Reading:
    """Return a ctm file as one transcript for each segment of the reference.

    As in sclite, a word belongs to the first segment of its channel that ends after the middle of
    the word; a word between two segments therefore belongs to the next one, and words after the
    last segment to the last. Words of segments that the reference ignores are left out. Notes count
    them, and words at times where segments overlap.
    """
    import polars as pl

    segments = references.frame.with_row_index("segment").with_columns(
        pl.col("segment").cast(pl.Int64)
    )
    spans = all_spans(segments, references.ignored)
    words = with_names_of(read_words(source), spans)
    refuse_unknown(words, spans, references, source)
    rows, overlaps = np.full(words.height, IGNORED, np.int64), 0
    by_channel = spans.partition_by(CHANNEL, as_dict=True)
    numbered = words.with_row_index("word_row").with_columns(pl.col("word_row").cast(pl.Int64))
    for channel, mine in numbered.partition_by(CHANNEL, as_dict=True).items():
        middles, of_channel = mine["middle"].to_numpy(), by_channel[channel]
        rows[mine["word_row"].to_numpy()] = assign(middles, of_channel)
        overlaps += int((spans_at(middles, of_channel) > 1).sum())
    placed = words.with_columns(segment=pl.Series(rows)).filter(pl.col("segment") != IGNORED)
    texts = placed.group_by("segment", maintain_order=True).agg(
        pl.col("word").str.join(" ").alias("words"),
        pl.col("line").min().alias("first"),
        pl.col("confidence").alias("confidences"),
    )
    frame = segments.join(texts, on="segment", how="left", maintain_order="left")
    frame = frame.select(
        "utt", "confidences", text=pl.col("words").fill_null(""), line=pl.col("first")
    )
    notes = *_notes(words, segments, placed.height, source), *_overlap_note(overlaps, source)
    return Reading(frame, notes)


def all_spans(segments: pl.DataFrame, ignored: pl.DataFrame | None) -> pl.DataFrame:
    """Return the time spans of all segments by begin; those to ignore have the number `IGNORED`."""
    import polars as pl

    names = *CHANNEL, "begin", "end", "segment"
    spans = segments.select(names)
    if ignored is not None:
        unscored = ignored.with_columns(segment=pl.lit(IGNORED, pl.Int64)).select(names)
        spans = pl.concat([spans, unscored])
    return spans.sort("begin", maintain_order=True)


def with_names_of(words: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return the words with the reference's names of files and channels where only case differs."""
    import polars as pl

    known = spans.select(CHANNEL).unique()
    keys = [pl.col(name).str.to_lowercase().alias(f"{name}_key") for name in CHANNEL]
    by_key = known.with_columns(keys).unique(["file_key", "channel_key"], keep="none")
    used = words.select(CHANNEL).unique().join(known, on=CHANNEL, how="anti").with_columns(keys)
    renamed = used.join(by_key, on=["file_key", "channel_key"], suffix="_new")
    if not renamed.height:
        return words
    joined = words.join(renamed, on=CHANNEL, how="left", maintain_order="left")
    names = [pl.coalesce(f"{name}_new", name).alias(name) for name in CHANNEL]
    return joined.with_columns(names).select(words.columns)


def assign(middles: NDArray[np.float64], spans: pl.DataFrame) -> NDArray[np.int64]:
    """Return the segment of each word of a channel, words and spans in the order of their begins.

    No word belongs to an earlier segment than the word before it.
    """
    ends = np.maximum.accumulate(spans["end"].to_numpy())
    rows = np.searchsorted(ends, middles, side="right")
    rows = np.maximum.accumulate(np.minimum(rows, len(ends) - 1))
    return spans["segment"].to_numpy()[rows]


def spans_at(middles: NDArray[np.float64], spans: pl.DataFrame) -> NDArray[np.int64]:
    """Return the number of spans that contain each time."""
    begun = np.searchsorted(spans["begin"].to_numpy(), middles, side="right")
    ended = np.searchsorted(np.sort(spans["end"].to_numpy()), middles, side="right")
    return np.asarray(begun - ended)


def _overlap_note(words: int, source: Source) -> Iterator[str]:
    if words:
        yield (
            f"{source.shown}: {counted(words, 'word')} at times where segments of the reference "
            "overlap; each belongs to the segment that began first, so that other errors than the "
            "recogniser's may be counted"
        )


def refuse_unknown(
    words: pl.DataFrame, spans: pl.DataFrame, references: Transcript, source: Source
) -> None:
    """Raise if there are words of recordings that the reference does not have."""
    import polars as pl

    channels = spans.select(CHANNEL).unique()
    unknown = words.join(channels, on=CHANNEL, how="anti").sort("line")
    if unknown.height:
        file, channel = unknown.select(CHANNEL).row(0)
        of_file = channels.filter(pl.col("file") == file)["channel"].sort().to_list()
        has = f"channels {', '.join(of_file)} of it" if of_file else "no such file"
        raise MismatchError(
            f"words of file {file!r}, channel {channel!r}, but {references.path} has {has}",
            where=source.at(unknown["line"][0]),
            fix="use the same file and channel names on both sides, "
            "or remove recordings that are not to be scored",
        )


def _notes(
    words: pl.DataFrame, segments: pl.DataFrame, placed: int, source: Source
) -> Iterator[str]:
    if words.height > placed:
        count = counted(words.height - placed, "word")
        yield f"{source.shown}: {count} left out, in segments the reference ignores"
    silent = segments.select(CHANNEL).unique().join(words, on=CHANNEL, how="anti")
    if silent.height:
        file, channel = silent.sort(CHANNEL).row(0)
        yield (
            f"{source.shown}: no words at all for {counted(silent.height, 'recording')}, "
            f"the first is {file!r}, channel {channel!r}"
        )
