"""Whisper's normalizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, Self

from misword.core.context import Context, code
from misword.core.parts import Requirement, Settings, version_of
from misword.text.normalizers import Normalizer

PACKAGE = "whisper-normalizer"
NEEDED = Requirement(("whisper_normalizer",), "pip install 'misword[presets]'", "MIT")


@dataclass(frozen=True, slots=True)
class Whisper(Normalizer):
    """Whisper's normalizer: its English one, and its basic one for other languages.

    Why: many published word error rates were computed after this normalizer. The package
    whisper-normalizer contains OpenAI's code; misword calls it. Without a language, the texts are
    taken for English.

    Known problems: the rules change words that were right: `one dollar` becomes `one`, `oh no`
    becomes `0 no`, `O'Neil` becomes `0 neil`, `Mario's castle` becomes `mario is castle`. The basic
    normalizer removes the vowel signs of Indic scripts.

    Example: `misword score ref.txt hyp.txt --normalize whisper`

    Reference: A. Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision, 2022,
    appendix C.
    """

    name: ClassVar[str] = "whisper"
    title: ClassVar[str] = "Whisper"
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    lang: str = ""

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package with OpenAI's code."""
        return NEEDED

    def in_language(self, lang: str) -> Self:
        """Return the normalizer for a language; English if none is named."""
        return replace(self, lang=code(self.lang or lang or "en"))

    def settings(self, context: Context) -> Settings:
        """The language and the version of the package."""
        return ("lang", self.lang or "en"), (PACKAGE, version_of(PACKAGE))

    def apply_row(self, text: str) -> str:
        """Return the normalised text."""
        return (_english() if self.lang in ("", "en") else basic_normalizer())(text)


@cache
def _english() -> Callable[[str], str]:
    from whisper_normalizer.english import EnglishTextNormalizer

    function: Callable[[str], str] = EnglishTextNormalizer()
    return function


@cache
def basic_normalizer() -> Callable[[str], str]:
    """Return Whisper's basic normalizer: lower case, NFKC, no symbols, no text in brackets."""
    from whisper_normalizer.basic import BasicTextNormalizer

    function: Callable[[str], str] = BasicTextNormalizer()
    return function
