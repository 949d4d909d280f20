"""Shards that cannot be scored are all named; finished shards are kept; ids are there once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import misword
from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.shards import ShardReading
from misword.io.shards.corpora import ShardCorpus, read_corpora
from misword.io.shards.files import ShardTask
from misword.io.shards.running import HashFiles, ShardsError
from shards_made import SYSTEMS, corpus, write_shards

HOSTILE = "\x1b[31mred\n.parquet"


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return corpus(60).select("id", "reference", "dialect", hypothesis="base")


@pytest.fixture
def shards(table: pl.DataFrame, tmp_path: Path) -> Path:
    return write_shards(table, tmp_path / "run", 6)


def spoil(folder: Path) -> None:
    """Make four of six shards bad, each in its own way; one of them has a hostile name."""
    (folder / "part-001.parquet").write_bytes(b"PAR1 no parquet PAR1")
    pl.read_parquet(folder / "part-002.parquet").drop("hypothesis").write_parquet(
        folder / "part-002.parquet"
    )
    pl.read_parquet(folder / "part-003.parquet").clear().write_parquet(folder / "part-003.parquet")
    (folder / "part-004.parquet").rename(folder / HOSTILE)
    (folder / HOSTILE).write_bytes(b"")


def test_every_bad_shard_is_named(shards: Path) -> None:
    spoil(shards)
    with pytest.raises(ShardsError) as caught:
        misword.score(misword.shards(shards / "*.parquet", engine="serial"))
    message = str(caught.value)
    assert message.startswith("4 problems in 6 shards:")
    for name in ("part-001", "part-002", "part-003"):
        assert f"{name}.parquet" in message
    assert "no rows in it" in message
    assert "no column" in message or "no hypotheses" in message
    assert "\x1b" not in message
    assert r"\x1b[31mred\n.parquet" in message
    assert len(caught.value.failures) == 4


def test_bad_shards_are_left_out_on_demand(shards: Path, table: pl.DataFrame) -> None:
    spoil(shards)
    found = misword.score(misword.shards(shards / "*.parquet", engine="serial", keep_going=True))
    rest = table[[*range(10), *range(50, 60)]]
    whole = misword.score(rest["reference"], rest["hypothesis"])
    assert found["wer"] == whole["wer"]
    assert len(found.failures) == found.shards["left_out"] == 4
    (note,) = (note for note in found.notes if "left out" in note)
    assert note.startswith("4 of 6 shards left out: ")
    assert all(f"part-00{number}" in note for number in (1, 2, 3))


def test_no_shard_can_be_scored(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,a\n")
    with pytest.raises(ShardsError, match="1 problem in 1 shard"):
        misword.score(misword.shards(tmp_path / "a.csv", engine="serial", keep_going=True))


@pytest.mark.slow
def test_a_file_that_kills_its_worker_is_named(shards: Path, table: pl.DataFrame) -> None:
    """A damaged length can make polars ask for so much memory that the process is ended."""
    data = bytearray((shards / "part-002.parquet").read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    (shards / "part-002.parquet").write_bytes(data)
    with pytest.raises(ShardsError, match=r"part-002\.parquet"):
        misword.score(misword.shards(shards, engine="process", workers=2))


def test_ids_in_two_shards(shards: Path, table: pl.DataFrame) -> None:
    extra = pl.concat([table[:2], table[:1]]).with_columns(id=pl.Series(["utt-3", "utt-44", "new"]))
    extra.write_parquet(shards / "part-009.parquet")
    with pytest.raises(ShardsError) as caught:
        misword.score(misword.shards(shards, engine="serial"))
    message = str(caught.value)
    assert "'utt-3' in " in message
    assert "'utt-44' in " in message
    assert "part-000.parquet and " in message
    assert "part-009.parquet" in message
    found = misword.score(misword.shards(shards, engine="serial", keep_going=True))
    assert len(found) == 63
    assert any(note.startswith("duplicate ids") for note in found.notes)


def test_an_id_that_is_twice_in_one_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one part of it, or in two parts that are never in memory together."""
    rows = [{"id": str(n), "text": "a", "pred_text": "a"} for n in [*range(5000), 7]]
    path = tmp_path / "a.parquet"
    pl.DataFrame(rows).write_parquet(path)
    with pytest.raises(ShardsError, match=r"duplicate ids: '7' in .*a\.parquet and .*a\.parq"):
        misword.score(misword.shards(path, engine="serial"), metrics="wer")
    pl.DataFrame(rows[-3:] + rows[7:8]).write_parquet(path)
    with pytest.raises(ShardsError, match="duplicate id '7', on row 3 and row 4"):
        misword.score(misword.shards(path, engine="serial"), metrics="wer")


