"""Words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from misword.core.context import Context
from misword.core.part import Settings
from misword.core.types import Tokens
from misword.text.tokens import encode_flat, encode_words

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

NO_OFFSETS = np.zeros(1, np.int64)


@dataclass(frozen=True, slots=True)
class Word:
    """What stands between white space; with `lower=true` in lower case.

    Known problems: languages written without spaces need a segmenter first, or CER.
    """

    lower: bool = False

    def settings(self, context: Context) -> Settings:
        """Whether case was removed."""
        return (("lower", "true"),) if self.lower else ()

    def check(self, context: Context) -> None:
        """Nothing is needed."""

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """Split at white space."""
        if self.lower:
            said, heard = pairs.tokens(Word())
            lowered = encode_flat([word.lower() for word in said.vocabulary[:]], NO_OFFSETS)
            reference, hypothesis = (
                Tokens(lowered.ids[side.ids], side.offsets, lowered.vocabulary)
                for side in (said, heard)
            )
        else:
            reference, hypothesis = encode_words([pairs.references, pairs.hypotheses])
        return reference, hypothesis
