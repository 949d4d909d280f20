"""The base class of parts that work on one language: analyzers and phonemizers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.languages import code
from misword.core.parts.contract import Part


@dataclass(frozen=True, slots=True)
class LanguagePart(Part):
    """Base class of parts that work on one language, which is their option `lang`.

    `LANGUAGES` are the codes of the languages that the part covers. `lang` is empty until a
    language is set, and accepts any spelling of a code (`fr-FR`).
    """

    LANGUAGES: ClassVar[tuple[str, ...]] = ()

    lang: str = ""

    def __post_init__(self) -> None:
        if self.lang:
            object.__setattr__(self, "lang", code(self.lang))

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Codes of the languages that the part covers."""
        return cls.LANGUAGES

    def check(self, context: Context) -> None:
        """Raise if the part does not cover its language, or if a package is not installed."""
        check_language(self.name, self.lang, self.languages())
        self.requirement(self.lang).check(self.name)


def check_language(name: str, lang: str, covered: Iterable[str]) -> None:
    """Raise unless `lang` is one of the languages that the part `name` covers."""
    codes = sorted(covered)
    if lang in codes:
        return
    what = f"{name!r} does not know the language {lang!r}" if lang else f"{name!r} needs a language"
    raise OptionError(what, fix=f"lang is one of: {', '.join(codes)}")
