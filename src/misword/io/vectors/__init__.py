"""Formats of word vectors, by name.

The order of the table is the order in which formats are asked whether a content looks like theirs.
A reader writes the numbers, row by row, to the file that it is given and keeps the words as one
UTF-8 text: the vectors may be larger than memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.registry import Entry, Registry
from misword.io.vectors.streams import Stream

HERE = "misword.io.vectors"


@dataclass(frozen=True, slots=True)
class Pieces:
    """How fastText cuts words into character n-grams, and where their rows are.

    N-gram rows start at row `first`. `pruned` are the buckets that have a row, in the order of
    their rows; None: all have.
    """

    first: int
    shortest: int
    longest: int
    buckets: int
    pruned: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader found besides the numbers.

    Word `i` is `text[offsets[i] : offsets[i + 1]]` and stands at `places[i]` in the file (a line
    or whatever `unit` says). `start`: where in the file itself the numbers are, if they were left
    there; `rows` may be more than words where the format has n-grams too.
    """

    dimension: int
    rows: int
    text: bytes
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    unit: str = "line"
    notes: tuple[str, ...] = ()
    pieces: Pieces | None = None
    start: int | None = None


class VectorFormat(Protocol):
    """A way to write word vectors down.

    `suffixes` are the ends of file names that are usual for it; they count where the content alone
    does not tell.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    def looks_like(self, head: bytes) -> bool:
        """Whether a file that begins like this is surely of this format."""
        ...

    def read(self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool) -> Found:
        """Read the first `max_words` words; write their numbers to `rows` as float32.

        With `in_place` a reader may leave the numbers in the file, where they can be mapped.
        """
        ...


VECTOR_FORMATS: Registry[VectorFormat] = Registry(
    "vector_formats",
    {
        "fasttext": Entry(f"{HERE}.fasttext:FastText"),
        "npz": Entry(f"{HERE}.npz:Npz"),
        "gensim": Entry(f"{HERE}.gensim:Gensim"),
        "word2vec": Entry(f"{HERE}.text:Word2vec"),
        "word2vec-binary": Entry(f"{HERE}.binary:Word2vecBinary"),
        "glove": Entry(f"{HERE}.text:Glove"),
    },
)


def find_format(stream: Stream, forced: str | None = None) -> VectorFormat:
    """The format of a file: as forced, else by its content, else by its name."""
    head = stream.head()
    if not head:
        raise InputError("the file is empty", where=stream.shown, fix="get or make it again")
    if forced is not None:
        return VECTOR_FORMATS.create(forced)
    parts = [VECTOR_FORMATS.create(name) for name in VECTOR_FORMATS.entries()]
    named = [part for part in parts if stream.name.lower().endswith(part.suffixes)]
    for part in [*named, *parts]:
        if part.looks_like(head):
            return part
    page = b"<html" in head[:2000].lower() or head[:2000].lower().lstrip().startswith(b"<!doctype")
    raise InputError(
        "this is an HTML page, not word vectors"
        if page
        else "this does not look like word vectors",
        where=stream.shown,
        fix="download the file itself, not the page about it"
        if page
        else f"name its format: {', '.join(VECTOR_FORMATS.names())}",
    )
