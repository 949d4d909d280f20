"""Entities that the references are tagged with: tags of nlp files, or a column of spans or tags."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from misword.asr.entities.spans import Spans
from misword.core.errors import InputError, OptionError
from misword.core.types import Corpus
from misword.io.files.strict_json import JsonError, parse_json

if TYPE_CHECKING:
    import polars as pl

COLUMN = "entities"  # the column of the references that is read if none is named
# A tag of one word: outside, or its place in the span and the class.
TAG = re.compile(r"O|([BIESLU])-(\S+)")
FIX = (
    'a column of entities has spans in characters, [[0, 5, "PERSON"], ...], or a tag for each '
    "word: B-PERSON I-PERSON O"
)


def take_tags(corpus: Corpus, column: str = "") -> tuple[Corpus, Spans]:
    """Return the corpus without its column of tags, and the spans of the tagged words.

    `column` names the column of the references. If it is empty, the tags are those of nlp files,
    or of the column `entities`.
    """
    if not column and (words := tagged_words(corpus)) is not None:
        return corpus, spans_of_words(words, corpus.references["utt"])
    name = column or COLUMN
    if name not in corpus.metadata:
        known = ", ".join(corpus.metadata) or "none"
        raise OptionError(
            f"the references have no tags: no column {name!r} (columns: {known})",
            fix="name the column: --entities tags:COLUMN; or give nlp references with --tags-from",
        )
    frame = corpus.references
    spans = spans_of_column(frame["utt"].to_list(), frame["text"].to_list(), frame[name])
    return replace(corpus, references=frame.drop(name)), spans


def tagged_words(corpus: Corpus) -> pl.DataFrame | None:
    """Return the words of nlp references, which have tags; None for other formats."""
    words = corpus.words
    return words if words is not None and COLUMN in words.columns else None


def spans_of_words(words: pl.DataFrame, ids: pl.Series) -> Spans:
    """Return the entities of nlp references: consecutive words with the same id are a span."""
    import polars as pl

    rows = pl.DataFrame({"utt": ids}).with_row_index("row")
    tagged = words.select("utt", "place", COLUMN).explode(COLUMN).drop_nulls(COLUMN)
    if not tagged.height:
        raise InputError("no word of the references has a tag", fix="leave --entities tags out")
    parts = pl.col(COLUMN).str.splitn(":", 2).struct
    tagged = tagged.join(rows, on="utt", how="inner").with_columns(
        parts.field("field_0").alias("id"), parts.field("field_1").alias("class")
    )
    untyped = tagged.filter(pl.col("class").is_null())
    if untyped.height:
        raise OptionError(
            f"the type of the entity {untyped['id'][0]!r} of {untyped['utt'][0]!r} is not known",
            fix="name the file or folder with the types: --tags-from wer_tags/",
        )
    tagged = tagged.sort("row", "id", "class", "place")
    place = tagged["place"].to_numpy()
    same = tagged.select(
        (pl.struct("row", "id", "class") == pl.struct("row", "id", "class").shift()).fill_null(
            value=False
        )
    ).to_series()
    first = ~(same.to_numpy() & (np.diff(place, prepend=-2) == 1))
    starts = np.flatnonzero(first)
    ends = np.concatenate([starts[1:], [len(place)]]) - 1
    classes = tagged["class"].unique().sort().to_list()
    numbers = tagged["class"].rank("dense").to_numpy().astype(np.int64) - 1
    row = tagged["row"].to_numpy().astype(np.int64)
    columns = row[starts], place[starts], place[ends] + 1, numbers[starts]
    return Spans.of(columns, classes)


def spans_of_column(ids: Sequence[str], texts: Sequence[str], values: pl.Series) -> Spans:
    """Return the spans of a column: JSON lists of spans in characters, or a tag for each word."""
    listed = values.to_list()
    spans: list[tuple[int, int, int, str]] = []
    for row, (utt, text, value) in enumerate(zip(ids, texts, listed, strict=True)):
        where = f"utterance {utt!r}"
        if value is None or value == "":
            continue
        if isinstance(value, str) and not value.lstrip().startswith("["):
            found = spans_of_tags(value.split(), len(text.split()), where)
        else:
            found = spans_of_characters(value, text, where)
        spans += ((row, *span) for span in found)
    if not spans:
        raise InputError("no reference has a tag", fix=FIX)
    return Spans.from_rows(spans)


def spans_of_tags(
    tags: Sequence[str], words: int, where: str = ""
) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of BIO tags (also BIOES and BILOU): start, end and class.

    As in the evaluation of CoNLL, `I-X` begins a span if the word before is not of class X.

    >>> list(spans_of_tags(["O", "B-PER", "I-PER", "B-PER"], 4))
    [(1, 3, 'PER'), (3, 4, 'PER')]
    """
    if len(tags) != words:
        raise InputError(f"{len(tags)} tags for {words} words", where=where, fix=FIX)
    start, kind = 0, ""
    for place, tag in enumerate([*tags, "O"]):
        parts = TAG.fullmatch(tag)
        if parts is None:
            raise InputError(f"{tag!r} is no tag", where=where, fix=FIX)
        begins = parts[1] in ("B", "S", "U") or (parts[2] or "") != kind
        if kind and begins:
            yield start, place, kind
        if begins:
            start, kind = place, parts[2] or ""
        if parts[1] in ("E", "L", "S", "U"):
            yield start, place + 1, kind
            kind = ""


def spans_of_characters(
    value: object, text: str, where: str = ""
) -> Iterator[tuple[int, int, str]]:
    """Yield the words that spans of characters touch: start, end and class.

    `value` is a list of lists [start, end, class], or this list as JSON; the end is exclusive.

    >>> list(spans_of_characters('[[4, 9, "PERSON"]]', "Hi, Anna, you"))
    [(1, 2, 'PERSON')]
    """
    try:
        listed = parse_json(value) if isinstance(value, str) else value
    except JsonError as error:
        raise InputError(f"no list of spans: {error}", where=where, fix=FIX) from None
    places = [word.span() for word in re.finditer(r"\S+", text)]
    starts, ends = [start for start, _ in places], [end for _, end in places]
    for span in listed if isinstance(listed, list) else [listed]:
        begin, end, kind = _checked(span, text, where)
        first, last = bisect_right(ends, begin), bisect_left(starts, end)
        if first >= last:
            raise InputError(f"the span {span} has no word", where=where, fix=FIX)
        yield first, last, kind


def _checked(span: object, text: str, where: str) -> tuple[int, int, str]:
    """Return start, end and class of a span of characters; raise if it is none."""
    parts = span if isinstance(span, list | tuple) and len(span) == 3 else (None, None, None)
    begin, end, kind = parts
    if type(begin) is not int or type(end) is not int or not isinstance(kind, str) or not kind:
        raise InputError(f"{span!r} is not a span [start, end, class]", where=where, fix=FIX)
    if not 0 <= begin < end <= len(text):
        raise InputError(
            f"the span {span} is not within the text, which has {len(text)} characters",
            where=where,
            fix=FIX,
        )
    return begin, end, kind
