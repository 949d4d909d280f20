"""Files that say more about utterances: tables by id, or Kaldi's `utt2spk` and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core.errors import InputError, MismatchError
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.transcripts.columns import Columns, Table, find_id, free_name, id_values
from misword.io.transcripts.detection import by_name, refuse_binary
from misword.io.transcripts.formats import FORMATS, TableFormat
from misword.io.transcripts.formats.kaldi import Kaldi
from misword.io.transcripts.pairing import Transcript, listed, refuse_doubled
from misword.io.transcripts.systems import stem_of

if TYPE_CHECKING:
    import polars as pl

KALDI_NAMES = {"spk": "speaker"}


def join_metadata(
    frame: pl.DataFrame,
    paths: Sequence[PathLike],
    references: Transcript,
    id_column: str | None = None,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Add the columns of each metadata file to the references (`utt`, `text`, ...).

    Every reference must be covered; ids that are no reference's are fine.
    """
    notes: list[str] = []
    for path in paths:
        found = read_metadata(path, id_column)
        refuse_doubled(found)
        notes += found.notes
        more = found.frame.drop("line")
        _refuse_known(more.columns, frame.columns, found)
        if found.has_ids:
            _refuse_uncovered(frame, found, references)
            frame = frame.join(more, on="utt", how="left", maintain_order="left")
        else:
            _refuse_unequal(found, references)
            frame = frame.hstack(more)
    return frame, tuple(notes)


def read_metadata(path: PathLike, id_column: str | None = None) -> Transcript:
    """Read one file of metadata: `utt` (where it has ids), `line` and its columns."""
    import polars as pl

    source = open_source(path)
    part = _table_format(source)
    if part is None:
        frame = _read_map(source, _column_of(path))
        return Transcript(source.shown, "kaldi", frame)
    table: Table = part.table(source)
    names = table.frame.columns
    ident = find_id(names, id_column, source)
    picked = [table.lines.alias("line")]
    if ident is not None:
        picked.insert(0, id_values(table, ident, source).alias("utt"))
    rest = [name for name in names if name != ident]
    picked += [table.frame[name].alias(free_name(name, names)) for name in rest]
    name = "parquet" if source.unit == "row" else "table"
    return Transcript(source.shown, name, pl.DataFrame(picked), table.notes)


def _table_format(source: Source) -> TableFormat | None:
    named = by_name(source.name)
    if isinstance(named, TableFormat):
        return named
    if source.unit == "line":
        refuse_binary(source)
    for spec in FORMATS.entries():
        part = FORMATS.create(spec)
        if isinstance(part, TableFormat) and part.looks_like(source):
            return part
    return None


def _column_of(path: PathLike) -> str:
    stem = stem_of(path)
    name = stem.removeprefix("utt2") or stem
    return free_name(KALDI_NAMES.get(name, name) if name != stem else stem, ())


def _read_map(source: Source, column: str) -> pl.DataFrame:
    import polars as pl

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


def _refuse_known(new: Sequence[str], old: Sequence[str], found: Transcript) -> None:
    both = [name for name in new if name in old and name != "utt"]
    if both:
        raise InputError(
            f"the column {both[0]!r} is there already",
            where=found.at(),
            fix="rename or remove the column in one of the files",
        )


def _refuse_uncovered(frame: pl.DataFrame, found: Transcript, references: Transcript) -> None:
    lines = frame.select("utt").with_columns(references.frame["line"])
    missing = lines.join(found.frame, on="utt", how="anti", maintain_order="left")
    if missing.height:
        raise MismatchError(
            f"no metadata for {missing.height} of {frame.height} references: "
            f"{listed(missing, references)}",
            where=found.at(),
            fix="add a line for each of them",
        )


def _refuse_unequal(found: Transcript, references: Transcript) -> None:
    if references.has_ids:
        raise MismatchError(
            f"no column of ids, while {references.path} has ids; "
            f"it has: {', '.join(found.frame.drop('line').columns)}",
            where=found.at(),
            fix="name the column with --id-column",
        )
    if found.frame.height != references.frame.height:
        raise MismatchError(
            f"{found.frame.height} rows for the {references.frame.height} utterances "
            f"of {references.path}",
            where=found.at(),
            fix="without ids there must be one row for each utterance, in the same order",
        )
