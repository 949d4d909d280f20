"""The oracle of shards has the numbers of the oracle of all lists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.types import Corpus
from misword.io.shards import ShardReading
from misword.io.shards.corpora import read_lists
from misword.io.shards.files import ShardTask

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


def chosen(folder: Path, shards: int, **options: Any) -> misword.Oracle:
    running = {name: options.pop(name) for name in ("engine", "workers", "out") if name in options}
    source = write(folder, shards, options.pop("shuffled", False))
    options = {"metrics": "wer,mer,cer", **options}
    return misword.oracle(misword.shards(*source, names=["s"], **running), **options)


def in_memory(**options: Any) -> Any:
    references, rows = lists()
    grouped = rows.group_by("utt", maintain_order=True).agg("text")["text"].to_list()
    return misword.oracle(
        references["text"], {"s": grouped}, "wer,mer,cer", ids=references["utt"], **options
    )


@pytest.mark.parametrize("shards", [1, 7])
@pytest.mark.parametrize("options", [{}, {"depths": [2, 4]}, {"ties": "cer"}, {"ties": "mer"}])
def test_numbers_are_those_of_all_lists(
    tmp_path: Path, shards: int, options: dict[str, Any]
) -> None:
    found, expected = chosen(tmp_path, shards, **options), in_memory(**options)
    assert found.rates.equals(expected.rates)
    assert found.curves.equals(expected.curves)
    assert found.ties.equals(expected.ties)
    assert found.settings == expected.settings
    assert found.notes == expected.notes
    assert found.chosen.drop("text").equals(expected.chosen.drop("text"))


def test_each_shard_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for metrics whose reference size depends on the hypothesis."""
    read: list[int] = []

    def recorded(task: ShardTask, reading: ShardReading) -> Iterator[Corpus]:
        read.append(task.number)
        return read_lists(task, reading)

    monkeypatch.setattr("misword.asr.sharding.read_lists", recorded)
    chosen(tmp_path, 7)
    assert read == list(range(7))


def test_the_order_of_utterances_does_not_matter(tmp_path: Path) -> None:
    found, expected = chosen(tmp_path, 5, shuffled=True), in_memory()
    assert found.rates.equals(expected.rates)
    assert found.ties.equals(expected.ties)


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
    found = misword.oracle(
        misword.shards(pattern, engine="serial", names=["s"]), metrics="wer,mer,cer"
    )
    assert found.rates.equals(in_memory().rates)


def test_finished_shards_are_kept_with_their_texts(tmp_path: Path) -> None:
    source = misword.shards(*write(tmp_path, 3), names=["s"], out=tmp_path / "out")
    expected = in_memory()
    keys = ["utt", "chosen_by"]
    for times in (0, 3):
        found = misword.oracle(source, metrics="wer,mer,cer")
        assert found.rates.equals(expected.rates)
        assert found.chosen.sort(keys).equals(expected.chosen.sort(keys))
        assert sum(f"{times} of 3 shards had been finished" in n for n in found.scores.notes) == (
            times > 0
        )
    texts = expected.lists.sort("utt", "rank")["text"]
    assert found.lists.sort("utt", "rank")["text"].equals(texts)


def test_a_list_goes_on_in_the_next_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from misword.io.shards import tables

    monkeypatch.setattr(tables, "FIRST_ROWS", 3)
    monkeypatch.setattr(tables, "MOST_ROWS", 5)
    assert chosen(tmp_path, 2).rates.equals(in_memory().rates)


def test_a_metric_without_a_quotient_chooses_with_all_lists(tmp_path: Path) -> None:
    found = chosen(tmp_path, 4, metrics="wil,wer")
    references, rows = lists()
    grouped = rows.group_by("utt", maintain_order=True).agg("text")["text"].to_list()
    expected = misword.oracle(references["text"], {"s": grouped}, "wil,wer", ids=references["utt"])
    assert found.rates.equals(expected.rates)
    assert found.ties.equals(expected.ties)


def test_a_bad_shard_is_left_out(tmp_path: Path) -> None:
    source = write(tmp_path, 3)
    (Path(source[1]) / "01.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"1 problem in 3 shards:\n.*01\.parquet"):
        misword.oracle(misword.shards(*source), metrics="wer")
    found = misword.oracle(misword.shards(*source, keep_going=True), metrics="wer")
    assert found.settings["utterances"] == 40
    assert len(found.scores.failures) == 1
    assert any("1 of 3 shards left out" in note for note in found.scores.notes)


def test_translations_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="translate cannot be used with shards"):
        chosen(tmp_path, 1, translate="cat", translation_references="x")


def test_utterances_without_a_list_are_refused(tmp_path: Path) -> None:
    references, nbest = write(tmp_path, 1)
    path = next(Path(nbest).iterdir())
    frame = pl.read_parquet(path)
    frame.filter(pl.col("utt") != "u5").write_parquet(path)
    with pytest.raises(InputError, match=r"utterance 'u5' has no list"):
        misword.oracle(misword.shards(references, nbest, engine="serial"), metrics="wer")


def test_an_utterance_without_a_reference_is_refused(tmp_path: Path) -> None:
    references, nbest = write(tmp_path, 1)
    path = next(Path(references).iterdir())
    pl.read_csv(path).filter(pl.col("utt") != "u5").write_csv(path)
    with pytest.raises((InputError, MismatchError), match=r"utterance 'u5' has no reference"):
        misword.oracle(misword.shards(references, nbest, engine="serial"), metrics="wer")


def test_a_list_in_two_shards_is_refused(tmp_path: Path) -> None:
    references, nbest = write(tmp_path, 2)
    for folder, name in ((references, "csv"), (nbest, "parquet")):
        source = Path(folder) / f"00.{name}"
        (Path(folder) / f"02.{name}").write_bytes(source.read_bytes())
    with pytest.raises(InputError, match=r"duplicate ids: 'u1' in .*00\.csv and .*02\.csv"):
        misword.oracle(misword.shards(references, nbest, engine="serial"), metrics="wer")
