"""Chinese words by jieba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.core.parts.contract import Requirement
from misword.text.segmenters.dictionary import DictionarySegmenter


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
