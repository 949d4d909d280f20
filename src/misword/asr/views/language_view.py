"""Base class of the views that need an analyzer or a phonemizer for the language."""

from __future__ import annotations

from dataclasses import dataclass

from misword.asr.views import View
from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.text.analyzers import Analyzer
from misword.text.phonemizers import Phonemizer


@dataclass(frozen=True, slots=True)
class LanguageView(View):
    """A view whose tokens an analyzer or a phonemizer of the language finds."""

    lang: str = ""

    @property
    def part(self) -> Analyzer | Phonemizer:
        """The part that finds the tokens; raises if it does not cover the language."""
        raise NotImplementedError

    def settings(self, context: Context) -> Settings:
        """The language, and the part with its version."""
        return ("lang", self.lang), *self.part.settings(context)

    def check(self, context: Context) -> None:
        """Raise unless the part is installed and covers the language."""
        self.part.check(context)
