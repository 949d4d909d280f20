"""The oracle of shards has the numbers of the oracle of all lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.asr.sharded.oracle_shards import ShardedOracle, oracle_shards
from misword.core.errors import InputError, MismatchError, OptionError

WORDS = ["the", "cat", "sat", "on", "a", "mat", "mats"]


def lists(count: int = 60) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return references and lists of one to six hypotheses."""
    rng = np.random.default_rng(2)
    references = [" ".join(rng.choice(WORDS, rng.integers(1, 8))) for _ in range(count)]
    rows = [
        {"utt": f"u{at}", "rank": rank + 1, "text": " ".join(rng.choice(WORDS, rng.integers(0, 8)))}
        for at in range(count)
        for rank in range(rng.integers(1, 7))
    ]
    ids = [f"u{at}" for at in range(count)]
    return pl.DataFrame({"utt": ids, "text": references}), pl.DataFrame(rows)


def write(folder: Path, shards: int, shuffled: bool = False) -> tuple[str, str]:
    references, rows = lists()
    if shuffled:
        references = references.sample(fraction=1, shuffle=True, seed=1)
        order = references.with_row_index("place").select("utt", "place")
        rows = rows.join(order, on="utt").sort("place", pl.col("rank") % 3).drop("place")
    step = -(-len(references) // shards)
    for name in ("ref", "nbest"):
        (folder / name).mkdir(parents=True)
    for number in range(shards):
        part = references[number * step : (number + 1) * step]
        part.write_csv(folder / "ref" / f"{number:02}.csv")
        own = rows.join(part, on="utt", how="semi", maintain_order="left")
        own.write_parquet(folder / "nbest" / f"{number:02}.parquet")
    return str(folder / "ref"), str(folder / "nbest")


def chosen(folder: Path, shards: int, **options: Any) -> ShardedOracle:
    shuffled = options.pop("shuffled", False)
    options = {"engine": "serial", "metrics": "wer,mer,cer", **options}
    return oracle_shards(*write(folder, shards, shuffled), names=["s"], **options)


def in_memory(**options: Any) -> Any:
    references, rows = lists()
    grouped = rows.group_by("utt", maintain_order=True).agg("text")["text"].to_list()
    return misword.oracle(
        references["text"], {"s": grouped}, "wer,mer,cer", ids=references["utt"], **options
    )


@pytest.mark.parametrize("shards", [1, 7])
@pytest.mark.parametrize("options", [{}, {"depths": [2, 4]}, {"ties": "cer"}])
def test_numbers_are_those_of_all_lists(
    tmp_path: Path, shards: int, options: dict[str, Any]
) -> None:
    found, expected = chosen(tmp_path, shards, **options), in_memory(**options)
    assert found.rates.equals(expected.rates)
    assert found.curves.equals(expected.curves)
    assert found.settings == expected.settings


def test_the_order_of_utterances_does_not_matter(tmp_path: Path) -> None:
    found = chosen(tmp_path, 5, shuffled=True)
    assert found.rates.equals(in_memory().rates)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["process", "ray"])
def test_the_engine_does_not_matter(tmp_path: Path, engine: str) -> None:
    found = chosen(tmp_path, 3, engine=engine, workers=2)
    assert found.rates.equals(in_memory().rates)


def test_lists_of_one_table_with_references(tmp_path: Path) -> None:
    references, rows = lists()
    both = rows.join(references.rename({"text": "reference"}), on="utt").rename({"text": "hyp"})
    half = references["utt"][30]
    cut = int((both["utt"] == half).arg_max() or 0)
    both[:cut].write_csv(tmp_path / "0.csv")
    both[cut:].write_csv(tmp_path / "1.csv")
    pattern = str(tmp_path / "*.csv")
    found = oracle_shards(pattern, metrics="wer,mer,cer", engine="serial", names=["s"])
    assert found.rates.equals(in_memory().rates)


def test_the_chosen_texts_are_written(tmp_path: Path) -> None:
    chosen(tmp_path, 3, out=tmp_path / "out")
    texts = pl.read_parquet(tmp_path / "out" / "utterances" / "*.parquet").sort("utt", "chosen_by")
    expected = in_memory().chosen.select("utt", "system", "rank", "chosen_by", "text")
    assert texts.equals(expected.sort("utt", "chosen_by"))


def test_a_list_goes_on_in_the_next_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from misword.io.shards import tables

    monkeypatch.setattr(tables, "FIRST_ROWS", 3)
    monkeypatch.setattr(tables, "MOST_ROWS", 5)
    assert chosen(tmp_path, 2).rates.equals(in_memory().rates)


def test_a_metric_without_a_quotient_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="wil chooses with all lists at once"):
        chosen(tmp_path, 1, metrics="wil")


def test_ties_by_a_metric_of_varying_size_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="ties by mer"):
        chosen(tmp_path, 1, ties="mer")


def test_utterances_without_a_list_are_refused(tmp_path: Path) -> None:
    references, nbest = write(tmp_path, 1)
    path = next(Path(nbest).iterdir())
    frame = pl.read_parquet(path)
    frame.filter(pl.col("utt") != "u5").write_parquet(path)
    with pytest.raises(InputError, match=r"utterance 'u5' has no list"):
        oracle_shards(references, nbest, "wer", engine="serial")


def test_an_utterance_without_a_reference_is_refused(tmp_path: Path) -> None:
    references, nbest = write(tmp_path, 1)
    path = next(Path(references).iterdir())
    pl.read_csv(path).filter(pl.col("utt") != "u5").write_csv(path)
    with pytest.raises((InputError, MismatchError), match=r"utterance 'u5' has no reference"):
        oracle_shards(references, nbest, "wer", engine="serial")


def test_a_list_in_two_shards_is_refused(tmp_path: Path) -> None:
    references, nbest = write(tmp_path, 2)
    for folder, name in ((references, "csv"), (nbest, "parquet")):
        source = Path(folder) / f"00.{name}"
        (Path(folder) / f"02.{name}").write_bytes(source.read_bytes())
    with pytest.raises(InputError, match="with several lists, such as one in"):
        oracle_shards(references, nbest, "wer", engine="serial")
