"""Align texts and return the steps of each alignment and the most frequent confusions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from math import ceil
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import steps
from misword.alignment.similar_words import Spacings
from misword.asr.corpus import make_corpus
from misword.asr.forgiving.equivalents import equivalent_classes
from misword.asr.measuring import keep_critical_terms, metric_settings, prepare_with
from misword.asr.metrics import METRICS, labelled
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import AlignMetric, AlignOptions, CriticalTerms, Scoring, combine
from misword.asr.pairs import Pairs
from misword.asr.word_tables import (
    KINDS,
    AlignmentStep,
    families_of_steps,
    shown_alignment,
    spacing_blocks,
    step_costs,
    token_texts,
)
from misword.core.context import Context
from misword.core.display import HTML_ROWS
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts import Settings
from misword.core.signature import Signature
from misword.core.tables import Table
from misword.core.types import Alignment, Description, DisplayedResult, Op, Result, Tokens
from misword.core.version import __version__
from misword.embed.options import Models
from misword.stat.descriptions.alignments import ALIGNMENT

# Alignments as HTML for notebooks: the reference above the hypothesis, errors in colour.
#
# Colours and lines are those of the report. A notebook does not load the style sheet of misword, so
# each element sets its text colour and its background colour itself.

PAIRS = 10  # pairs shown
STEPS = 100  # steps shown of each pair
LONGEST = 40  # characters shown of a word or of a forgiven block
DIFFERENCES = "The most frequent differences:"

HIT = "opacity:.7"  # keeps the text colour of the notebook, whose theme may be dark
FORGIVEN = "color:#1b1d21;background:#d9e8fa;border-bottom:2px solid #0a4f8a"
LINES = {"substitution": "solid", "insertion": "dashed", "deletion": "dotted"}
# Backgrounds of errors, from a cost near 0 to a cost of 1 or more.
COSTS = ("#fff3e8", "#ffe4cc", "#ffd3ab", "#ffc28c", "#ffb06b")


def alignments_html(title: str, pairs: Iterable[Sequence[AlignmentStep]], size: int) -> str:
    """Return the first alignments as HTML; `size` is the number of all pairs."""
    shown = "".join(_pair_html(steps) for _, steps in zip(range(PAIRS), pairs, strict=False))
    more = f"<p>... {size - PAIRS:,} more</p>" if size > PAIRS else ""
    return f"<div><p>{escape(title)}</p>{shown}{more}</div>"


def _pair_html(steps: Sequence[AlignmentStep]) -> str:
    places = "".join(map(_step_html, steps[:STEPS]))
    more = f"... {len(steps) - STEPS:,} more" if len(steps) > STEPS else ""
    return f'<div dir="auto" style="margin:6px 0">{places}{more}</div>'


def _step_html(step: AlignmentStep) -> str:
    """Return one step as HTML: the reference word above the hypothesis word."""
    words = "<br>".join(_word(word) for word in (step.reference, step.hypothesis))
    name = "forgiven: " + step.family if step.family else step.kind
    look = f"display:inline-block;padding:0 4px;margin:2px 1px;{_style(step)}"
    return f'<span title="{escape(name)}" style="{look}">{words}</span>'


def _style(step: AlignmentStep) -> str:
    if step.family:
        return FORGIVEN
    if step.kind == "hit":
        return HIT
    depth = ceil(len(COSTS) * min(max(step.cost, 0.0), 1.0))
    background = COSTS[depth - 1] if depth else "#ffffff"
    return f"color:#1b1d21;background:{background};border-bottom:2px {LINES[step.kind]} #7f2d00"


def _word(word: str | None) -> str:
    if word is None:
        return "&nbsp;"
    return escape(word if len(word) <= LONGEST else word[: LONGEST - 1] + "…")


# The alignments of a corpus.


@dataclass(frozen=True, eq=False, repr=False)
class Aligned(DisplayedResult):
    """The alignments of pairs: operations that turn each reference into its hypothesis, and costs.

    >>> import misword
    >>> [step.kind for step in misword.align(["a b c"], ["a x c d"]).steps(0)]
    ['hit', 'substitution', 'hit', 'insertion']
    """

    description: ClassVar[Description] = ALIGNMENT

    pairs: Pairs
    metric: EditRate
    alignment: Alignment
    reference: Tokens
    hypothesis: Tokens
    costs: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.alignment)

    def __iter__(self) -> Iterator[list[AlignmentStep]]:
        return (self.steps(pair) for pair in range(len(self)))

    def _repr_html_(self) -> str:
        overview = self.overview()
        differences = replace(overview, title=DIFFERENCES).html() if overview.table.rows else ""
        return alignments_html(overview.title, self, len(self)) + differences

    def shown(self) -> Result:
        """Return the most frequent differences alone."""
        result = self.result()
        tables = {name: frame.head(HTML_ROWS) for name, frame in result.tables.items()}
        return replace(result, tables=tables)

    def rows_in_all(self, table: Table) -> int:
        """Return the number of all differences of the kind of a table."""
        return len(self.result().tables[table.name]) if table.rows else 0

    def main_table(self) -> pl.DataFrame:
        """Return all steps (`words()`)."""
        return self.words()

    def result(self) -> Result:
        """Return the differences by their frequency, and what decides the alignment."""
        operations = self.alignment.counts.sum(axis=0).tolist()
        tables = {
            "confusions": self.confusions(),
            "spacings": self.spacings(),
            "forgiven": self.forgiven(),
        }
        facts = {
            "misword": __version__,
            "metric": self.metric.name,
            "signature": str(Signature(self.metric.name, self.signature)),
            "pairs": len(self),
            "operations": dict(zip(KINDS, operations, strict=True)),
            "forgiven": list(self.forgivable),
            "forgiven_differences": len(self.alignment.forgiven),
        }
        return Result("alignment", tables, facts)

    @property
    def signature(self) -> Settings:
        """The settings that decide the alignment."""
        return metric_settings(self.metric, self.pairs)

    def steps(self, pair: int) -> list[AlignmentStep]:
        """Return the steps of one pair, in order."""
        if not 0 <= pair < len(self):
            raise IndexError(f"there is no pair {pair}: the first is 0, the last {len(self) - 1}")
        row, column = self.metric.rows(self.pairs)[pair]
        reference, hypothesis = iter(self.reference[row]), iter(self.hypothesis[column])
        lo, hi = self.alignment.all_offsets[pair : pair + 2].tolist()
        ops = self.alignment.all_operations[lo:hi].tolist()
        spacings = self._spacing[lo:hi].tolist()
        return [
            AlignmentStep(
                KINDS[op],
                None if op == Op.INSERTION else next(reference) or None,
                None if op == Op.DELETION else next(hypothesis) or None,
                float(cost),
                family,
                spacing,
            )
            for op, cost, family, spacing in zip(
                ops, self.costs[lo:hi], self.families[lo:hi], spacings, strict=True
            )
        ]

    @cached_property
    def _spacings(self) -> Spacings:
        return spacing_blocks(self.alignment, self.metric, self.pairs)

    @cached_property
    def _spacing(self) -> NDArray[np.bool_]:
        """Whether each step belongs to a word that was split or joined."""
        return self._spacings.mask(len(self.alignment.all_operations))

    def labels(self) -> pl.DataFrame:
        """Return a row for each error with its label and level, as the metric `severity` has them.

        All differences of writing are forgiven for this table.
        """
        from misword.asr.severity.labelling import critical_terms, label_pairs

        found = label_pairs(self.pairs, critical_terms(self.pairs.context))
        return found.table(self.pairs.keys)

    @property
    def forgivable(self) -> tuple[str, ...]:
        """The names of the families whose differences are forgiven."""
        return self.metric.readings(self.pairs).families

    @cached_property
    def families(self) -> pl.Series:
        """The family of each forgiven step; null for all others."""
        return families_of_steps(self.alignment, self.metric.readings(self.pairs))

    def words(self) -> pl.DataFrame:
        """Return all steps as a frame: pair, kind, reference, hypothesis, cost, family, spacing."""
        return self._words

    @cached_property
    def _words(self) -> pl.DataFrame:
        rows = self.metric.rows(self.pairs)
        path = steps(self.alignment, self.reference, self.hypothesis, rows)
        return pl.DataFrame(
            {
                "pair": path.pair,
                "kind": pl.Series(KINDS, dtype=pl.Enum(KINDS))[path.ops],
                "reference": token_texts(self.reference, path.reference),
                "hypothesis": token_texts(self.hypothesis, path.hypothesis),
                "cost": self.costs,
                "family": self.families,
                "spacing": self._spacing,
            }
        )

    def confusions(self) -> pl.DataFrame:
        """Return the number of times and the cost of each error, the most frequent first.

        Forgiven differences are not counted.
        """

        errors = self.words().filter(pl.col("kind") != "hit")
        by = ["kind", "reference", "hypothesis"]
        counted = errors.group_by(by).agg(pl.len().alias("count"), pl.first("cost"))
        order = ["count", *by]
        return counted.sort(order, descending=[True, False, False, False], nulls_last=True)

    def forgiven(self) -> pl.DataFrame:
        """Return the number of times each difference was forgiven, the most frequent first.

        >>> import misword
        >>> aligned = misword.align(["we are late"], ["we're late"], forgive="contractions")
        >>> aligned.forgiven().rows()
        [('contractions', 'we are', "we're", 1)]
        """

        blocks = self.words().filter(pl.col("family").is_not_null())
        by = ["family", "reference", "hypothesis"]
        counted = blocks.group_by(by).agg(pl.len().alias("count"))
        order = ["count", *by]
        return counted.sort(order, descending=[True, False, False, False], nulls_last=True)

    def spacings(self) -> pl.DataFrame:
        """Return the number of times each word was split or joined, the most frequent first.

        >>> import misword
        >>> misword.align(["some thing new", "ok"], ["something new", "ok"]).spacings().rows()
        [('some thing', 'something', 1)]
        """

        sizes = self._spacings.end - self._spacings.start
        numbers = pl.Series("block", np.repeat(np.arange(len(sizes)), sizes))
        steps = self.words().filter("spacing").with_columns(numbers)
        by = ["reference", "hypothesis"]
        joined = [pl.col(name).drop_nulls().str.join(" ") for name in by]
        blocks = steps.group_by("block", maintain_order=True).agg(joined)
        counted = blocks.group_by(by).agg(pl.len().alias("count"))
        return counted.sort(["count", *by], descending=[True, False, False])


@takes(AlignMetric, Scoring, CriticalTerms)
def align(
    references: Any,
    hypotheses: Any = None,
    metric: str | None = None,
    *,
    ids: Any = None,
    **options: Unpack[AlignOptions],
) -> Aligned:
    """Align columns of text as a metric does; the other arguments are those of `misword.score`.

    Among the alignments of words with the metric's numbers of substitutions, insertions and
    deletions, one is returned that pairs words with similar letters
    (`alignment/similar_words.py`).

    The default metric is the first one of the preset, or `wer`.
    """
    context = Context.of(**chosen(options, Models))
    keep_critical_terms(context, options["critical_terms"])
    combined = combine(context, **chosen(options, Scoring))
    rate = _create_rate(metric or combined.metrics[0], context)
    corpus = make_corpus(references, hypotheses, ids=ids, cuts=True)
    classes = equivalent_classes(options["equivalents"]) if options["equivalents"] else []
    if corpus.segments is not None:
        from misword.asr.recordings.cutting import settle_segments

        corpus = settle_segments(corpus, combined, classes, context)
    pairs = prepare_with(combined, corpus, classes, context)
    reference, hypothesis = rate.tokens(pairs)
    alignment = shown_alignment(rate, pairs)
    costs = step_costs(rate, pairs, alignment.all_operations)
    return Aligned(pairs, rate, alignment, reference, hypothesis, costs)


def _create_rate(metric: str, context: Context) -> EditRate:
    """Create the metric of a spec; raise if it does not align or cannot be used."""
    created = METRICS.create(metric)
    if not isinstance(created, EditRate):
        raise OptionError(
            f"the metric {metric!r} makes no alignment", fix="use an edit rate such as wer or cer"
        )
    with labelled(metric):
        created.check(context)
    created.settings(context)  # opens vectors and models
    return created
