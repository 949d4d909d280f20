"""Phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.asr.views.spoken import Spoken
from misword.core.types import Tokens
from misword.text.phonemizers import Phonemizer, phonemizer_for
from misword.text.tokens import encode_lists

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Phoneme(Spoken):
    """The sounds of the utterance, without stress and without word boundaries.

    Known problems: a text has one reading here, the phonemizer's; how it was really said is not
    known.
    """

    phonemizer: str = "auto"

    @property
    def part(self) -> Phonemizer:
        """The part that reads the text."""
        return phonemizer_for(self.lang, "" if self.phonemizer == "auto" else self.phonemizer)

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """The phonemes of both sides; each distinct utterance is read once."""
        return pairs.spread(encode_lists(self.part.phonemes(pairs.distinct.texts)))
