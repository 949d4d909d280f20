"""Keywords: terms of one word or several, each with a class, and where they are in texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from misword.alignment.phrases import find_longest
from misword.asr.entities.kernels import RowSpans
from misword.core.errors import InputError, OptionError
from misword.core.types import Tokens
from misword.io.files.sources import Source, open_source

# Terms, or the class of each term, or a file of terms, or a function that returns terms.
KeywordList = (
    str | PathLike[str] | Mapping[str, str] | Iterable[str] | Callable[[], Mapping[str, str]]
)
CLASS = "keyword"  # the class of terms that are listed without one
HEADER = (("term", "class"), ("keyword", "class"))
FIX = "each line is a term, or a term, a tab (in .csv files a comma) and its class"


def read_keywords(path: str | PathLike[str]) -> dict[str, str]:
    """Read a list of terms: the class of each term, `keyword` if the file gives none.

    Each line is a term, or a term, a tab and its class; in .csv files the separator is a comma.
    The first line may be a header, `term` and `class`. `# ` starts a comment.
    """
    source = open_source(path)
    terms: dict[str, str] = {}
    for line, fields in _lines(source):
        where = source.at(line)
        if len(fields) > 2:
            raise InputError(f"{len(fields)} fields", where=where, fix=FIX)
        term, kind = " ".join(fields[0].split()), " ".join(fields[1].split())
        if not term or not kind:
            raise InputError("no term" if not term else "no class", where=where, fix=FIX)
        if terms.setdefault(term, kind) != kind:
            raise InputError(
                f"{term!r} has the classes {terms[term]!r} and {kind!r}",
                where=where,
                fix="a term has one class",
            )
    if not terms:
        raise InputError("no keywords in it", where=source.at(), fix=FIX)
    return terms


def _lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line with a term, and its fields: term and class."""
    from misword.io.transcripts.field_rows import read_rows, split_lines

    comma = source.name.lower().endswith(".csv")
    rows, numbers = read_rows(source, ",") if comma else split_lines(source)
    for line, fields in zip(numbers, rows, strict=True):
        first = fields[0].strip() if fields else ""
        if not any(field.strip() for field in fields) or first == "#" or first.startswith("# "):
            continue
        if line == 1 and tuple(field.strip().lower() for field in fields) in HEADER:
            continue
        yield line, fields if len(fields) > 1 else [*fields, CLASS]


def terms_of(keywords: KeywordList) -> dict[str, str]:
    """Return the class of each term of a list of keywords in any form."""
    if isinstance(keywords, str | PathLike):
        return read_keywords(keywords)
    listed: Any = keywords() if callable(keywords) else keywords
    terms = dict(listed) if isinstance(listed, Mapping) else dict.fromkeys(listed, CLASS)
    for term, kind in terms.items():
        if not isinstance(term, str) or not isinstance(kind, str) or not term.split() or not kind:
            raise OptionError(f"keywords: {term!r} of class {kind!r}", fix="give texts with words")
    if not terms:
        raise OptionError("the list of keywords is empty", fix="give at least one term")
    return terms


def find_terms(
    tokens: Tokens, terms: Tokens, class_of: Sequence[int], classes: tuple[str, ...]
) -> RowSpans:
    """Return the terms in texts as spans; term `t` has the class `classes[class_of[t]]`.

    The terms of a row do not overlap: the leftmost is taken, and of those that begin at one word
    the longest.
    """
    return RowSpans(*find_longest(tokens, terms, np.array(class_of, np.int32)), classes)
