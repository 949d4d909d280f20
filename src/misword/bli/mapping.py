"""A mapping: two matrices that bring two languages into one space, and all that decided them."""

from __future__ import annotations

import os
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from misword.bli.spaces import Matrix, apply_steps, to_unit
from misword.core.errors import InputError, MismatchError
from misword.core.signature import Signature
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import Case, WordVectors
from misword.io.files.archives import read_archive, write_archive
from misword.io.files.sources import PathLike

KIND = "misword-mapping"
VERSION = 1
BLOCK = 4096  # rows at a time, whatever the number of workers: the same bits

Which: TypeAlias = Literal["source", "target"]
SIDES: tuple[Which, Which] = ("source", "target")
Record = dict[str, float | int]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One language: which vectors, what was done to them, and the matrix they are multiplied by.

    `name` is the path as it was given and `digest` says what was in the file; `max_words` and
    `format` are what was asked for when it was read.
    """

    name: str
    digest: str
    format: str | None
    words: int
    max_words: int | None
    steps: tuple[str, ...]
    means: tuple[Matrix, ...]
    matrix: Matrix

    def bring(self, rows: NDArray[np.floating[Any]], workers: int | None = None) -> Matrix:
        """Vectors as they are in the file, brought into the common space, of length one.

        Any vectors of the same model will do: those of words that were not there in training too.
        """
        from misword.bli.search.threads import by_rows

        made = np.empty((len(rows), self.matrix.shape[1]), np.float32)

        def work(lo: int, hi: int) -> None:
            block = np.array(rows[lo:hi], np.float32)
            apply_steps(block, self.steps, self.means)
            np.matmul(block, self.matrix, out=made[lo:hi])
            to_unit(made[lo:hi])

        by_rows(work, len(rows), BLOCK, workers)
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """The words of one language in the common space: unit rows, in the order of the file."""

    side: Side
    vectors: WordVectors
    vocabulary: Vocabulary
    rows: Matrix

    @property
    def words(self) -> Sequence[str]:
        """All words, in the order of the rows."""
        return self.vocabulary

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The row of each word, -1 where there is none."""
        return self.vocabulary.find(words)

    def others(
        self, words: Sequence[str], case: Case = "exact"
    ) -> tuple[Matrix, NDArray[np.bool_]]:
        """Unit rows of any words, from n-grams where the model has them, and which have one."""
        found, known = self.vectors.raw(words, case)
        rows = self.side.bring(found)
        rows[~known] = 0
        return rows, known


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """What `misword map` makes: both sides, the signature, and the trace of the training.

    `trace` has a record for each iteration (its number, the objective, hit@1 if a validation
    lexicon was given); `notes` say what was left out. `folder` is where the file was read from.
    """

    source: Side
    target: Side
    signature: Signature
    trace: tuple[Record, ...] = ()
    notes: tuple[str, ...] = ()
    folder: Path | None = None

    def side(self, which: Which) -> Side:
        """One of the two."""
        return self.source if which == "source" else self.target

    def mapped(
        self,
        which: Which,
        vectors: WordVectors | PathLike | None = None,
        workers: int | None = None,
    ) -> Mapped:
        """The whole vocabulary of one side in the common space.

        The vectors are opened again from the path that was recorded (also looked for beside the
        mapping), or from `vectors` where the file was moved; they must be the same vectors.
        """
        side = self.side(which)
        opened = vectors if isinstance(vectors, WordVectors) else self._open(which, vectors)
        if opened.digest != side.digest:
            raise MismatchError(
                f"not the vectors that the mapping was made from: digest {opened.digest[:16]}, "
                f"not {side.digest[:16]}",
                where=opened.name,
                fix=f"name the same file with --{which}, or make the mapping again",
            )
        vocabulary = opened.vocabulary.first(side.words)
        raw = opened.matrix if opened.pieces is None else opened.rows(np.arange(side.words))
        rows = side.bring(raw[: side.words], workers)
        return Mapped(side, opened, vocabulary, rows)

    def _open(self, which: Which, path: PathLike | None) -> WordVectors:
        side = self.side(which)
        places = [Path(side.name), *([self.folder / side.name] if self.folder else [])]
        found = path or next((place for place in places if place.exists()), None)
        if found is None:
            raise InputError(
                f"the {which} vectors are not there",
                where=side.name,
                fix=f"say where they are now: --{which} FILE",
            )
        return open_vectors(found, side.max_words, side.format)

    def write(self, path: PathLike) -> None:
        """Write one file, as a whole or not at all; the same mapping gives the same bytes."""
        header: dict[str, Any] = {
            "version": VERSION,
            "signature": str(self.signature),
            "notes": self.notes,
            "trace": self.trace,
        }
        arrays = {}
        for which in SIDES:
            side = self.side(which)
            facts = {name: getattr(side, name) for name in FACTS}
            header[which] = {**facts, "steps": side.steps}
            arrays[f"{which}.matrix"] = side.matrix
            arrays[f"{which}.means"] = np.reshape(side.means, (-1, side.matrix.shape[0]))
        write_archive(path, KIND, header, arrays)

    @classmethod
    def read(cls, path: PathLike) -> Mapping:
        """Read what `write` wrote."""
        header, arrays = read_archive(path, KIND, "mapping", VERSION)
        try:
            source, target = (_side(header[which], arrays, which) for which in SIDES)
            signature = Signature.parse(header["signature"])
            trace, notes = tuple(header["trace"]), tuple(header["notes"])
        except (KeyError, TypeError):
            raise InputError("damaged", where=os.fspath(path), fix="make it again") from None
        return cls(source, target, signature, trace, notes, Path(path).absolute().parent)


FACTS = ("name", "digest", "format", "words", "max_words")


def _side(header: Dict[str, Any], arrays: Dict[str, NDArray[Any]], which: str) -> Side:
    facts = {name: header[name] for name in FACTS}
    steps, means = tuple(header["steps"]), tuple(arrays[f"{which}.means"])
    return Side(**facts, steps=steps, means=means, matrix=arrays[f"{which}.matrix"])


def open_vectors(
    path: PathLike, max_words: int | None = None, format: str | None = None
) -> WordVectors:
    """Open vectors; a converted folder is opened as a whole, and cut later."""
    if Path(path).is_dir():
        return WordVectors.open(path)
    return WordVectors.open(path, format=format, max_words=max_words)
