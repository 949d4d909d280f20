"""Spans whose meaning depends on their place in a text: words in capitals, and dashes.

`US` and `us` are different words in a text with capital and small letters; in a text without
capital letters, `us` may be both, and `in march` is the month. A dash may be left out like other
punctuation, unless it is the minus of the number behind it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import OPTIONAL
from misword.asr.forgiving.spans import KeyedSpans, Keys, SideSpans
from misword.core.types import Sides, Tokens
from misword.text.writing import Family
from misword.text.writing.numbers.atoms import NUMBER_WORDS
from misword.text.writing.signs import BEFORE_MONTHS, MONTHS, Case, Punctuation
from misword.text.writing.words import LONE_DASHES, base_forms

Flags = NDArray[np.bool_]
_ENDS_SENTENCE = (".", "?", "!", ":", "…")


class _Words(NamedTuple):
    """What is known of the words of a vocabulary.

    `form` is the number of the small form of a word that has another meaning in capitals, or -1;
    `capital` says whether the word is written with capitals; `month`, `before_month` and `number`
    are about the names of months and the words beside them.
    """

    form: NDArray[np.int64]
    capital: Flags
    month: Flags
    before_month: Flags
    number: Flags
    has_upper: Flags
    has_lower: Flags
    ends_sentence: Flags


def placed_spans(
    sides: Sides, families: Iterable[tuple[int, Family]], lang: str, keys: Keys
) -> list[SideSpans]:
    """Return the spans of families that depend on places, given with their numbers."""
    found = []
    for number, family in families:
        if isinstance(family, Case):
            found.append(case_spans(sides, family, number, lang, keys))
        elif isinstance(family, Punctuation):
            found.append(dash_spans(sides, number))
    return found


def case_spans(sides: Sides, family: Case, number: int, lang: str, keys: Keys) -> SideSpans:
    """Return the spans of words that have another meaning in capitals, with their meanings."""
    words = sides[0].vocabulary[:]
    bases = base_forms(words)
    capital = np.fromiter((family.is_another_word(word, lang) for word in words), np.bool_)
    forms = dict.fromkeys(bases[word] for word in np.flatnonzero(capital).tolist())
    if not forms:
        return KeyedSpans.of(()), KeyedSpans.of(())
    numbers = {form: place for place, form in enumerate(forms)}
    known = _Words(
        np.fromiter((numbers.get(base, -1) for base in bases), np.int64),
        capital,
        np.fromiter((base in MONTHS for base in bases), np.bool_),
        np.fromiter((base in BEFORE_MONTHS for base in bases), np.bool_),
        np.fromiter((base[:1].isdigit() or base in NUMBER_WORDS for base in bases), np.bool_),
        np.fromiter((word != word.lower() for word in words), np.bool_),
        np.fromiter((word != word.upper() for word in words), np.bool_),
        np.fromiter((word.endswith(_ENDS_SENTENCE) for word in words), np.bool_),
    )
    meanings = [_meanings(side, known) for side in sides]
    found = [
        _case_spans(ours, theirs, known, number, keys)
        for ours, theirs in (meanings, meanings[::-1])
    ]
    return found[0], found[1]


class _Meanings(NamedTuple):
    """The places of ambiguous words in the texts of a side, and which meanings each can have."""

    side: Tokens
    place: NDArray[np.int64]
    small: Flags
    capital: Flags


def _case_spans(
    ours: _Meanings, theirs: _Meanings, words: _Words, number: int, keys: Keys
) -> KeyedSpans:
    """Return the spans of one side.

    The meaning in small letters is needed only if the other side has it in capitals.
    """
    ids, other = ours.side.ids[ours.place], theirs.side.ids[theirs.place]
    form = words.form[ids]
    wanted = np.isin(form, words.form[other][words.capital[other] & theirs.small])
    spans = []
    for name, flags in (("small", ours.small & wanted), ("capital", ours.capital)):
        chosen = np.flatnonzero(flags)
        key = [keys.number(number, f"{name} {form[at]}") for at in chosen.tolist()]
        spans.append(_single(ours.side, ours.place[chosen], np.array(key, np.int64)))
    return KeyedSpans.join(spans)


def _meanings(side: Tokens, words: _Words) -> _Meanings:
    """Find the ambiguous words of a side."""
    place = np.flatnonzero((words.form >= 0)[side.ids])
    row = np.searchsorted(side.offsets, place, side="right") - 1
    upper, lower = (_any_in_row(side, flags, row) for flags in (words.has_upper, words.has_lower))
    capital = words.capital[side.ids[place]]
    first = place == side.offsets[row]
    starts = first | words.ends_sentence[side.ids[np.maximum(place - 1, 0)]]
    one_capital = capital & words.has_lower[side.ids[place]]
    small = ~capital | ~lower | (one_capital & starts)
    before, behind = (side.ids[np.clip(place + step, 0, len(side.ids) - 1)] for step in (-1, 1))
    last = place + 1 == side.offsets[row + 1]
    month = (words.before_month[before] & ~first) | (words.number[behind] & ~last)
    large = capital | ~upper | (words.month[side.ids[place]] & month)
    return _Meanings(side, place, small, large)


def _any_in_row(side: Tokens, flags: Flags, row: NDArray[np.int64]) -> Flags:
    """Return whether a word with a flag is in each of some rows, which are not empty."""
    filled = np.flatnonzero(np.diff(side.offsets))
    found = np.zeros(len(side), np.bool_)
    found[filled] = np.logical_or.reduceat(np.take(flags, side.ids), side.offsets[filled])
    return found[row]


def dash_spans(sides: Sides, number: int) -> SideSpans:
    """Return the dashes that may be left out: those that are not the minus of a number."""
    words = sides[0].vocabulary[:]
    dash = np.fromiter((word in LONE_DASHES for word in words), np.bool_)
    if not dash.any():
        return KeyedSpans.of(()), KeyedSpans.of(())
    number_start = np.fromiter((word.lstrip("$€£.")[:1].isdigit() for word in words), np.bool_)
    number_end = np.fromiter((word[-1:].isdigit() or word[-1:] == "%" for word in words), np.bool_)
    found = []
    for side in sides:
        place = np.flatnonzero(dash[side.ids])
        row = np.searchsorted(side.offsets, place, side="right") - 1
        behind = np.minimum(place + 1, len(side.ids) - 1)
        before_number = number_start[side.ids[behind]] & (place + 1 < side.offsets[row + 1])
        after_number = number_end[side.ids[np.maximum(place - 1, 0)]] & (place > side.offsets[row])
        chosen = place[~before_number | after_number]
        found.append(_single(side, chosen, np.full(len(chosen), OPTIONAL - number)))
    return found[0], found[1]


def _single(side: Tokens, place: NDArray[np.int64], key: NDArray[np.int64]) -> KeyedSpans:
    """Return spans of one word each."""
    row = np.searchsorted(side.offsets, place, side="right") - 1
    start = place - side.offsets[row]
    return KeyedSpans(row, start, start + 1, key)
