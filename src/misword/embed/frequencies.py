"""Word frequencies, counted in a corpus or taken from wordfreq, and lists of stop words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings, version_of

# Relative word frequencies.

FrequencySource = Literal["corpus", "wordfreq"]
WORDFREQ = Requirement(("wordfreq",), "pip install wordfreq", "Apache-2.0, its lists CC BY-SA 4.0")


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """The relative frequency of each word; 0 for words that are not listed."""

    shares: Mapping[str, float]

    def of(self, word: str) -> float:
        """Return the relative frequency of a word, looked up in lower case."""
        return self.shares.get(word.lower(), 0.0)

    def __len__(self) -> int:
        return len(self.shares)


def check_frequencies(source: FrequencySource, lang: str) -> None:
    """Raise unless wordfreq is installed and has a list for the language, if it is the source."""
    if source == "corpus":
        return
    WORDFREQ.check("wordfreq")
    from wordfreq import available_languages

    if lang not in available_languages():
        what = f"wordfreq has no list for {lang!r}" if lang else "the language is needed"
        raise OptionError(what, fix="name a language with --lang, or use frequencies=corpus")


def frequency_settings(source: FrequencySource, lang: str) -> Settings:
    """Return the source of the frequencies as a setting of a signature."""
    version = f"wordfreq-{version_of('wordfreq')}/{lang}"
    return (("frequencies", "references" if source == "corpus" else version),)


def load_frequencies(source: FrequencySource, lang: str, counts: Mapping[str, int]) -> Frequencies:
    """Return relative frequencies of lower-case words, of a corpus or of the language.

    `counts` are those of the words of the corpus, in lower case.
    """
    if source == "wordfreq":
        from wordfreq import get_frequency_dict

        return Frequencies(get_frequency_dict(lang))
    total = sum(counts.values())
    return Frequencies({word: count / total for word, count in counts.items()})


# Stop words.

StopwordList = Literal["wordfreq", "stopwordsiso"]
STOPWORDSISO = Requirement(("stopwordsiso",), "pip install 'misword[stopwords]'", "MIT")


def check_stopwords(source: StopwordList, number: int, lang: str) -> None:
    """Raise unless the list is installed and exists for the language."""
    if number < 1:
        raise OptionError(f"number is {number}", fix="leave out at least the most frequent word")
    if source == "wordfreq":
        check_frequencies("wordfreq", lang)
        return
    STOPWORDSISO.check(source)
    from stopwordsiso import has_lang

    if not has_lang(lang):
        what = f"stopwordsiso has no list for {lang!r}" if lang else "the language is needed"
        raise OptionError(what, fix="name a language with --lang, or use words=wordfreq")


def stopword_settings(source: StopwordList, number: int, lang: str) -> Settings:
    """Return the list, its version and its length as a setting of a signature."""
    length = f"/{number}" if source == "wordfreq" else ""
    return (("stopwords", f"{source}-{version_of(source)}/{lang}{length}"),)


@cache
def load_stopwords(source: StopwordList, number: int, lang: str) -> frozenset[str]:
    """Return stop words in lower case: a list, or the `number` most frequent words (wordfreq)."""
    if source == "wordfreq":
        from wordfreq import top_n_list

        return frozenset(top_n_list(lang, number))
    from stopwordsiso import stopwords

    return frozenset(stopwords(lang))


def without_words(texts: Sequence[str], words: frozenset[str]) -> list[str]:
    """Return the texts without these words; case is ignored.

    >>> without_words(["The cat and the hat"], frozenset({"the", "and"}))
    ['cat hat']
    """
    return [" ".join(w for w in text.split() if w.lower() not in words) for text in texts]
