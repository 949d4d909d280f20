"""Phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Utterances
from misword.asr.views.language_view import LanguageView
from misword.core.types import Tokens
from misword.text.features import Alphabet
from misword.text.phonemizers import Phonemizer, phonemizer_for
from misword.text.tokens import encode_lists


@dataclass(frozen=True, slots=True)
class Phoneme(LanguageView):
    """The phonemes of the utterance, without stress and without word boundaries.

    Known problems: the phonemizer gives one pronunciation per text; the pronunciation of the
    speaker is not known.
    """

    name: ClassVar[str] = "phoneme"

    phonemizer: str = "auto"

    @property
    def part(self) -> Phonemizer:
        """The phonemizer."""
        return phonemizer_for(self.lang, "" if self.phonemizer == "auto" else self.phonemizer)

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the phonemizer."""
        return self.part.alphabet

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Return the phonemes of both sides; each distinct text is phonemized once."""
        return utterances.spread(encode_lists(self.part.phonemes(utterances.distinct.texts)))
