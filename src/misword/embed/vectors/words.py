"""Word vectors: from files or memory, looked up by word, or made of the n-grams of a word."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from misword.core import display
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.parts import Settings
from misword.core.types import offsets_of
from misword.embed.vectors import Case
from misword.embed.vectors.neighbors import nearest, unit_rows
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.files.sources import PathLike, listed_places

if TYPE_CHECKING:
    from misword.embed.vectors.stored_entry import VectorEntry
    from misword.io.vectors import CharacterNgrams

BLOCK = 8192  # rows that are scaled at once


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors(display.Displayed):
    """Words and their vectors. `matrix` is read-only, not normalised, and may be memory-mapped.

    Row i of `matrix` is the vector of `words[i]`, except for fastText models (`.bin`) with n-grams.
    There `matrix` is the model's input matrix: a row for each word, followed by a row for each
    bucket of n-grams; the vector of a word is a mean of such rows. `len` and `words` always count
    words; `rows`, `units`, `neighbors` and indexing always give the vector that fastText gives.

    `digest` is the SHA-256 of the file's decompressed content (with `max_words`: of the part that
    was read, and of `max_words`), or of the words and numbers if they come from memory.

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
    pieces: CharacterNgrams | None = None
    folder: Path | None = None

    def overview(self) -> display.Overview:
        """Return name, number of words and dimension."""
        words = counted(len(self), "word")
        shape = f"{words} in {counted(self.dimension, 'dimension')}"
        return display.Overview(f"WordVectors {self.name}: {shape} ({self.format})")

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        vector_format: str | None = None,
        max_words: int | None = None,
        keep: bool = True,
    ) -> Self:
        """Open a file of vectors, or a folder made by `misword vectors convert --out`.

        Without `vector_format`, the name of a vector format, the format is detected by the content
        and the name of the file. `max_words` limits the words that are read to the first ones.
        `keep` stores the vectors in the cache, from which the next `open` takes milliseconds.
        """
        # Most scores need no vectors: their readers are imported when a file is opened.
        from misword.embed.vectors.store import Request, load
        from misword.embed.vectors.stored_entry import open_folder

        if not os.path.isdir(path):
            request = Request.of(path, vector_format, max_words)
            return cls._from(load(request, keep=keep), os.fspath(path))
        if max_words is not None:
            raise InputError(
                "a converted folder is opened as a whole",
                where=os.fspath(path),
                fix="give max_words when converting",
            )
        return cls._from(open_folder(Path(path)), os.fspath(path))

    @classmethod
    def of(cls, words: Sequence[str], matrix: ArrayLike) -> Self:
        """Make vectors of words and rows of numbers; a repeated word keeps its first row."""
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
        offsets = offsets_of(list(map(len, encoded)))
        digest = sha256(repr(rows.shape).encode())
        for part in (b"".join(encoded), offsets.tobytes(), rows.tobytes()):
            digest.update(part)
        vocabulary, repeated = Vocabulary.of(b"".join(encoded), offsets)
        notes: tuple[str, ...] = ()
        if len(repeated):
            rows = np.delete(rows, repeated, axis=0)
            where = listed_places((repeated + 1).tolist(), "word")
            notes = (f"{counted(len(repeated), 'duplicate word')}: the first counts ({where})",)
        rows.flags.writeable = False
        return cls(rows, vocabulary, digest.hexdigest(), notes=notes)

    @classmethod
    def _from(cls, entry: VectorEntry, name: str) -> Self:
        return cls(
            entry.matrix,
            entry.vocabulary,
            entry.digest,
            name,
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
        """The number of components of a vector."""
        return int(self.matrix.shape[1])

    @cached_property
    def settings(self) -> Settings:
        """The settings that identify these vectors in a signature."""
        oov = "subwords" if self.pieces else "one"
        return (("vectors", self.digest[:16]), ("duplicates", "first"), ("oov", oov))

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        """Whether the vocabulary has the word in exactly this spelling."""
        return isinstance(word, str) and bool(self.vocabulary.find([word])[0] >= 0)

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word in exactly this spelling, from n-grams if there are any."""
        row = self.vocabulary.find([word])
        if row[0] < 0 and self.pieces is None:
            raise KeyError(word)
        vector: NDArray[np.float32] = self._vectors([word], row, np.arange(1), "exact")[0]
        if row[0] < 0 and not vector.any():
            raise KeyError(word)
        return vector

    def find(self, words: Sequence[str], case: Case = "auto") -> NDArray[np.int64]:
        """Return the row number of each word, -1 for unknown words; for `case` see `units`."""
        if case == "lower":
            return self.vocabulary.find([word.lower() for word in words])
        rows = self.vocabulary.find(words)
        missing = np.flatnonzero(rows < 0)
        if case == "auto" and len(missing):
            rows[missing] = self.vocabulary.find([words[i].lower() for i in missing.tolist()])
        return rows

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of words by their row numbers, not normalised."""
        if self.pieces is None:
            return self.matrix[numbers]
        words = [self.vocabulary[i] for i in numbers.tolist()]
        return subword_vectors(words, numbers, self.matrix, self.pieces)

    def units(
        self, words: Sequence[str], case: Case = "auto", *, subwords: bool = True
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return vectors of length one for `words`, and which words have one; others are zero.

        With `case="auto"` a word is looked up as written and then in lower case; with `exact` only
        as written; with `lower` only in lower case. A word that is still unknown gets its vector
        from its n-grams, where the file has them and `subwords` is true. A word whose vector is
        zero or not finite has none.
        """
        rows = self.find(words, case)
        if self.pieces is None:
            return unit_rows(self.matrix, rows)
        units = np.zeros((len(words), self.dimension), np.float32)
        known = np.zeros(len(words), np.bool_)
        wanted = np.flatnonzero((rows >= 0) | subwords)
        for lo in range(0, len(wanted), BLOCK):
            block = wanted[lo : lo + BLOCK]
            units[block], known[block] = unit_rows(self._vectors(words, rows, block, case))
        return units, known

    def raw(
        self, words: Sequence[str], case: Case = "auto"
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return vectors that are not scaled to length one; otherwise as `units`."""
        rows = self.find(words, case)
        wanted = np.flatnonzero((rows >= 0) | (self.pieces is not None))
        vectors = np.zeros((len(words), self.dimension), np.float32)
        vectors[wanted] = self._vectors(words, rows, wanted, case)
        vectors[~np.isfinite(vectors).all(axis=1)] = 0
        return vectors, (vectors != 0).any(axis=1)

    def neighbors(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """Return the `k` other words with the greatest cosine; KeyError if the word is unknown."""
        if k < 1:
            raise OptionError(f"{k} neighbours", fix="use 1 or more")
        unit, known = self.units([word])
        if not known[0]:
            raise KeyError(word)
        numbers: list[NDArray[np.int64]] = []
        places, scores = nearest(unit, self._unit_blocks(numbers), min(k + 1, len(self)))
        best = np.concatenate(numbers)[places[0]].tolist()
        own = int(self.find([word])[0])
        pairs = zip(best, scores[0].tolist(), strict=True)
        return [(self.vocabulary[i], score) for i, score in pairs if i != own][:k]

    def _unit_blocks(self, numbers: list[NDArray[np.int64]]) -> Iterator[NDArray[np.float32]]:
        """Yield the unit vectors of all words that have one; append these words to `numbers`."""
        for lo in range(0, len(self), BLOCK):
            block = np.arange(lo, min(lo + BLOCK, len(self)))
            whole = self.matrix[lo : lo + BLOCK] if self.pieces is None else self.rows(block)
            units, known = unit_rows(whole[: len(block)])
            numbers.append(block[known])
            yield units if known.all() else units[known]

    def _vectors(
        self, words: Sequence[str], rows: NDArray[np.int64], which: NDArray[np.int64], case: Case
    ) -> NDArray[np.float32]:
        """Return the vectors of the words at the places `which`; `rows` is the result of `find`.

        N-grams are those of the spelling in the file; unknown words keep the spelling by `case`.
        """
        if self.pieces is None:
            return self.matrix[rows[which]]
        unknown = [words[i].lower() if case == "lower" else words[i] for i in which.tolist()]
        pairs = zip(rows[which].tolist(), unknown, strict=True)
        spelled = [self.vocabulary[row] if row >= 0 else word for row, word in pairs]
        return subword_vectors(spelled, rows[which], self.matrix, self.pieces)


def check_word_vectors(context: Context) -> None:
    """Raise unless the context has word vectors, or names a file that exists."""
    source = context.source
    if source is None:
        raise OptionError(
            "word vectors are needed",
            fix="name a file (word2vec, fastText, GloVe, ...): --vectors cc.fr.300.vec, "
            "or vectors='cc.fr.300.vec' in Python",
        )
    if isinstance(source, WordVectors):
        return
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise OptionError(f"vectors is a {kind}", fix="give a file's name or WordVectors")
    if not os.path.exists(source):
        shown = os.fspath(source) or "--vectors ''"
        raise InputError("no such file", where=shown, fix="check the path")


def word_vectors(context: Context) -> WordVectors:
    """Return the word vectors of a context; a file is opened the first time."""
    if "vectors" not in context.opened:
        check_word_vectors(context)
        source = context.source
        if not isinstance(source, WordVectors):
            source = WordVectors.open(
                source, max_words=context.max_words, vector_format=context.format
            )
        context.opened["vectors"] = source
    vectors: WordVectors = context.opened["vectors"]
    return vectors


def notes_of(context: Context) -> tuple[str, ...]:
    """Return notes on problems in the file of the vectors, if the file was opened."""
    if "vectors" not in context.opened:
        return ()
    vectors = word_vectors(context)
    return tuple(f"{vectors.name}: {note}" for note in vectors.notes)


# Vectors from character n-grams, as in fastText.
#
# A word between `<` and `>` is cut into all its n-grams of `shortest` to `longest` characters. A
# 32-bit FNV-1a hash assigns each n-gram to a bucket, and each bucket has a row in the matrix. The
# vector of a word is the mean of its own row, if it has one, and the rows of its n-grams. The hash
# of fastText takes bytes as signed numbers, so bytes above 127 also change the upper bits; the
# files of fastText depend on this.
#
# Reference: Bojanowski et al. 2017, Enriching word vectors with subword information.


BASIS, PRIME = np.uint32(2166136261), np.uint32(16777619)
END_OF_SENTENCE = "</s>"  # a word of the model that has no n-grams
WORDS = 512  # words whose n-gram rows are in memory at once


def subword_vectors(
    words: Sequence[str],
    rows: NDArray[np.int64],
    matrix: NDArray[np.float32],
    pieces: CharacterNgrams,
) -> NDArray[np.float32]:
    """Return for each word the mean of its own row and the rows of its n-grams.

    `rows` are the own rows; -1 means that the word has none. The vector is zero if the word has
    neither an own row nor n-grams.
    """
    means = np.zeros((len(words), matrix.shape[1]), np.float32)
    for lo in range(0, len(words), WORDS):
        own, block = rows[lo : lo + WORDS], words[lo : lo + WORDS]
        word_of_gram, gram_rows = ngram_rows(block, pieces)
        has_own = np.flatnonzero(own >= 0)
        word_of_row = np.concatenate([has_own, word_of_gram])
        all_rows = np.concatenate([own[has_own], gram_rows])
        all_rows = all_rows[np.argsort(word_of_row, kind="stable")]
        counts = np.bincount(word_of_row, minlength=len(block))
        starts = np.cumsum(counts) - counts
        sums = np.zeros((len(block), matrix.shape[1]))
        for nth in range(counts.max(initial=0)):  # add the nth row of every word that has one
            longer = np.flatnonzero(counts > nth)
            sums[longer] += matrix[all_rows[starts[longer] + nth]]
        means[lo : lo + WORDS] = sums / np.maximum(counts, 1)[:, None]
    return means


def ngram_rows(
    words: Sequence[str], pieces: CharacterNgrams
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each n-gram of each word the index of the word and the n-gram's row."""
    word_of_gram, hashes = ngram_hashes(words, pieces.shortest, pieces.longest)
    if not pieces.buckets:
        return word_of_gram[:0], word_of_gram[:0]
    buckets = hashes.astype(np.int64) % pieces.buckets
    if pieces.pruned is None:
        return word_of_gram, pieces.first + buckets
    pruned = np.array(pieces.pruned, np.int64)
    order = np.argsort(pruned, kind="stable")
    places = np.searchsorted(pruned[order], buckets)
    has_row = np.isin(buckets, pruned)
    return word_of_gram[has_row], pieces.first + order[places[has_row]]


def ngram_hashes(
    words: Sequence[str], shortest: int, longest: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return for each n-gram of each word the index of the word and the n-gram's hash.

    One n-gram starts at every character of every word; each step extends all of them by one
    character.
    """
    marked = [
        b"" if w == END_OF_SENTENCE else f"<{w}>".encode("utf-8", "surrogatepass") for w in words
    ]
    text = np.frombuffer(b"".join(marked), np.int8)
    starts = np.flatnonzero((text.view(np.uint8) & 0xC0) != 0x80)
    widths = np.diff(np.append(starts, len(text)))
    word_of_byte = np.repeat(np.arange(len(words)), list(map(len, marked)))
    word_of_char = word_of_byte[starts]
    lengths = np.bincount(word_of_char, minlength=len(words))
    ends = np.cumsum(lengths)[word_of_char]
    first, last = ends - lengths[word_of_char], ends - 1
    hashes = np.full(len(starts), BASIS, np.uint32)
    growing = np.arange(len(starts))
    gram_words, gram_hashes = [word_of_char[:0]], [hashes[:0]]
    for n in range(1, min(longest, lengths.max(initial=0)) + 1):
        at = growing + n - 1
        hashes[growing] = _extend_hashes(hashes[growing], text, starts[at], widths[at])
        if n >= shortest:
            # `<` and `>` alone are no n-grams.
            bracket = (n == 1) & ((growing == first[growing]) | (at == last[growing]))
            gram_words.append(word_of_char[growing[~bracket]])
            gram_hashes.append(hashes[growing[~bracket]])
        growing = growing[at < last[growing]]
    return np.concatenate(gram_words), np.concatenate(gram_hashes)


def _extend_hashes(
    hashes: NDArray[np.uint32],
    text: NDArray[np.int8],
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """Add the bytes of one more character to each hash."""
    for byte in range(int(widths.max(initial=0))):
        longer = np.flatnonzero(widths > byte)
        code = text[starts[longer] + byte].astype(np.int32).view(np.uint32)
        hashes[longer] = (hashes[longer] ^ code) * PRIME
    return hashes
