"""Transcript files in, a `Corpus` out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.core.types import Corpus
from misword.io.files.sources import STDIN, PathLike, Source, open_source
from misword.io.transcripts.columns import PREDICTION_NAMES, Columns, Reading, Role, first_of, shape
from misword.io.transcripts.detection import by_name, find_format
from misword.io.transcripts.formats import FORMATS, Format, TableFormat
from misword.io.transcripts.metadata import join_metadata
from misword.io.transcripts.pairing import Transcript, pair, refuse_doubled
from misword.io.transcripts.segments import read_into_segments
from misword.io.transcripts.systems import system_names

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Transcript", "read_corpus", "read_transcript"]


def read_transcript(
    path: PathLike,
    *,
    role: Role,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> Transcript:
    """Read one file of transcripts; its format is found from name and content unless given."""
    source = open_source(path)
    return _read(source, format, Columns(role, id_column, text_column))


def read_corpus(
    reference: PathLike,
    hypotheses: Sequence[PathLike] = (),
    *,
    format: str | None = None,
    hypothesis_format: str | None = None,
    id_column: str | None = None,
    reference_column: str | None = None,
    hypothesis_column: str | None = None,
    metadata: Sequence[PathLike] = (),
    names: Sequence[str] | None = None,
) -> tuple[Corpus, tuple[str, ...]]:
    """Read references and what systems made of them; also notes on whatever was left out.

    `format` holds for all files, `hypothesis_format` for the hypotheses where they differ. Without
    hypothesis files both sides are columns of the reference file.
    """
    hypotheses = [hypotheses] if isinstance(hypotheses, str | os.PathLike) else list(hypotheses)
    refuse_two_stdins([reference, *hypotheses, *metadata])
    systems = system_names(hypotheses or [reference], names)
    source = open_source(reference)
    columns = Columns("reference", id_column, reference_column)
    if hypotheses:
        ours = _read(source, format, columns)
        wanted = Columns("hypothesis", id_column, hypothesis_column)
        theirs = [
            _read_hypotheses(p, ours, hypothesis_format or format, wanted) for p in hypotheses
        ]
    else:
        ours, both = _read_both(source, find_format(source, format), columns, hypothesis_column)
        theirs = [both]
    if id_column is not None and not metadata:
        _refuse_unused_id([ours, *theirs])
    texts = [pair(ours, side) for side in theirs]
    references, more = join_metadata(_with_ids(ours), metadata, ours, id_column)
    corpus = Corpus.of(references, dict(zip(systems, texts, strict=True)))
    # Once each: both sides of one file have the same notes.
    notes = dict.fromkeys((*ours.notes, *(n for side in theirs for n in side.notes), *more))
    return corpus, tuple(notes)


def refuse_two_stdins(paths: Sequence[PathLike]) -> None:
    """Standard input can be read only once."""
    if sum(os.fspath(path) == STDIN for path in paths) > 1:
        raise OptionError(
            "standard input (`-`) is given more than once",
            fix="it can be read once: put the other side in a file",
        )


def _refuse_unused_id(transcripts: Sequence[Transcript]) -> None:
    tables = [t for t in transcripts if issubclass(FORMATS.load(t.format), TableFormat)]
    if not tables:
        raise OptionError(
            "an id column is named, but no file has columns",
            fix="leave --id-column out, or name the format with --input-format",
        )


def _read(source: Source, format: str | None, columns: Columns) -> Transcript:
    part = find_format(source, format)
    if columns.text is not None and not isinstance(part, TableFormat):
        raise OptionError(
            f"{source.shown} is read as {part.name}, which has no columns",
            fix=f"leave --{columns.role}-column out, or name the format with --input-format",
        )
    found = read_source(source, part, columns)
    if part.name == "kaldi" and format is None and by_name(source.name) is None:
        guess = (
            f"{source.shown} is read as kaldi, since each line begins with an id; "
            "plain text needs --input-format lines"
        )
        return replace(found, notes=(*found.notes, guess))
    return found


def read_source(source: Source, part: Format, columns: Columns) -> Transcript:
    """What a format makes of an input."""
    return _transcript(source, part, part.read(source, columns))


def _transcript(source: Source, part: Format, reading: Reading) -> Transcript:
    if not reading.frame.height:
        raise InputError(
            f"no utterances in it (read as {part.name})",
            where=source.at(),
            fix="check that this is the right file and format",
        )
    found = Transcript(source.shown, part.name, reading.frame, reading.notes, reading.ignored)
    refuse_doubled(found)
    return found


def _read_hypotheses(
    path: PathLike, references: Transcript, format: str | None, columns: Columns
) -> Transcript:
    source = open_source(path)
    part = find_format(source, format)
    if part.name == "ctm" and references.format == "stm":
        reading = read_into_segments(source, references)
        return Transcript(source.shown, part.name, reading.frame, reading.notes)
    return _read(source, format, columns)


def _read_both(
    source: Source, part: Format, columns: Columns, hypothesis_column: str | None
) -> tuple[Transcript, Transcript]:
    """Both sides out of one table."""
    if not isinstance(part, TableFormat):
        raise OptionError(
            f"no hypotheses: {source.shown} is read as {part.name}, which holds one side only",
            fix="name a file of hypotheses too",
        )
    table = part.table(source)
    names = [name for name in table.frame.columns if name != columns.text]
    column = hypothesis_column or first_of(PREDICTION_NAMES, names)
    if column is None:
        raise OptionError(
            f"no hypotheses: {source.shown} has no column for them; "
            f"it has: {', '.join(table.frame.columns)}",
            fix="name a file of hypotheses too, or their column with --hypothesis-column; "
            f"found by themselves are {', '.join(PREDICTION_NAMES)}",
        )
    theirs = shape(table, Columns("hypothesis", columns.id, column), source)
    found = first_of((column,), names) or column
    rest = type(table)(table.frame.drop(found), table.lines, table.notes)
    ours = shape(rest, columns, source)
    return _transcript(source, part, ours), _transcript(source, part, theirs)


def _with_ids(references: Transcript) -> pl.DataFrame:
    """The references' frame; where there are no ids, positions are the ids."""
    import polars as pl

    frame = references.frame.drop("line")
    if not references.has_ids:
        frame = frame.with_columns(utt=pl.int_range(1, pl.len() + 1).cast(pl.String))
    return frame.select("utt", "text", pl.exclude("utt", "text"))
