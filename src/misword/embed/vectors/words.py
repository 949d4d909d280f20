"""Word vectors: from files or memory, looked up by word."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from misword.core import kernel_thresholds
from misword.core.errors import InputError, OptionError
from misword.embed.vectors.entry import Entry, Request, open_folder
from misword.embed.vectors.neighbors import nearest
from misword.embed.vectors.store import load
from misword.embed.vectors.subwords import vectors_of
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.files.sources import PathLike, counted
from misword.io.vectors import Pieces
from misword.io.vectors.collecting import listed

Case = Literal["auto", "exact", "lower"]

BLOCK = 8192
FEW = 256  # rows that fit the processor's cache in double precision


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors; `matrix` is read-only, maybe mapped from a file, not normalised.

    Row i of `matrix` is the vector of `words[i]`, but for fastText models (`.bin`) with n-grams:
    there `matrix` is the model's own input matrix, a row for each word and then one for each bucket
    of n-grams, and a vector is a mean of such rows. `len` and `words` always count words; `rows`,
    `units`, `neighbors` and indexing always give what fastText calls the word's vector.

    `digest` is the SHA-256 of the file's content, decompressed (with `max_words`: of the part that
    was read, and of `max_words`), or of the words and numbers if made in memory.

    >>> vectors = WordVectors.of(["cat", "dog", "car"], [[1, 0.2], [1, 0.1], [0, 1]])
    >>> vectors.neighbors("cat", 1)[0][0]
    'dog'
    """

    matrix: NDArray[np.float32]
    vocabulary: Vocabulary
    digest: str
    name: str = "memory"
    format: str = "memory"
    notes: tuple[str, ...] = ()
    pieces: Pieces | None = None
    folder: Path | None = None

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        format: str | None = None,
        max_words: int | None = None,
        keep: bool = True,
    ) -> Self:
        """Open a file of vectors, or a folder made by `misword vectors convert --out`.

        `format`: a name among the vector formats, else found from content and name; `max_words`:
        only the first so many; `keep`: put what was read into the cache, where the next `open`
        finds it within milliseconds.
        """
        if not Path(path).is_dir():
            return cls._from(load(request(path, format, max_words), keep=keep), os.fspath(path))
        if max_words is not None:
            raise InputError(
                "a converted folder is opened as a whole",
                where=os.fspath(path),
                fix="give max_words when converting",
            )
        return cls._from(open_folder(Path(path)), os.fspath(path))

    @classmethod
    def of(cls, words: Sequence[str], matrix: ArrayLike) -> Self:
        """Vectors in memory, a row of `matrix` for each word; the first of doubled words counts."""
        try:
            with np.errstate(over="ignore"):
                rows = np.array(matrix, np.float32)
            encoded = [word.encode() for word in words]
        except UnicodeEncodeError as error:
            raise InputError(f"{error.object!r} cannot be written as UTF-8") from None
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(f"not words and numbers: {error}") from None
        if rows.ndim != 2 or len(rows) != len(words) or not rows.shape[1]:
            raise InputError(
                f"{len(words)} words, but numbers of shape {rows.shape}",
                fix="give a row of numbers for each word",
            )
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        digest = sha256(repr(rows.shape).encode())
        for part in (b"".join(encoded), offsets.tobytes(), rows.tobytes()):
            digest.update(part)
        vocabulary, doubled = Vocabulary.of(b"".join(encoded), offsets)
        notes: tuple[str, ...] = ()
        if len(doubled):
            rows = np.delete(rows, doubled, axis=0)
            where = listed((doubled + 1).tolist(), "word")
            notes = (f"{counted(len(doubled), 'doubled word')}: the first counts ({where})",)
        rows.flags.writeable = False
        return cls(rows, vocabulary, digest.hexdigest(), notes=notes)

    @classmethod
    def _from(cls, entry: Entry, shown: str) -> Self:
        return cls(
            entry.matrix,
            entry.vocabulary,
            entry.digest,
            shown,
            entry.format,
            entry.notes,
            entry.pieces,
            entry.folder,
        )

    @property
    def words(self) -> Sequence[str]:
        """All words, in the order of the file."""
        return self.vocabulary

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    @cached_property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """What a signature must say of these vectors."""
        oov = "subwords" if self.pieces else "one"
        return (("vectors", self.digest[:16]), ("duplicates", "first"), ("oov", oov))

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        """Whether the file lists the word, as it is written."""
        return isinstance(word, str) and bool(self.vocabulary.find([word])[0] >= 0)

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector of a word as it is written, from n-grams where the file has them."""
        row = self.vocabulary.find([word])
        if row[0] < 0 and self.pieces is None:
            raise KeyError(word)
        vector: NDArray[np.float32] = self._vectors([word], row)[0]
        if row[0] < 0 and not vector.any():
            raise KeyError(word)
        return vector

    def find(self, words: Sequence[str], case: Case = "auto") -> NDArray[np.int64]:
        """The number of each word in `words`, -1 where there is none; for `case` see `units`."""
        if case == "lower":
            return self.vocabulary.find([word.lower() for word in words])
        rows = self.vocabulary.find(words)
        missing = np.flatnonzero(rows < 0)
        if case == "auto" and len(missing):
            rows[missing] = self.vocabulary.find([words[i].lower() for i in missing.tolist()])
        return rows

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of words by their numbers, not normalised."""
        if self.pieces is None:
            return self.matrix[numbers]
        return self._vectors([self.vocabulary[i] for i in numbers.tolist()], numbers)

    def units(
        self, words: Sequence[str], case: Case = "auto", *, subwords: bool = True
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Vectors of length one in the order of `words`, and which words have one; others are zero.

        `case`: a word is looked up as it is written and, failing that, in lower case (`auto`); only
        as written (`exact`); only in lower case (`lower`). What is still unknown gets its vector
        from its n-grams, where the file has them and `subwords` allows it. A vector that is zero or
        not finite counts as none.
        """
        rows = self.find(words, case)
        units = np.zeros((len(words), self.dimension), np.float32)
        wanted = np.flatnonzero((rows >= 0) | (subwords and self.pieces is not None))
        if self.pieces is None and len(wanted) * self.dimension >= kernel_thresholds.UNIT_VECTORS:
            from misword.embed.vectors.unit_kernels import scale_rows

            scale_rows(self.matrix, rows[wanted], wanted, units)
            return units, (units != 0).any(axis=1)
        for lo in range(0, len(wanted), BLOCK):
            cut = wanted[lo : lo + BLOCK]
            if self.pieces is None:
                units[cut] = unit_rows(self.matrix[rows[cut]])
                continue
            units[cut] = unit_rows(self._vectors(self._spelled(words, rows, cut, case), rows[cut]))
        return units, (units != 0).any(axis=1)

    def raw(
        self, words: Sequence[str], case: Case = "auto"
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Vectors of the length they have, otherwise as `units`."""
        rows = self.find(words, case)
        wanted = np.flatnonzero((rows >= 0) | (self.pieces is not None))
        found = np.zeros((len(words), self.dimension), np.float32)
        found[wanted] = self._vectors(self._spelled(words, rows, wanted, case), rows[wanted])
        found[~np.isfinite(found).all(axis=1)] = 0
        return found, (found != 0).any(axis=1)

    def neighbors(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """The `k` words with the greatest cosine, without the word itself; KeyError if unknown."""
        if k < 1:
            raise OptionError(f"{k} neighbours", fix="ask for one or more")
        unit, known = self.units([word])
        if not known[0]:
            raise KeyError(word)
        numbers: list[NDArray[np.int64]] = []
        found, scores = nearest(unit, self._blocks(numbers), k + 1)
        best = np.concatenate(numbers)[found[0]].tolist()
        own = int(self.find([word])[0])
        pairs = zip(best, scores[0].tolist(), strict=True)
        return [(self.vocabulary[i], score) for i, score in pairs if i != own][:k]

    def _blocks(self, numbers: list[NDArray[np.int64]]) -> Iterator[NDArray[np.float32]]:
        """Unit vectors of all words that have one; `numbers` gets the numbers of these words."""
        for lo in range(0, len(self), BLOCK):
            block = np.arange(lo, min(lo + BLOCK, len(self)))
            whole = self.matrix[lo : lo + BLOCK] if self.pieces is None else self.rows(block)
            units = unit_rows(whole[: len(block)])
            some = (units != 0).any(axis=1)
            numbers.append(block[some])
            yield units if some.all() else units[some]

    def _spelled(
        self, words: Sequence[str], rows: NDArray[np.int64], which: NDArray[np.int64], case: Case
    ) -> list[str]:
        """Words as the file writes them; those it does not list as they are looked up."""
        asked = [words[i].lower() if case == "lower" else words[i] for i in which.tolist()]
        known = rows[which].tolist()
        return [self.vocabulary[r] if r >= 0 else w for r, w in zip(known, asked, strict=True)]

    def _vectors(self, words: Sequence[str], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        if self.pieces is None:
            return self.matrix[rows]
        return vectors_of(words, rows, self.matrix, self.pieces)


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one, by norms in double precision; zero where there is no direction.

    Squares are added from left to right: the compiled way then gives the same bits.
    """
    units = np.empty(rows.shape, np.float32)
    for lo in range(0, len(rows), FEW):
        wide = rows[lo : lo + FEW].astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            norms = np.sqrt(np.cumsum(wide * wide, axis=1)[:, -1])
        none = (norms == 0) | ~np.isfinite(norms)
        wide[none], norms[none] = 0, 1
        wide /= norms[:, None]
        units[lo : lo + FEW] = wide
    return units


def request(path: PathLike, format: str | None, max_words: int | None) -> Request:
    """A file to be read, if there is one."""
    if max_words is not None and max_words < 1:
        raise OptionError(f"max_words is {max_words}", fix="use a number from 1 on, or none")
    if not Path(path).exists():
        raise InputError("no such file", where=os.fspath(path), fix=_near(Path(path)))
    if not Path(path).is_file():
        what = "this is no file that can be read more than once"
        raise InputError(what, where=os.fspath(path), fix="name a file of vectors")
    return Request(Path(path), os.fspath(path), format, max_words)


def _near(path: Path) -> str:
    """A hint at a file of about this name."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"there is no folder {path.parent}"
    near = get_close_matches(path.name, names, 1)
    return f"did you mean {path.with_name(near[0])}?" if near else "check the path"
