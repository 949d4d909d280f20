"""Files of N-best lists without references: reading all hypotheses, and writing them again."""

from __future__ import annotations

from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING

from misword.io.files.sources import PathLike
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.read import read_file, read_transcript, refuse_two_stdins

if TYPE_CHECKING:
    import polars as pl


def read_lists(
    path: PathLike,
    *,
    reference: PathLike | None = None,
    format: str | None = None,
    encoding: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return all hypotheses of a file or folder, and notes on how they were read.

    The table has `utt`, `rank`, `text`, `score` (if there is one) and the other columns, in the
    order of the file. One text per utterance is a list of one. `reference` has the references of
    lists without ids: their number tells how many hypotheses belong to an utterance.
    """
    import polars as pl

    refuse_two_stdins([path] if reference is None else [path, reference])
    references = None
    if reference is not None:
        references = read_transcript(reference, role="reference", encoding=encoding)
    columns = Columns("hypothesis", id_column, text_column, lists=True)
    found = read_file(path, format, encoding, columns, references)
    if found.lists is not None:
        lists = found.lists
    else:
        lists = found.numbered.drop("line").with_columns(pl.lit(1, pl.Int64).alias("rank"))
    own = [name for name in ("utt", "rank", "text", "score") if name in lists.columns]
    return lists.select(*own, pl.exclude(own)), found.notes


def list_file(lists: pl.DataFrame, path: PathLike) -> bytes:
    """Return the content of a file with a row for each hypothesis; its name decides the format.

    `.csv`, `.tsv` and `.parquet` are tables; every other name gives JSON lines.
    """
    suffix, data = PurePath(path).suffix.lower(), BytesIO()
    if suffix in (".csv", ".tsv"):
        lists.write_csv(data, separator="," if suffix == ".csv" else "\t")
    elif suffix == ".parquet":
        lists.write_parquet(data)
    else:
        lists.write_ndjson(data)
    return data.getvalue()
