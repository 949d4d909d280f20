"""Utterances joined by recording, so that both sides may be divided into different segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import counted
from misword.io.transcripts.columns import typed
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.pairing import Transcript

if TYPE_CHECKING:
    import polars as pl

RECORDING = "recording"
CHUNKS_OF = "parent_id"
# Columns that name the recording if there is no column `recording`: `file` of stm and ctm, and
# `parent_id` of manifests whose long recordings were transcribed in chunks.
RECORDING_NAMES = (RECORDING, "recording_id", "file", CHUNKS_OF)
# Columns that give the order of the utterances of a recording.
ORDER_NAMES = ("begin", "start", "offset", "chunk_index")


def join_sides(
    references: Sequence[Transcript], hypotheses: Sequence[Transcript], column: str
) -> tuple[list[Transcript], list[Transcript]]:
    """Return the transcripts with the utterances of each recording joined into one.

    `column` is the metadata column with the name of the recording, which becomes the id; for
    `recording`, see `RECORDING_NAMES`. A side without the column takes it from the first reference,
    by id or position. Utterances are joined in the order of their times, or else of the file.
    """
    _refuse_lists(hypotheses)
    places = places_of(references[0], column)
    if places is None:
        raise _no_column(references[0], column)

    def joined(side: Transcript, once: bool = False) -> Transcript:
        if _recording_column(side, column) == "utt":
            return side  # each utterance is a whole recording
        own = places_of(side, column)
        known = places_by_reference(side, references[0], places) if own is None else own
        if known is None:
            raise _no_column(side, column)
        return join_utterances(side, known, once)

    chunks = [_recording_column(side, column) == CHUNKS_OF for side in references]
    return list(map(joined, references, chunks)), list(map(joined, hypotheses))


def _refuse_lists(sides: Sequence[Transcript]) -> None:
    """Raise if utterances with N-best lists are to be joined."""
    for side in sides:
        if side.lists is not None:
            raise OptionError(
                f"{side.path} has N-best lists, whose utterances cannot be joined",
                fix="leave out --join",
            )


def join_utterances(transcript: Transcript, places: pl.DataFrame, once: bool = False) -> Transcript:
    """Return a transcript with an utterance for each recording.

    `places` has the `recording` of each utterance and its `order`. Metadata are kept if all
    utterances of a recording have the same. With `once`, a text that all utterances of a recording
    have is that of the recording: manifests repeat it in the row of each chunk.
    """
    import polars as pl

    own = [name for name in transcript.frame.columns if name not in ("utt", "text", "line")]
    frame = transcript.frame.rename({name: f"old.{name}" for name in own})
    rows = frame.hstack(places).with_row_index("row").sort("order", maintain_order=True)
    groups = rows.group_by(RECORDING, maintain_order=True)
    same = groups.agg(pl.col(r"^old\..*$").n_unique()).drop(RECORDING)
    kept = [name for name in same.columns if same[name].max() == 1]
    stripped = pl.col("text").str.strip_chars()
    text = stripped.filter(stripped != "").str.join(" ").alias("text")
    if once:
        text = pl.when(pl.col("text").n_unique() == 1).then(stripped.first()).otherwise(text)
    joined = groups.agg(
        text.alias("text"), pl.col("line").first(), pl.col("row").min(), pl.col(kept).first()
    ).sort("row")
    joined = joined.drop("row").rename({RECORDING: "utt"})
    joined = joined.rename({name: name.removeprefix("old.") for name in kept})
    note = (
        f"{transcript.path}: {counted(rows.height, 'utterance')} joined into "
        f"{counted(joined.height, 'recording')}"
    )
    return replace(transcript, frame=joined, notes=(*transcript.notes, note), words=None)


def places_of(transcript: Transcript, column: str) -> pl.DataFrame | None:
    """Return recording and order of each utterance by the transcript's own columns, or None.

    An utterance without a recording is a recording of its own.
    """
    import polars as pl

    name, frame = _recording_column(transcript, column), transcript.frame
    if name is None:
        return None
    recording = frame[name].cast(pl.String)
    if transcript.has_ids:
        recording = recording.fill_null(frame["utt"])
    if recording.null_count():
        row = recording.is_null().arg_true()[0]
        raise InputError(
            f"no value in column {name!r}, by which utterances are joined",
            where=transcript.at(frame["line"][row]),
            fix="give every row a value, or join by another column",
        )
    known = {name: typed(frame[name]) for name in ORDER_NAMES if name in frame.columns}
    times = [values for values in known.values() if values.dtype.is_numeric()]
    keys = [*([frame["channel"]] if "channel" in frame.columns else []), *times[:1]]
    rows = pl.int_range(frame.height, dtype=pl.Int64, eager=True).alias("row")
    ranked = pl.DataFrame([*keys, rows]).sort(pl.all(), nulls_last=True).with_row_index("order")
    order = ranked.sort("row")["order"]
    return pl.DataFrame({RECORDING: recording, "order": order})


def places_by_reference(
    side: Transcript, references: Transcript, places: pl.DataFrame
) -> pl.DataFrame | None:
    """Return recording and order of each utterance as in the references, or None.

    Utterances whose ids are the names of the recordings are whole recordings already.
    """
    import polars as pl

    if not side.has_ids:
        same_size = side.frame.height == references.frame.height and not references.has_ids
        return places if same_size else None
    ids = side.frame.select("utt")
    if references.has_ids:
        known = places.with_columns(references.frame["utt"])
        found = ids.join(known, on="utt", how="left", maintain_order="left")
        if not found[RECORDING].null_count():
            return found.select(RECORDING, "order")
    if ids["utt"].is_in(places[RECORDING].unique().to_list()).all():
        return ids.select(
            pl.col("utt").alias(RECORDING), pl.int_range(pl.len(), dtype=pl.UInt32).alias("order")
        )
    return None


def _recording_column(transcript: Transcript, column: str) -> str | None:
    """Return the column of a transcript that names the recording, or None."""
    names = [name for name in transcript.frame.columns if name not in ("text", "line")]
    if column in names:
        return column
    if column != RECORDING:
        return None
    if FORMATS.load(transcript.format).one_recording:
        return "utt"
    return next((name for name in RECORDING_NAMES if name in names), None)


def _no_column(transcript: Transcript, column: str) -> InputError:
    names = [name for name in transcript.frame.columns if name not in ("text", "line")]
    fix = f"it has: {', '.join(names)}" if names else "it has no columns"
    return InputError(
        f"no column {column!r} to join utterances by; {fix}",
        where=transcript.at(),
        fix="name another column with --join, or add the column to the references with --metadata",
    )
