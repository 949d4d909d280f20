"""Compounds: words that are written together on one side and apart on the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.phrases import find_compounds
from misword.asr.forgiving.keys import KeyedSpans, Keys, SideSpans
from misword.asr.forgiving.sequences import Sequences
from misword.core.types import Sides, Tokens
from misword.text.writing import Phrase
from misword.text.writing.compounds import Compounds

Numbers = NDArray[np.int64]
HYPHEN, SLASH = "-", "/"
# With which words a sequence of words can be the same: all with its letters, or those with hyphens.
NONE, HYPHENATED, ALL = 0, 1, 2


class Apart(NamedTuple):
    """Sequences of words, and a word of the vocabulary with the same letters."""

    row: Numbers
    start: Numbers
    end: Numbers
    word: Numbers

    def take(self, chosen: NDArray[np.bool_]) -> Apart:
        """Return the chosen sequences."""
        return Apart(*(column[chosen] for column in self))


def compound_spans(
    sides: Sides, bases: Sequence[str], family: Compounds, number: int, lang: str, keys: Keys
) -> SideSpans:
    """Return the spans of words and of sequences of words with equal letters.

    `bases` are the base forms of the words of the vocabulary. A sequence on one side is the same as
    a word on the other, not as a sequence; some are the same as words with a hyphen only.
    """
    letters = family.letters(sides[0].vocabulary[:], lang)
    numbers: dict[str, int] = {}
    form_of = np.fromiter((numbers.setdefault(text, len(numbers)) for text in letters), np.int64)
    forms = list(numbers)

    def keys_of_words(kind: str, chosen: Numbers) -> Numbers:
        """Return the keys of the words that have the chosen forms; -1 for other words."""
        key_of = np.full(len(forms), -1, np.int64)
        key_of[chosen] = [keys.number(number, f"{kind} {forms[form]}") for form in chosen.tolist()]
        return key_of[form_of]

    # Words with the same letters and other signs, which have other base forms.
    distinct = np.fromiter(dict(zip(bases, form_of.tolist(), strict=True)).values(), np.int64)
    several = np.bincount(distinct, minlength=len(forms)) > 1
    if "" in numbers:
        several[numbers[""]] = False
    key_of = keys_of_words("word", np.flatnonzero(several))
    spans = [[_single(side, key_of)] for side in sides]
    hyphenated = np.fromiter((HYPHEN in form or SLASH in form for form in bases), np.bool_)
    for divided, side in enumerate(sides):
        found, allowed = _apart(side, letters, bases, family, lang)
        for kind in (HYPHENATED, ALL):
            chosen = found.take(allowed == kind)
            key_of = keys_of_words(f"{divided} {kind}", np.unique(form_of[chosen.word]))
            spans[divided].append(KeyedSpans(*chosen[:3], key_of[chosen.word]))
            joined = key_of if kind == ALL else np.where(hyphenated, key_of, -1)
            spans[1 - divided].append(_single(sides[1 - divided], joined))
    references, hypotheses = (KeyedSpans.join(listed) for listed in spans)
    return references, hypotheses


def _single(side: Tokens, key_of: Numbers) -> KeyedSpans:
    """Return a span for each occurrence of the words of the vocabulary that have a key."""
    places = np.flatnonzero((key_of >= 0)[side.ids])
    rows = np.searchsorted(side.offsets, places, side="right") - 1
    start = places - side.offsets[rows]
    return KeyedSpans(rows, start, start + 1, key_of[side.ids[places]])


def _apart(
    side: Tokens, letters: list[str], bases: Sequence[str], family: Compounds, lang: str
) -> tuple[Apart, Numbers]:
    """Return the sequences of words that are written together in another place, and which is so.

    The numbers say with which words each sequence can be the same: NONE, HYPHENATED or ALL.
    """
    found = Apart(*find_compounds(side, letters, family.most))
    flat = side.offsets[found.row]
    sequences = Sequences()
    of_sequence = sequences.add(side.ids, flat + found.start, flat + found.end)
    allowed = [_allowed(tuple(bases[word] for word in ids), family, lang) for ids in sequences]
    return found, np.array(allowed, np.int64)[of_sequence]


def _allowed(parts: Phrase, family: Compounds, lang: str) -> int:
    if family.allowed(parts, lang):
        return ALL
    return HYPHENATED if family.allowed(parts, lang, [HYPHEN.join(parts)]) else NONE
