"""Relative word frequencies, counted in a corpus or taken from the package wordfreq."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from misword.core.errors import OptionError
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of

FrequencySource = Literal["corpus", "wordfreq"]
REQUIREMENT = Requirement(
    ("wordfreq",), "pip install wordfreq", "Apache-2.0, its lists CC BY-SA 4.0"
)


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """The relative frequency of each word; 0 for words that are not listed."""

    shares: Mapping[str, float]

    def of(self, word: str) -> float:
        """Return the relative frequency of a word, looked up in lower case."""
        return self.shares.get(word.lower(), 0.0)

    def __len__(self) -> int:
        return len(self.shares)


def check(source: FrequencySource, lang: str) -> None:
    """Raise unless wordfreq is installed and has a list for the language, if it is the source."""
    if source == "corpus":
        return
    REQUIREMENT.check("wordfreq")
    from wordfreq import available_languages

    if lang not in available_languages():
        what = f"wordfreq has no list for {lang!r}" if lang else "the language is needed"
        raise OptionError(what, fix="name a language with --lang, or use frequencies=corpus")


def settings(source: FrequencySource, lang: str) -> Settings:
    """Return the source of the frequencies as a setting of a signature."""
    version = f"wordfreq-{version_of('wordfreq')}/{lang}"
    return (("frequencies", "references" if source == "corpus" else version),)


def load(source: FrequencySource, lang: str, counts: Mapping[str, int]) -> Frequencies:
    """Return relative frequencies of lower-case words, of a corpus or of the language.

    `counts` are those of the words of the corpus, in lower case.
    """
    if source == "wordfreq":
        from wordfreq import get_frequency_dict

        return Frequencies(get_frequency_dict(lang))
    total = sum(counts.values())
    return Frequencies({word: count / total for word, count in counts.items()})
