"""Metadata of utterances: tables with ids, or files like Kaldi's `utt2spk` and `segments`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from misword.core.errors import InputError, MismatchError
from misword.core.lazy import pl
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.transcripts.columns import (
    Columns,
    SourceTable,
    find_id,
    free_name,
    id_values,
    plain_name,
)
from misword.io.transcripts.detection import by_name, candidates, refuse_binary, stem_of
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.plain import Kaldi
from misword.io.transcripts.pairing import Transcript, list_ids, refuse_duplicates

KALDI_NAMES = {"spk": "speaker"}
SEGMENTS = "segments"  # Kaldi's file of recording, begin and end of each utterance


def join_metadata(
    references: Transcript,
    paths: Sequence[PathLike],
    id_column: str | None = None,
    encoding: str | None = None,
) -> Transcript:
    """Return the references with the columns and notes of each metadata file.

    Every reference must have metadata; metadata of other utterances is ignored. References without
    ids are numbered from 1 if the metadata have ids.
    """
    for path in paths:
        metadata = read_metadata(path, id_column, encoding)
        refuse_duplicates(metadata)
        columns, frame = metadata.frame.drop("line"), references.numbered
        _refuse_known(columns.columns, frame.columns, metadata)
        if metadata.has_ids:
            _refuse_uncovered(frame, metadata, references)
            frame = frame.join(columns, on="utt", how="left", maintain_order="left")
        else:
            _refuse_unequal(metadata, references)
            frame = frame.hstack(columns)
        frame = frame if references.has_ids else frame.drop("utt")
        notes = (*references.notes, *metadata.notes)
        references = replace(references, frame=frame, notes=notes)
    return references


def read_metadata(
    path: PathLike, id_column: str | None = None, encoding: str | None = None
) -> Transcript:
    """Return one file of metadata: `utt` (if it has ids), `line` and its columns."""
    source = open_source(path, encoding)
    part = _table_format(source)
    if part is None:
        frame = _read_map(source, _column_of(path))
        frame = _split_segments(frame, source) if SEGMENTS in frame.columns else frame
        return Transcript(source.shown, "kaldi", frame)
    table: SourceTable = part.table(source)
    names = table.frame.columns
    ident = find_id(names, id_column, source)
    picked = [table.lines.alias("line")]
    if ident is not None:
        picked.insert(0, id_values(table, ident, source).alias("utt"))
    rest = [name for name in names if name != ident]
    picked += [table.frame[name].alias(free_name(name, names)) for name in rest]
    name = "parquet" if source.unit == "row" else "table"
    return Transcript(source.shown, name, pl.DataFrame(picked), table.notes)


def _table_format(source: Source) -> Format | None:
    """Return the format of a table, or None if the file is not a table."""
    named = by_name(source.name)
    if named is not None and named.is_table:
        return named
    if source.unit == "line":
        refuse_binary(source)
    tables = (part for part in candidates(source) if part.is_table)
    return next((part for part in tables if part.looks_like(source)), None)


def _column_of(path: PathLike) -> str:
    stem = stem_of(path)
    name = stem.removeprefix("utt2") or stem
    return plain_name(free_name(KALDI_NAMES.get(name, name) if name != stem else stem, ()))


def _read_map(source: Source, column: str) -> pl.DataFrame:
    frame = Kaldi().read(source, Columns()).frame
    empty = frame.filter(pl.col("text") == "")
    if empty.height:
        raise InputError(
            f"the id {empty['utt'][0]!r} has no value",
            where=source.at(empty["line"][0]),
            fix="each line is an id and its value, or the file is a table "
            "(.csv, .tsv, .jsonl, .parquet)",
        )
    return frame.rename({"text": column})


def _split_segments(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Return Kaldi's `segments` with columns for recording, begin and end."""
    fields = pl.col(SEGMENTS).str.extract_groups(r"^(\S+)\s+([\d.]+)\s+([\d.]+)$").struct
    times = {"begin": fields.field("2"), "end": fields.field("3")}
    split = frame.with_columns(
        fields.field("1").alias("recording"),
        *(value.cast(pl.Float64, strict=False).alias(name) for name, value in times.items()),
    )
    wrong = split.filter(pl.any_horizontal(pl.col("recording", "begin", "end").is_null()))
    if wrong.height:
        raise InputError(
            f"{wrong[SEGMENTS][0]!r} is not a recording with two times",
            where=source.at(wrong["line"][0]),
            fix="each line of Kaldi's segments is: utterance recording begin end",
        )
    return split.drop(SEGMENTS)


def _refuse_known(new: Sequence[str], old: Sequence[str], metadata: Transcript) -> None:
    known = set(old)
    both = [name for name in new if name in known and name != "utt"]
    if both:
        raise InputError(
            f"the column {both[0]!r} is there already",
            where=metadata.at(),
            fix="rename or remove the column in one of the files",
        )


def _refuse_uncovered(frame: pl.DataFrame, metadata: Transcript, references: Transcript) -> None:
    lines = frame.select("utt").with_columns(references.frame["line"])
    missing = lines.join(metadata.frame, on="utt", how="anti", maintain_order="left")
    if missing.height:
        raise MismatchError(
            f"no metadata for {missing.height} of {frame.height} references: "
            f"{list_ids(missing, references)}",
            where=metadata.at(),
            fix="add a line for each of them",
        )


def _refuse_unequal(metadata: Transcript, references: Transcript) -> None:
    if references.has_ids:
        raise MismatchError(
            f"no column of ids, while {references.path} has ids; "
            f"it has: {', '.join(metadata.frame.drop('line').columns)}",
            where=metadata.at(),
            fix="name the column with --id-column",
        )
    if metadata.frame.height != references.frame.height:
        raise MismatchError(
            f"{metadata.frame.height} rows for the {references.frame.height} utterances "
            f"of {references.path}",
            where=metadata.at(),
            fix="without ids there must be one row for each utterance, in the same order",
        )
