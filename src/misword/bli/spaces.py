"""The vectors of one language as a mapping method takes them: the first words, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors

STEPS = ("unit", "center")


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Words and their normalised vectors, in the order of the file (most frequent first).

    `steps` are the normalisation steps that were applied. `means` has the mean vector that each
    `center` among the steps subtracted, so that vectors of other words can be normalised alike.
    """

    vocabulary: Vocabulary
    rows: Float32Array
    steps: tuple[str, ...]
    means: tuple[Float32Array, ...]
    name: str = "memory"
    digest: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        vectors: WordVectors,
        normalize: str = "unit+center+unit",
        max_words: int | None = None,
    ) -> Space:
        """Normalise the vectors of all words, or of the first `max_words`.

        Raises an error if a vector is not finite, or if there is nothing to learn from.
        """
        steps = parse_steps(normalize)
        count = min(len(vectors), max_words or len(vectors))
        rows = np.require(vectors.rows(np.arange(count)), np.float32, ["C", "W"])
        _check_vectors(rows, vectors)
        zero = count - int(np.count_nonzero(rows.any(axis=1)))
        note = f"{counted(zero, 'word')} with a vector of zeros: no neighbours"
        means = normalize_rows(rows, steps)
        rows.flags.writeable = False
        return cls(
            vectors.vocabulary.first(count), rows, steps, means, vectors.name, vectors.digest,
            (*vectors.notes, *((note,) if zero else ())),
        )  # fmt: skip

    def normalized(self, normalize: str) -> Space:
        """Return these vectors after further normalisation steps."""
        steps, rows = parse_steps(normalize), self.rows.copy()
        means = normalize_rows(rows, steps)
        return replace(self, rows=rows, steps=self.steps + steps, means=self.means + means)

    @property
    def words(self) -> Sequence[str]:
        """All words, in the order of the rows."""
        return self.vocabulary

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, words: Sequence[str]) -> RowNumbers:
        """Return the row of each word, -1 where there is none."""
        return self.vocabulary.find(words)


def parse_steps(normalize: str) -> tuple[str, ...]:
    """Return the normalisation steps that an option names, or raise if one does not exist.

    >>> parse_steps("unit+center+unit")
    ('unit', 'center', 'unit')
    """
    steps = tuple(step for step in normalize.replace("+", ",").split(",") if step != "none")
    for step in steps:
        if step not in STEPS:
            raise OptionError(f"no step {step!r}", fix=f"use {', '.join(STEPS)}, or none")
    return steps


def _check_vectors(rows: Float32Array, vectors: WordVectors) -> None:
    """Raise an error if no mapping can be learnt from these vectors."""
    not_finite = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(not_finite):
        words = ", ".join(repr(vectors.words[i]) for i in not_finite[:3].tolist())
        raise InputError(
            f"{counted(len(not_finite), 'vector')} with nan or infinity: {words}",
            where=vectors.name,
            fix="take these words out of the file",
        )
    if len(rows) < 2:
        raise InputError(
            "there is only one word", where=vectors.name, fix="check that the file is complete"
        )
    if not rows.any():
        raise InputError("all vectors are zero", where=vectors.name, fix="check the file")


def normalize_rows(rows: Float32Array, steps: Sequence[str]) -> tuple[Float32Array, ...]:
    """Apply normalisation steps in place; returns the mean that each `center` subtracted.

    Rows of zeros are words without a vector: they stay zero and do not count in the mean.
    """
    means: list[Float32Array] = []
    has_vector = _has_vector(rows)
    for step in steps:
        if step == "center":
            mean = rows.sum(axis=0, dtype=np.float64) / max(np.count_nonzero(has_vector), 1)
            means.append(mean.astype(np.float32))
            _subtract(rows, means[-1], has_vector)
        else:
            scale_to_unit(rows)
    return tuple(means)


def apply_steps(rows: Float32Array, steps: Sequence[str], means: Sequence[Float32Array]) -> None:
    """Apply normalisation steps in place, with the means that other rows were normalised by."""
    has_vector, remaining = _has_vector(rows), iter(means)
    for step in steps:
        if step == "center":
            _subtract(rows, next(remaining), has_vector)
        else:
            scale_to_unit(rows)


def _has_vector(rows: Float32Array) -> NDArray[np.bool_]:
    return np.asarray(rows.any(axis=1))


def _subtract(rows: Float32Array, mean: Float32Array, has_vector: NDArray[np.bool_]) -> None:
    rows -= mean
    rows[~has_vector] = 0


def scale_to_unit(rows: Float32Array) -> None:
    """Scale rows to length one, in place; a row of zeros stays zero."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    norms[norms == 0] = 1
    rows /= norms[:, None].astype(np.float32)


def unit_rows(rows: Float32Array, steps: Sequence[str]) -> Float32Array:
    """Return rows of length one: the rows themselves if `unit` was their last step."""
    if steps[-1:] == ("unit",):
        return rows
    scaled = rows.copy()
    scale_to_unit(scaled)
    return scaled
