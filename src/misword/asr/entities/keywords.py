"""Keywords: terms of one word or several, each with a class, and where they are in texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.entities.spans import Numbers, Spans
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


@dataclass(frozen=True, slots=True, eq=False)
class TermTree:
    """Terms as a tree of words: each path from the root is the beginning of a term.

    `root[w]` is the state after the word number `w`, or -1. `keys` has `state * len(root) + w` for
    each further step, in ascending order, and `next_state` where it leads. `class_of` has the
    class of the term that ends in a state, or -1.
    """

    root: Numbers
    keys: Numbers
    next_state: Numbers
    class_of: Numbers

    @classmethod
    def of(cls, terms: Iterable[tuple[Sequence[int], int]], words: int) -> TermTree:
        """Return the tree of terms: numbers of words, all below `words`, and number of class."""
        steps: dict[tuple[int, int], int] = {}
        ends: dict[int, int] = {}
        for term, number in terms:
            state = -1
            for word in term:
                state = steps.setdefault((state, word), len(steps))
            ends[state] = number
        root, class_of = np.full(words, -1, np.int64), np.full(len(steps), -1, np.int64)
        class_of[list(ends)] = list(ends.values())
        later = sorted((s * words + w, to) for (s, w), to in steps.items() if s >= 0)
        for (state, word), to in steps.items():
            if state < 0:
                root[word] = to
        keys, following = np.array(later, np.int64).reshape(-1, 2).T
        return cls(root, np.ascontiguousarray(keys), following, class_of)

    def find(
        self, tokens: Tokens, word_of: NDArray[np.int32] | None, classes: Sequence[str]
    ) -> Spans:
        """Return the terms in texts as spans; `classes` are the names of the classes.

        The terms of a row do not overlap: the leftmost is taken, of those the longest. `word_of`
        has the number of the word of each token id (None: the id itself).
        """
        root = self.root if word_of is None else self.root[word_of]
        state = root.astype(np.int32)[tokens.ids]
        place = np.flatnonzero(state >= 0)
        state = state[place].astype(np.int64)
        row = np.repeat(np.arange(len(tokens)), tokens.lengths)[place]
        continued = np.zeros(len(self.class_of), np.bool_)
        continued[self.keys // len(self.root)] = True
        start, last = place, tokens.offsets[row + 1]
        size, kind = np.zeros(len(place), np.int64), np.full(len(place), -1, np.int64)
        which, at, depth = np.arange(len(place)), place, 0
        while len(which):
            depth += 1
            ended = self.class_of[state] >= 0
            size[which[ended]], kind[which[ended]] = depth, self.class_of[state[ended]]
            more = continued[state] & (at + 1 < last[which])
            which, at, state = which[more], at[more] + 1, state[more]
            ids = tokens.ids[at].astype(np.int64)
            words = ids if word_of is None else word_of[ids].astype(np.int64)
            key = state * len(self.root) + words
            found = np.searchsorted(self.keys, key)
            known = found < len(self.keys)
            known[known] = self.keys[found[known]] == key[known]
            which, at, state = which[known], at[known], self.next_state[found[known]]
        taken = np.flatnonzero(size > 0)
        taken = taken[_leftmost(start[taken], size[taken])]
        row, size = row[taken], size[taken]
        begin = start[taken] - tokens.offsets[row]
        return Spans.of((row, begin, begin + size, kind[taken]), classes)


def _leftmost(start: Numbers, size: Numbers) -> NDArray[np.bool_]:
    """Whether each term is taken if terms that overlap an earlier one that is taken are not."""
    end = start + size
    taken = np.ones(len(start), np.bool_)
    reached = np.maximum.accumulate(end)
    overlapping = np.flatnonzero(start[1:] < reached[:-1]) + 1
    last = 0  # where the terms that are taken end, among those that overlap others
    for term in overlapping.tolist():
        last = max(last, int(end[term - 1])) if taken[term - 1] else last
        taken[term] = start[term] >= last
    return taken
