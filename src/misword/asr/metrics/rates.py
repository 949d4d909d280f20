"""Error rates of words and characters: WER, CER, match error rate, word information lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.asr.metrics.edit_rate import EditRate, WordRate
from misword.asr.views import View
from misword.asr.views.surface import Character, Grapheme
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.types import Statistics
from misword.stat.measure import ratio
from misword.text.segmenters import WHITESPACE
from misword.text.writing.compounds import Compounds, JoinedWords


@dataclass(frozen=True, slots=True)
class WER(WordRate):
    """Word errors per reference word: (S + D + I) / N.

    The corpus rate is the sum of errors over the sum of reference words, never a mean of rates. An
    utterance with an empty reference has no rate of its own; its insertions count in the corpus.

    With `compounds=merge`, a word on one side and successive words on the other side that are
    joined to the same word are not errors (`e mail` and `email`), as in kaldialign with
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
                f"compounds=merge cannot be used with words={self.words}",
                fix="leave out one of the two",
            )
        WordRate.check(self, context)

    def settings(self, context: Context) -> Settings:
        """The settings of an edit rate, and whether compounds are merged."""
        merged = (("compounds", "merge"),) if self.compounds == "merge" else ()
        return *WordRate.settings(self, context), *merged


@dataclass(frozen=True, slots=True)
class CER(EditRate):
    """Character errors per reference character, the single spaces between words included.

    Why: it counts near misses (a plural's s) as small errors, which WER counts in full, and it
    works for languages without spaces between words (`cer:spaces=false`).

    With `unit=grapheme` a letter with its marks counts as one character, and so does an emoji of
    several code points: the characters are extended grapheme clusters.

    Known problems: by default characters are code points, after the normalizer (NFC by default).

    Example: `misword score ref.txt hyp.txt --metrics cer:spaces=false`
    """

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    family: ClassVar[str] = "characters"
    cites: ClassVar[tuple[str, ...]] = ("levenshtein1966",)

    spaces: bool = True
    unit: Literal["code-point", "grapheme"] = "code-point"

    def view(self, context: Context) -> View:
        """Return the characters."""
        return Grapheme(self.spaces) if self.unit == "grapheme" else Character(self.spaces)


@dataclass(frozen=True, slots=True)
class MER(WordRate):
    """Match error rate: (S + D + I) / (H + S + D + I), at most 100 %.

    It is the share of the alignment's steps that are errors. It is not the mixed error rate of
    texts in two languages, which is `wer:words=auto`.

    Known problems: its value depends on the tie rule; WER does not.

    Example: `misword score ref.txt hyp.txt --metrics mer`

    Reference: A. Morris, V. Maier, P. Green, From WER and RIL to MER and WIL, Interspeech 2004.
    """

    name: ClassVar[str] = "mer"
    title: ClassVar[str] = "MER"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("morris2004",)

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and steps of the alignment."""
        errors = statistics[..., 1:].sum(axis=-1)
        return np.stack([errors, statistics.sum(axis=-1)], axis=-1)


@dataclass(frozen=True, slots=True)
class WIL(WordRate):
    """One minus the product of recall and precision of words: 1 - (H / N) (H / M).

    N counts the words of the reference, M those of the hypothesis. Where one side is empty the rate
    is 100 %; where both are, it is undefined.

    Known problems: its value depends on the tie rule; WER does not.

    Example: `misword score ref.txt hyp.txt --metrics wil`

    Reference: A. Morris, V. Maier, P. Green, From WER and RIL to MER and WIL, Interspeech 2004.
    """

    name: ClassVar[str] = "wil"
    title: ClassVar[str] = "WIL"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("morris2004",)
    is_quotient: ClassVar[bool] = False

    def terms(self, statistics: Statistics) -> Statistics:
        """Hits, reference words, hypothesis words."""
        hits, substitutions, insertions, deletions = np.moveaxis(statistics, -1, 0)
        paired = hits + substitutions
        return np.stack([hits, paired + deletions, paired + insertions], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """One minus recall times precision; nan where both sides are empty."""
        hits, reference, hypothesis = np.moveaxis(terms, -1, 0)
        preserved = np.nan_to_num(ratio(hits**2, reference * hypothesis))
        return np.where(reference + hypothesis > 0, 1 - preserved, np.nan)
