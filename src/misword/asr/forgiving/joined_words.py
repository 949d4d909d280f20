"""Compounds: words that are written together on one side and apart on the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.alignment.phrases import find_compounds
from misword.asr.forgiving.keys import KeyedSpans, Keys, SideSpans
from misword.core.types import Sides, Tokens
from misword.text.writing.compounds import Compounds

Numbers = NDArray[np.int64]
Columns = tuple[Numbers, Numbers, Numbers, Numbers]


def compound_spans(
    sides: Sides, family: Compounds, number: int, lang: str, keys: Keys
) -> SideSpans:
    """Return the spans of words and of sequences of words with equal letters."""
    words = sides[0].vocabulary[:]
    letters = family.letters(words, lang)
    numbers: dict[str, int] = {}
    form_of = np.fromiter((numbers.setdefault(text, len(numbers)) for text in letters), np.int64)
    apart = [_apart(side, letters, words, family, lang) for side in sides]
    # A single word needs a span if its letters are also those of several words, or of another word.
    needed = np.bincount(form_of, minlength=len(numbers)) > 1
    for _, _, _, form in apart:
        needed[form_of[form]] = True
    if "" in numbers:
        needed[numbers[""]] = False
    key_of = np.full(len(numbers), -1, np.int64)
    for text, form in numbers.items():
        if needed[form]:
            key_of[form] = keys.number(number, text)
    found = []
    for side, (row, start, end, form) in zip(sides, apart, strict=True):
        single = np.flatnonzero(needed[form_of[side.ids]])
        rows = np.searchsorted(side.offsets, single, side="right") - 1
        place = single - side.offsets[rows]
        columns = (
            np.concatenate([row, rows]),
            np.concatenate([start, place]),
            np.concatenate([end, place + 1]),
            key_of[form_of[np.concatenate([form, side.ids[single].astype(np.int64)])]],
        )
        found.append(KeyedSpans(*columns))
    return found[0], found[1]


def _apart(
    side: Tokens, letters: list[str], words: list[str], family: Compounds, lang: str
) -> Columns:
    """Return the sequences of words that are written together in another place.

    The last column is a word of the vocabulary with the same letters.
    """
    row, start, end, form = find_compounds(side, letters, family.most)
    allowed: dict[bytes, bool] = {}
    chosen = np.zeros(len(row), np.bool_)
    flat = side.offsets[row] + start
    for place, (lo, size) in enumerate(zip(flat.tolist(), (end - start).tolist(), strict=True)):
        ids = side.ids[lo : lo + size]
        key = ids.tobytes()
        if key not in allowed:
            parts = tuple(words[word] for word in ids.tolist())
            allowed[key] = family.allowed(parts, lang)
        chosen[place] = allowed[key]
    return row[chosen], start[chosen], end[chosen], form[chosen]
