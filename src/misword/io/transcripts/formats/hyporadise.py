"""N-best lists of HyPoradise: a JSON array of lists with their references."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.sources import BOM, Source
from misword.io.files.strict_json import CHECK_WHOLE, JsonError, is_encodable, parse_json
from misword.io.transcripts.columns import ID_NAMES, Columns, SourceTranscripts
from misword.io.transcripts.formats import Hypotheses, ListFormat

LIST, REFERENCE = "input", "output"
HEAD_BYTES = 1 << 20
ITEM_FIX = (
    'each item must be an object like {"input": ["best text", "second", ...], "output": "..."}'
)


@dataclass(frozen=True, slots=True)
class HyPoradise(ListFormat):
    """A JSON array of objects: `input` is a list of hypotheses, best first, `output` the reference.

    One file has both sides: `misword score test.json`. An id (`id`, `utt`, ...) is used if all
    items have it; otherwise the items are numbered. There are no scores.

    Reference: https://github.com/Hypotheses-Paradise/Hypo2Trans
    """

    name: ClassVar[str] = "hyporadise"
    sign: ClassVar[bytes] = b"{"
    title: ClassVar[str] = "HyPoradise"
    may_be_named_as: ClassVar[str] = "jsonl"
    both_sides: ClassVar[bool] = True

    def looks_like(self, source: Source) -> bool:
        """Whether the file begins with an array of objects, with both keys near its beginning."""
        head = source.data[:HEAD_BYTES].removeprefix(BOM).lstrip()
        items = head.startswith(b"[") and head[1:].lstrip().startswith(b"{")
        return items and all(b'"%s"' % key.encode() in head for key in (LIST, REFERENCE))

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return the references, or the lists of hypotheses."""
        items = read_items(source)
        ids = item_ids(items, source)
        names = ids or [str(place) for place in range(1, len(items) + 1)]
        if columns.role == "reference":
            return SourceTranscripts(_references(items, ids))
        found = Hypotheses(source)
        for utt, item in zip(names, items, strict=True):
            for text in item[LIST]:
                found.add(utt, text, None, {})
        return found.reading(by_position=ids is None)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the file with other references."""
        items = read_items(source)
        new = [{**item, REFERENCE: text} for item, text in zip(items, texts, strict=True)]
        return (json.dumps(new, ensure_ascii=False, indent=1) + "\n").encode()


def read_items(source: Source) -> list[dict[str, Any]]:
    """Return the items of the array; raise if one of them is not a list with its reference."""
    try:
        items = parse_json(source.text)
    except JsonError as error:
        raise InputError(str(error), where=source.at(), fix=CHECK_WHOLE) from None
    if not isinstance(items, list) or not items:
        raise InputError("no JSON array with items", where=source.at(), fix=ITEM_FIX)
    for place, item in enumerate(items, start=1):
        if not isinstance(item, dict) or not {LIST, REFERENCE} <= item.keys():
            _refuse_item(source, place, f"no {LIST!r} or no {REFERENCE!r}")
        texts = item[LIST]
        if not isinstance(texts, list) or not texts:
            _refuse_item(source, place, f"{LIST!r} is not a list, or is empty")
        for text in (*texts, item[REFERENCE]):
            if not isinstance(text, str) or "\0" in text or not is_encodable(text):
                _refuse_item(
                    source, place, "a text is not a string, or has NUL or half of a surrogate pair"
                )
    return items


def item_ids(items: Sequence[dict[str, Any]], source: Source) -> list[str] | None:
    """Return the ids if all items have them under one usual name, else None."""
    for name in ID_NAMES:
        found = [item.get(name) for item in items]
        if all(isinstance(value, str | int) and str(value) for value in found):
            ids = [str(value) for value in found]
            if len(set(ids)) < len(ids):
                place = next(n for n, utt in enumerate(ids) if utt in ids[:n])
                _refuse_item(source, place + 1, f"duplicate id {ids[place]!r}")
            return ids
    return None


def _references(items: Sequence[dict[str, Any]], ids: Sequence[str] | None) -> pl.DataFrame:
    columns = [
        pl.Series("text", [item[REFERENCE] for item in items], pl.String),
        pl.Series("line", [None] * len(items), pl.Int64),
    ]
    if ids is not None:
        columns.insert(0, pl.Series("utt", ids, pl.String))
    return pl.DataFrame(columns)


def _refuse_item(source: Source, place: int, what: str) -> NoReturn:
    raise InputError(f"item {place}: {what}", where=source.at(), fix=ITEM_FIX)
