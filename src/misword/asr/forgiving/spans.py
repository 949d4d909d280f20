"""Spans of words with the keys by which families read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import OPTIONAL
from misword.alignment.phrases import find_phrases
from misword.asr.forgiving.joined_words import compound_spans
from misword.asr.forgiving.keys import KeyedSpans, Keys, SideSpans
from misword.asr.forgiving.runs import run_spans
from misword.core.types import Sides, Tokens
from misword.text.writing import Family, Phrase
from misword.text.writing.base_forms import base_forms
from misword.text.writing.compounds import Compounds


def family_spans(
    sides: Sides,
    families: Iterable[tuple[int, Family]],
    lang: str,
    compared: NDArray[np.int64],
    keys: Keys,
) -> list[SideSpans]:
    """Return the spans of references and hypotheses that families read, given with their numbers.

    The sides share a vocabulary of words as they are written. `compared` are the pairs of rows that
    differ.
    """
    words = sides[0].vocabulary[:]
    texts, listed = FormTexts.of(sides, base_forms(words)), list(families)
    forms = texts.forms
    classes = [(number, family.classes(forms, lang)) for number, family in listed]
    found = [class_spans(texts, classes, keys)]
    written = [(number, list(family.word_classes(words, lang))) for number, family in listed]
    if any(of_family for _, of_family in written):
        found.append(class_spans(FormTexts.of(sides, words), written, keys, "words"))
    for number, family in listed:
        found.append(run_spans(sides, family, number, lang, keys, compared))
        if isinstance(family, Compounds):
            found.append(compound_spans(sides, texts.form_of_word, family, number, lang, keys))
    return found


def join_spans(parts: Iterable[SideSpans]) -> SideSpans:
    """Return all spans of several lists, without those whose key only one side has.

    Optional spans match no other span, so all of them are returned.
    """
    sides = list(zip(*parts, strict=True)) or [(), ()]
    size = 1 + max((int(part.key.max(initial=-1)) for part in chain(*sides)), default=-1)
    shared = np.ones(size, np.bool_)
    for side in sides:
        present = np.zeros(size, np.bool_)
        for part in side:
            present[part.key[part.key > OPTIONAL]] = True
        shared &= present
    shared = np.append(shared, True)  # for optional spans, since OPTIONAL is -1
    references, hypotheses = (
        KeyedSpans.join(part.take(shared[part.key]) for part in side) for side in sides
    )
    return references, hypotheses


@dataclass(frozen=True, eq=False)
class FormTexts:
    """Texts in which each word has the form that counts: its base form, or the word itself.

    `forms` are the distinct forms, `id_of` has the number of each.
    """

    sides: Sides
    form_of_word: Sequence[str]
    id_of: dict[str, int]

    @classmethod
    def of(cls, sides: Sides, form_of_word: Sequence[str]) -> FormTexts:
        """Number the forms; `form_of_word` has the form of each word of the vocabulary."""
        distinct = dict.fromkeys(form_of_word)
        return cls(sides, form_of_word, dict(zip(distinct, range(len(distinct)), strict=True)))

    @property
    def forms(self) -> list[str]:
        """The distinct forms."""
        return list(self.id_of)

    def present(self, phrases: Iterable[Phrase]) -> list[Phrase]:
        """Return the phrases of at least one word whose words are all in the texts."""
        return [p for p in phrases if p and all(word in self.id_of for word in p)]

    @cached_property
    def form_sides(self) -> Sides:
        """The numbers of the forms in the texts."""
        ids = np.fromiter(map(self.id_of.__getitem__, self.form_of_word), np.int32)
        forms = self.forms
        reference, hypothesis = (Tokens(ids[side.ids], side.offsets, forms) for side in self.sides)
        return reference, hypothesis


def class_spans(
    texts: FormTexts,
    classes: Iterable[tuple[int, Iterable[Iterable[Phrase]]]],
    keys: Keys,
    kind: str = "class",
) -> SideSpans:
    """Return the spans of the phrases of classes, which are given with the number of a family.

    `kind` tells lists of one family apart.
    """
    phrases: list[Phrase] = []
    key_of: list[int] = []
    numbered = ((number, *pair) for number, listed in classes for pair in enumerate(listed))
    for number, class_number, members in numbered:
        present = texts.present(dict.fromkeys(members))
        if len(present) > 1:
            key = keys.number(number, f"{kind} {class_number}")
            phrases += present
            key_of += [key] * len(present)
    return _phrase_spans(texts, phrases, key_of)


def optional_spans(texts: FormTexts, phrases: Iterable[Phrase], number: int) -> SideSpans:
    """Return the spans of phrases that may be left out, by the family of this number."""
    present = texts.present(dict.fromkeys(phrases))
    return _phrase_spans(texts, present, [OPTIONAL - number] * len(present))


def _phrase_spans(texts: FormTexts, phrases: list[Phrase], key_of: list[int]) -> SideSpans:
    """Return the spans of phrases, of which each has a key; all their words are in the texts."""
    if not phrases:
        return KeyedSpans.of(()), KeyedSpans.of(())
    ids = np.fromiter(map(texts.id_of.__getitem__, chain(*phrases)), np.int32)
    offsets = np.cumsum([0, *map(len, phrases)], dtype=np.int64)
    listed = Tokens(ids, offsets, texts.form_sides[0].vocabulary)
    keys_of_phrases = np.array(key_of, np.int64)
    found = []
    for side in texts.form_sides:
        row, start, end, phrase = find_phrases(side, listed)
        found.append(KeyedSpans(row, start, end, keys_of_phrases[phrase]))
    return found[0], found[1]
