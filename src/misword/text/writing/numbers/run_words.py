"""Which words of a vocabulary belong to runs of English numbers."""

from __future__ import annotations

from collections.abc import Sequence

from misword.text.writing import BETWEEN, MAKES_RUN, WITHIN_RUN
from misword.text.writing.numbers import tables
from misword.text.writing.numbers.atoms import (
    CURRENCY,
    NUMBER_WORDS,
    NUMERIC,
    PUNCTUATION,
    WORD,
    atoms_of,
)

# Number words that are often something else; they do not make a run.
_AMBIGUOUS = frozenset({"o", "oh", "ones"})
_WITHIN = frozenset(
    {"a", "point", "minus", "negative", "percent", "pct", "per"}
    | {"o'clock", "oclock", "am", "pm", "plus", "times", "number", "no", "half", "quarter"}
    | {
        "dash",
        "hyphen",
        "dot",
        "double",
        "triple",
        "us",
        "canadian",
        "australian",
        "quarters",
        "halves",
    }
    | tables.MONTHS.keys()
    | tables.CURRENCIES.keys()
    | tables.CENTS.keys()
    | tables.MAGNITUDE_LETTERS.keys()
    | tables.DENOMINATORS.keys()
    | tables.MEASURE_WORDS
    | set("abcdefghijklmnopqrstuvwxyz")
)
# Words that no number begins or ends with, as `to` in `of 5 to`.
_BETWEEN = frozenset({"and", "of", "or", "through", "to"})
# Words that no name with a number begins or ends with; they would make runs of whole sentences.
_NEVER = frozenset({"the", "in", "is", "that", "it", "we", "you", "this", "was", "are", "our"})


def _known_words() -> dict[str, int]:
    known = dict.fromkeys(_WITHIN, WITHIN_RUN) | dict.fromkeys(_BETWEEN, BETWEEN)
    for word in NUMBER_WORDS:
        known[word] = WITHIN_RUN if word in _AMBIGUOUS else MAKES_RUN
        known[f"{word}fold"] = MAKES_RUN
    makes_run = {"half", "dollar", *map(str.lower, tables.ROMAN_NUMERALS), *tables.PHASES}
    return known | dict.fromkeys(makes_run, MAKES_RUN)


_KNOWN = _known_words()


def run_words(words: Sequence[str]) -> list[int]:
    """Return for each word whether it can be part of a run, as `Family.run_words` says.

    A word that is joined to a number anywhere in the vocabulary may be within a run: if one text
    has `COVID-19`, then `covid` may be, for `covid nineteen`.
    """
    kinds = []
    parts: set[str] = set()
    stripped = [word.strip(PUNCTUATION).lower() for word in words]
    for word, text in zip(words, stripped, strict=True):
        kind = _KNOWN.get(text, 0)
        if not kind and text and not text.isalpha():
            kind = _joined(word, parts)
        kinds.append(kind)
    parts -= _NEVER
    if parts:
        for place, text in enumerate(stripped):
            if not kinds[place] and text in parts:
                kinds[place] = WITHIN_RUN
    return kinds


def _joined(word: str, parts: set[str]) -> int:
    """Return the kind of a word with signs; add the words that are joined to its numbers."""
    atoms = atoms_of(word)
    if not any(atom.kind in NUMERIC for atom in atoms):
        if len(atoms) != 1:
            return 0
        text, currency = atoms[0].text, atoms[0].kind == CURRENCY
        return BETWEEN if text in _BETWEEN else WITHIN_RUN if currency or text in _WITHIN else 0
    parts.update(atom.text for atom in atoms if atom.kind == WORD)
    return MAKES_RUN
