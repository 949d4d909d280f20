"""Compressed inputs: whole files are read whole, damaged files are errors, large ones are refused.

Each codec is tested with files of two streams, because the damage of a later stream is what the
modules of Python's library ignore.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.core.errors import InputError, OptionError
from misword.io.files.limits import expansion_limit, limited, memory_limit, parse_size
from misword.io.files.sources import open_source
from misword.io.files.streams import Stream
from misword.io.lexicons import read_lexicon
from misword.io.transcripts.read import read_corpus

FIRST = b"".join(b"utterance %d of the first stream\n" % number for number in range(50))
SECOND = b"".join(b"utterance %d of the second stream\n" % number for number in range(50))


def zstandard(data: bytes) -> bytes:
    package = pytest.importorskip("zstandard", reason="needs zstandard")
    return bytes(package.ZstdCompressor(write_checksum=True).compress(data))


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


CODECS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzipped,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard,
}


@pytest.fixture(params=CODECS)
def codec(request: pytest.FixtureRequest) -> Callable[[bytes], bytes]:
    return CODECS[request.param]


def streamed(path: Path) -> bytes:
    """Return the content of a file, read in small blocks."""
    parts = []
    with Stream(path, str(path)) as stream:
        while part := stream.read(1000):
            parts.append(part)
    return b"".join(parts)


READERS = {"memory": lambda path: open_source(path).data, "stream": streamed}


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Callable[[Path], bytes]:
    return READERS[request.param]


def test_a_file_of_several_streams_is_read_whole(
    codec: Callable[[bytes], bytes], read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(codec(FIRST) + codec(b"") + codec(SECOND))
    assert read(path) == FIRST + SECOND


def test_a_flipped_bit_is_an_error_or_changes_nothing(
    codec: Callable[[bytes], bytes], read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    whole = codec(FIRST) + codec(SECOND)
    path = tmp_path / "file"
    errors = 0
    for place in range(8, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            assert read(path) == FIRST + SECOND
        except InputError:
            errors += 1
    assert errors > len(whole) / 6


def test_a_truncated_file_is_an_error(
    codec: Callable[[bytes], bytes], read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    first, second = codec(FIRST), codec(SECOND)
    path = tmp_path / "file"
    for size in range(8, len(first) + len(second), 3):
        path.write_bytes((first + second)[:size])
        if size == len(first):
            assert read(path) == FIRST  # nothing tells that there was a second stream
        else:
            with pytest.raises(InputError, match="cut off or damaged"):
                read(path)


@pytest.mark.parametrize("junk", [b"x", b"BZ", b"more text after the end\n", b"\0\0\1"])
def test_other_data_after_a_stream_is_an_error(
    junk: bytes,
    codec: Callable[[bytes], bytes],
    read: Callable[[Path], bytes],
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    path.write_bytes(codec(FIRST) + junk)
    with pytest.raises(InputError, match="cut off or damaged"):
        read(path)


@pytest.mark.parametrize(
    ("name", "zeros", "legal"),
    [
        *(("gz", 512, True), ("gz", 3, True), ("xz", 512, True), ("xz", 3, False)),
        *(("bz2", 512, False), ("zst", 512, False)),
    ],
)
def test_zeros_are_padding_in_gzip_and_in_xz_by_four(
    name: str, zeros: int, legal: bool, read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    compress, path = CODECS[name], tmp_path / "file"
    for rest, content in ((b"", FIRST), (compress(SECOND), FIRST + SECOND)):
        path.write_bytes(compress(FIRST) + bytes(zeros) + rest)
        if legal:
            assert read(path) == content
        else:
            with pytest.raises(InputError, match="cut off or damaged"):
                read(path)


def test_a_skippable_frame_of_zstandard_has_no_content(
    read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    skippable = struct.pack("<II", 0x184D2A50, 4) + b"size"
    path = tmp_path / "file"
    path.write_bytes(skippable + zstandard(FIRST) + skippable + zstandard(SECOND))
    assert read(path) == FIRST + SECOND


def test_a_damaged_second_stream_is_not_scored_without_its_utterances(
    codec: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """The second stream's first bytes are damaged, so that no decompressor recognises it."""
    whole = codec(FIRST) + b"\x00\x11\x22\x33" + codec(SECOND)[4:]
    (tmp_path / "ref.txt").write_bytes(FIRST)
    (tmp_path / "hyp.txt").write_bytes(whole)
    with pytest.raises(InputError, match="cut off or damaged"):
        read_corpus(tmp_path / "ref.txt", tmp_path / "hyp.txt")
    with pytest.raises(InputError, match="cut off or damaged"):
        read_lexicon(tmp_path / "hyp.txt")


def test_data_that_expands_too_much_is_refused_before_it_fills_the_memory(
    codec: Callable[[bytes], bytes], read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(codec(bytes(1 << 24)))
    with limited(1 << 23), pytest.raises(InputError, match="of compressed data") as caught:
        read(path)
    assert "--max-bytes" in caught.value.fix
    with limited(1 << 24):
        assert read(path) == bytes(1 << 24)


def test_a_large_file_is_refused_before_it_is_read(
    read: Callable[[Path], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(FIRST)
    with limited(100), pytest.raises(InputError, match="more than 100 bytes"):
        read(path)


def test_a_sparse_file_is_refused_without_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="more than 1 GB"):
        open_source(path)


def test_an_endless_device_is_refused() -> None:
    with limited(1 << 22), pytest.raises(InputError, match="more than 4 MB"):
        open_source("/dev/zero")


def test_limits_without_a_setting() -> None:
    assert memory_limit() == 1 << 30
    assert expansion_limit(1000) == 1 << 28
    assert expansion_limit(1 << 30) == 200 << 30


def test_a_setting_is_the_only_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_MAX_BYTES", "3M")
    assert memory_limit() == expansion_limit(1) == 3 << 20
    with limited(5):
        assert memory_limit() == 5
    monkeypatch.setenv("MISWORD_MAX_BYTES", "much")
    with pytest.raises(OptionError, match="MISWORD_MAX_BYTES"):
        memory_limit()


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5G", "4X", "G", "٣"])
def test_a_wrong_size_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="is no size"):
        parse_size(text)
