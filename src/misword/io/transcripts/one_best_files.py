"""Writing of one text per utterance, in a format that the name of the file decides."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING

from misword.core.errors import InputError
from misword.io.files.sources import PathLike

if TYPE_CHECKING:
    import polars as pl


def one_best_file(texts: pl.DataFrame, path: PathLike) -> bytes:
    """Return the content of a file with the columns `utt`, `rank` (if any) and `text` of a table.

    `.csv`, `.tsv` and `.jsonl` files have these columns. `.trn` files have the id in parentheses
    after the text, `.txt` files have texts without ids, a line each. All others have the id before
    the text, as Kaldi's `text` file. In formats of lines, white space in a text becomes one space.
    """
    if texts["text"].null_count():
        raise InputError(
            "there is no text for some utterances, because rows were joined",
            where=str(path),
            fix="leave out the preset",
        )
    suffix = PurePath(path).suffix.lower()
    table = texts.select([name for name in ("utt", "rank", "text") if name in texts.columns])
    if suffix in (".csv", ".tsv"):
        return table.write_csv(separator="," if suffix == ".csv" else "\t").encode()
    if suffix == ".jsonl":
        return _joined(json.dumps(row, ensure_ascii=False) for row in table.iter_rows(named=True))
    pairs = texts.select("utt", "text").iter_rows()
    lines = [(utt, " ".join(text.split())) for utt, text in pairs]
    if suffix == ".txt":
        return _joined(text for _, text in lines)
    for utt, _ in lines:
        if utt.split() != [utt]:
            raise InputError(
                f"the id {utt!r} has white space, which this format does not allow",
                where=str(path),
                fix="write a .csv, .tsv or .jsonl file",
            )
    if suffix == ".trn":
        return _joined(f"{text} ({utt})".lstrip() for utt, text in lines)
    return _joined(f"{utt} {text}".rstrip() for utt, text in lines)


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
