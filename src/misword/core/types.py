"""The nouns of misword: frozen, over columns and flat arrays, never one object per utterance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

# Columns that every frame has; metadata of these names gets a trailing underscore.
OWN_COLUMNS = ("utt", "text", "line", "system", "rank", "score")

Ids = NDArray[np.int32] | NDArray[np.uint8]
Offsets = NDArray[np.int64]


class Op(IntEnum):
    """What an alignment does at one place."""

    HIT = 0
    SUBSTITUTION = 1
    INSERTION = 2
    DELETION = 3


@dataclass(frozen=True, slots=True)
class Corpus:
    """References, and what one or more systems made of them.

    `references` has columns `utt`, `text` and any metadata (speaker, noise, ...);
    `hypotheses` has `utt`, `system`, `rank` (1 is best), `text`, `score`. One best, several
    systems, N-best lists and noise levels are all this one type.
    """

    references: pl.DataFrame
    hypotheses: pl.DataFrame

    @classmethod
    def of(cls, references: pl.DataFrame, systems: Mapping[str, pl.Series]) -> Corpus:
        """One hypothesis per reference from each system, in the order of the references."""
        import polars as pl

        parts = [
            pl.DataFrame({"utt": references["utt"], "text": text}).select(
                "utt",
                pl.lit(system).alias("system"),
                pl.lit(1, pl.Int64).alias("rank"),
                "text",
                pl.lit(None, pl.Float64).alias("score"),
            )
            for system, text in systems.items()
        ]
        return cls(references, pl.concat(parts))

    @property
    def systems(self) -> list[str]:
        """The systems' names, in the order they were given."""
        return self.hypotheses["system"].unique(maintain_order=True).to_list()

    @property
    def metadata(self) -> list[str]:
        """Names of the metadata columns."""
        return [name for name in self.references.columns if name not in ("utt", "text")]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Token sequences of many utterances: flat ids, offsets, and the words the ids stand for.

    Utterance `u` is `ids[offsets[u]:offsets[u + 1]]`. Sequences that are to be aligned share one
    `vocabulary` object.
    """

    ids: Ids
    offsets: Offsets
    vocabulary: Sequence[str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> list[str]:
        return [self.vocabulary[id_] for id_ in self.ids[self.offsets[row] : self.offsets[row + 1]]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens in each utterance."""
        return np.diff(self.offsets)

    def take(self, rows: NDArray[np.int64]) -> Tokens:
        """The utterances named by `rows`, in that order, as a new flat sequence."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        inside = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Tokens(
            self.ids[np.repeat(self.offsets[rows], lengths) + inside], offsets, self.vocabulary
        )


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How each hypothesis follows from its reference.

    `counts` has a row per pair and a column per `Op` (hits, substitutions, insertions, deletions);
    `costs` is each pair's summed price (errors, with unit costs). Where the operations were asked
    for, pair `p` has `ops[offsets[p]:offsets[p + 1]]`, in order.
    """

    counts: NDArray[np.int64]
    costs: NDArray[np.float64]
    ops: NDArray[np.uint8] | None = None
    offsets: Offsets | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def all_operations(self) -> NDArray[np.uint8]:
        """The operations of all pairs, one after the other."""
        if self.ops is None:
            raise ValueError("this alignment was made without its operations")
        return self.ops

    def operations(self, pair: int) -> NDArray[np.uint8]:
        """The operations of one pair."""
        if self.offsets is None:
            raise ValueError("this alignment was made without its operations")
        return self.all_operations[self.offsets[pair] : self.offsets[pair + 1]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a command found: tables and where they come from. The only thing commands write."""

    kind: str
    tables: dict[str, pl.DataFrame]
    provenance: dict[str, Any] = field(default_factory=dict)
