"""Word error rate of formatted text, divided by what is wrong with the words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.steps import Steps, steps
from misword.asr.costs import Cost
from misword.asr.formatting.cost import Formatting
from misword.asr.formatting.marks import WrittenWord, divide
from misword.asr.metrics.edit_rate import COUNTS, EditRate
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings
from misword.core.types import Op, Statistics
from misword.stat.mark_tables import ERRORS

WORD, CASE, PUNCTUATION, BOTH = range(len(ERRORS))


@dataclass(frozen=True, slots=True)
class Formatted(EditRate):
    """WER of the text as it is written, and how many errors are of words, case or punctuation.

    An error is `only_case` or `only_punctuation` if the two words are equal without regard to
    capitals, or to punctuation around them; `case_and_punctuation` if both differ; otherwise it is
    one of `wrong_words`. The four counts add up to the errors of WER: of all alignments with the
    fewest errors, the one with the fewest wrong words is taken. A token of punctuation alone that
    is added or missing is `only_punctuation`.

    Known problems: a hyphen or an apostrophe inside a word is part of the word.

    Example: `misword score ref.txt hyp.txt --metrics formatted`
    """

    name: ClassVar[str] = "formatted"
    title: ClassVar[str] = "WER of formatted text"
    family: ClassVar[str] = "formatting"
    cites: ClassVar[tuple[str, ...]] = ("levenshtein1966",)
    operations: ClassVar[bool] = True
    statistics: ClassVar[tuple[str, ...]] = (*COUNTS, *ERRORS)

    def check(self, context: Context) -> None:
        """Raise if a tie rule is named."""
        if self.ties != "misword":
            raise OptionError(f"ties={self.ties}, but the formatting aligns", fix="leave out ties")

    def settings(self, context: Context) -> Settings:
        """The cost that decides the alignment."""
        return (("aligned", "formatting"),)

    def aligned_by(self, context: Context) -> Cost:
        """Return the cost by which two forms of a word are aligned rather than two words."""
        return Formatting()

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and reference words."""
        return EditRate.terms(self, statistics[..., : len(COUNTS)])

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the edits of each pair, then its errors by what is wrong."""
        alignment = self.alignment(pairs, operations=True)
        path = steps(alignment, *self.tokens(pairs), self.rows(pairs))
        wrong = path.ops != Op.HIT
        kinds = _kinds(path, wrong, pairs.vocabulary(self.view(pairs.context)).tokens)
        cells = path.pair[wrong] * len(ERRORS) + kinds
        split = np.bincount(cells, minlength=len(pairs) * len(ERRORS)).reshape(-1, len(ERRORS))
        return np.column_stack([alignment.counts, split])


def _kinds(path: Steps, wrong: NDArray[np.bool_], vocabulary: list[str]) -> NDArray[np.int64]:
    """Return what is wrong at each wrong step; each distinct pair of words is looked at once."""
    keys = np.stack([path.reference[wrong], path.hypothesis[wrong]], axis=1)
    distinct, number = np.unique(keys, axis=0, return_inverse=True)
    nothing = divide("")
    listed = [
        _kind(*(divide(vocabulary[i]) if i >= 0 else nothing for i in pair))
        for pair in distinct.tolist()
    ]
    return np.array(listed, np.int64)[number.ravel()]


def _kind(reference: WrittenWord, hypothesis: WrittenWord) -> int:
    """Return what is wrong with a word."""
    if reference.bare != hypothesis.bare:
        return WORD
    if reference.core == hypothesis.core:
        return PUNCTUATION
    around = [(word.before, word.after) for word in (reference, hypothesis)]
    return CASE if around[0] == around[1] else BOTH
