"""Segmenters: words of scripts without spaces; and grapheme clusters of every text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts import Part, Requirement, Settings, version_of
from misword.core.parts.registry import Entry, Registry

HERE = "misword.text.segmenters"
WHITESPACE = "whitespace"  # the words of a metric that uses no segmenter


class Segmenter(Part):
    """Cuts a text into words. White space always separates words."""

    __slots__ = ()

    family: ClassVar[str] = "words"

    def cut(self, text: str) -> list[str]:
        """Return the words of a text."""
        raise NotImplementedError


SEGMENTERS: Registry[Segmenter] = Registry(
    "segmenters",
    {
        "auto": Entry("misword.text.segmenters:Auto"),
        "jieba": Entry("misword.text.segmenters:Jieba"),
        "newmm": Entry("misword.text.segmenters:Newmm"),
    },
)


def grapheme_rule() -> str:
    """Return the name of the rule for signatures: the package and its version."""
    return f"regex-{version_of('regex')}"


def graphemes(text: str) -> list[str]:
    """Return the extended grapheme clusters of a text: what a reader sees as one character.

    Reference: Unicode Standard Annex 29.

    Known problems: the package `regex` does not join Indic conjuncts (rule GB9c of Unicode 15.1):
    `क्षि` is two clusters.

    >>> graphemes("นี้e\u0301") == ["นี้", "e\u0301"]
    True
    """
    found: list[str] = _cluster_pattern().findall(text)
    return found


@cache
def _cluster_pattern() -> Any:
    """Return the pattern of a cluster."""
    import regex

    return regex.compile(r"\X")


ZERO_WIDTH_SPACE = "\u200b"  # separates words in Khmer, Lao, Burmese and Thai texts
# Scripts that are written without spaces between words, East Asian marks (U+3000 to U+30FF) and
# full-width marks. Digits are left out, so that a number is one word in every script.
CUT = (
    r"(?!\p{Nd})[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    "\u3000-\u30ff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uff70]"
)


@dataclass(frozen=True, slots=True)
class Auto(Segmenter):
    """Cuts Chinese, Japanese, Thai, Lao, Khmer and Burmese into grapheme clusters, by script.

    Each Chinese or Japanese character is a word, and so is each Thai, Lao, Khmer or Burmese base
    character with its marks. Text of other scripts is cut at white space and where the script
    changes. WER over these words is the mixed error rate of texts in two languages. A zero-width
    space separates words, as writers of Khmer and Burmese use it.

    Known problems: marks that Unicode does not attach to a base character (Thai `ะ`, Burmese `ာ`)
    are words of their own; Korean is cut at its spaces.

    Example: `misword score ref.txt hyp.txt --metrics wer:words=auto`
    """

    name: ClassVar[str] = "auto"

    def settings(self, context: Context) -> Settings:
        """The name and the rule of grapheme clusters."""
        return (("words", f"{self.name}/{grapheme_rule()}"),)

    def cut(self, text: str) -> list[str]:
        """Return grapheme clusters of the scripts without spaces, and words of other scripts.

        >>> Auto().cut("我用 Python3写代码")
        ['我', '用', 'Python3', '写', '代', '码']
        """
        words = text.replace(ZERO_WIDTH_SPACE, " ").split()
        return [piece for word in words for piece in _pieces().findall(word)]


@cache
def _pieces() -> Any:
    """Return the pattern of a cluster of these scripts, or of successive clusters of others."""
    import regex

    return regex.compile(rf"(?={CUT})\X|(?:(?!{CUT})\X)+")


@dataclass(frozen=True, slots=True)
class DictionarySegmenter(Auto):
    """Cuts runs of `script` by the package `package`, and all other text as `auto` does."""

    script: ClassVar[str]
    package: ClassVar[str]

    def settings(self, context: Context) -> Settings:
        """The settings of `auto`, and the package with its version."""
        ((name, value),) = Auto.settings(self, context)
        return ((name, f"{value}/{self.package}-{version_of(self.package)}"),)

    def cut(self, text: str) -> list[str]:
        """Return the words of the dictionary, and the words that `auto` gives for other scripts."""
        words: list[str] = []
        for number, part in enumerate(_runs(self.script).split(text)):
            words += self.cut_run(part) if number % 2 else Auto.cut(self, part)
        return words

    def cut_run(self, run: str) -> list[str]:
        """Return the words of a run of the script."""
        raise NotImplementedError


@cache
def _runs(script: str) -> Any:
    """Return the pattern of a run of a script; `split` also returns the runs, at odd places."""
    import regex

    return regex.compile(rf"(\p{{{script}}}+)")


@dataclass(frozen=True, slots=True)
class Jieba(DictionarySegmenter):
    """Cuts Chinese into words of jieba's dictionary, with its model for unknown words.

    Known problems: a wrong character can move the borders of the words around it, so that WER
    depends on the segmenter; `auto` does not. Japanese kanji are cut as if they were Chinese.

    Example: `misword score ref.txt hyp.txt --metrics wer:words=jieba`
    Reference: https://github.com/messense/rjieba-py
    """

    name: ClassVar[str] = "jieba"
    script: ClassVar[str] = "Han"
    package: ClassVar[str] = "rjieba"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package rjieba, which contains the dictionary."""
        return Requirement(("rjieba",), "pip install 'misword[segmenters]'", "MIT")

    def cut_run(self, run: str) -> list[str]:
        """Return the words of jieba."""
        import rjieba

        return list(rjieba.cut(run, True))


@dataclass(frozen=True, slots=True)
class Newmm(DictionarySegmenter):
    """Cuts Thai into words of PyThaiNLP's dictionary, by maximal matching (`newmm`).

    Known problems: a wrong character can move the borders of the words around it, so that WER
    depends on the segmenter; `auto` does not.

    Example: `misword score ref.txt hyp.txt --metrics wer:words=newmm`
    Reference: https://github.com/PyThaiNLP/pythainlp
    """

    name: ClassVar[str] = "newmm"
    script: ClassVar[str] = "Thai"
    package: ClassVar[str] = "pythainlp"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package PyThaiNLP, which contains the dictionary."""
        return Requirement(("pythainlp",), "pip install 'misword[segmenters]'", "Apache-2.0")

    def cut_run(self, run: str) -> list[str]:
        """Return the words of PyThaiNLP."""
        from pythainlp.tokenize.newmm import segment

        return list(segment(run))
