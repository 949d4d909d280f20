"""The contents of a file of word vectors, except for the numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
