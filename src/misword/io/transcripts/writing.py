"""Writing of one text per utterance, in a format that the name of the file decides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import PurePath

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.sources import PathLike
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.detection import refuse_other_name
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.read import read_file, read_transcript, refuse_two_stdins

TABLES = {
    ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "jsonl",
}  # fmt: skip
TEXTS = {**TABLES, ".trn": "trn", ".txt": "lines"}


def text_format(path: PathLike) -> str:
    """Return the format of a file with one text per utterance; raise if none has such a name."""
    return _format(path, TEXTS, "kaldi")


def list_format(path: PathLike) -> str:
    """Return the format of a file with all hypotheses; raise if none has such a name."""
    return _format(path, TABLES, "jsonl")


def _format(path: PathLike, formats: Mapping[str, str], other: str) -> str:
    written = formats.get(PurePath(path).suffix.lower(), other)
    refuse_other_name(path, written, ".csv")
    return written


def one_best_file(texts: pl.DataFrame, path: PathLike) -> bytes:
    """Return the content of a file with the columns `utt`, `rank` (if any) and `text` of a table.

    `.csv`, `.tsv`, `.jsonl` and `.parquet` files have these columns. `.trn` files have the id in
    parentheses after the text, `.txt` files have texts without ids, a line each. All others have
    the id before the text, as Kaldi's `text` file; names of other formats are refused. In formats
    of lines, white space in a text becomes one space.
    """
    if texts["text"].null_count():
        raise InputError(
            "there is no text for some utterances, because rows were joined",
            where=str(path),
            fix="leave out the preset",
        )
    written = text_format(path)
    table = texts.select([name for name in ("utt", "rank", "text") if name in texts.columns])
    if written == "jsonl":
        return _joined(json.dumps(row, ensure_ascii=False) for row in table.iter_rows(named=True))
    if written in TABLES.values():
        return list_file(table, path)
    pairs = texts.select("utt", "text").iter_rows()
    lines = [(utt, " ".join(text.split())) for utt, text in pairs]
    if written == "lines":
        return _joined(text for _, text in lines)
    for utt, _ in lines:
        if utt.split() != [utt]:
            raise InputError(
                f"the id {utt!r} has white space, which this format does not allow",
                where=str(path),
                fix="write a .csv, .tsv or .jsonl file",
            )
    if written == "trn":
        return _joined(f"{text} ({utt})".lstrip() for utt, text in lines)
    return _joined(f"{utt} {text}".rstrip() for utt, text in lines)


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


# Files of N-best lists without references: reading all hypotheses, and writing them again.


def read_lists(
    path: PathLike,
    *,
    references: PathLike | None = None,
    input_format: str | None = None,
    encoding: str | None = None,
    id_column: str | None = None,
    hypothesis_column: str | None = None,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return all hypotheses of a file or folder, and notes on how they were read.

    The table has `utt`, `rank`, `text`, `score` (if there is one) and the other columns, in the
    order of the file. One text per utterance is a list of one. `references` has the references of
    lists without ids: their number tells how many hypotheses belong to an utterance.
    """

    refuse_two_stdins([path] if references is None else [path, references])
    spoken = None
    if references is not None:
        spoken = read_transcript(references, role="reference", encoding=encoding)
    columns = Columns("hypothesis", id_column, hypothesis_column, lists=True)
    found = read_file(path, input_format, encoding, columns, spoken)
    if found.lists is not None:
        lists = found.lists
    else:
        lists = found.numbered.drop("line").with_columns(pl.lit(1, pl.Int64).alias("rank"))
    own = [name for name in ("utt", "rank", "text", "score") if name in lists.columns]
    notes = found.notes
    named = FORMATS.load(found.format).list_ids == "names"
    if spoken is not None and spoken.has_ids and named:
        notes = (*notes, "--references has no effect here: the lists have ids")
    return lists.select(*own, pl.exclude(own)), notes


def list_file(lists: pl.DataFrame, path: PathLike) -> bytes:
    """Return the content of a file with a row for each hypothesis; its name decides the format.

    `.csv`, `.tsv` and `.parquet` are tables; every other name gives JSON lines, and names of other
    formats are refused.
    """
    written, data = list_format(path), BytesIO()
    if written in ("csv", "tsv"):
        lists.write_csv(data, separator="," if written == "csv" else "\t")
    elif written == "parquet":
        lists.write_parquet(data)
    else:
        lists.write_ndjson(data)
    return data.getvalue()
