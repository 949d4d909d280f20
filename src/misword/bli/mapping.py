"""A mapping: a matrix for each of two languages, and the record of how they were learnt.

Both matrices lead into one common space, in which words of the two languages can be compared.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers
from misword.bli.reranking import model as reranking
from misword.bli.reranking.model import Reranker
from misword.bli.seeds import TrainingPairs
from misword.bli.spaces import STEPS, apply_steps, scale_to_unit
from misword.core.display import Displayed, Overview
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.core.signature import Signature
from misword.core.tables import facts_table
from misword.core.workers import row_blocks
from misword.embed.vectors import Case
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.files.archives import read_archive, write_archive
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import (
    integer,
    list_of,
    mapping_of,
    number,
    optional,
    record,
    text,
)
from misword.io.files.writing import whole_files

KIND = "misword-mapping"
VERSION = 1
FAILED = "the training failed"  # so begins the note of a training that failed
BLOCK = 4096  # rows at a time, the same for any number of workers: the same bits

SideName: TypeAlias = Literal["source", "target"]
SIDES: tuple[SideName, SideName] = ("source", "target")
Record = dict[str, float | int]
# Fields of a `MappingSide` that the file has in its header as they are.
FACTS = ("name", "digest", "format", "words", "max_words")
SIDE_SCHEMA = record(
    {
        "name": text(),
        "digest": text(),
        "format": optional(text()),
        "words": integer(0),
        "max_words": optional(integer(1)),
        "steps": list_of(text("|".join(STEPS))),
    }
)
SCHEMA = record(
    {
        "signature": text(),
        "notes": list_of(text()),
        "trace": list_of(mapping_of(number())),
        "source": SIDE_SCHEMA,
        "target": SIDE_SCHEMA,
    },
    {"reranker": optional(reranking.SCHEMA)},
)


@dataclass(frozen=True, slots=True, eq=False)
class MappingSide:
    """One language of a mapping: its vectors, their normalisation, and its matrix.

    `name` is the path of the vectors as it was given, `digest` the SHA-256 of their content;
    `max_words` and `format` are the options they were read with. `words` is their number. `steps`
    and `means` are the normalisation (see `misword.bli.spaces.Space`), after which vectors are
    multiplied by `matrix`.
    """

    name: str
    digest: str
    format: str | None
    words: int
    max_words: int | None
    steps: tuple[str, ...]
    means: tuple[Float32Array, ...]
    matrix: Float32Array

    def map_rows(self, rows: NDArray[np.floating[Any]], workers: int | None = None) -> Float32Array:
        """Return vectors mapped into the common space and scaled to length one.

        `rows` are vectors as their file has them. They may also be vectors of words that were not
        in the training, if they come from the same model.
        """
        mapped = np.empty((len(rows), self.matrix.shape[1]), np.float32)

        def work(lo: int, hi: int) -> None:
            block = np.array(rows[lo:hi], np.float32)
            apply_steps(block, self.steps, self.means)
            np.matmul(block, self.matrix, out=mapped[lo:hi])
            scale_to_unit(mapped[lo:hi])

        row_blocks(work, len(rows), BLOCK, workers)
        return mapped


@dataclass(frozen=True, slots=True, eq=False)
class MappedVocabulary:
    """The words of one language in the common space: unit rows, in the order of the file."""

    side: MappingSide
    vectors: WordVectors
    vocabulary: Vocabulary
    rows: Float32Array

    @property
    def words(self) -> Sequence[str]:
        """All words, in the order of the rows."""
        return self.vocabulary

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, words: Sequence[str]) -> RowNumbers:
        """Return the row of each word, -1 where there is none."""
        return self.vocabulary.find(words)

    def others(
        self, words: Sequence[str], case: Case = "exact"
    ) -> tuple[Float32Array, NDArray[np.bool_]]:
        """Return mapped vectors of any words, and which words have one; the others are zero.

        Words that are not listed get a vector from their n-grams, where the model has n-grams.
        """
        vectors, has_vector = self.vectors.raw(words, case)
        rows = self.side.map_rows(vectors)
        rows[~has_vector] = 0
        return rows, has_vector


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mapping(Displayed):
    """The result of `misword map`: both sides, the signature, and the trace of the training.

    `trace` has a record for each iteration (its number, the objective, hit@1 if a validation
    lexicon was given); `notes` say what was left out. `folder` is the folder of the file that the
    mapping was read from. `reranker` is None if none was learnt. `training_pairs` has digests of
    the pairs that it and its reranker were learnt from, None if the file was written by a version
    of misword that did not keep them.
    """

    source: MappingSide
    target: MappingSide
    signature: Signature
    trace: tuple[Record, ...] = ()
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    reranker: Reranker | None = None
    training_pairs: TrainingPairs | None = None

    def overview(self) -> Overview:
        """Return what is known about the mapping."""
        facts = facts_table(self.facts())
        return Overview(f"Mapping by {self.signature.metric}", facts, len(facts.rows))

    def facts(self) -> dict[str, Any]:
        """Return the method, the vectors of both sides, and the last values of the training."""
        facts: dict[str, Any] = {"method": self.signature.metric}
        for which in SIDES:
            facts[which], facts[f"{which} words"] = self.side(which).name, self.side(which).words
        facts["dimension"] = int(self.source.matrix.shape[1])
        if self.failure:
            facts["training"] = "failed"
        if self.reranker is not None:
            facts["reranker"] = f"learnt from {self.reranker.headwords:,} headwords"
        return facts | {name: value for record in self.trace for name, value in record.items()}

    @property
    def failure(self) -> str:
        """The note that the training failed; empty if it did not, or if that is not known."""
        return next((note for note in self.notes if note.startswith(FAILED)), "")

    def side(self, which: SideName) -> MappingSide:
        """Return the source side or the target side."""
        return self.source if which == "source" else self.target

    def vectors(
        self, which: SideName, vectors: WordVectors | PathLike | None = None
    ) -> WordVectors:
        """Return the vectors of one side; the file may have more words than the mapping.

        The vectors are opened again from their recorded path, which is also tried relative to the
        folder of the mapping. If the file was moved, pass `vectors`. An error is raised if they are
        not the vectors that the mapping was made from.
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
        if side.words > len(opened) or len(side.matrix) != opened.dimension:
            raise MismatchError(
                f"{len(opened)} words of {opened.dimension} dimensions; the mapping was made from "
                f"{side.words} words of {len(side.matrix)}",
                where=opened.name,
                fix="make the mapping again",
            )
        return opened

    def mapped(
        self,
        which: SideName,
        vectors: WordVectors | PathLike | None = None,
        workers: int | None = None,
    ) -> MappedVocabulary:
        """Return the whole vocabulary of one side in the common space (see `vectors`)."""
        side, opened = self.side(which), self.vectors(which, vectors)
        vocabulary = opened.vocabulary.first(side.words)
        vectors_of_file = (
            opened.matrix if opened.pieces is None else opened.rows(np.arange(side.words))
        )
        rows = side.map_rows(vectors_of_file[: side.words], workers)
        return MappedVocabulary(side, opened, vocabulary, rows)

    def _open(self, which: SideName, path: PathLike | None) -> WordVectors:
        side = self.side(which)
        places = [Path(side.name), *([self.folder / side.name] if self.folder else [])]
        file = path or next((place for place in places if os.path.exists(place)), None)
        if file is None:
            raise InputError(
                f"the {which} vectors are not there",
                where=side.name,
                fix=f"say where they are now: --{which} FILE",
            )
        return open_vectors(file, side.max_words, side.format)

    def write(self, path: PathLike) -> None:
        """Write one file, completely or not at all; the same mapping gives the same bytes."""
        header: dict[str, Any] = {
            "version": VERSION,
            "signature": str(self.signature),
            "notes": self.notes,
            "trace": self.trace,
        }
        if self.reranker is not None:
            header["reranker"] = self.reranker.as_json()
        arrays: dict[str, NDArray[Any]] = {}
        for which in SIDES:
            side = self.side(which)
            facts = {name: getattr(side, name) for name in FACTS}
            header[which] = {**facts, "steps": side.steps}
            arrays[f"{which}.matrix"] = side.matrix
            arrays[f"{which}.means"] = np.reshape(side.means, (-1, side.matrix.shape[0]))
        if self.training_pairs is not None:
            arrays |= self.training_pairs.arrays()
        write_archive(path, KIND, header, arrays)

    @classmethod
    def read(cls, path: PathLike) -> Mapping:
        """Read a file that `write` wrote."""
        header, arrays = read_archive(path, KIND, "mapping", VERSION, SCHEMA)
        try:
            source, target = (_side(header[which], arrays, which) for which in SIDES)
            if source.matrix.shape[1] != target.matrix.shape[1]:
                raise ValueError("the matrices lead into different spaces")
            signature = Signature.parse(header["signature"])
            stored = header.get("reranker")
            reranker = None if stored is None else Reranker.from_json(stored)
            training_pairs = TrainingPairs.of_arrays(arrays)
        except (KeyError, OptionError, ValueError) as error:
            what = f"damaged: {error}"
            raise InputError(what, where=os.fspath(path), fix="make it again") from None
        trace, notes = tuple(header["trace"]), tuple(header["notes"])
        folder = Path(path).absolute().parent
        return cls(source, target, signature, trace, notes, folder, reranker, training_pairs)