def test_equal_hashes_of_different_ids_are_no_error(
    shards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ids themselves decide."""

    def poor(ids: pl.Series) -> np.ndarray:
        return (ids.str.slice(4).cast(pl.UInt64) % 50).to_numpy()

    monkeypatch.setattr("misword.asr.sharding.hash_texts", poor)
    monkeypatch.setattr("misword.io.shards.running.hash_texts", poor)
    found = misword.score(misword.shards(shards, engine="serial"))
    assert len(found) == 60
    assert not any("duplicate" in note for note in found.notes)


def test_hashes_of_different_ids_are_not_counted_as_duplicates(
    shards: Path, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hashes are equal for different ids, the third is that of a duplicate id."""

    def poor(ids: pl.Series) -> np.ndarray:
        numbers = ids.str.slice(4).cast(pl.UInt64)
        return numbers.replace({50: 0, 51: 1}).to_numpy()

    monkeypatch.setattr("misword.asr.sharding.hash_texts", poor)
    monkeypatch.setattr("misword.io.shards.running.hash_texts", poor)
    monkeypatch.setattr("misword.io.shards.running.EXAMINED", 1)
    table[:1].with_columns(id=pl.lit("utt-30")).write_parquet(shards / "part-009.parquet")
    found = misword.score(misword.shards(shards, engine="serial", keep_going=True))
    (note,) = (note for note in found.notes if note.startswith("duplicate ids"))
    assert "'utt-30' in " in note
    assert "more" not in note


def test_ranges_of_hashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes are compared range by range, as many at once as memory has place for."""
    monkeypatch.setattr("misword.io.shards.running.AT_ONCE", 100)
    rng = np.random.default_rng(0)
    files = HashFiles(tmp_path)
    arrays = [np.sort(rng.integers(0, 1 << 64, 300, np.uint64)) for _ in range(4)]
    arrays[2] = np.sort(np.concatenate([arrays[2], arrays[0][::50]]))
    for number, hashes in enumerate(arrays):
        files.add(number, hashes)
    found = np.concatenate(list(files.duplicates()))
    assert found.tolist() == arrays[0][::50].tolist()
    assert files.tasks_with(found[:1]) == [0, 2]


def test_finished_shards_are_not_scored_again(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    broken = shards / "part-003.parquet"
    kept = tmp_path / "kept.parquet"
    shutil.copy2(broken, kept)
    broken.write_bytes(b"")
    with pytest.raises(ShardsError):
        misword.score(misword.shards(shards, engine="serial", out=out))
    before = {path.name: path.stat().st_mtime_ns for path in (out / "utterances").iterdir()}
    assert len(before) == 10  # a table and a record of each of five shards
    shutil.copy2(kept, broken)
    found = misword.score(misword.shards(shards, engine="serial", out=out))
    assert "5 of 6 shards had been finished before" in found.notes
    after = {path.name: path.stat().st_mtime_ns for path in (out / "utterances").iterdir()}
    assert before.items() <= after.items()
    plain = misword.score(misword.shards(shards, engine="serial"))
    assert found.summary().equals(plain.summary())
    assert [n for n in found.notes if "before" not in n] == list(plain.notes)


def test_what_is_scored_again(shards: Path, tmp_path: Path, table: pl.DataFrame) -> None:
    """Shards that were replaced, and all shards if an option that decides numbers is another."""
    out = tmp_path / "out"
    misword.score(misword.shards(shards, engine="serial", out=out))
    pl.read_parquet(shards / "part-000.parquet").head(3).write_parquet(shards / "part-000.parquet")
    found = misword.score(misword.shards(shards, engine="serial", out=out))
    assert "5 of 6 shards had been finished before" in found.notes
    assert len(found) == 53
    again = misword.score(misword.shards(shards, engine="serial", out=out), normalize="nfc,lower")
    assert not any("before" in note for note in again.notes)
    tables = pl.read_parquet(out / "utterances" / "*.parquet")
    assert tables.height == 53  # what other options wrote is gone
    assert {"utt", "system", "wer.hits", "wer.rate"} <= set(tables.columns)


def test_a_run_that_is_interrupted(
    shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def interrupted(task: ShardTask, reading: ShardReading) -> Iterator[ShardCorpus]:
        if task.number == 2:
            raise KeyboardInterrupt
        return read_corpora(task, reading)

    monkeypatch.setattr("misword.asr.sharding.read_corpora", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"finished shards are in .* the same command"):
        misword.score(misword.shards(shards, engine="serial", out=out))
    monkeypatch.undo()
    found = misword.score(misword.shards(shards, engine="serial", out=out))
    assert "2 of 6 shards had been finished before" in found.notes


def test_groups_of_different_kinds(shards: Path) -> None:
    part = pl.read_parquet(shards / "part-005.parquet")
    part.with_columns(dialect=pl.lit(3)).write_parquet(shards / "part-005.parquet")
    with pytest.raises(ShardsError, match=r"part-005\.parquet: shards have groups of different"):
        misword.score(misword.shards(shards, by="dialect", engine="serial"))


def test_options_without_meaning_for_shards(shards: Path) -> None:
    vectors = misword.WordVectors.of(["a", "b"], [[1, 0], [0, 1]])
    with pytest.raises(OptionError, match="vectors in memory"):
        misword.score(misword.shards(shards), metrics="wer-e", vectors=vectors)
    with pytest.raises(OptionError, match="it is a URL"):
        misword.score(misword.shards(shards, out="s3://bucket/out"))
    with pytest.raises(OptionError, match="column 'rate' of its own"):
        misword.score(misword.shards(shards, by="rate"))
    for name in ("metadata", "ids", "hypotheses"):
        with pytest.raises(OptionError, match=f"{name} cannot be used with shards: "):
            misword.score(misword.shards(shards), **{name: ["a"]})  # type: ignore[arg-type]
    for function in (misword.check, misword.align, misword.correlate):
        with pytest.raises(OptionError, match="takes no shards"):
            function(misword.shards(shards))
    with pytest.raises(OptionError, match="a comparison needs two systems"):
        misword.compare(misword.shards(shards))


def test_patterns_that_name_nothing(shards: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no shard has this name"):
        misword.score(misword.shards(tmp_path / "*.csv"))
    write_shards(corpus(10).select("id", "reference"), tmp_path / "ref", 2)
    with pytest.raises(MismatchError, match=r"2 shards of references .* 6 of hypotheses"):
        misword.score(misword.shards(tmp_path / "ref", shards))


def test_few_utterances_are_compared_as_in_memory(tmp_path: Path) -> None:
    """All tests are then corrected together, which needs the terms of each utterance."""
    table = corpus(14)
    write_shards(table, tmp_path, 2)
    source = misword.shards(tmp_path, hypothesis_column=SYSTEMS, engine="serial")
    found = misword.compare(source, metrics="wer,cer")
    expected = misword.compare(
        table["reference"], table.select(SYSTEMS), "wer,cer", ids=table["id"]
    )
    assert_frame_equal(found.differences, expected.differences, check_exact=True)


def test_the_baseline_comes_first(tmp_path: Path) -> None:
    write_shards(corpus(40), tmp_path, 2)
    found = misword.compare(
        misword.shards(tmp_path, hypothesis_column=["base", "new"], engine="serial"), baseline="new"
    )
    assert found.systems == ["new", "base"]
    assert found.differences["baseline_rate"][0] == found.scores["wer", "new"]
    with pytest.raises(OptionError, match="no system 'old'"):
        misword.compare(misword.shards(tmp_path, hypothesis_column=["base", "new"]), baseline="old")
