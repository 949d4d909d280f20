"""Metrics of how much errors matter: utterances with a critical error, and critical errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.asr.severity.labelling import critical_terms, knowledge, label_pairs
from misword.asr.severity.levels import CRITICAL, DANGEROUS, LEVELS
from misword.core.context import Context
from misword.core.errors import OptionError, did_you_mean
from misword.core.parts import Settings
from misword.core.types import Statistics
from misword.embed.fitting import shown_digest, sum_of_hashes
from misword.io.files.sources import open_source
from misword.stat.measure import ratio_of_terms

# The levels of the labels 0 (no), 1 (minimal) and 2 (significant impact) that people gave.
LEVELS_OF_LABELS = (0, 2, 3)


def _digest(file: str) -> str:
    """Return a digest of a file; raise if it has no learnt levels."""
    from misword.asr.severity.fit import read_models

    read_models(file)
    return shown_digest(sum_of_hashes([open_source(file).text]))


@dataclass(frozen=True, slots=True)
class LabelledErrors(Metric):
    """Base of the metrics of labelled errors."""

    operations: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The language; without one, English."""
        return ("lang",)

    def settings(self, context: Context) -> Settings:
        """The lists and packages that decide the labels, and the critical terms."""
        terms = critical_terms(context)
        digest = shown_digest(sum_of_hashes(terms)) if terms else "none"
        return *knowledge(context.lang).settings, ("terms", digest)

    def notes(self, context: Context) -> tuple[str, ...]:
        """Say so if the language has no closed classes, or if none was named."""
        if not context.lang:
            return ("English is assumed; --lang names another language",)
        if not knowledge(context.lang).language.known:
            return (
                f"there are no closed classes for {context.lang!r}: only digits, names, cut ends, "
                "lost and invented words are labelled (docs/severity.md says how to add a file)",
            )
        return ()

    def rate(self, terms: Statistics) -> Statistics:
        """The first of the terms divided by the second."""
        return ratio_of_terms(terms)


@dataclass(frozen=True, slots=True)
class Severity(LabelledErrors):
    """Utterances with a critical error, divided by all utterances.

    After differences of writing are forgiven, each remaining error has a label (number, negation,
    polarity, modality, who does what, name, lost, replaced or invented content, ...) and a level:
    critical, major, minor or none. `level` is that of the worst error of an utterance (3 to 0),
    `score` the probability that one of its errors matters, as if they were independent.

    Known problems: risks were set by hand, so that levels are defensible and probabilities are not,
    unless `misword fit --severity` has learnt them from labels of your own. The meaning of a
    sentence is not understood: a paraphrase with words that no list has looks like lost content.
    With `file`, level and score are those that `misword fit --severity -o FILE` learnt.

    Example: `misword score ref.txt hyp.txt --lang en --metrics wer,severity`
    """

    name: ClassVar[str] = "severity"
    title: ClassVar[str] = "utterances with a critical error"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("miller1995",)
    statistics: ClassVar[tuple[str, ...]] = ("level", "score", "with_critical", "pairs")
    fractional: ClassVar[frozenset[str]] = frozenset({"score"})
    means: ClassVar[frozenset[str]] = frozenset({"score"})
    main_option: ClassVar[str] = "file"

    file: str = ""

    def settings(self, context: Context) -> Settings:
        """What decides the labels, and a digest of the learnt levels."""
        own = LabelledErrors.settings(self, context)
        return own if not self.file else (("file", _digest(self.file)), *own)

    def measure(self, pairs: Pairs) -> Statistics:
        """Label the errors of each pair."""
        found = label_pairs(pairs, critical_terms(pairs.context))
        level, score = found.level, found.score
        if self.file:
            from misword.asr.severity.fit import fitted_levels, read_models

            labels, score = fitted_levels(found, pairs.context.lang, read_models(self.file))
            level = np.array(LEVELS_OF_LABELS)[labels]
        critical = level == CRITICAL
        return np.column_stack([level, score, critical, np.ones(len(critical))])

    def terms(self, statistics: Statistics) -> Statistics:
        """Utterances with a critical error, and all utterances."""
        return np.asarray(statistics[..., 2:])

    def reference(self, statistics: Statistics) -> Statistics:
        """All utterances."""
        return np.asarray(statistics[..., 3])


@dataclass(frozen=True, slots=True)
class CriticalErrors(LabelledErrors):
    """Critical errors per reference word; with `label`, only those with this label.

    The labels and levels are those of the metric `severity`.

    Known problems: as for `severity`.

    Example: `misword score ref.txt hyp.txt --lang en --metrics severity,critical:label=negation`
    """

    name: ClassVar[str] = "critical"
    title: ClassVar[str] = "critical errors per word"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("miller1995",)
    main_option: ClassVar[str] = "label"
    statistics: ClassVar[tuple[str, ...]] = ("critical", "reference_words")

    label: str = ""

    def check(self, context: Context) -> None:
        """Raise if there is no such label."""
        if self.label and self.label not in DANGEROUS:
            hint = did_you_mean(self.label, DANGEROUS)
            raise OptionError(
                f"no label {self.label!r}", fix=f"{hint}labels: {', '.join(DANGEROUS)}"
            )

    def settings(self, context: Context) -> Settings:
        """The label, and what decides all labels."""
        return ("label", self.label or "all"), *LabelledErrors.settings(self, context)

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the critical errors of each pair."""
        found = label_pairs(pairs, critical_terms(pairs.context))
        counts = found.critical_with(self.label) if self.label else found.critical
        return np.column_stack([counts, found.words])

    def reference(self, statistics: Statistics) -> Statistics:
        """Reference words."""
        return np.asarray(statistics[..., 1])

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Say how many there are per 1,000 words."""
        if self.label or not totals["reference_words"]:
            return ()
        rate = 1000 * totals["critical"] / totals["reference_words"]
        return (f"{rate:.2f} {LEVELS[CRITICAL]} errors per 1,000 words",)
