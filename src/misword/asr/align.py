"""Alignments a person can read, and what was confused with what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Ties
from misword.asr.pairs import Pairs, prepare
from misword.asr.score import make_corpus
from misword.asr.views.word import Word
from misword.core.types import Alignment, Op, Tokens

if TYPE_CHECKING:
    import polars as pl

KINDS = ("hit", "substitution", "insertion", "deletion")


class Step(NamedTuple):
    """One place of an alignment; the side that has no word there is None."""

    kind: str
    reference: str | None
    hypothesis: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Pairs with the operations that turn each reference into its hypothesis.

    >>> import misword
    >>> [step.kind for step in misword.align(["a b c"], ["a x c d"]).steps(0)]
    ['hit', 'substitution', 'hit', 'insertion']
    """

    pairs: Pairs
    alignment: Alignment
    reference: Tokens
    hypothesis: Tokens

    def __len__(self) -> int:
        return len(self.alignment)

    def __iter__(self) -> Iterator[list[Step]]:
        return (self.steps(pair) for pair in range(len(self)))

    def steps(self, pair: int) -> list[Step]:
        """The steps of one pair, in order."""
        if not 0 <= pair < len(self):
            raise IndexError(f"pair {pair} of {len(self)}")
        row, column = self.pairs.index[pair]
        said, heard = iter(self.reference[row]), iter(self.hypothesis[column])
        return [
            Step(
                KINDS[op],
                None if op == Op.INSERTION else next(said),
                None if op == Op.DELETION else next(heard),
            )
            for op in self.alignment.operations(pair).tolist()
        ]

    def words(self) -> pl.DataFrame:
        """Every step of every pair as columns: pair, kind, reference and hypothesis (words)."""
        import polars as pl

        ops = self.alignment.all_operations
        vocabulary = pl.Series(self.reference.vocabulary[:], dtype=pl.String)

        def words(tokens: Tokens, rows: NDArray[np.int64], absent: Op) -> pl.Series:
            present = ops != absent
            ids = np.full(len(ops), -1, np.int64)
            ids[present] = tokens.take(rows).ids
            found = pl.Series(ids)
            return vocabulary.gather(found.set(found < 0, None))

        rows, columns = self.pairs.index.T
        pair = np.repeat(np.arange(len(self)), self.alignment.counts.sum(axis=1))
        return pl.DataFrame(
            {
                "pair": pair,
                "kind": pl.Series(KINDS, dtype=pl.Enum(KINDS))[ops],
                "reference": words(self.reference, rows, Op.INSERTION),
                "hypothesis": words(self.hypothesis, columns, Op.DELETION),
            }
        )

    def confusions(self) -> pl.DataFrame:
        """How often each error happened, the commonest first."""
        import polars as pl

        errors = self.words().filter(pl.col("kind") != "hit")
        counted = errors.group_by("kind", "reference", "hypothesis").len("count")
        order = ["count", "kind", "reference", "hypothesis"]
        return counted.sort(order, descending=[True, False, False, False], nulls_last=True)


def align(
    references: Any,
    hypotheses: Any = None,
    *,
    ties: Ties = "misword",
    normalize: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    ids: Any = None,
    workers: int | None = None,
) -> Aligned:
    """Align columns of text word by word; the arguments are those of `misword.score`."""
    corpus = make_corpus(references, hypotheses, ids=ids)
    pairs = prepare(
        corpus,
        normalize_with=normalize,
        alternatives=alternatives,
        equivalents=equivalents,
        workers=workers,
    )
    return align_pairs(pairs, ties)


def align_pairs(pairs: Pairs, ties: Ties = "misword") -> Aligned:
    """Align prepared pairs word by word."""
    reference, hypothesis = pairs.tokens(Word())
    alignment = pairs.alignment(Word(), ties, operations=True)
    return Aligned(pairs, alignment, reference, hypothesis)
