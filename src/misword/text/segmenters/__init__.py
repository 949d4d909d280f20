"""Segmenters: how a text of a script without spaces between words is cut into words."""

from __future__ import annotations

from typing import ClassVar

from misword.core.parts.contract import Part
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
        "auto": Entry(f"{HERE}.auto:Auto"),
        "jieba": Entry(f"{HERE}.jieba:Jieba"),
        "newmm": Entry(f"{HERE}.newmm:Newmm"),
    },
)
