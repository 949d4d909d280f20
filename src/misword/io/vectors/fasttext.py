"""Models of fastText with vectors of character n-grams."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.types import offsets_of
from misword.io.files.sources import listed_places
from misword.io.files.streams import BLOCK, Stream
from misword.io.vectors import CharacterNgrams, VectorContents, VectorFormat
from misword.io.vectors.reading import Cursor

MAGIC, VERSION = 793712314, 12
SUPERVISED = 3
ARGUMENTS = (
    "12id"  # dim ws epoch minCount neg wordNgrams loss model bucket minn maxn lrUpdateRate t
)
COUNTS = "iiiqq"  # entries, words, labels, tokens, pruned buckets (-1: not pruned)
AFTER_WORD = 10  # bytes after a word: its NUL, count and kind
LONGEST_WORD = 1 << 16
LARGEST_DIMENSION = 1 << 20
LONGEST_NGRAM = 100  # the default of fastText is 6
FLOAT32_BYTES = 4


@dataclass(frozen=True, slots=True)
class FastText(VectorFormat):
    """fastText `.bin`: words with character n-grams, so that unknown words have vectors too.

    The numbers stay in the file, which is memory-mapped, because it may have several gigabytes.
    Quantised models (`.ftz`) are refused. Labels of a classifier are left out.

    Known problems: in a word that is not valid UTF-8, invalid bytes are written `\\xNN`, and its
    n-grams are those of the written form.

    Example: `misword vectors neighbors cc.fr.300.bin anticonstitutionnellement`

    Reference: Bojanowski et al. 2017, Enriching word vectors with subword information
    """

    name: ClassVar[str] = "fasttext"
    title: ClassVar[str] = "fastText"
    suffixes: ClassVar[tuple[str, ...]] = (".bin", ".ftz")

    def looks_like(self, head: bytes) -> bool:
        """Whether it begins with the magic number of fastText."""
        return head.startswith(struct.pack("<i", MAGIC))

    def read(
        self, stream: Stream, rows: BinaryIO, max_words: int | None, in_place: bool
    ) -> VectorContents:
        """Read the words; leave the numbers in the file if possible, else copy them."""
        cursor = Cursor(stream)
        head = _read_header(cursor)
        text, offsets, notes = _read_words(cursor, head)
        pruned_buckets = _read_pruned_buckets(cursor, head)
        height, width = _read_shape(cursor)
        has_ngrams = head.longest > 0 and height > head.words
        ngram_rows = len(pruned_buckets) if head.pruned >= 0 else head.buckets
        if width != head.dimension or height < head.words + ngram_rows * has_ngrams:
            raise InputError(
                f"{height} x {width} numbers do not fit {head.words} words of {head.dimension}",
                where=stream.shown,
                fix="get or make it again",
            )
        start = _read_numbers(cursor, rows, height * width * FLOAT32_BYTES, in_place)
        pruned = pruned_buckets if head.pruned >= 0 else None
        ngrams = CharacterNgrams(head.words, head.shortest, head.longest, head.buckets, pruned)
        count = head.words if max_words is None else min(head.words, max_words)
        return VectorContents(
            dimension=width,
            rows=height,
            text=text[: offsets[count]],
            offsets=offsets[: count + 1],
            places=np.arange(1, count + 1),
            unit="word",
            notes=notes,
            ngrams=ngrams if has_ngrams else None,
            start=start,
        )


class Header(NamedTuple):
    """The settings and counts of a model that the reader needs."""

    dimension: int
    buckets: int
    shortest: int
    longest: int
    entries: int
    words: int
    pruned: int


def _read_header(cursor: Cursor) -> Header:
    shown = cursor.stream.shown
    magic, version = cursor.unpack("ii")
    if magic != MAGIC or version not in (VERSION - 1, VERSION):
        what = "not a fastText model" if magic != MAGIC else f"fastText version {version}"
        raise InputError(what, where=shown, fix=f"this reads versions {VERSION - 1} and {VERSION}")
    dimension, *_, kind, buckets, shortest, longest, _, _ = cursor.unpack(ARGUMENTS)
    if version == VERSION - 1 and kind == SUPERVISED:
        longest = 0  # as fastText itself does: such models were trained without n-grams
    entries, words, _, _, pruned = cursor.unpack(COUNTS)
    head = Header(dimension, buckets, shortest, longest, entries, words, pruned)
    limits = {
        "dimension": (dimension, 1, LARGEST_DIMENSION),
        "bucket": (buckets, 0, buckets),
        "minn": (shortest, 0, LONGEST_NGRAM),
        "maxn": (longest, 0, LONGEST_NGRAM),
        "nwords": (words, 1, entries),
        "pruneidx_size": (pruned, -1, buckets),
    }
    for name, (value, least, most) in limits.items():
        if not least <= value <= most:
            raise InputError(
                f"the header says {name} {value}, which no model has",
                where=shown,
                fix="get or make it again",
            )
    return head


def _read_pruned_buckets(cursor: Cursor, head: Header) -> tuple[int, ...]:
    """Return the buckets that have a row in a pruned model, in the order of their rows."""
    places = [cursor.unpack("ii") for _ in range(head.pruned)]
    buckets = tuple(bucket for bucket, _ in sorted(places, key=lambda pair: pair[1]))
    if not all(0 <= bucket < head.buckets for bucket in buckets):
        raise InputError(
            "a pruned bucket that the model does not have",
            where=cursor.stream.shown,
            fix="get or make it again",
        )
    return buckets


def _read_shape(cursor: Cursor) -> tuple[int, int]:
    """Return rows and columns of the matrix; raise if it is quantised."""
    quantised, height, width = cursor.unpack("?qq")
    if quantised:
        raise InputError(
            "the model is quantised",
            where=cursor.stream.shown,
            fix="use the .bin model that it was made from",
        )
    return height, width


def _read_numbers(cursor: Cursor, rows: BinaryIO, size: int, in_place: bool) -> int | None:
    """Return the byte at which the numbers begin; None if they were copied to `rows`."""
    stream = cursor.stream
    start = cursor.position
    if in_place and not stream.compression:
        if stream.size < start + size:
            raise cursor.cut_off(f"before its {size} bytes of numbers are over")
        cursor.close_at_end()
        return start
    while size:
        part = cursor.take(min(size, BLOCK))
        rows.write(part)
        size -= len(part)
    cursor.close_at_end()
    return None


def _read_words(cursor: Cursor, head: Header) -> tuple[bytes, NDArray[np.int64], tuple[str, ...]]:
    """Return words, offsets and notes; the labels after the words are skipped."""
    words: list[bytes] = []
    repaired: list[int] = []
    for i in range(head.entries):
        if len(cursor.data) - cursor.at < LONGEST_WORD:
            cursor.fill(LONGEST_WORD)
        end = cursor.data.find(b"\0", cursor.at, cursor.at + LONGEST_WORD)
        if end < 0 or end + AFTER_WORD > len(cursor.data):
            raise cursor.cut_off(f"after {i} words of {head.entries}")
        word = cursor.data[cursor.at : end]
        cursor.at = end + AFTER_WORD
        if i < head.words:
            words.append(word)
            if not word.isascii():
                try:
                    word.decode()
                except UnicodeDecodeError:
                    words[i] = word.decode("utf-8", "backslashreplace").encode()
                    repaired.append(i + 1)
    offsets = offsets_of(list(map(len, words)))
    notes: tuple[str, ...] = ()
    if repaired:
        notes = (f"not UTF-8, odd bytes shown as \\xNN: {listed_places(repaired, 'word')}",)
    return b"".join(words), offsets, notes
