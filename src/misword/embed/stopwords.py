"""Lists of stop words, by language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

from misword.core.errors import OptionError
from misword.core.parts.contract import Requirement, Settings
from misword.core.parts.installed import version_of
from misword.embed import frequencies

StopwordList = Literal["wordfreq", "stopwordsiso"]
REQUIREMENT = Requirement(("stopwordsiso",), "pip install 'misword[stopwords]'", "MIT")


def check(source: StopwordList, number: int, lang: str) -> None:
    """Raise unless the list is installed and exists for the language."""
    if number < 1:
        raise OptionError(f"number is {number}", fix="leave out at least the most frequent word")
    if source == "wordfreq":
        frequencies.check("wordfreq", lang)
        return
    REQUIREMENT.check(source)
    from stopwordsiso import has_lang

    if not has_lang(lang):
        what = f"stopwordsiso has no list for {lang!r}" if lang else "the language is needed"
        raise OptionError(what, fix="name a language with --lang, or use words=wordfreq")


def settings(source: StopwordList, number: int, lang: str) -> Settings:
    """Return the list, its version and its length as a setting of a signature."""
    length = f"/{number}" if source == "wordfreq" else ""
    return (("stopwords", f"{source}-{version_of(source)}/{lang}{length}"),)


@cache
def load(source: StopwordList, number: int, lang: str) -> frozenset[str]:
    """Return stop words in lower case: a list, or the `number` most frequent words (wordfreq)."""
    if source == "wordfreq":
        from wordfreq import top_n_list

        return frozenset(top_n_list(lang, number))
    from stopwordsiso import stopwords

    return frozenset(stopwords(lang))


def without(texts: Sequence[str], words: frozenset[str]) -> list[str]:
    """Return the texts without these words; case is ignored.

    >>> without(["The cat and the hat"], frozenset({"the", "and"}))
    ['cat hat']
    """
    return [" ".join(w for w in text.split() if w.lower() not in words) for text in texts]
