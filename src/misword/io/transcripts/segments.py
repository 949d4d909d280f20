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

    A word belongs to the segment that contains its middle, or else to the nearest segment of its
    channel. Words in time spans that the reference ignores are left out; a note counts them.
    """
    import polars as pl

    words = read_words(source)
    segments = references.frame.with_row_index("segment")
    refuse_unknown(words, references, source)
    rows = np.full(words.height, IGNORED, np.int64)
    for mine, (spans, ignored) in _by_channel(words, segments, references):
        middles = (words["begin"] + words["duration"] / 2).to_numpy()[mine]
        rows[mine] = assign(middles, spans, ignored)
    placed = words.with_columns(segment=pl.Series(rows)).filter(pl.col("segment") != IGNORED)
    texts = placed.group_by("segment").agg(
        pl.col("word").str.join(" ").alias("words"), pl.col("line").min().alias("first")
    )
    frame = segments.with_columns(pl.col("segment").cast(pl.Int64)).join(
        texts, on="segment", how="left", maintain_order="left"
    )
    frame = frame.select("utt", text=pl.col("words").fill_null(""), line=pl.col("first"))
    return Reading(frame, tuple(_notes(words, segments, placed.height, source)))


def assign(
    middles: NDArray[np.float64], segments: pl.DataFrame, ignored: pl.DataFrame
) -> NDArray[np.int64]:
    """Return the segment of each word by its middle; `IGNORED` for words in ignored spans."""
    inside, nearest = locate(middles, segments)
    skipped, _ = locate(middles, ignored)
    numbers = np.append(segments["segment"].to_numpy().astype(np.int64), IGNORED)
    rows = np.where(inside >= 0, inside, np.where(skipped >= 0, IGNORED, nearest))
    return numbers[rows]


def locate(
    middles: NDArray[np.float64], spans: pl.DataFrame
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each time the row of a span that contains it (or -1) and of the nearest span.

    If several spans contain a time, the span that begins last before the time is taken if it
    contains the time, and otherwise the span that ends last.
    """
    if not spans.height:
        none = np.full(len(middles), IGNORED, np.int64)
        return none, none
    begins, ends = spans["begin"].to_numpy(), spans["end"].to_numpy()
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], ends[order]
    # For each span: of all spans up to it, the span that ends last. If any of them contains a time
    # after the begin of this span, that span does.
    ends_last = ends >= np.maximum.accumulate(ends)
    ending_last = np.maximum.accumulate(np.where(ends_last, np.arange(len(ends)), 0))
    last = np.searchsorted(begins, middles, side="right") - 1
    before = np.maximum(last, 0)
    lasting = ending_last[before]
    after = np.minimum(last + 1, len(begins) - 1)
    inside = np.where(middles < ends[before], before, lasting)
    contained = (last >= 0) & (middles < ends[inside])
    gap_before = np.where(last >= 0, middles - ends[lasting], np.inf)
    gap_after = np.where(begins[after] > middles, begins[after] - middles, np.inf)
    nearest = np.where(gap_before <= gap_after, lasting, after)
    return np.where(contained, order[inside], IGNORED), order[np.where(contained, inside, nearest)]


def refuse_unknown(words: pl.DataFrame, references: Transcript, source: Source) -> None:
    """Raise if there are words of recordings that the reference does not have."""
    import polars as pl

    channels = references.frame.select(CHANNEL)
    if references.ignored is not None:
        channels = pl.concat([channels, references.ignored.select(CHANNEL)])
    unknown = words.join(channels.unique(), on=CHANNEL, how="anti").sort("line")
    if unknown.height:
        file, channel = unknown.select(CHANNEL).row(0)
        of_file = channels.filter(pl.col("file") == file)["channel"].unique().sort().to_list()
        has = f"channels {', '.join(of_file)} of it" if of_file else "no such file"
        raise MismatchError(
            f"words of file {file!r}, channel {channel!r}, but {references.path} has {has}",
            where=source.at(unknown["line"][0]),
            fix="use the same file and channel names on both sides, "
            "or remove recordings that are not to be scored",
        )


def _by_channel(
    words: pl.DataFrame, segments: pl.DataFrame, references: Transcript
) -> Iterator[tuple[NDArray[np.int64], tuple[pl.DataFrame, pl.DataFrame]]]:
    import polars as pl

    ignored = references.ignored
    if ignored is None:
        ignored = segments.clear().select(*CHANNEL, "begin", "end")
    spans = segments.partition_by(CHANNEL, as_dict=True)
    skipped = ignored.partition_by(CHANNEL, as_dict=True)
    for (file, channel), rows in words.with_row_index("word_row").group_by(CHANNEL):
        key = (file, channel)
        mine = rows["word_row"].cast(pl.Int64).to_numpy()
        yield mine, (spans.get(key, segments.clear()), skipped.get(key, ignored.clear()))


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
