"""Confidences of words that tables have as lists, a number for each word of the text."""

from __future__ import annotations

from collections.abc import Callable

from misword.core.lazy import pl
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.transcripts.words import listed_words

# Keys of JSON objects with a number for each word; the first is that of misword, then NeMo's.
LISTS = ("confidences", "word_confidence", "word_confidences")
# A key with an object for each word, and the keys of its confidence.
WORDS, OF_WORD = "words", ("confidence", "conf", "probability")
CONFIDENCE_NAMES = (*LISTS, WORDS)


Read = Callable[[object], list[float | None] | None]


def listed_confidences(frame: pl.DataFrame) -> pl.DataFrame | None:
    """Return the words of a transcript with a column of lists; None if it has no such column."""
    column = confidences_of_column(frame)
    if column is None:
        return None
    return listed_words(frame.select("utt", column.alias("confidence")))


def confidences_of_column(frame: pl.DataFrame) -> pl.Series | None:
    """Return a list of numbers for each row of a transcript; None if it has no such column."""
    for name in LISTS:
        if name in frame.columns:
            column = frame[name]
            if isinstance(column.dtype, pl.List):
                return column.cast(pl.List(pl.Float64))
            return _parsed(column, _numbers)
    if WORDS in frame.columns:
        return _parsed(frame[WORDS], _of_words)
    return None


def _parsed(column: pl.Series, read: Read) -> pl.Series | None:
    """Return the lists that JSON texts contain; None if no text is such a list."""
    if column.dtype != pl.String:
        return None
    lists = [None if text is None else read(_json(text)) for text in column.to_list()]
    if all(values is None for values in lists):
        return None
    return pl.Series("confidence", lists, pl.List(pl.Float64))


def _json(text: str) -> object:
    try:
        return parse_json(text)
    except JsonError:
        return None


def _numbers(value: object) -> list[float | None] | None:
    """Return the numbers of a list; other items are None."""
    if not isinstance(value, list):
        return None
    return [_number(item) for item in value]


def _of_words(value: object) -> list[float | None] | None:
    """Return the confidence of each object of a list; None if there is none at all."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    found = [next((_number(item[key]) for key in OF_WORD if key in item), None) for item in value]
    return found if any(number is not None for number in found) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
