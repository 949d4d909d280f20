"""Flags of how a pair is written: script, language, case, duplicate pairs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.lexicon import AuditedLexicon, LexiconColumn, Resource, ranks_of
from misword.bli.flags import Flag, Flagged
from misword.embed.vectors.vocabulary import Vocabulary
from misword.text.scripts import scripts_of


@dataclass(frozen=True, slots=True)
class ScriptFlag(Flag):
    """Words in another script than most words of their column, or with letters of two scripts.

    Example: `misword audit en-bg.txt --source-lang en --target-lang bg --flags script`
    """

    name: ClassVar[str] = "script"
    title: ClassVar[str] = "another script"
    family: ClassVar[str] = "language"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare each word with its column."""
        expected = [column.script for column in lexicon.columns]
        for number, pair in enumerate(lexicon.pairs):
            texts = [_text(*each) for each in zip(pair, expected, strict=True)]
            if any(texts):
                yield Flagged(number, 1.0, "; ".join(filter(None, texts)))


def _text(word: str, expected: str) -> str:
    """Return what is wrong with the script of a word; empty if nothing is."""
    scripts = scripts_of(word)
    others = [script for script in scripts if script != expected]
    if not expected or not others:
        return ""
    if expected in scripts:
        return f"{word!r} has letters of two scripts: {expected} and {others[0]}"
    return f"{word!r} is in {others[0]} script, the column in {expected}"


# Words that are more frequent in the other language.

RANK_RATIO = 10  # by which the rank in the other language must be better
# Probabilities: a word without a vector in its own language, and one with a worse rank there.
ABSENT, RARER = 0.8, 0.6


@dataclass(frozen=True, slots=True)
class LanguageFlag(Flag):
    """Words that the vectors of the other language have, and those of their own have not.

    Also words whose rank is ten times better in the other language. The probabilities are 0.8 and
    0.6.

    Known problems: needs the vectors of both languages. Names and recent loanwords are found too.

    Example: `misword audit gold.txt --source-lang en --target-lang de --source-vectors en.vec
    --target-vectors de.vec --flags language`
    """

    name: ClassVar[str] = "language"
    title: ClassVar[str] = "wrong language"
    family: ClassVar[str] = "language"
    reads: ClassVar[tuple[Resource, ...]] = ("target vectors",)

    def missing(self, lexicon: AuditedLexicon) -> str:
        """Return why the flag cannot be given: both vectors are needed."""
        return lexicon.missing("source vectors") or lexicon.missing("target vectors")

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare the ranks of each word in both languages."""
        found: dict[int, list[tuple[float, str]]] = {}
        for column, other in zip(lexicon.columns, reversed(lexicon.columns), strict=True):
            if column.vocabulary is None or other.vocabulary is None:
                continue
            for number, probability, text in _foreign(column, column.vocabulary, other.vocabulary):
                found.setdefault(number, []).append((probability, f"{text} in {other.lang}"))
        for number, several in sorted(found.items()):
            yield Flagged(number, max(several)[0], "; ".join(text for _, text in several))


def _foreign(
    column: LexiconColumn, own: Vocabulary, other: Vocabulary
) -> Iterator[tuple[int, float, str]]:
    """Yield the words of a column that the other vocabulary has, and its own has not or rarely."""
    ranks, others = ranks_of(own, column.words), ranks_of(other, column.words)
    absent: NDArray[np.bool_] = (ranks == 0) & (others > 0)
    rarer: NDArray[np.bool_] = (ranks > RANK_RATIO * others) & (others > 0)
    for number in np.flatnonzero(absent | rarer).tolist():
        rank = f"rank {ranks[number]:,}" if ranks[number] else "none"
        text = f"{column.words[number]!r}: {rank} in {column.lang}, rank {others[number]:,}"
        yield number, ABSENT if absent[number] else RARER, text


# Words whose case is not that of their column.

RARE = 0.05  # the greatest share of capitals in a column of lower case
FEWEST = 20  # words that a column must have, for a usual case
# Probabilities: a capital in a column of lower case, and evidence from vectors or another pair.
CAPITAL, CERTAIN = 0.6, 0.9


@dataclass(frozen=True, slots=True)
class CaseFlag(Flag):
    """Capitals in a column of lower case, and words that the vectors have in lower case.

    Word vectors are case-sensitive: a gold word with another case than the vectors cannot be found.
    The probability is 0.9 if the vectors have the word in lower case only, or another pair differs
    in case only, and 0.6 for a capital in a column where fewer than one word of twenty has one.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags case`
    """

    name: ClassVar[str] = "case"
    title: ClassVar[str] = "case"
    family: ClassVar[str] = "writing"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look at the case of both columns, and at pairs that differ in case."""
        found: dict[int, list[tuple[float, str]]] = {}
        for column in lexicon.columns:
            for number, probability, text in _odd_words(column):
                found.setdefault(number, []).append((probability, text))
        first: dict[tuple[str, str], int] = {}
        for number, (source, target) in enumerate(lexicon.pairs):
            before = first.setdefault((source.lower(), target.lower()), number)
            if before != number:
                text = f"differs from line {lexicon.lexicon.lines[before]} in case only"
                found.setdefault(number, []).append((CERTAIN, text))
        for number, several in sorted(found.items()):
            yield Flagged(number, max(several)[0], "; ".join(text for _, text in several))


def _odd_words(column: LexiconColumn) -> Iterator[tuple[int, float, str]]:
    """Yield the words that are not written as the rest of the column, or as the vectors."""
    changed = [(number, word) for number, word in enumerate(column.words) if word != word.lower()]
    if not changed:
        return
    exceptions = len(changed) <= RARE * len(column.words) and len(column.words) >= FEWEST
    words = [word for _, word in changed]
    in_lower_case_only = [False] * len(changed)
    if column.vocabulary is not None:
        lower = ranks_of(column.vocabulary, [word.lower() for word in words]) > 0
        in_lower_case_only = (lower & (ranks_of(column.vocabulary, words) == 0)).tolist()
    for (number, word), only_lower in zip(changed, in_lower_case_only, strict=True):
        if only_lower:
            yield number, CERTAIN, f"the vectors have {word.lower()!r}, not {word!r}"
        elif exceptions:
            yield number, CAPITAL, f"{word!r} in a column of lower case"


# Pairs that are in the lexicon more than once.


@dataclass(frozen=True, slots=True)
class DuplicateFlag(Flag):
    """Pairs that are in the file more than once, or again in another Unicode form.

    A duplicate pair counts once in every rate, so nothing is to be left out.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags duplicate`
    """

    name: ClassVar[str] = "duplicate"
    title: ClassVar[str] = "duplicate"
    family: ClassVar[str] = "writing"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Yield the pairs with copies, and those that differ from an earlier one in form only."""
        lines = lexicon.lexicon.lines
        first: dict[tuple[str, ...], int] = {}
        for number, pair in enumerate(lexicon.pairs):
            texts = []
            if copies := lexicon.lexicon.copies.get(number):
                texts.append(f"also in {'lines' if len(copies) > 1 else 'line'} {_listed(copies)}")
            before = first.setdefault(tuple(map(_composed, pair)), number)
            if before != number:
                texts.append(f"line {lines[before]} in another Unicode form")
            if texts:
                yield Flagged(number, 1.0, "; ".join(texts))


def _composed(word: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", word).split())


def _listed(lines: tuple[int, ...]) -> str:
    return ", ".join(map(str, lines))