def _side(header: dict[str, Any], arrays: dict[str, NDArray[Any]], which: str) -> MappingSide:
    """Return one side of a mapping, from the header and the arrays of its file.

    Raises a ValueError if the arrays do not fit the header, and a KeyError if one is missing.
    """
    facts = {name: header[name] for name in FACTS}
    steps, means, matrix = header["steps"], arrays[f"{which}.means"], arrays[f"{which}.matrix"]
    if matrix.ndim != 2 or not matrix.size or means.shape != (steps.count("center"), len(matrix)):
        raise ValueError(f"a {which} matrix of shape {matrix.shape}, means of {means.shape}")
    for array in (matrix, *means):
        if array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError(f"the {which} matrix has no finite numbers of single precision")
    return MappingSide(**facts, steps=tuple(steps), means=tuple(means), matrix=matrix)


def open_vectors(
    path: PathLike, max_words: int | None = None, vector_format: str | None = None
) -> WordVectors:
    """Open vectors.

    A converted folder is opened with all its words; its users take the first `max_words`.
    """
    if os.path.isdir(path):
        return WordVectors.open(path)
    return WordVectors.open(path, vector_format=vector_format, max_words=max_words)


# Mapped vectors as a text file in word2vec's format, which most tools read.

WRITTEN_ROWS = 8192  # rows written at a time


