"""Metrics that learn from all references have the same numbers on shards as on all utterances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import misword
from misword.embed.fitting import GramSum, WordCounts

WORDS = ["the", "cat", "sat", "on", "a", "mat", "Paris", "dog", "ran", "home"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with vectors, one table of all utterances, and shards of it."""
    folder, rng = tmp_path_factory.mktemp("fitted"), np.random.default_rng(4)
    lines = [f"{w} " + " ".join(f"{x:.4f}" for x in rng.normal(size=12)) for w in WORDS]
    (folder / "v.vec").write_text(f"{len(WORDS)} 12\n" + "\n".join(lines) + "\n")
    texts = [[" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(90)] for _ in range(2)]
    frame = pl.DataFrame(
        {"id": [f"u{n}" for n in range(90)], "reference": texts[0], "hypothesis": texts[1]}
    )
    frame.write_csv(folder / "all.csv")
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    for number in range(4):
        (folder / "shards").mkdir(exist_ok=True)
        shuffled[number::4].write_csv(folder / "shards" / f"{number}.csv")
    return folder


@pytest.mark.parametrize("encoder", ["sif", "usif"])
def test_sif_on_shards(files: Path, encoder: str) -> None:
    metric = f"semdist:encoder={encoder}"
    frame = pl.read_csv(files / "all.csv")
    whole = misword.score(
        frame["reference"], {"hypothesis": frame["hypothesis"]}, metric, vectors=files / "v.vec"
    )
    sharded = misword.score(
        misword.shards(files / "shards", engine="serial"), metrics=metric, vectors=files / "v.vec"
    )
    assert sharded.summary().drop("system").equals(whole.summary().drop("system"))
    signatures = [str(scores.columns[0].signature) for scores in (whole, sharded)]
    assert signatures[0] == signatures[1]


@pytest.mark.slow
def test_idf_on_shards(files: Path) -> None:
    """Batches of a network differ by shard, so that distances differ in their last bits."""
    frame = pl.read_csv(files / "all.csv")
    columns = frame["reference"], {"hypothesis": frame["hypothesis"]}
    whole = misword.score(*columns, "bertscore:idf=true")
    sharded = misword.score(
        misword.shards(files / "shards", engine="serial"), metrics="bertscore:idf=true"
    )
    metric = "bertscore:idf=true"
    assert sharded[metric] == pytest.approx(whole[metric], abs=1e-6)
    assert sharded[metric] != pytest.approx(misword.score(*columns, "bertscore")["bertscore"])
    signatures = [str(scores.columns[0].signature) for scores in (whole, sharded)]
    assert signatures[0] == signatures[1]


def test_sums_of_products_do_not_depend_on_the_division() -> None:
    rows = np.random.default_rng(0).normal(size=(3000, 7)) * [1, 1e-3, 5, 1, 1, 1, 1]
    largest = float(np.abs(rows).max())
    whole = GramSum.of(rows, largest).matrix()
    parts = GramSum.of(rows[1111:], largest) + GramSum.of(rows[:1111][::-1], largest)
    assert np.array_equal(parts.matrix(), whole)
    assert np.abs(whole - rows.T @ rows).max() < 1e-5 * np.abs(whole).max()


def test_word_counts_add_up() -> None:
    both = WordCounts.of(["a B a"]) + WordCounts.of(["b", ""])
    assert (both.texts, both.lower()) == (3, {"a": 2, "b": 2})
