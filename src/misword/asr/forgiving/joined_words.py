"""Compounds: words that are written together on one side and apart on the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.phrases import find_compounds
from misword.asr.forgiving.keys import KeyedSpans, Keys, SideSpans
from misword.core.types import Sides, Tokens
from misword.text.writing import Phrase
from misword.text.writing.compounds import Compounds

Numbers = NDArray[np.int64]
HYPHEN, SLASH = "-", "/"
# With which words a sequence of words can be the same: all with its letters, or those with hyphens.
NONE, HYPHENATED, ALL = 0, 1, 2


class Apart(NamedTuple):
    """Sequences of words, a word of the vocabulary with the same letters, and what is allowed."""

    row: Numbers
    start: Numbers
    end: Numbers
    word: Numbers
    allowed: Numbers


def compound_spans(
    sides: Sides, bases: list[str], family: Compounds, number: int, lang: str, keys: Keys
) -> SideSpans:
    """Return the spans of words and of sequences of words with equal letters.

    `bases` are the base forms of the words of the vocabulary.

    Letters have one key for all words that have them, and one for the words with a hyphen and for
    the sequences that are the same as these only.
    """
    letters = family.letters(sides[0].vocabulary[:], lang)
    numbers: dict[str, int] = {}
    form_of = np.fromiter((numbers.setdefault(text, len(numbers)) for text in letters), np.int64)
    apart = [_apart(side, letters, bases, family, lang) for side in sides]
    # A single word needs a span if its letters are also those of several words, or if they are
    # those of another word with other signs, which has another base form.
    distinct = dict(zip(bases, form_of.tolist(), strict=True))
    needed = np.bincount(np.fromiter(distinct.values(), np.int64), minlength=len(numbers)) > 1
    for found in apart:
        needed[form_of[found.word]] = True
    if "" in numbers:
        needed[numbers[""]] = False
    hyphenated = np.fromiter((HYPHEN in form or SLASH in form for form in bases), np.bool_)
    spans: tuple[list[KeyedSpans], list[KeyedSpans]] = [], []
    for divided, found in enumerate(apart):
        # A sequence on one side is the same as a word on the other, not as a sequence.
        key_of = _keys(f"{divided}", numbers, needed, number, keys)
        spans[divided].append(KeyedSpans(*found[:3], key_of[found.allowed, form_of[found.word]]))
        for side, listed in zip(sides, spans, strict=True):
            listed.append(_single(side, needed[form_of], key_of[ALL, form_of]))
            chosen = needed[form_of] & hyphenated
            listed.append(_single(side, chosen, key_of[HYPHENATED, form_of]))
    references, hypotheses = (KeyedSpans.join(listed) for listed in spans)
    return references, hypotheses


def _keys(
    name: str, forms: dict[str, int], needed: NDArray[np.bool_], number: int, keys: Keys
) -> Numbers:
    """Return the keys of the needed forms, for HYPHENATED and for ALL."""
    key_of = np.full((ALL + 1, len(forms)), -1, np.int64)
    for text, form in forms.items():
        if needed[form]:
            key_of[ALL, form] = keys.number(number, f"{name} {text}")
            key_of[HYPHENATED, form] = keys.number(number, f"{name} {HYPHEN} {text}")
    return key_of


def _single(side: Tokens, chosen: NDArray[np.bool_], key_of: Numbers) -> KeyedSpans:
    """Return a span for each occurrence of the chosen words of the vocabulary."""
    places = np.flatnonzero(chosen[side.ids])
    rows = np.searchsorted(side.offsets, places, side="right") - 1
    start = places - side.offsets[rows]
    return KeyedSpans(rows, start, start + 1, key_of[side.ids[places]])


def _apart(
    side: Tokens, letters: list[str], bases: list[str], family: Compounds, lang: str
) -> Apart:
    """Return the sequences of words that are written together in another place."""
    row, start, end, word = find_compounds(side, letters, family.most)
    known: dict[bytes, int] = {}
    allowed = np.zeros(len(row), np.int64)
    flat = side.offsets[row] + start
    for place, (lo, size) in enumerate(zip(flat.tolist(), (end - start).tolist(), strict=True)):
        ids = side.ids[lo : lo + size]
        key = ids.tobytes()
        if key not in known:
            known[key] = _allowed(tuple(bases[i] for i in ids.tolist()), family, lang)
        allowed[place] = known[key]
    chosen = allowed != NONE
    return Apart(*(column[chosen] for column in (row, start, end, word, allowed)))


def _allowed(parts: Phrase, family: Compounds, lang: str) -> int:
    if family.allowed(parts, lang):
        return ALL
    return HYPHENATED if family.allowed(parts, lang, [HYPHEN.join(parts)]) else NONE
