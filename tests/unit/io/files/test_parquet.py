"""Parquet data that is damaged or hostile ends in one error, never in a crash of the process."""

from __future__ import annotations

import random
import struct
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest

from misword.core.errors import InputError
from misword.io.files import parquet
from misword.io.files.limits import limited
from misword.io.files.parquet import check_parquet, read_checked

FRAME = pl.DataFrame(
    {
        "utt": [f"u{number}" for number in range(60)],
        "text": [f"some words {number} here and there" for number in range(60)],
        "speaker": [f"s{number % 3}" for number in range(60)],
        "seconds": [number * 0.5 for number in range(60)],
        "words": [["a"] * (number % 3) for number in range(60)],
    }
)


def parquet_data(frame: pl.DataFrame = FRAME) -> bytes:
    target = BytesIO()
    frame.write_parquet(target)
    return target.getvalue()


def test_whole_data_is_read() -> None:
    check_parquet({"a": parquet_data(), "b": parquet_data()})
    assert read_checked(parquet_data(), "a").equals(FRAME)


def test_the_damaged_content_of_several_is_named() -> None:
    data = parquet_data()
    contents = {"first": data, "second": data[:-10], "third": b"PAR1"}
    with pytest.raises(InputError, match=r"^second: this is not a readable Parquet file"):
        check_parquet(contents)


def test_damaged_footers_are_errors_or_tables() -> None:
    """Lengths in the footer of Parquet data make polars panic, or abort the process."""
    data = parquet_data()
    size = struct.unpack("<I", data[-8:-4])[0]
    for place in range(len(data) - 8 - size, len(data), 200):
        wrong = bytearray(data)
        wrong[place] ^= 0xFF
        try:
            check_parquet({"file": bytes(wrong)})
        except InputError:
            continue
        read_checked(bytes(wrong), "file")


def test_flipped_bits_are_errors_or_tables() -> None:
    draw, data = random.Random(3), parquet_data()
    contents = {}
    for number in range(12):
        wrong = bytearray(data)
        wrong[draw.randrange(len(wrong))] ^= 1 << draw.randrange(8)
        contents[str(number)] = bytes(wrong)
    while contents:  # one process reads all contents up to the first that is refused
        try:
            check_parquet(contents)
            break
        except InputError as error:
            names = list(contents)
            contents = {name: contents[name] for name in names[names.index(error.where) + 1 :]}


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (2305843009213693944, r"^b: this is not a readable Parquet file \(it is damaged"),
        (981600, r"^b: 0 bytes of compressed data that become more than 256 MB"),
    ],
)
def test_a_process_that_aborts_is_an_error(
    size: int, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "aborts.py"
    printed = f"memory allocation of {size} bytes failed"
    script.write_text(f"import os\nos.write(1, b'\\n')\nos.write(2, b'{printed}')\nos.abort()\n")
    monkeypatch.setattr(parquet, "CHECK", script)
    with pytest.raises(InputError, match=message):
        check_parquet({"a": b"", "b": b""})


def test_a_table_that_fills_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "OVERHEAD", 1 << 26)
    data = parquet_data(pl.DataFrame({"n": pl.repeat(0, 20_000_000, dtype=pl.Int64, eager=True)}))
    assert len(data) < 1 << 20
    with limited(1 << 20), pytest.raises(InputError):
        check_parquet({"bomb": data})
    with limited(1 << 28):
        check_parquet({"table": data})


def test_columns_that_are_not_read_need_not_be_readable() -> None:
    check_parquet({"file": parquet_data()}, flat=True)


def test_without_a_process_the_data_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "")
    check_parquet({"file": parquet_data()})
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_checked(b"PAR1 no table PAR1", "file")
