"""Phonemizers: the phonemes of whole utterances.

`phonemizer_for` returns the phonemizer of a language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.parts.registry import Entry
from misword.text.features import Alphabet
from misword.text.language_parts import Defaults, LanguagePart, LanguageRegistry

__all__ = ["PHONEMIZERS", "Phonemizer", "phonemizer_for"]

HERE = "misword.text.phonemizers"


@dataclass(frozen=True, slots=True)
class Phonemizer(LanguagePart):
    """Converts utterances to phonemes.

    Phonemes have no stress marks. A length mark, a diacritic or a tone belongs to its phoneme and
    is never a token of its own. Only silent characters (punctuation) may be left out. The phonemes
    of an utterance must not depend on the other utterances in the list.
    """

    family: ClassVar[str] = "sounds"
    alphabet: ClassVar[Alphabet] = "ipa"

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """Return the phonemes of each utterance; an empty utterance has none."""
        raise NotImplementedError


PHONEMIZERS: LanguageRegistry[Phonemizer] = LanguageRegistry(
    "phonemizers",
    {
        "cmudict": Entry(f"{HERE}.cmudict:Cmudict"),
        "espeak": Entry(f"{HERE}.espeak:Espeak", extra="phonemes"),
        "gruut": Entry(f"{HERE}.gruut:Gruut"),
    },
    Defaults(usual=("espeak",), by_language={"en": ("cmudict",)}),
)


def phonemizer_for(lang: str, spec: str = "") -> Phonemizer:
    """Return the phonemizer `spec`, or the language's default phonemizer if `spec` is empty.

    Raises before any work if the language has none or a package is not installed.

    >>> phonemizer_for("en-GB")
    Cmudict(lang='en')
    """
    return PHONEMIZERS.create_for(lang, spec, "phonemizer")
