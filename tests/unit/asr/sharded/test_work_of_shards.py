"""More shards of the same data cost a fixed amount of work each, whatever is in them."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import polars as pl
import pytest

import misword

LISTS, WORDS, DEPTH, SHARDS = 6_000, 20, 3, 5
MOST = 30_000  # calls for a shard, which polars and the reading of a file need
VOCABULARY = [f"word{number}" for number in range(200)]


def table(*, depth: int) -> pl.DataFrame:
    """Return lists whose first hypothesis is sometimes quite wrong, so that all checks look."""
    random = Random(0)
    rows = []
    for number in range(LISTS):
        said = random.choices(VOCABULARY, k=WORDS)
        for rank in range(1, depth + 1):
            share = 0.9 if number % 50 == 0 else 0.2
            heard = [random.choice(VOCABULARY) if random.random() < share else w for w in said]
            rows.append((f"u{number:04}", rank, " ".join(said), " ".join(heard)))
    return pl.DataFrame(rows, schema=["id", "rank", "reference", "hypothesis"], orient="row")


def calls(folder: Path, command: str, rows: pl.DataFrame, depth: int, shards: int) -> int:
    """Return how many calls of Python functions a command makes over so many shards."""
    size = depth * -(-LISTS // shards)
    folder.mkdir()
    for number in range(shards):
        rows[number * size : (number + 1) * size].write_parquet(folder / f"{number:02}.parquet")
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    source = misword.shards(folder, engine="serial")
    sys.setprofile(counted)
    try:
        getattr(misword, command)(source, metrics="wer,cer")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("command", "depth"), [("oracle", DEPTH), ("score", 1)])
def test_a_shard_costs_a_fixed_number_of_calls(tmp_path: Path, command: str, depth: int) -> None:
    rows = table(depth=depth)
    if command == "score":
        rows = rows.drop("rank")
    calls(tmp_path / "first", command, rows, depth, 1)  # modules are loaded
    one = calls(tmp_path / "one", command, rows, depth, 1)
    several = calls(tmp_path / "several", command, rows, depth, SHARDS)
    assert several - one < MOST * (SHARDS - 1)
