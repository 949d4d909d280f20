"""Segmenter by script, which needs no dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.text.graphemes import rule
from misword.text.segmenters import Segmenter

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
        return (("words", f"{self.name}/{rule()}"),)

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
