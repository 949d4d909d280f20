"""The readings of references that have the fewest word errors against their hypotheses.

The readings of a reference are the paths of a lattice: a graph whose edges are phrases. First the
reference is listed as it is written: an edge for each word, and at the end of a group of
alternatives an empty edge from each of them. Then, beside each path that spells a form of a class
of equivalents, an edge for each other form of the class. A form that is not shorter and shares no
word with the hypothesis is left out: all its words are errors, so it cannot be better. Edges that
meet in a node without other edges count as one edge, listed where its first part is.

The best reading has the fewest errors. Where several edges lead to a node with equally few errors,
the edge that was listed first is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import WrittenReferences
from misword.core.errors import InputError
from misword.core.types import Offsets, Tokens, join_ranges
from misword.core.workers import run
from misword.native.library import INTEGER, OK, array, kernel

WORDS, NUMBERS = array(np.int32), array(np.int64)
_choose_readings = kernel(
    "misword_choose_readings", WORDS, NUMBERS, NUMBERS, array(np.uint8), NUMBERS, WORDS, NUMBERS,
    INTEGER, NUMBERS, NUMBERS, NUMBERS, NUMBERS, WORDS, NUMBERS, INTEGER, NUMBERS, INTEGER, INTEGER,
    array(np.int32, out=True), array(np.int64, out=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """The forms of equivalents; class `c` has the forms `class_at[c]` to `class_at[c + 1] - 1`."""

    words: Tokens
    class_at: Offsets

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The parameters of the kernel, among them the forms by first word and by class."""
        words, class_at = self.words, self.class_at
        filled = np.flatnonzero(words.lengths)
        first = words.ids[words.offsets[filled]]
        counts = np.bincount(first, minlength=len(words.vocabulary))
        listed = filled[np.argsort(first, kind="stable")]
        listed_at = np.concatenate([[0], np.cumsum(counts)])
        class_of = np.repeat(np.arange(len(class_at) - 1), np.diff(class_at))
        return words.ids, words.offsets, len(words), listed, listed_at, class_of, class_at


def choose_readings(
    references: WrittenReferences,
    forms: Forms,
    hypotheses: Tokens,
    pairs: NDArray[np.int64],
    workers: int | None = None,
) -> tuple[NDArray[np.int64], Tokens]:
    """Choose the best reading of reference `pairs[p, 0]` for hypothesis `pairs[p, 1]`.

    References, forms and hypotheses share a vocabulary. Return the numbers of the pairs whose
    reading is not simply the one segment of their reference, and the words of these readings.
    """
    size = len(hypotheses.vocabulary)
    if len(references.sign_at) != len(references.first_segment) + 1:
        raise ValueError("`sign_at` needs one number more than there are references")
    if not size == len(references.segments.vocabulary) == len(forms.words.vocabulary):
        raise ValueError("references, forms and hypotheses must share a vocabulary")
    pairs = np.ascontiguousarray(pairs)
    written, heard = references.lengths[pairs[:, 0]], hypotheses.lengths[pairs[:, 1]]
    ends = np.cumsum(heard + np.maximum(written, heard))  # of the room of each reading
    readings, slots = np.empty(ends[-1] if len(ends) else 0, np.int32), ends.copy()
    texts = *references.arguments, *forms.arguments, hypotheses.ids, hypotheses.offsets

    def chunk(lo: int, hi: int) -> None:
        if _choose_readings(*texts, size, pairs, lo, hi, readings, slots) != OK:
            raise InputError("a reference with alternatives has more than 2 billion words")

    run(chunk, written * (heard + 1) + 8, workers)
    chosen = np.flatnonzero(slots >= 0)
    lengths = ends[chosen] - slots[chosen]
    ids = readings[join_ranges(slots[chosen], lengths)]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return chosen, Tokens(ids, offsets, hypotheses.vocabulary)
