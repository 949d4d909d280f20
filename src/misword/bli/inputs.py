"""Languages, lexicons and candidate files in the forms that the functions of `bli` take."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import isnan, nan
from pathlib import Path

from misword.core.context import CODES, code
from misword.core.errors import InputError, OptionError, did_you_mean
from misword.io.files.sources import PathLike, Source, open_source
from misword.io.lexicons import Lexicon, PairRows, read_lexicon, read_pairs

# The language codes of ISO 639-1; `CODES` has further codes that misword knows.
ISO_639_1 = """\
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln
lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi
pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
TWO_LETTERS = frozenset(ISO_639_1.split())


def language_codes(source: str, target: str) -> tuple[str, str]:
    """Return the codes of two different languages.

    >>> language_codes("en-GB", "deu")
    ('en', 'de')
    """
    first, second = language_code(source, "source"), language_code(target, "target")
    if first == second:
        raise OptionError(
            f"both languages are {first!r}", fix="name the languages of the two columns"
        )
    return first, second


def language_code(language: str, which: str) -> str:
    """Return the code of a language, or raise if there is no such language."""
    found = code(language)
    if found not in CODES and len(found) == 2 and found not in TWO_LETTERS:
        near = did_you_mean(found, sorted(TWO_LETTERS))
        raise OptionError(
            f"the {which} language {language!r} is not a code of ISO 639",
            fix=f"{near}use a code such as en, de, bg, ces",
        )
    return found


# Lexicons in any of the forms that `map_vectors` and `evaluate` take.

LexiconOrPath = Lexicon | PathLike | Iterable[tuple[str, str]]


def open_lexicon(lexicon: LexiconOrPath) -> Lexicon:
    """Return a lexicon, read from its file or made of pairs in memory."""
    if isinstance(lexicon, Lexicon):
        return lexicon
    return read_lexicon(lexicon) if isinstance(lexicon, str | os.PathLike) else Lexicon.of(lexicon)


def missing_column(lexicon: Lexicon, name: str, hint: str = "") -> OptionError:
    """Return the error for a column that a lexicon does not have; `hint` follows the columns."""
    columns = ", ".join(lexicon.columns) or "no columns beside the two columns of words"
    return OptionError(
        f"no column {name!r} in the lexicon", where=lexicon.name, fix=f"it has: {columns}{hint}"
    )


# Candidate lists that other tools made, read from tables and JSON lines.
#
# A row has a word, a candidate and, if there is such a column, its rank or score. In JSON lines,
# `candidates` may also be the whole list of a word.

RANKS = ("rank",)
SCORES = ("score", "probability", "similarity", "cosine")
LISTS = "candidates"  # the column of whole lists
FIX = "use a table with the columns word and candidate and, if there is one, rank or score"

# A candidate and its score, which is nan if the file has none.
Candidate = tuple[str, float]


@dataclass(frozen=True)
class CandidateFile:
    """The candidates of words, the best first, each candidate once.

    Words without any candidate are left out.
    """

    name: str
    candidates: dict[str, tuple[Candidate, ...]]
    path: str = "memory"

    @classmethod
    def read(cls, path: PathLike, name: str | None = None) -> CandidateFile:
        """Read a file.

        Candidates are ordered by a column of ranks, else by a column of scores, of which the
        greatest is the best, else as in the file. In a table without a header, the third column has
        ranks if its numbers count from 1 for each word, else scores.
        """
        source = open_source(path)
        fields = read_pairs(source)
        lists = _lists_of(fields, source) if _has_lists(fields) else _lists_of_rows(fields, source)
        kept = {word: tuple(several) for word, several in lists.items() if several}
        if not kept:
            raise InputError("no candidates in it", where=source.at(), fix=FIX)
        return cls(name or Path(os.fspath(path)).stem, kept, source.shown)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the words and their candidates in order."""
        content = sha256()
        for word, several in self.candidates.items():
            line = "\t".join([word, *(candidate for candidate, _ in several)])
            content.update(f"{line}\n".encode("utf-8", "surrogatepass"))
        return content.hexdigest()


def _has_lists(fields: PairRows) -> bool:
    return len(fields.names) > 1 and fields.names[1].lower() == LISTS


def _lists_of(fields: PairRows, source: Source) -> dict[str, list[Candidate]]:
    """Return the lists of a column that has all candidates of a word."""
    lists: dict[str, list[Candidate]] = {}
    for (word, text, *_), line in zip(fields.rows, fields.lines, strict=True):
        try:
            values = json.loads(text) if text else []
        except ValueError:
            values = None
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise InputError(
                f"the candidates of {word!r} are not a list of words",
                where=source.at(line),
                fix=FIX,
            )
        known = {candidate: nan for candidate, _ in lists.get(word, [])}
        lists[word] = list((known | dict.fromkeys(filter(None, values), nan)).items())
    return lists


def _lists_of_rows(fields: PairRows, source: Source) -> dict[str, list[Candidate]]:
    """Return the lists of a table that has a row for each candidate."""
    names = [name.lower() for name in fields.names]
    ranks, scores = (_column(fields, names, usual, source) for usual in (RANKS, SCORES))
    if not names and any(len(row) > 2 for row in fields.rows):
        third = _numbers(fields, 2, source)
        ranks, scores = (third, None) if _count_from_one(fields, third) else (None, third)
    order = list(range(len(fields.rows)))
    if ranks is not None:
        order.sort(key=ranks.__getitem__)
    elif scores is not None:
        order.sort(key=lambda row: -scores[row])
    lists: dict[str, dict[str, float]] = {word.strip(): {} for word, *_ in fields.rows}
    for row in order:
        word, candidate = (text.strip() for text in fields.rows[row][:2])
        if candidate:
            lists[word].setdefault(candidate, nan if scores is None else scores[row])
    return {word: list(several.items()) for word, several in lists.items()}


def _column(
    fields: PairRows, names: Sequence[str], usual: Sequence[str], source: Source
) -> list[float] | None:
    """Return the numbers of the first column with a usual name; None if there is none."""
    place = next((names.index(name) for name in usual if name in names[2:]), None)
    return None if place is None else _numbers(fields, place, source)


def _numbers(fields: PairRows, place: int, source: Source) -> list[float]:
    """Return a column of numbers; rows without a candidate may have none."""
    numbers = []
    for row, line in zip(fields.rows, fields.lines, strict=True):
        text = row[place].strip() if len(row) > place else ""
        try:
            number = float(text) if row[1].strip() else 0.0
        except ValueError:
            number = nan
        if isnan(number):
            name = fields.names[place] if fields.names else f"column {place + 1}"
            raise InputError(f"no number in {name}: {text!r}", where=source.at(line), fix=FIX)
        numbers.append(number)
    return numbers


def _count_from_one(fields: PairRows, numbers: Sequence[float]) -> bool:
    """Whether the numbers of each word are 1, 2, 3 and so on, in any order."""
    by_word: dict[str, list[float]] = {}
    for (word, *_), number in zip(fields.rows, numbers, strict=True):
        by_word.setdefault(word, []).append(number)
    return all(sorted(of_word) == list(range(1, len(of_word) + 1)) for of_word in by_word.values())
