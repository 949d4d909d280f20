"""Models and vectors saved by gensim."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.io.files.archives import map_npy
from misword.io.files.streams import BLOCK, Stream
from misword.io.vectors import CharacterNgrams, VectorContents, VectorFormat
from misword.io.vectors.pickles import PickledCall, array_of, read_pickle
from misword.io.vectors.reading import Collector

ROWS = 4096
LONGEST_NGRAM = 100
# Names of attributes in gensim 4, 3 and before.
WORDS = ("index_to_key", "index2word", "index2entity")
VECTORS = ("vectors", "syn0")
# The attribute with the names of the arrays that are in files of their own.
SEPARATE = "__numpys"
AGAIN = "keep the .npy files that gensim wrote beside it, or save it again"


class Saved(NamedTuple):
    """The words and the vectors of a file; the vectors of n-grams if words are computed of them."""

    words: list[Any]
    matrix: NDArray[Any]
    ngrams: NDArray[Any] | None = None
    shortest: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Gensim(VectorFormat):
    """gensim `.model` and `.kv`, with the `.npy` files beside them.

    Such a file is a pickle. It is read as data: no code of the file is run, and gensim is not
    needed. Word2Vec, FastText, Doc2Vec and KeyedVectors of gensim 4 are read, with the n-grams of
    FastText, and those of gensim 3, without n-grams.

    Example: `misword vectors info word2vec.model`

    Reference: https://radimrehurek.com/gensim/models/keyedvectors.html
    """

    name: ClassVar[str] = "gensim"
    title: ClassVar[str] = "gensim"
    suffixes: ClassVar[tuple[str, ...]] = (".model", ".kv")

    def looks_like(self, head: bytes) -> bool:
        """Whether it is a pickle that contains the name gensim."""
        return head.startswith(b"\x80") and b"gensim" in head

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read the file as data and copy the vectors in blocks of rows."""
        if stream.compression:
            raise InputError("a compressed pickle", where=stream.shown, fix="decompress it first")
        try:
            saved = _vectors(_open(stream), stream)
        except (OSError, TypeError, ValueError) as error:
            what = f"the vectors cannot be read ({error})"
            raise InputError(what, where=stream.shown, fix=AGAIN) from None
        words = saved.words[:max_words]
        collector = Collector(stream.shown, rows, saved.matrix.shape[1], "word")
        for lo in range(0, len(words), ROWS):
            encoded = [str(word).encode("utf-8", "surrogatepass") for word in words[lo : lo + ROWS]]
            values = _single(saved.matrix[lo : lo + len(encoded)])
            collector.add_words(encoded, values, np.arange(lo + 1, lo + 1 + len(encoded)))
        stream.use_rest()
        _use_companions(stream)
        return _with_ngrams(collector.finish(), saved, rows)


def _with_ngrams(contents: VectorContents, saved: Saved, rows: BinaryIO) -> VectorContents:
    """Write the vectors of n-grams after those of the words, if there are any."""
    if saved.ngrams is None:
        return contents
    for lo in range(0, len(saved.ngrams), ROWS):
        rows.write(_single(saved.ngrams[lo : lo + ROWS]).data)
    buckets, first = len(saved.ngrams), contents.rows
    ngrams = CharacterNgrams(first, saved.shortest, saved.longest, buckets)
    return replace(contents, rows=first + buckets, ngrams=ngrams)


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, "<f4")


def _open(stream: Stream) -> PickledCall:
    """Return the saved object as a record."""
    with stream.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as m:
        saved = read_pickle(m, stream.shown)
    if not isinstance(saved, PickledCall) or not saved.name.startswith("gensim."):
        raise InputError("a pickle that gensim did not write", where=stream.shown)
    return saved


