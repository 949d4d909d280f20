"""A corpus of two systems, written as one file or as many shards."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

WORDS = np.array(["".join(letters) for letters in product("abcd", "efgh")])
SYSTEMS = ["base", "new"]


def corpus(rows: int = 600, seed: int = 0) -> pl.DataFrame:
    """Return ids, references, two hypotheses and metadata; some references are empty."""
    rng = np.random.default_rng(seed)
    said = [rng.choice(WORDS, rng.integers(0, 9)).tolist() for _ in range(rows)]

    def heard(rate: float) -> list[str]:
        return [
            " ".join(w if rng.random() > rate else str(rng.choice(WORDS)) for w in words)
            for words in said
        ]

    return pl.DataFrame(
        {
            "id": [f"utt-{number}" for number in range(rows)],
            "reference": [" ".join(words) for words in said],
            "base": heard(0.3),
            "new": heard(0.25),
            "dialect": rng.choice(["north", "south", "west"], rows),
            "level": rng.integers(0, 40, rows),
        }
    )


def write_shards(
    table: pl.DataFrame,
    folder: Path,
    shards: int,
    *,
    suffix: str = ".parquet",
    shuffled: bool = True,
) -> Path:
    """Write a table in several files, with the rows of each in another order."""
    folder.mkdir(parents=True, exist_ok=True)
    write = writer(suffix)
    edges = np.linspace(0, len(table), shards + 1).astype(int).tolist()
    for number in range(shards):
        part = table[edges[number] : edges[number + 1]]
        if shuffled:
            part = part.sample(fraction=1, shuffle=True, seed=number)
        write(part, folder / f"part-{number:03}{suffix}")
    return folder


def writer(suffix: str) -> Callable[[pl.DataFrame, Path], None]:
    """Return the function that writes a table to a file."""
    return {
        ".parquet": lambda table, path: table.write_parquet(path),
        ".csv": lambda table, path: table.write_csv(path),
        ".jsonl": lambda table, path: table.write_ndjson(path),
    }[suffix]


def write_vectors(folder: Path) -> str:
    """Write vectors of most of the words."""
    rng = np.random.default_rng(1)
    lines = [f"{word} " + " ".join(f"{x:.4f}" for x in rng.normal(size=5)) for word in WORDS[:-2]]
    path = folder / "words.vec"
    path.write_text(f"{len(lines)} 5\n" + "\n".join(lines) + "\n")
    return str(path)
