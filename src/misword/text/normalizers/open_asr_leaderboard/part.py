"""The part of the normalizer of the Open ASR Leaderboard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.languages import code
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.text.normalizers import Normalizer
from misword.text.normalizers.open_asr_leaderboard.english import normalize_english
from misword.text.normalizers.open_asr_leaderboard.multilingual import normalize_other
from misword.text.normalizers.whisper import NEEDED, PACKAGE

OTHERS = ("de", "es", "fr", "it", "pt")
# The state of the leaderboard's repository whose rules these are.
STATE = "2026-08-21"


@dataclass(frozen=True, slots=True)
class OpenAsrLeaderboard(Normalizer):
    """The normalizer of the Open ASR Leaderboard, for English and five other languages.

    Why: the leaderboard's word error rates can be compared only with rates after its normalizer.
    The English one is a variant of Whisper's: it removes more fillers, leaves the possessive `'s`,
    joins acronyms, and writes 152 names and 16 compounds in one way. The one for German, French,
    Italian, Spanish and Portuguese removes punctuation and spells numbers out. Without a language,
    the texts are taken for English.

    Known problems: the English one has the errors of Whisper's number rules (`oh no` becomes
    `0 no`). The other one leaves the hyphens of numbers that num2words spells, so that French `91`
    and `quatre-vingt-onze` differ.

    Example: `misword score manifest.jsonl --normalize open-asr-leaderboard`

    Reference: github.com/huggingface/open_asr_leaderboard, commit d1e99b2.
    """

    name: ClassVar[str] = "open-asr-leaderboard"
    title: ClassVar[str] = "Open ASR Leaderboard"
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    lang: str = ""

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """English and the other languages of the leaderboard."""
        return ("en", *OTHERS)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package with Whisper's rules; for other languages than English also num2words."""
        if lang not in OTHERS:
            return NEEDED
        return Requirement((*NEEDED.modules, "num2words"), NEEDED.install, "MIT, LGPL-2.1")

    def in_language(self, lang: str) -> Self:
        """Return the normalizer for a language; English if none is named."""
        return replace(self, lang=code(self.lang or lang or "en"))

    def check(self, context: Context) -> None:
        """Raise if the leaderboard does not have the language, or if a package is missing."""
        lang = self.lang or "en"
        if lang not in self.languages():
            raise OptionError(
                f"the Open ASR Leaderboard has no rules for the language {lang!r}",
                fix=f"use one of: {', '.join(self.languages())}",
            )
        self.requirement(lang).check(self.name)

    def settings(self, context: Context) -> Settings:
        """The language, the state of the leaderboard and the versions of the packages."""
        lang = self.lang or "en"
        packages = (PACKAGE, "num2words") if lang in OTHERS else (PACKAGE,)
        versions = ((package, version_of(package)) for package in packages)
        return ("lang", lang), ("state", STATE), *versions

    def apply_row(self, text: str) -> str:
        """Return the normalised text."""
        return normalize_other(text, self.lang) if self.lang in OTHERS else normalize_english(text)
