"""Models and vectors that gensim saved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from glob import escape
from typing import Any, BinaryIO, ClassVar

import numpy as np

from misword.core.errors import InputError, MissingExtraError
from misword.io.vectors import Found
from misword.io.vectors.collecting import Collector
from misword.io.vectors.streams import BLOCK, Stream

ROWS = 4096
TRUST = "gensim files are pickles, which can run code: open only files that you trust"


@dataclass(frozen=True, slots=True)
class Gensim:
    """gensim `.model` and `.kv`, with the `.npy` files beside them.

    Such a file is a pickle, and a pickle can run any code: open only files that you trust. Vectors
    of gensim's FastText are those of its listed words; its n-grams are not used.

    Example: `misword vectors info word2vec.model`

    Reference: https://radimrehurek.com/gensim/models/keyedvectors.html
    """

    name: ClassVar[str] = "gensim"
    suffixes: ClassVar[tuple[str, ...]] = (".model", ".kv")

    def looks_like(self, head: bytes) -> bool:
        """Whether it is a pickle that speaks of gensim."""
        return head.startswith(b"\x80") and b"gensim" in head

    def read(self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool) -> Found:
        """Let gensim open it, and copy the vectors some rows at a time."""
        vectors = _open(stream)
        words, matrix = vectors.index_to_key[:max_words], vectors.vectors
        found = Collector(stream.shown, rows, matrix.shape[1], "word")
        for lo in range(0, len(words), ROWS):
            encoded = [str(word).encode("utf-8", "surrogatepass") for word in words[lo : lo + ROWS]]
            found.add(
                np.frombuffer(b"".join(encoded), np.uint8),
                np.fromiter(map(len, encoded), np.int64, len(encoded)),
                np.asarray(matrix[lo : lo + len(encoded)], np.float32),
                np.arange(lo + 1, lo + 1 + len(encoded)),
            )
        stream.use_rest()
        for companion in sorted(stream.path.parent.glob(escape(stream.path.name) + ".*.npy")):
            with companion.open("rb") as file:
                while data := file.read(BLOCK):
                    stream.use(data)
        done = found.finish()
        return replace(done, notes=(*done.notes, TRUST))


def _open(stream: Stream) -> Any:
    """gensim's keyed vectors, whatever they were saved in."""
    try:
        from gensim.utils import SaveLoad
    except ModuleNotFoundError:
        raise MissingExtraError(
            "gensim files need the package 'gensim'", fix="pip install 'misword[gensim]'"
        ) from None
    if stream.packing:
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
