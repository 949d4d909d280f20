"""Entities that the references are tagged with: tags of nlp files, or a column of spans or tags."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from misword.asr.entities.spans import (
    SPAN,
    Numbers,
    RowSpans,
    WordSpans,
    check_nesting,
    check_within,
    read_spans,
)
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.types import OF_REFERENCES, Corpus
from misword.io.files.strict_json import JsonError, parse_json
from misword.text.texts import Texts

COLUMN = "entities"  # the default column of the references
# The tag of a word: `O` for outside, or its position in the span (`B`, `I`, ...) and the class.
TAG = re.compile(r"O|([BIESLU])-(\S+)")
FIX = (
    'a column of entities has spans in characters, [[0, 5, "PERSON"], ...], or a tag for each '
    "word: B-PERSON I-PERSON O"
)


def take_tags(corpus: Corpus, column: str = "") -> tuple[Corpus, WordSpans]:
    """Return the corpus without its column of tags, and the spans of the tagged words.

    `column` names the column of the references. If it is empty, the tags are those of nlp files,
    or of the column `entities`.
    """
    frame = corpus.references
    if not column and (words := tagged_words(corpus)) is not None:
        spans = spans_of_words(words, frame["utt"])
        lengths = np.array([len(text.split()) for text in frame["text"].to_list()], np.int64)
        check_within(spans, lengths, frame["utt"])
        check_nesting(spans, frame["utt"], frame["text"])
        return corpus, spans
    name = column or COLUMN
    if name not in corpus.metadata:
        known = ", ".join(corpus.metadata) or "none"
        raise OptionError(
            f"the references have no tags: no column {name!r} (columns: {known})",
            fix="name the column: --entities tags:COLUMN; or give nlp references with --tags-from",
        )
    spans = spans_of_column(frame["utt"], frame["text"], frame[name])
    return replace(corpus, references=frame.drop(name)), spans


def tagged_words(corpus: Corpus) -> pl.DataFrame | None:
    """Return the words of nlp references, which have tags; None for other formats."""
    words = corpus.words_of(OF_REFERENCES)
    return words if words is not None and COLUMN in words.columns else None


def spans_of_words(words: pl.DataFrame, ids: pl.Series) -> WordSpans:
    """Return the entities of nlp references: consecutive words with the same id are a span."""

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
    return WordSpans.of(columns, classes)


def spans_of_column(ids: pl.Series, texts: pl.Series, values: pl.Series) -> WordSpans:
    """Return the spans of a column: JSON lists of spans in characters, or a tag for each word.

    A compiled kernel reads all rows that are written in the usual way. The others are read one by
    one, which also gives the messages about mistakes.
    """
    read, unread = _read_together(texts, values)
    rest = [column.gather(unread).to_list() for column in (ids, texts, values)]
    further: list[tuple[int, int, int, str]] = []
    for row, utt, text, value in zip(unread.tolist(), *rest, strict=True):
        where = f"utterance {utt!r}"
        if value is None or value == "":
            continue
        if isinstance(value, str) and not value.lstrip().startswith("["):
            found = spans_of_tags(value.split(), len(text.split()), where)
        else:
            found = spans_of_characters(value, text, where)
        further += ((row, *span) for span in found)
    check_nesting(WordSpans.from_rows(further), ids, texts)
    spans = _joined(read, further)
    if not len(spans):
        raise InputError("no reference has a tag", fix=FIX)
    return spans


def _read_together(texts: pl.Series, values: pl.Series) -> tuple[RowSpans, Numbers]:
    """Read the rows of a column that the kernel reads; also return the numbers of the others."""

    if values.dtype == pl.String:
        try:
            columns = Texts.of(values.fill_null("")), Texts.of(texts)
        except InputError:  # a text contains NUL, the separator of rows: rows are read one by one
            pass
        else:
            read, unread = read_spans(*columns)
            return read, np.flatnonzero(unread)
    nothing = np.empty((0, SPAN), np.int32), np.zeros(len(texts) + 1, np.int64), ()
    return RowSpans(*nothing), np.arange(len(texts))


def _joined(read: RowSpans, further: Sequence[tuple[int, int, int, str]]) -> WordSpans:
    """Return the spans of both lists; classes are in the order of their first spans."""
    row = np.repeat(np.arange(len(read.at) - 1), np.diff(read.at))
    columns = np.concatenate([row[None], read.table.T.astype(np.int64)])
    if not further:  # the kernel has ordered the spans
        row, start, end, class_of = columns
        return WordSpans(row, start, end, class_of, read.classes)
    numbers = {name: number for number, name in enumerate(read.classes)}
    added = [(*span[:3], numbers.setdefault(span[3], len(numbers))) for span in further]
    columns = np.concatenate([columns, np.array(added, np.int64).T], axis=1)
    columns = columns[:, np.argsort(columns[0], kind="stable")]
    known, first, number = np.unique(columns[3], return_index=True, return_inverse=True)
    order = np.argsort(first)
    columns[3] = np.argsort(order)[number]
    names = list(numbers)
    return WordSpans.of(list(columns), [names[at] for at in known[order].tolist()])


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
            raise InputError(f"{tag!r} is not a BIO tag", where=where, fix=FIX)
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
        raise InputError(f"this is not a list of spans: {error}", where=where, fix=FIX) from None
    places = [word.span() for word in re.finditer(r"\S+", text)]
    starts, ends = [start for start, _ in places], [end for _, end in places]
    for span in listed if isinstance(listed, list) else [listed]:
        begin, end, kind = _checked(span, text, where)
        first, last = bisect_right(ends, begin), bisect_left(starts, end)
        if first >= last:
            raise InputError(f"the span {span} has no word", where=where, fix=FIX)
        yield first, last, kind


def _checked(span: object, text: str, where: str) -> tuple[int, int, str]:
    """Return start, end and class of a span of characters; raise if it is not a valid span."""
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
