"""The worst passages of long texts: windows of reference words with the most errors.

A recording or a long turn has thousands of words, of which a reader wants to see the worst. The
windows are the same for all systems, so that what they wrote for the same words stands side by
side; `passages.js` draws a passage when the reader scrolls to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Op
from misword.report.article import Article, Section
from misword.report.explorer.alignments import SystemWords, alignment_tables, shared_reference
from misword.report.explorer.data import MAXIMAL_UTTERANCES
from misword.report.explorer.section import EXPLORER_ID
from misword.report.markup import Markup, element, joined, paragraph
from misword.report.packing import Data

# Words of the reference in a window, and windows in each order.
WINDOW, PASSAGES = 30, 20
# The section is shown if a reference has at least this many words: windows of shorter ones would be
# the utterances themselves.
LONG = 2 * WINDOW
EXPLANATION = (
    f"The {PASSAGES} passages of {WINDOW} reference words with the most errors; passages do not "
    "overlap, and each is within one utterance."
)
ERRORS = (int(Op.SUBSTITUTION), int(Op.INSERTION), int(Op.DELETION))
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCounts:
    """The errors of each system at each reference word of all utterances, one after the other.

    `lengths` has the number of reference words of each utterance. `errors[s, i]` is the number of
    errors of system `s` at word `i`; a word that was inserted counts at the word after it, or at
    the last word of its utterance.
    """

    lengths: Counts
    errors: Counts

    @classmethod
    def of(cls, systems: list[SystemWords], utterances: int) -> ErrorCounts | None:
        """Count the errors; None if the systems do not have the same reference words."""
        reference = shared_reference(systems)
        if reference is None:
            return None
        lengths = np.bincount(reference["utterance"].to_numpy(), minlength=utterances)
        errors = np.stack([_errors_of(one, lengths) for one in systems])
        return cls(lengths, errors)

    def worst(self, weights: NDArray[np.int64]) -> list[tuple[int, int, int]]:
        """Return the utterance, the first word and the end of the windows with the largest sums.

        `weights` has the weight of each system: 1 and -1 compare two systems. Sums are positive,
        and of equal ones the first counts.
        """
        ends = np.cumsum(self.lengths)
        starts = ends - self.lengths
        sums = np.concatenate([[0], np.cumsum(weights @ self.errors)])
        utterance = np.repeat(np.arange(len(ends)), self.lengths)
        first = np.arange(len(utterance))
        last = np.minimum(first + WINDOW, ends[utterance])
        # A window that ends with its utterance begins WINDOW words before, if there are so many.
        complete = (last - first == WINDOW) | (first == starts[utterance])
        score = np.where(complete, sums[last] - sums[first], 0)
        found: list[tuple[int, int, int]] = []
        while len(found) < PASSAGES and len(score) and score[at := int(score.argmax())] > 0:
            u = int(utterance[at])
            found.append((u, at - int(starts[u]), int(last[at] - starts[u])))
            score[max(at - WINDOW + 1, starts[u]) : last[at]] = 0
        return found


def _errors_of(system: SystemWords, lengths: Counts) -> Counts:
    """Return the number of errors at each reference word of all utterances."""
    sizes = system.sizes("reference")
    before = np.cumsum(sizes) - sizes  # of all utterances; words of insertions: the next word
    last = np.cumsum(lengths)[system.utterance] - 1
    wrong = np.isin(system.operation, ERRORS) & (lengths[system.utterance] > 0)
    at = np.minimum(before, last)[wrong]
    return np.bincount(at, minlength=int(lengths.sum())).astype(np.int64)


def passages_data(counts: ErrorCounts, systems: list[str]) -> Data:
    """Return the orders of the passages, each with its name and its windows.

    They are by the errors of all systems, of each, and by those that each has more than the first.
    """
    one = np.eye(len(systems), dtype=np.int64)
    orders = [("errors of all systems" if len(systems) > 1 else "errors", one.sum(axis=0))]
    if len(systems) > 1:
        orders += [(f"errors of {name}", one[s]) for s, name in enumerate(systems)]
        orders += [
            (f"{name} worse than {systems[0]}", one[s] - one[0])
            for s, name in enumerate(systems[1:], 1)
        ]
    return {
        "orders": [
            {"name": name, "windows": [_window(counts, *one) for one in counts.worst(weights)]}
            for name, weights in orders
        ]
    }


def _window(counts: ErrorCounts, utterance: int, first: int, end: int) -> Data:
    start = int(counts.lengths[:utterance].sum())
    errors = counts.errors[:, start + first : start + end].sum(axis=1)
    return {
        "utterance": utterance,
        "from": first,
        "to": end,
        "of": int(counts.lengths[utterance]),
        "errors": errors.tolist(),
    }


def _section(article: Article) -> Markup:
    """Return the element that the scripts fill; nothing if all references are short."""
    if article.rates is None or not article.rates.labels:
        return Markup()
    tables, _ = alignment_tables(article.result)
    frame = tables.get("words")
    if frame is None:
        return Markup()
    ids, systems = article.rates.ids[:MAXIMAL_UTTERANCES], article.rates.systems
    counts = ErrorCounts.of([SystemWords.of(frame, name, ids) for name in systems], len(ids))
    if counts is None or counts.lengths.max(initial=0) < LONG:
        return Markup()
    block = article.add_data("passages", passages_data(counts, systems))
    place = element(
        "div", class_="passages", data_passages=block, data_explorer_of=article.id(EXPLORER_ID)
    )
    return joined([paragraph(EXPLANATION, "note"), place])


PASSAGES_SECTION = Section("passages", "Passages", "The worst passages", _section)
