"""Words that families judge one by one: words that are the same, and words that may be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import NOT_OPTIONAL
from misword.asr.forgiving.choice import Choice


@dataclass(frozen=True, slots=True, eq=False)
class WordClasses:
    """For each word of a vocabulary its class under the chosen families, and who may be left out.

    `levels` has a row for each family that has changed a word: the class of each word after it and
    the families before it. Words with equal classes in the last row are the same. `optional` has
    the number of the family by which a word may be left out, or NOT_OPTIONAL.
    """

    levels: NDArray[np.int32]
    level_families: NDArray[np.int64]
    optional: NDArray[np.uint8]

    @classmethod
    def of(cls, words: Sequence[str], choice: Choice) -> WordClasses:
        """Ask all families about the words."""
        forms: Sequence[str] = words
        optional = np.full(len(words), NOT_OPTIONAL, np.uint8)
        levels, families = [], []
        for number, family in enumerate(choice.families):
            changed = family.same_words(forms, choice.lang)
            if changed != forms:
                forms = changed
                levels.append(_numbered(forms))
                families.append(number)
            if (flags := family.optional(words, choice.lang)) is not None:
                optional[np.asarray(flags, np.bool_) & (optional == NOT_OPTIONAL)] = number
        rows = np.stack(levels) if levels else np.arange(len(words), dtype=np.int32)[None]
        return cls(rows, np.array(families, np.int64), optional)

    @property
    def trivial(self) -> bool:
        """Whether every word is the same as itself only."""
        return int(self.class_of.max(initial=-1)) + 1 == len(self.class_of)

    @property
    def class_of(self) -> NDArray[np.int32]:
        """The class of each word under all families."""
        last: NDArray[np.int32] = np.ascontiguousarray(self.levels[-1])
        return last

    def family_of(
        self, reference: NDArray[np.int32], hypothesis: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return the family by which each pair of words of equal class is the same."""
        equal = self.levels[:, reference] == self.levels[:, hypothesis]
        return np.asarray(self.level_families[equal.argmax(axis=0)])


def _numbered(forms: Sequence[str]) -> NDArray[np.int32]:
    numbers: dict[str, int] = {}
    return np.fromiter((numbers.setdefault(form, len(numbers)) for form in forms), np.int32)