def _vectors(saved: PickledCall, stream: Stream) -> Saved:
    """Return the words and vectors of a saved model, or of saved vectors."""
    path, holder = stream.path, saved
    inner = saved.attributes.get("wv")
    if isinstance(inner, PickledCall):
        path, holder = path.with_name(f"{path.name}.wv"), inner
    words, matrix = _words(holder, stream.size), _first(holder, VECTORS, path)
    if words is not None and matrix is not None:
        return _checked(Saved(words, matrix))
    own, ngrams = (_first(holder, (name,), path) for name in ("vectors_vocab", "vectors_ngrams"))
    if words is None or own is None or ngrams is None:
        kind = saved.name.rpartition(".")[2]
        what = f"a gensim {kind}, which holds no word vectors"
        raise InputError(what, where=stream.shown)
    return _checked_ngrams(Saved(words, own, ngrams), holder.attributes)


def _checked(saved: Saved) -> Saved:
    """Return what was saved, or raise a ValueError if there is not one vector for each word."""
    if saved.matrix.ndim != 2 or len(saved.matrix) < len(saved.words) or not saved.matrix.shape[1]:
        raise ValueError(f"{len(saved.words)} words, vectors of shape {saved.matrix.shape}")
    return saved


def _checked_ngrams(saved: Saved, attributes: dict[str, Any]) -> Saved:
    """Return vectors with the lengths of their n-grams, or raise a ValueError."""
    _checked(saved)
    shortest, longest = attributes.get("min_n"), attributes.get("max_n")
    if type(shortest) is not int or type(longest) is not int or saved.ngrams is None:
        raise ValueError("the lengths of n-grams are missing")
    if saved.ngrams.ndim != 2 or saved.ngrams.shape[1] != saved.matrix.shape[1]:
        raise ValueError(f"vectors of n-grams of shape {saved.ngrams.shape}")
    if not len(saved.ngrams) or longest < 1:
        return Saved(saved.words, saved.matrix)
    if not 1 <= shortest <= longest <= LONGEST_NGRAM:
        raise ValueError(f"n-grams of {shortest} to {longest} characters")
    if attributes.get("bucket") != len(saved.ngrams):
        raise ValueError(f"{len(saved.ngrams)} vectors of n-grams do not fit the buckets")
    return saved._replace(shortest=shortest, longest=longest)


def _words(holder: PickledCall, size: int) -> list[Any] | None:
    """Return the words in the order of their vectors; None if there are none.

    A pickle can name one long word many times. Words that would take more than `size` bytes, the
    size of the file, are refused.
    """
    found = next((holder.attributes[name] for name in WORDS if name in holder.attributes), None)
    if found is None:
        return None
    if not isinstance(found, list) or not all(map(_is_word, found)):
        raise ValueError("the list of words is damaged")
    if sum(len(word) for word in found if isinstance(word, str)) > size:
        raise ValueError("the list of words repeats long words")
    return found


def _is_word(value: Any) -> bool:
    """Whether a key is a text, or the number of a document (Doc2Vec)."""
    return isinstance(value, str) or (isinstance(value, int) and value.bit_length() < 64)


def _first(holder: PickledCall, names: tuple[str, ...], path: Path) -> NDArray[Any] | None:
    """Return the first of some arrays, from the record or from the file beside it."""
    separate = holder.attributes.get(SEPARATE)
    for name in names:
        if isinstance(separate, list) and name in separate:
            array: NDArray[Any] | None = map_npy(path.with_name(f"{path.name}.{name}.npy"))
        else:
            array = array_of(holder.attributes.get(name))
        if array is not None:
            if array.dtype.kind not in "fiu":
                raise ValueError(f"vectors of type {array.dtype}")
            return array
    return None


def _use_companions(stream: Stream) -> None:
    """Add the files beside the pickle to the digest of the content."""
    for companion in _companions(stream.path):
        with companion.open("rb") as file:
            while data := file.read(BLOCK):
                stream.use(data)


def _companions(path: Path) -> Iterator[Path]:
    yield from sorted(path.parent.glob(escape(path.name) + ".*.npy"))
