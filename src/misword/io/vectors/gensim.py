"""Models and vectors saved by gensim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from glob import escape
from typing import Any, BinaryIO, ClassVar

import numpy as np

from misword.core.errors import InputError, MissingExtraError
from misword.io.files.streams import BLOCK, Stream
from misword.io.vectors import VectorContents, VectorFormat
from misword.io.vectors.reading.collector import Collector

ROWS = 4096
TRUST = "gensim files are pickles, which can run code: open only files that you trust"


@dataclass(frozen=True, slots=True)
class Gensim(VectorFormat):
    """gensim `.model` and `.kv`, with the `.npy` files beside them.

    Such a file is a pickle, and a pickle can run any code: open only files that you trust. Of
    gensim's FastText only the vectors of the vocabulary are read, not those of n-grams.

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
        """Open the file with gensim and copy the vectors in blocks of rows."""
        vectors = _open(stream)
        words, matrix = vectors.index_to_key[:max_words], vectors.vectors
        collector = Collector(stream.shown, rows, matrix.shape[1], "word")
        for lo in range(0, len(words), ROWS):
            encoded = [str(word).encode("utf-8", "surrogatepass") for word in words[lo : lo + ROWS]]
            values = np.asarray(matrix[lo : lo + len(encoded)], np.float32)
            collector.add_words(encoded, values, np.arange(lo + 1, lo + 1 + len(encoded)))
        stream.use_rest()
        for companion in sorted(stream.path.parent.glob(escape(stream.path.name) + ".*.npy")):
            with companion.open("rb") as file:
                while data := file.read(BLOCK):
                    stream.use(data)
        contents = collector.finish()
        return replace(contents, notes=(*contents.notes, TRUST))


def _open(stream: Stream) -> Any:
    """Return gensim's keyed vectors from a saved model or from saved vectors."""
    try:
        from gensim.utils import SaveLoad
    except ModuleNotFoundError:
        raise MissingExtraError(
            "gensim files need the package 'gensim'", fix="pip install 'misword[gensim]'"
        ) from None
    if stream.compression:
        raise InputError("a compressed pickle", where=stream.shown, fix="decompress it first")
    try:
        loaded = SaveLoad.load(str(stream.path), mmap="r")
    except Exception as error:  # a pickle may raise anything
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"gensim cannot open it ({first})",
            where=stream.shown,
            fix="keep the .npy files that gensim wrote beside it; save it again with this gensim",
        ) from error
    vectors = getattr(loaded, "wv", loaded)
    if not hasattr(vectors, "index_to_key") or not hasattr(vectors, "vectors"):
        what = f"a gensim {type(loaded).__name__}, which holds no word vectors"
        raise InputError(what, where=stream.shown)
    return vectors
