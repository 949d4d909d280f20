"""Word error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from misword.asr.metrics.edit_rate import WordRate
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings
from misword.text.segmenters import WHITESPACE
from misword.text.writing.compounds import Compounds
from misword.text.writing.joined_words import JoinedWords


@dataclass(frozen=True, slots=True)
class WER(WordRate):
    """Word errors per reference word: (S + D + I) / N.

    The corpus rate is the sum of errors over the sum of reference words, never a mean of rates. An
    utterance with an empty reference has no rate of its own; its insertions count in the corpus.

    With `compounds=merge`, a word on one side and successive words on the other side that are
    joined to the same word are no error (`e mail` and `email`), as in kaldialign with
    `merge_compounds=True`. The number of reference words does not change.

    With `words=auto`, texts of scripts without spaces between words are cut by script; see
    `misword parts segmenters`.

    Known problems: every wrong word counts the same, and the rate can exceed 100 %.

    Example: `misword score ref.txt hyp.txt --metrics wer:ties=jiwer`
    """

    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("levenshtein1966",)

    compounds: Literal["apart", "merge"] = "apart"

    @property
    def merged(self) -> Compounds | None:
        """The family of compounds that are merged."""
        return JoinedWords() if self.compounds == "merge" else None

    def check(self, context: Context) -> None:
        """Raise if compounds are merged over the words of a segmenter."""
        if self.merged is not None and self.words != WHITESPACE:
            raise OptionError(
                f"compounds=merge beside words={self.words}", fix="leave out one of the two"
            )
        WordRate.check(self, context)

    def settings(self, context: Context) -> Settings:
        """The settings of an edit rate, and whether compounds are merged."""
        merged = (("compounds", "merge"),) if self.compounds == "merge" else ()
        return *WordRate.settings(self, context), *merged
