"""Parts that work on one language (analyzers and phonemizers), and the default part of a language.

A table decides which part is the default of a language; the installed packages do not. On another
machine the same command gives the same numbers, or an error with the command that installs the
missing package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from misword.core.context import Context, code
from misword.core.errors import MissingExtraError, OptionError
from misword.core.parts import Part, suggesting
from misword.core.parts.registry import Entry, Registry


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


LanguagePartT = TypeVar("LanguagePartT", bound=LanguagePart)


@dataclass(frozen=True, slots=True)
class Defaults:
    """The preferred parts of each language, best first.

    `usual` holds for the languages that are not in `by_language`. `only_by_name` lists specs that
    are never a default, because the user must accept their licence; errors mention them.
    """

    usual: tuple[str, ...]
    by_language: Mapping[str, tuple[str, ...]]
    only_by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, lang: str) -> tuple[str, ...]:
        """Return the names of the preferred parts of a language."""
        return self.by_language.get(lang, self.usual)


class LanguageRegistry(Registry[LanguagePartT]):
    """A registry that also has the default part of each language.

    The argument `suits` of its methods is a condition on the class of a part, e.g. that an analyzer
    gives tags. The argument `noun` is the name of such a part in errors (`tagger`).
    """

    def __init__(self, kind: str, parts: Mapping[str, Entry], defaults: Defaults) -> None:
        super().__init__(kind, parts)
        self.defaults = defaults

    def names_for(
        self, lang: str, suits: Callable[[type[LanguagePartT]], bool] = lambda part: True
    ) -> list[str]:
        """Return the names of the parts that cover a language, the preferred ones first."""
        names = dict.fromkeys([*self.defaults.of(lang), *self.names()])
        return [name for name in names if lang in self._languages(name, suits)]

    def create_for(
        self,
        lang: str,
        spec: str,
        noun: str,
        suits: Callable[[type[LanguagePartT]], bool] = lambda part: True,
    ) -> LanguagePartT:
        """Return the part `spec` for a language, or the language's default part if it is empty.

        Raises before any work if no part covers the language or a package is not installed; the
        error then names the other parts for the language.
        """
        lang = code(lang)
        part = self.create(spec or self._default(lang, noun, suits))
        part = part if part.lang else replace(part, lang=lang)
        with suggesting([name for name in self.names_for(lang, suits) if name != part.name]):
            part.check(Context(lang))
        return part

    def _default(self, lang: str, noun: str, suits: Callable[[type[LanguagePartT]], bool]) -> str:
        """Return the name of the first preferred part of a language that suits."""
        available = self.names_for(lang, suits)
        for name in self.defaults.of(lang):
            if name in available:
                return name
        if specs := [*available, *self.defaults.only_by_name.get(lang, ())]:
            raise OptionError(
                f"no {noun} for {lang!r} is chosen unless you name it",
                fix=f"read the licences in docs/languages.md, then name one: {', '.join(specs)}",
            )
        covered = {other for name in self.names() for other in self._languages(name, suits)}
        raise OptionError(
            f"no {noun} for {lang!r}", fix=f"there is one for: {', '.join(sorted(covered))}"
        )

    def _languages(
        self, name: str, suits: Callable[[type[LanguagePartT]], bool]
    ) -> tuple[str, ...]:
        """Return the languages of a part; none if it does not suit or cannot be imported."""
        try:
            part = self.load(name)
        except MissingExtraError:
            return ()
        return part.languages() if suits(part) else ()
