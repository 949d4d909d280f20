"""Words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.views import Utterances, View
from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.core.types import Tokens
from misword.text.tokens import encode_flat

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
