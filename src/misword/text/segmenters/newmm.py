"""Thai words by PyThaiNLP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.core.parts.contract import Requirement
from misword.text.segmenters.dictionary import DictionarySegmenter


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
