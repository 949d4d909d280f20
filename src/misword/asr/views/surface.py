"""Views of the text as it is written: words, characters, graphemes, segmented words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.views import Utterances, View
from misword.core.context import Context
from misword.core.parts import Settings
from misword.core.types import Tokens
from misword.text.segmenters import SEGMENTERS, Segmenter, grapheme_rule, graphemes
from misword.text.tokens import encode_characters, encode_flat, encode_lists

NO_OFFSETS = np.zeros(1, np.int64)


@dataclass(frozen=True, slots=True)
class Word(View):
    """Words as white space separates them; with `lower=true` in lower case.

    Known problems: languages written without spaces need a segmenter (`wer:words=auto`), or CER.
    """

    name: ClassVar[str] = "word"
    unit: ClassVar[str] = "words"

    lower: bool = False

    def settings(self, context: Context) -> Settings:
        """Whether the words are lower-cased; nothing if they are not."""
        return (("lower", "true"),) if self.lower else ()

    def canonical(self, utterances: Utterances) -> View:
        """Return `Word()` where lower-casing changes no word."""
        return Word() if self.lower and utterances.words_are_lower_case else self

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Split the texts at white space."""
        sides = utterances.words
        if not self.lower:
            return sides
        words = [word.lower() for word in sides[0].vocabulary[:]]
        lowered = encode_flat(words, NO_OFFSETS)
        references, hypotheses = (
            Tokens(lowered.ids[side.ids], side.offsets, lowered.vocabulary) for side in sides
        )
        return references, hypotheses


@dataclass(frozen=True, slots=True)
class Character(View):
    """Unicode code points of the utterance, with one space between words unless `spaces=false`.

    Known problems: an emoji or a letter built of several code points counts several times.
    """

    name: ClassVar[str] = "character"

    spaces: bool = True

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Split the texts into code points."""
        sides = [utterances.references, utterances.hypotheses]
        references, hypotheses = encode_characters(sides, spaces=self.spaces)
        return references, hypotheses


@dataclass(frozen=True, slots=True)
class Grapheme(View):
    """Extended grapheme clusters, with one space between words unless `spaces=false`.

    A letter with its marks is one token, and so is an emoji of several code points.

    Known problems: an Indic conjunct (`क्ष`) is several clusters in the package that finds them.
    """

    name: ClassVar[str] = "grapheme"

    spaces: bool = True

    def settings(self, context: Context) -> Settings:
        """Whether spaces count, and the rule of the clusters."""
        return ("spaces", str(self.spaces).lower()), ("unit", f"grapheme/{grapheme_rule()}")

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Cut each distinct text."""
        return utterances.spread(encode_lists([self._cut(t) for t in utterances.distinct.texts]))

    def _cut(self, text: str) -> list[str]:
        """Return the clusters of each word, so that no cluster has a space."""
        clusters: list[str] = []
        for word in text.split():
            if clusters and self.spaces:
                clusters.append(" ")
            clusters += graphemes(word)
        return clusters


@dataclass(frozen=True, slots=True)
class Segmented(View):
    """Words of scripts without spaces between words, found by a segmenter.

    Known problems: alternatives of a reference and forgiven differences of writing are chosen by
    words between white space, as for characters.
    """

    name: ClassVar[str] = "segmented"
    unit: ClassVar[str] = "words"

    words: str = "auto"

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter; raises if none has this name."""
        return SEGMENTERS.create(self.words)

    def check(self, context: Context) -> None:
        """Raise unless the segmenter is installed."""
        self.segmenter.check(context)

    def settings(self, context: Context) -> Settings:
        """The segmenter with the versions of its packages."""
        return self.segmenter.settings(context)

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Cut each distinct text."""
        cut = self.segmenter.cut
        return utterances.spread(encode_lists([cut(text) for text in utterances.distinct.texts]))
