"""Headers of vector files that claim more than the file has are refused before memory is used."""

from __future__ import annotations

import resource
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fasttext_file import fasttext_bin
from misword.core.errors import InputError
from misword.embed.vectors.words import WordVectors

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)
MOST = 2**31 - 1
# Positions of the numbers of a fastText header, in bytes.
DIMENSION, BUCKETS, SHORTEST, LONGEST, ENTRIES, WORDS, PRUNED = 8, 40, 44, 48, 64, 68, 84


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Allow two gigabytes more than the process has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (2 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def opened(content: bytes, folder: Path, name: str = "v.bin") -> WordVectors:
    path = folder / name
    path.write_bytes(content)
    return WordVectors.open(path, keep=False)


@pytest.mark.parametrize("layout", ["<i", "<q"])
@pytest.mark.parametrize("value", [MOST, -1, -(2**31), 1 << 24])
@pytest.mark.parametrize("place", [DIMENSION, BUCKETS, SHORTEST, LONGEST, ENTRIES, WORDS, PRUNED])
def test_numbers_of_fasttext(place: int, value: int, layout: str, tmp_path: Path) -> None:
    content = bytearray(fasttext_bin([b"a"], MATRIX, grams=(1, 2, 2)))
    struct.pack_into(layout, content, place, value)
    try:
        vectors = opened(bytes(content), tmp_path)
    except InputError:
        return
    for word in ("a", "an unknown and long word"):
        assert vectors[word].shape == (vectors.dimension,)


def test_the_longest_ngram_is_named(tmp_path: Path) -> None:
    content = bytearray(fasttext_bin([b"a"], MATRIX, grams=(1, 2, 2)))
    struct.pack_into("<i", content, LONGEST, MOST)
    with pytest.raises(InputError, match=f"maxn {MOST}"):
        opened(bytes(content), tmp_path)


def test_buckets_of_a_pruned_model_that_do_not_exist(tmp_path: Path) -> None:
    content = fasttext_bin([b"a"], MATRIX, grams=(1, 1, 10), pruned=[(2, 1), (70, 0)])
    with pytest.raises(InputError, match="a pruned bucket"):
        opened(content, tmp_path)


@pytest.mark.parametrize(
    "header", ["999999999999999999 3", "2 999999999", "2 0", "0 3", "2 1048577"]
)
def test_headers_of_word2vec(header: str, tmp_path: Path) -> None:
    binary = f"{header}\n".encode() + b"a \x01\x02\x03\x80" * 3
    with pytest.raises(InputError):
        opened(binary, tmp_path)
    text = f"{header}\na 1 2 3\nb 4 5 6\n"
    with pytest.raises(InputError):
        opened(text.encode(), tmp_path, "v.vec")


def test_lines_that_end_with_cr_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="CR alone"):
        opened(b"2 3\ra 1 2 3\rb 4 5 6\r", tmp_path, "v.vec")
