"""What the views share that need a part for the language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from misword.core.context import Context
from misword.core.part import Settings
from misword.text.analyzers import Analyzer
from misword.text.phonemizers import Phonemizer


@dataclass(frozen=True, slots=True)
class Spoken(ABC):
    """A view through an analyzer or a phonemizer of the language that is spoken."""

    lang: str = ""

    @property
    @abstractmethod
    def part(self) -> Analyzer | Phonemizer:
        """What finds the tokens; raises if it is not installed or does not know the language."""

    def settings(self, context: Context) -> Settings:
        """The language, and the part with its version."""
        return ("lang", self.lang), *self.part.settings(context)

    def check(self, context: Context) -> None:
        """The part must be installed and know the language."""
        self.part.check(context)
