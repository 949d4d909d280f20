"""Verdicts of people in files: spreadsheets (`.xlsx`, `.csv`, `.tsv`), or JSON that a page saves.

A table has a row for each thing that was judged: two columns that say what it is, the column
`verdict`, and others. JSON has the same rows as objects: `{"verdicts": [{"id": ..., ...}]}`.
Drafts of dictionaries, audits of lexicons and suspects of references are read here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from misword.core.errors import InputError, MissingExtraError, MiswordError, OptionError
from misword.core.formatting import counted
from misword.io.files.path_errors import real_path
from misword.io.files.sources import PathLike, open_source
from misword.io.files.strict_json import CHECK_WHOLE, JsonError, parse_json
from misword.io.formulas import with_formula
from misword.io.lexicons import Lexicon, read_lexicon

ROWS = "verdicts"  # the key of the rows in JSON
Verdict = TypeVar("Verdict", bound=str)


def read_verdict_table(
    path: PathLike, columns: tuple[str, str], fix: str, *, once: bool = True
) -> Lexicon:
    """Read a table of pairs with a column `verdict`; raise if it has none.

    Raises also if a pair is there twice, unless `once` is False.
    """
    table = _from_json(path, columns, fix) if is_json(path) else read_lexicon(path, columns=columns)
    if "verdict" not in table.columns:
        raise InputError("no column 'verdict'", where=table.name, fix=fix)
    for place, lines in table.copies.items() if once else ():
        raise InputError(
            f"{table.source[place]} – {table.target[place]} is also in line {table.lines[place]}",
            where=f"{table.name}:{lines[0]}",
            fix="keep one of the two lines",
        )
    return table


def is_json(path: PathLike) -> bool:
    """Return whether a file has verdicts as JSON, by its name."""
    return Path(os.fspath(path)).suffix.lower() == ".json"


def _from_json(path: PathLike, columns: tuple[str, str], fix: str) -> Lexicon:
    """Return the rows of JSON as a table; their numbers, from 1, stand for lines."""
    source = open_source(path)
    try:
        content = parse_json(source.text)
    except JsonError as error:
        raise InputError(str(error), where=source.at(), fix=CHECK_WHOLE) from None
    rows = content.get(ROWS) if isinstance(content, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"no list {ROWS!r} in it", where=source.at(), fix=fix)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for number, row in enumerate(rows, 1):
        for name in (*columns, "verdict"):
            if not isinstance(row.get(name), str):
                what = f"no text {name!r} in verdict {number}"
                raise InputError(what, where=source.at(), fix=fix)
    texts = {name: tuple(_text(row.get(name)) for row in rows) for name in names}
    lines = tuple(range(1, len(rows) + 1))
    one, other = (texts.pop(name, ()) for name in columns)
    seen: dict[tuple[str, str], int] = {}
    copies: dict[int, tuple[int, ...]] = {}
    for place, pair in enumerate(zip(one, other, strict=True)):
        if (first := seen.setdefault(pair, place)) != place:
            copies[first] = (place + 1,)
    if not rows:
        texts["verdict"] = ()
    return Lexicon(one, other, lines, source.shown, texts, (), copies)


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def plain_cells(path: PathLike, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of cells without the apostrophes that CSV has before formulas."""
    if Path(os.fspath(path)).suffix.lower() != ".csv":
        return tuple(texts)
    return tuple(map(with_formula, texts))


def verdict_of(
    text: str, spellings: Mapping[str, Verdict], names: Sequence[str], where: str
) -> Verdict:
    """Return the verdict that a cell says in one of its spellings; raise if it says none."""
    verdict = spellings.get(text.strip().lower())
    if verdict is None:
        raise InputError(
            f"verdict {text!r}", where=where, fix=f"write {', '.join(names)}, or nothing"
        )
    return verdict


def check_replaced(
    path: PathLike,
    judged: PathLike | Sequence[PathLike] | None,
    columns: tuple[str, str] = ("source", "target"),
) -> None:
    """Raise if `path` has verdicts that would be lost.

    The verdicts of the files `judged` are kept. `columns` are the two that say what a row is about.
    """
    if not os.path.isfile(path) or not os.path.getsize(path):
        return
    read = [judged] if isinstance(judged, str | os.PathLike) else judged or []
    if any(real_path(one) == real_path(path) for one in read):
        return
    open_source(path)  # a file that cannot be read may have verdicts
    try:
        table = _from_json(path, columns, "") if is_json(path) else read_lexicon(
            path, columns=columns
        )  # fmt: skip
    except MissingExtraError:
        raise
    except MiswordError:  # a file without verdicts is replaced like any other output
        return
    count = sum(bool(text.strip()) for text in table.columns.get("verdict", ()))
    if count:
        raise OptionError(
            f"it has {counted(count, 'verdict')}, which would be lost",
            where=os.fspath(path),
            fix=f"keep them with --judged {os.fspath(path)}, or name another file",
        )
