"""Labels and levels of errors, and the score of an utterance.

Each error that remains after forgiving has a label and a risk: an estimate, set by hand, of the
probability that the error changes what a listener would do or believe. The level follows from the
risk. The score of an utterance is the probability that at least one of its errors does, as if they
were independent: 1 - (1 - p1) (1 - p2) ... The part of words that are lost, replaced or invented is
at most 0.9, so that many of them in a long text are not worse than a lost `not`.

The risks are not calibrated: three levels are defensible, a probability only after
`misword fit --severity` on labels of one's own domain.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

NONE, MINOR, MAJOR, CRITICAL = range(4)
LEVELS = ("none", "minor", "major", "critical")
# The least risk of each level above `none`.
LEAST_RISK = (0.05, 0.25, 0.6)

# Labels with their titles. Errors with a label of the second part are harmless.
DANGEROUS = {
    "term": "critical term",
    "number": "number, unit or date",
    "negation": "negation",
    "polarity": "polarity",
    "modality": "modality or quantifier",
    "role": "who does what",
    "name": "name",
    "replaced": "content replaced",
    "lost": "content lost",
    "invented": "content invented",
    "cut": "cut off",
}
HARMLESS = {
    "filler": "filler",
    "repetition": "repetition",
    "function": "function word",
    "inflection": "inflection",
    "synonym": "synonym",
    "spelling": "spelling",
    "homophone": "homophone",
    "order": "word order",
}
LABELS = DANGEROUS | HARMLESS


class LabelledError(NamedTuple):
    """One error: its label and risk, and the words of both sides.

    `start` to `end - 1` are the words of the reference, `heard_start` to `heard_end - 1` those of
    the hypothesis; one of the two ranges may be empty.
    """

    label: str
    risk: float
    start: int
    end: int
    heard_start: int
    heard_end: int

    def moved(self, start: int, heard: int) -> LabelledError:
        """Return the error in texts with more words before it."""
        return self._replace(
            start=self.start + start,
            end=self.end + start,
            heard_start=self.heard_start + heard,
            heard_end=self.heard_end + heard,
        )

    @property
    def level(self) -> int:
        """The level of the error."""
        return level_of(self.risk)


def level_of(risk: float) -> int:
    """Return the level of a risk.

    >>> [LEVELS[level_of(risk)] for risk in (0.01, 0.1, 0.3, 0.9)]
    ['none', 'minor', 'major', 'critical']
    """
    return sum(risk >= least for least in LEAST_RISK)


# What is lost, replaced or invented beside the closed classes adds up to at most this.
CONTENT = frozenset({"replaced", "lost", "invented", "cut", *HARMLESS})
MOST_OF_CONTENT = 0.9


def score_of(errors: Iterable[LabelledError]) -> float:
    """Return the score of an utterance: the probability that at least one of its errors matters.

    >>> two = [LabelledError("negation", 0.5, 0, 1, 0, 0), LabelledError("number", 0.2, 1, 2, 0, 0)]
    >>> round(score_of(two), 3), score_of([])
    (0.6, 0.0)
    """
    content = closed = 1.0
    for error in errors:
        if error.label in CONTENT:
            content *= 1 - error.risk
        else:
            closed *= 1 - error.risk
    return 1 - closed * (1 - MOST_OF_CONTENT * (1 - content))
