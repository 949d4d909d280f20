"""Tables of punctuation marks and capitals: precision, recall and F of each kind, from a summary.

F is 2 P R / (P + R). The error rate of one kind of mark is the sum of its missing and added marks
divided by those of the reference. A mark in place of another one is missing as the one kind and
added as the other; in the row of all kinds together it is one error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

RIGHT, REFERENCE, HYPOTHESIS = ".right", ".in_reference", ".in_hypothesis"
ALL = "all"
ERRORS = {  # of formatted words, in the order of tables
    "wrong_words": "words",
    "only_case": "only case",
    "only_punctuation": "only punct.",
    "case_and_punctuation": "case and punct.",
}


class MarkCounts(NamedTuple):
    """The counts of one kind of mark: right ones, those of each side, and errors."""

    kind: str
    right: int
    reference: int
    hypothesis: int
    errors: int

    @property
    def precision(self) -> float | None:
        """The share of the marks of the hypothesis that are right; None if it has none."""
        return self.right / self.hypothesis if self.hypothesis else None

    @property
    def recall(self) -> float | None:
        """The share of the marks of the reference that are right; None if it has none."""
        return self.right / self.reference if self.reference else None

    @property
    def f(self) -> float | None:
        """The harmonic mean of precision and recall; None if no side has marks."""
        both = self.reference + self.hypothesis
        return 2 * self.right / both if both else None

    @property
    def error_rate(self) -> float | None:
        """Errors per mark of the reference; None if it has none."""
        return self.errors / self.reference if self.reference else None


def mark_statistics(kind: str) -> tuple[str, str, str]:
    """Return the names of the statistics of a kind of mark.

    >>> mark_statistics("comma")
    ('comma.right', 'comma.in_reference', 'comma.in_hypothesis')
    """
    return kind + RIGHT, kind + REFERENCE, kind + HYPOTHESIS


def shown_kind(kind: str) -> str:
    """Return the name of a kind of mark in tables.

    >>> shown_kind("first_letter")
    'first letter'
    """
    return kind.replace("_", " ")


def mark_counts(row: Mapping[str, Any]) -> Iterable[MarkCounts]:
    """Yield the counts of each kind of mark that a row of a summary has, then those of all.

    >>> row = {"hits": 2, "substitutions": 1, "insertions": 0, "deletions": 1}
    >>> row |= {"comma.right": 2, "comma.in_reference": 4, "comma.in_hypothesis": 3}
    >>> [(each.kind, each.precision, each.recall, each.errors) for each in mark_counts(row)]
    [('comma', 0.6666666666666666, 0.5, 3), ('all', 0.6666666666666666, 0.5, 2)]
    """
    kinds = [name.removesuffix(RIGHT) for name in row if name.endswith(RIGHT)]
    present = [kind for kind in kinds if row[kind + RIGHT] is not None]
    if not present:
        return
    for kind in present:
        right, reference, hypothesis = (row[name] for name in mark_statistics(kind))
        if reference or hypothesis:
            errors = reference + hypothesis - 2 * right
            yield MarkCounts(kind, right, reference, hypothesis, errors)
    hits, replaced, added, missing = (
        row[name] for name in ("hits", "substitutions", "insertions", "deletions")
    )
    sizes = hits, hits + replaced + missing, hits + replaced + added
    yield MarkCounts(ALL, *sizes, replaced + added + missing)
