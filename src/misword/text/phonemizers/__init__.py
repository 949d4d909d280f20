"""Phonemizers: the phonemes of whole utterances.

`choose` picks the phonemizer of a language from the table `DEFAULTS`, which alone decides: what is
installed does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Protocol

from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.core.languages import code
from misword.core.part import Settings
from misword.core.registry import Entry, Registry
from misword.core.requirements import Requirement, suggesting

__all__ = ["DEFAULTS", "PHONEMIZERS", "Phonemizer", "choose", "covering", "requirement"]

HERE = "misword.text.phonemizers"
USUAL = "espeak"


class Phonemizer(Protocol):
    """Says how utterances are pronounced.

    A part is a frozen dataclass; `lang` is always one of its options. Phonemes carry no stress;
    a length mark, a diacritic or a tone belongs to its phoneme and is never a token of its own.
    Nothing of the text is dropped unless it is silent (punctuation).
    """

    name: ClassVar[str]
    alphabet: ClassVar[Literal["arpabet", "ipa"]]

    @property
    def lang(self) -> str:
        """The language it is for; empty if none was chosen."""
        ...

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """Codes of the languages it covers, told without importing anything heavy."""
        ...

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What must be installed for a language, and under which licence it comes."""
        ...

    def check(self, context: Context) -> None:
        """Raise before any work if the language is unknown or a package is missing."""
        ...

    def phonemes(self, utterances: Sequence[str]) -> list[list[str]]:
        """The phonemes of each utterance; an empty one has none."""
        ...

    def settings(self, context: Context) -> Settings:
        """What decides its output, for a signature: versions of package and data."""
        ...


PHONEMIZERS: Registry[Phonemizer] = Registry(
    "phonemizers",
    {
        "cmudict": Entry(f"{HERE}.cmudict:Cmudict"),
        "espeak": Entry(f"{HERE}.espeak:Espeak", extra="phonemes"),
        "gruut": Entry(f"{HERE}.gruut:Gruut"),
    },
)

# Languages whose default is not `espeak`.
DEFAULTS: dict[str, str] = {"en": "cmudict"}


def choose(lang: str, spec: str = "") -> Phonemizer:
    """The phonemizer for a language: the one named by `spec`, else the default of `DEFAULTS`.

    Raises before any work if the language has none or a package is missing.

    >>> choose("en-GB")
    Cmudict(lang='en')
    """
    short = code(lang)
    known = covering(short)
    if not (known or spec):
        raise OptionError(f"no phonemizer for {short!r}", fix=f"there is one for: {_all()}")
    part: Any = PHONEMIZERS.create(spec or DEFAULTS.get(short, USUAL))
    part = part if part.lang else replace(part, lang=short)
    chosen: Phonemizer = part
    with suggesting([name for name in known if name != part.name]):
        chosen.check(Context(short))
    return chosen


def requirement(name: str, lang: str) -> Requirement:
    """What a phonemizer needs for a language: modules, install line, licence."""
    return PHONEMIZERS.load(name).requirement(code(lang) if lang else "")


def covering(lang: str) -> list[str]:
    """Phonemizers of a language, the default first."""
    usual = DEFAULTS.get(lang, USUAL)
    names = dict.fromkeys([usual, *PHONEMIZERS.names()])
    return [name for name in names if lang in _covers(name)]


def _all() -> str:
    return ", ".join(sorted({lang for name in PHONEMIZERS.names() for lang in _covers(name)}))


def _covers(name: str) -> tuple[str, ...]:
    """Languages of a phonemizer; none if it is there in name only."""
    try:
        return PHONEMIZERS.load(name).languages()
    except MissingExtraError:
        return ()
