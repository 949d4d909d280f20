"""How frequent words are: counted in a corpus, or from the lists of wordfreq."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from misword.core.errors import OptionError
from misword.core.requirements import Requirement, version_of

Source = Literal["corpus", "wordfreq"]
REQUIREMENT = Requirement(
    ("wordfreq",), "pip install wordfreq", "Apache-2.0, its lists CC BY-SA 4.0"
)


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """The share of all words that each word has; 0 for words that are not there."""

    shares: Mapping[str, float]

    def of(self, word: str) -> float:
        """The share of a word, in lower case as it was counted."""
        return self.shares.get(word.lower(), 0.0)

    def __len__(self) -> int:
        return len(self.shares)


def check(source: Source, lang: str) -> None:
    """Refuse lists that are not installed, and a language without one."""
    if source == "corpus":
        return
    REQUIREMENT.check("wordfreq")
    from wordfreq import available_languages

    if lang not in available_languages():
        what = f"wordfreq has no list for {lang!r}" if lang else "the language is needed"
        raise OptionError(what, fix="name a language with --lang, or use frequencies=corpus")


def settings(source: Source, lang: str) -> tuple[tuple[str, str], ...]:
    """Where frequencies come from, for a signature."""
    version = f"wordfreq-{version_of('wordfreq')}/{lang}"
    return (("frequencies", "references" if source == "corpus" else version),)


def load(source: Source, lang: str, corpus: Sequence[str]) -> Frequencies:
    """Shares of words, in lower case: of a corpus' own, or of the language's."""
    if source == "wordfreq":
        from wordfreq import get_frequency_dict

        return Frequencies(get_frequency_dict(lang))
    counts = Counter(word for text in corpus for word in text.lower().split())
    total = counts.total()
    return Frequencies({word: count / total for word, count in counts.items()})