def export(mapped: MappedVocabulary, path: PathLike) -> tuple[str, ...]:
    """Write words and unit vectors in the common space; returns notes on what was left out.

    Each number is written with as few digits as are needed to read back the same float32. Words
    with white space cannot be written in this format.
    """
    words = mapped.words[: len(mapped)]
    rows = np.array([i for i, word in enumerate(words) if word.split() == [word]], np.int64)
    with whole_files([path]) as (file,):
        _write(file, words, mapped.rows, rows)
    left_out = len(words) - len(rows)
    if not left_out:
        return ()
    return (f"{counted(left_out, 'word')} with white space left out of {path}",)


def _write(file: BinaryIO, words: Sequence[str], vectors: Float32Array, rows: RowNumbers) -> None:
    names = [str(i) for i in range(vectors.shape[1])]
    file.write(f"{len(rows)} {vectors.shape[1]}\n".encode())
    with progress("writing vectors", len(rows)) as step:
        for lo in range(0, len(rows), WRITTEN_ROWS):
            block = rows[lo : lo + WRITTEN_ROWS]
            frame = pl.DataFrame(vectors[block], schema=names, orient="row")
            frame.insert_column(0, pl.Series("word", [words[i] for i in block.tolist()]))
            text = frame.write_csv(include_header=False, separator=" ", quote_style="never")
            file.write(text.encode())
            step(len(block))
