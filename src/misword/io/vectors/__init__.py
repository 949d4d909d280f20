"""Formats of files of word vectors, by name.

The table is ordered: formats are tried in this order on the content of a file. A reader writes the
numbers row by row to a file and keeps only the words in memory, because the vectors may be larger
than memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.io.files.streams import Stream

HERE = "misword.io.vectors"


@dataclass(frozen=True, slots=True)
class CharacterNgrams:
    """How fastText divides words into character n-grams, and which rows have their vectors.

    An n-gram has `shortest` to `longest` characters and is hashed into one of `buckets` buckets.
    The rows of the buckets start at row `first`. In a pruned model only the buckets `pruned` have
    a row, in that order; None means that all buckets have one.
    """

    first: int
    shortest: int
    longest: int
    buckets: int
    pruned: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class VectorContents:
    """The words of a file of vectors, and the layout of its numbers.

    Word `i` is `text[offsets[i] : offsets[i + 1]]` in UTF-8. It is at `places[i]` in the file,
    counted in lines or in another `unit`. `rows` is the number of rows of numbers, which is greater
    than the number of words if the file has vectors of n-grams (`ngrams`). `start` is the byte of
    the file at which the numbers begin, if they were not copied; None if they were.
    """

    dimension: int
    rows: int
    text: bytes
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    unit: str = "line"
    notes: tuple[str, ...] = ()
    ngrams: CharacterNgrams | None = None
    start: int | None = None


class VectorFormat(Part):
    """A file format of word vectors.

    `suffixes` are the usual ends of its file names; a format whose suffix fits is tried first.
    `is_text` is True if each line of a file begins with a word.
    """

    __slots__ = ()

    family: ClassVar[str] = "files"
    suffixes: ClassVar[tuple[str, ...]] = ()
    is_text: ClassVar[bool] = False

    def looks_like(self, head: bytes) -> bool:
        """Return whether a file that begins with these bytes certainly has this format."""
        return False

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read the first `max_words` words and write their numbers to `rows` as float32.

        With `in_place`, a reader may leave the numbers in the file if it can be memory-mapped.
        """
        raise NotImplementedError


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


def find_vector_format(stream: Stream, spec: str | None = None) -> VectorFormat:
    """Return the format of a file: that of `spec`, or else the first that its content looks like.

    Formats whose suffix fits the file's name are tried first.
    """
    head = stream.head()
    if not head:
        raise InputError("the file is empty", where=stream.shown, fix="get or make it again")
    if spec is not None:
        return VECTOR_FORMATS.create(spec)
    parts = [VECTOR_FORMATS.create(name) for name in VECTOR_FORMATS.entries()]
    by_suffix = [part for part in parts if stream.name.lower().endswith(part.suffixes)]
    for part in [*by_suffix, *parts]:
        if part.looks_like(head):
            return part
    raise _not_vectors(head, stream.shown)


def _not_vectors(head: bytes, shown: str) -> InputError:
    """Return the error for a file that begins with `head` and has none of the formats."""
    start = head[:2000].lower()
    if b"<html" in start or start.lstrip().startswith(b"<!doctype"):
        what = "this is an HTML page, not word vectors"
        fix = "download the file itself, not the page about it"
    elif b"\r" in head and b"\n" not in head:
        what = "its lines end with CR alone, as on old Macs"
        fix = "convert it first: tr '\\r' '\\n' < FILE > NEW"
    else:
        what = "this does not look like word vectors"
        fix = f"name its format: {', '.join(VECTOR_FORMATS.names())}"
    return InputError(what, where=shown, fix=fix)
