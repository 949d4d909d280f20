"""Metrics of formatted text: punctuation, capitals, and the formatted word error rate."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.alignment.costs import Costs
from misword.alignment.engine import Steps, steps
from misword.asr.costs import Cost, ViewVocabulary
from misword.asr.formatting import (
    CAPITALS,
    MARKS,
    SIZES,
    Sets,
    WrittenWord,
    formatted_steps,
    has_mark,
    split_punctuation,
)
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import COUNTS, EditRate
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.types import Op, Statistics
from misword.stat.measure import ratio_of_terms
from misword.stat.tallies.class_rates import ERRORS, HYPOTHESIS, REFERENCE, mark_statistics


@dataclass(frozen=True, slots=True)
class MarkRate(Metric):
    """Wrong, missing and added marks per mark of the reference, at words that are aligned.

    `kinds` are the names of the marks, `compared` says in notes what is compared where. The
    statistics are the counts of all marks, then three numbers of each kind: how many marks are
    right, how many the reference and the hypothesis have.
    """

    operations: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ()
    compared: ClassVar[str] = ""

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and marks of the reference."""
        errors = statistics[..., 1:4].sum(axis=-1)
        return np.stack([errors, self.reference(statistics)], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """Errors divided by marks; nan where the reference has no marks."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """Marks of the reference at aligned words."""
        hits, substitutions, _, deletions = np.moveaxis(statistics, -1, 0)[:4]
        return np.asarray(hits + substitutions + deletions)

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Say so if a side has no marks at all."""
        ends = {"references": REFERENCE, "hypotheses": HYPOTHESIS}
        return tuple(
            f"the {side} have no {self.compared}"
            for side, end in ends.items()
            if not sum(totals[kind + end] for kind in self.kinds)
        )


def statistics_names(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the statistics of some kinds of marks."""
    return (*COUNTS, *(name for kind in kinds for name in mark_statistics(kind)))


def count_marks(
    pair: NDArray[np.int64], sides: tuple[Sets, Sets], right: Sets, kinds: int, pairs: int
) -> Statistics:
    """Return the statistics of each pair of texts.

    Row `i` of the arrays is a pair of words of the pair of texts `pair[i]`: its marks in the
    reference and in the hypothesis, and those that are right. A missing and an added mark at one
    word are one substitution.
    """
    reference, hypothesis = sides
    missing, added = (SIZES[side & ~right] for side in sides)
    replaced = np.minimum(missing, added)
    columns = [SIZES[right], replaced, added - replaced, missing - replaced]
    for kind in range(kinds):
        columns += [has_mark(side, kind) for side in (right, reference, hypothesis)]
    sums = [np.bincount(pair, column, pairs) for column in columns]
    return np.stack(sums, axis=1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class PunctuationRate(MarkRate):
    """Wrong, missing and added punctuation marks per mark of the reference, at aligned words.

    Words are aligned without regard to punctuation and capitals. At each pair of words, equal or
    substituted, the marks around both are compared. Marks at deleted and inserted words are not
    compared, because WER counts these words already; `unaligned` is their number. A table has
    precision, recall, F and error rate of each mark.

    Known problems: the full stop of an abbreviation (`Mr.`) counts as a full stop. A system that
    leaves out words is not judged by their marks: read WER beside this rate. Languages without
    spaces between words need a segmenter first.

    Example: `misword score ref.txt hyp.txt --metrics wer,punctuation,capitals`

    Reference: A. Meister et al., LibriSpeech-PC: benchmark for evaluation of punctuation and
    capitalization capabilities of end-to-end ASR models, ASRU 2023, which defines another rate.
    """

    name: ClassVar[str] = "punctuation"
    title: ClassVar[str] = "punctuation error rate"
    family: ClassVar[str] = "formatting"
    cites: ClassVar[tuple[str, ...]] = ("meister2023",)
    kinds: ClassVar[tuple[str, ...]] = MARKS
    compared: ClassVar[str] = "punctuation at aligned words"
    statistics: ClassVar[tuple[str, ...]] = (*statistics_names(MARKS), "unaligned")

    def measure(self, pairs: Pairs) -> Statistics:
        """Compare the marks of all pairs of aligned words."""
        steps = formatted_steps(pairs)
        reference, hypothesis = steps.marks
        right = reference & hypothesis
        counts = count_marks(steps.pair, steps.marks, right, len(MARKS), len(pairs))
        return np.column_stack([counts, steps.alone])


@dataclass(frozen=True, slots=True)
class Capitals(MarkRate):
    """Words that are the same except for their capitals, per capitalised word of the reference.

    Words are aligned without regard to punctuation and capitals, and only equal words are compared:
    WER counts the others. A word is capitalised if it has a capital letter: its `first_letter`
    (`Anna`, `I`), `all_letters` (`IBM`) or `mixed` (`iPhone`). A table has precision, recall, F and
    error rate of each kind. A word is right if all its letters are in the same case.

    Known problems: the first word of a sentence has a capital because of the full stop before it,
    so a wrong full stop is often counted by `punctuation` and here.

    Example: `misword score ref.txt hyp.txt --metrics wer,punctuation,capitals`

    Reference: A. Meister et al., LibriSpeech-PC: benchmark for evaluation of punctuation and
    capitalization capabilities of end-to-end ASR models, ASRU 2023.
    """

    name: ClassVar[str] = "capitals"
    title: ClassVar[str] = "capitalisation error rate"
    family: ClassVar[str] = "formatting"
    cites: ClassVar[tuple[str, ...]] = ("meister2023",)
    kinds: ClassVar[tuple[str, ...]] = CAPITALS
    compared: ClassVar[str] = "capitals at equal words"
    statistics: ClassVar[tuple[str, ...]] = statistics_names(CAPITALS)

    def measure(self, pairs: Pairs) -> Statistics:
        """Compare the capitals of all pairs of equal words."""
        steps = formatted_steps(pairs)
        equal = steps.equal
        reference, hypothesis = (side[equal] for side in steps.capitals)
        right = np.where(steps.same_case[equal], reference, 0).astype(np.uint8)
        sides = reference, hypothesis
        return count_marks(steps.pair[equal], sides, right, len(CAPITALS), len(pairs))


# A cost slightly below 1 for two words that differ only in their punctuation or capitals.

# An alignment of fewer than a million words has then the lowest number of errors, and among all
# such alignments the most pairs of words that differ only in their formatting.
DISCOUNT = 2.0**-20


@dataclass(frozen=True, slots=True)
class Formatting(Cost):
    """1 - 2^-20 for two forms of one word (`Yes,` and `yes`), 1 for other words.

    Known problems: a token of punctuation alone is a form of any other such token.
    """

    name: ClassVar[str] = "formatting"

    def table(self, vocabulary: ViewVocabulary) -> Costs:
        """List the pairs of tokens that are forms of one word."""
        forms: defaultdict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(vocabulary.tokens):
            forms[split_punctuation(word).bare].append(number)
        listed = [pair for group in forms.values() for pair in permutations(group, 2)]
        left, right = np.array(listed, np.int64).reshape(-1, 2).T
        prices = np.full(len(listed), 1 - DISCOUNT)
        return Costs.pairs(left, right, prices, size=len(vocabulary.tokens))


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
            raise OptionError(
                f"ties={self.ties} has no effect: the formatting decides the alignment",
                fix="leave out ties",
            )

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
    nothing = split_punctuation("")
    listed = [
        _kind(*(split_punctuation(vocabulary[i]) if i >= 0 else nothing for i in pair))
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
