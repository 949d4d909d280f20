"""Alignments a person can read, and what was confused with what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.steps import steps
from misword.asr.metrics import METRICS, checked
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs, prepare
from misword.asr.score import make_corpus
from misword.asr.word_tables import KINDS, spell, step_costs
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.types import Alignment, Op, Tokens

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors


class Step(NamedTuple):
    """One place of an alignment; the side that has no token there is None."""

    kind: str
    reference: str | None
    hypothesis: str | None
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Pairs with the operations that turn each reference into its hypothesis, and their costs.

    >>> import misword
    >>> [step.kind for step in misword.align(["a b c"], ["a x c d"]).steps(0)]
    ['hit', 'substitution', 'hit', 'insertion']
    """

    pairs: Pairs
    metric: EditRate
    alignment: Alignment
    reference: Tokens
    hypothesis: Tokens
    costs: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.alignment)

    def __iter__(self) -> Iterator[list[Step]]:
        return (self.steps(pair) for pair in range(len(self)))

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """What decides the alignment."""
        return self.metric.settings(self.pairs.context) + self.pairs.settings

    def steps(self, pair: int) -> list[Step]:
        """The steps of one pair, in order."""
        if not 0 <= pair < len(self):
            raise IndexError(f"pair {pair} of {len(self)}")
        row, column = self.pairs.index[pair]
        said, heard = iter(self.reference[row]), iter(self.hypothesis[column])
        offsets = self.alignment.offsets
        costs = self.costs[offsets[pair] : offsets[pair + 1]] if offsets is not None else ()
        return [
            Step(
                KINDS[op],
                None if op == Op.INSERTION else next(said),
                None if op == Op.DELETION else next(heard),
                float(cost),
            )
            for op, cost in zip(self.alignment.operations(pair).tolist(), costs, strict=True)
        ]

    def words(self) -> pl.DataFrame:
        """Every step of every pair as columns: pair, kind, reference, hypothesis (words), cost."""
        import polars as pl

        laid = steps(self.alignment, self.reference, self.hypothesis, self.pairs.index)
        return pl.DataFrame(
            {
                "pair": laid.pair,
                "kind": pl.Series(KINDS, dtype=pl.Enum(KINDS))[laid.ops],
                "reference": spell(self.reference, laid.reference),
                "hypothesis": spell(self.hypothesis, laid.hypothesis),
                "cost": self.costs,
            }
        )

    def confusions(self) -> pl.DataFrame:
        """How often each error happened and what it costs each time, the commonest first."""
        import polars as pl

        errors = self.words().filter(pl.col("kind") != "hit")
        by = ["kind", "reference", "hypothesis"]
        counted = errors.group_by(by).agg(pl.len().alias("count"), pl.first("cost"))
        order = ["count", *by]
        return counted.sort(order, descending=[True, False, False, False], nulls_last=True)


def align(
    references: Any,
    hypotheses: Any = None,
    metric: str = "wer",
    *,
    normalize: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    lang: str | None = None,
    vectors: str | PathLike[str] | WordVectors | None = None,
    ids: Any = None,
    workers: int | None = None,
) -> Aligned:
    """Align columns of text as a metric does; the other arguments are those of `misword.score`."""
    context = Context.of(lang, vectors, workers=workers)
    rate = choose(metric, context)
    pairs = prepare(
        make_corpus(references, hypotheses, ids=ids),
        normalize_with=normalize,
        alternatives=alternatives,
        equivalents=equivalents,
        context=context,
    )
    return align_pairs(pairs, rate)


def choose(metric: str, context: Context) -> EditRate:
    """The metric of a spec, which must be one that aligns."""
    chosen = METRICS.create(metric)
    if not isinstance(chosen, EditRate):
        raise OptionError(f"{metric!r} does not align", fix="name one that counts edits: wer, ...")
    checked(metric, chosen, context)
    chosen.settings(context)  # opens vectors and models
    return chosen


def align_pairs(pairs: Pairs, rate: EditRate) -> Aligned:
    """Align prepared pairs as a metric that `choose` chose does."""
    reference, hypothesis = pairs.tokens(rate.view(pairs.context))
    alignment = rate.alignment(pairs, operations=True)
    costs = step_costs(rate, pairs, alignment.all_operations)
    return Aligned(pairs, rate, alignment, reference, hypothesis, costs)
