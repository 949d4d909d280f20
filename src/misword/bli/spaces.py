"""The vectors of one language as a mapping takes them: the first so many words, normalised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import counted

STEPS = ("unit", "center")
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Words and their normalised vectors, in the order of the file (most frequent first).

    `means` has what each `center` among the `steps` took off, so that vectors of other words can be
    brought to the same place.
    """

    vocabulary: Vocabulary
    rows: Matrix
    steps: tuple[str, ...]
    means: tuple[Matrix, ...]
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
        """Normalise the vectors of all words, or of the first so many; refuse what has none."""
        steps = steps_of(normalize)
        count = min(len(vectors), max_words or len(vectors))
        rows = np.require(vectors.rows(np.arange(count)), np.float32, ["C", "W"])
        _refuse(rows, vectors)
        zero = count - int(np.count_nonzero(rows.any(axis=1)))
        said = f"{counted(zero, 'word')} with a vector of zeros: no neighbours"
        notes = (said,) if zero else ()
        means = normalized(rows, steps)
        rows.flags.writeable = False
        return cls(
            vectors.vocabulary.first(count), rows, steps, means, vectors.name, vectors.digest,
            (*vectors.notes, *notes),
        )  # fmt: skip

    @property
    def words(self) -> Sequence[str]:
        """All words, in the order of the rows."""
        return self.vocabulary

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The row of each word, -1 where there is none."""
        return self.vocabulary.find(words)


def steps_of(normalize: str) -> tuple[str, ...]:
    """The steps that an option names.

    >>> steps_of("unit+center+unit")
    ('unit', 'center', 'unit')
    """
    steps = tuple(step for step in normalize.replace("+", ",").split(",") if step != "none")
    for step in steps:
        if step not in STEPS:
            raise OptionError(f"no step {step!r}", fix=f"use {', '.join(STEPS)}, or none")
    return steps


def _refuse(rows: Matrix, vectors: WordVectors) -> None:
    """Refuse vectors that no mapping can be learnt from."""
    odd = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(odd):
        words = ", ".join(repr(vectors.words[i]) for i in odd[:3].tolist())
        raise InputError(
            f"{counted(len(odd), 'vector')} with nan or infinity: {words}",
            where=vectors.name,
            fix="take these words out of the file",
        )
    if len(rows) < 2:
        raise InputError(
            "one word is no vocabulary", where=vectors.name, fix="check that the file is whole"
        )
    if not rows.any():
        raise InputError("all vectors are zero", where=vectors.name, fix="check the file")


def normalized(rows: Matrix, steps: Sequence[str]) -> tuple[Matrix, ...]:
    """Change rows in place, step by step; gives the mean that each `center` took off.

    Rows of zeros are no vectors: they stay as they are, and out of the mean.
    """
    means: list[Matrix] = []
    some = _filled(rows)
    for step in steps:
        if step == "center":
            mean = rows.sum(axis=0, dtype=np.float64) / max(np.count_nonzero(some), 1)
            means.append(mean.astype(np.float32))
            _take_off(rows, means[-1], some)
        else:
            to_unit(rows)
    return tuple(means)


def apply_steps(rows: Matrix, steps: Sequence[str], means: Sequence[Matrix]) -> None:
    """Change rows in place as others were changed, whose means these are."""
    some, left = _filled(rows), iter(means)
    for step in steps:
        if step == "center":
            _take_off(rows, next(left), some)
        else:
            to_unit(rows)


def _filled(rows: Matrix) -> NDArray[np.bool_]:
    return np.asarray(rows.any(axis=1))


def _take_off(rows: Matrix, mean: Matrix, some: NDArray[np.bool_]) -> None:
    rows -= mean
    rows[~some] = 0


def to_unit(rows: Matrix) -> None:
    """Scale rows to length one, in place; zero stays zero."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    norms[norms == 0] = 1
    rows /= norms[:, None].astype(np.float32)
