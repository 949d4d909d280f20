"""Shards are found by pattern and URL, and read in parts that add up to the whole."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import InputError, MismatchError, MissingExtraError, OptionError
from misword.io.shards import ShardReading, tables
from misword.io.shards.corpora import ShardCorpus, read_corpora
from misword.io.shards.files import find_shards, find_tasks, named_path
from misword.io.shards.tables import line_blocks
from shards_made import corpus, write_shards, writer


def read(path: Path | str, *others: Path | str, **options: Any) -> list[ShardCorpus]:
    reading = ShardReading(tuple(f"s{n}" for n in range(max(1, len(others)))), **options)
    (task,) = find_tasks(str(path), list(map(str, others)))
    return list(read_corpora(task, reading))


def texts(parts: list[ShardCorpus]) -> list[tuple[str, ...]]:
    """Id, reference and hypothesis of each utterance, sorted by id."""
    rows = []
    for part in parts:
        joined = part.corpus.references.select("utt", "text").join(
            part.corpus.hypotheses.select("utt", heard="text"), on="utt"
        )
        rows += joined.rows()
    return sorted(rows)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_parts_add_up_to_the_file(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "FIRST_ROWS", 7)
    monkeypatch.setattr(tables, "MOST_ROWS", 11)
    monkeypatch.setattr(tables, "BLOCK", 300)
    table = corpus(100).select("id", "reference", hypothesis="base")
    quoted = table.with_columns(reference='a "b",\nc ' + pl.col("reference"))
    path = tmp_path / f"a{suffix}"
    writer(suffix)(quoted, path)
    parts = read(path)
    assert len(parts) > 5
    assert texts(parts) == sorted(quoted.rows())
    assert all(part.has_ids for part in parts)


@given(st.lists(st.text('ab",\n', max_size=6), max_size=12), st.integers(1, 9))
def test_blocks_of_rows_are_whole(fields: list[str], size: int) -> None:
    """A block ends where a row ends, whatever is in quotes."""
    rows = ['"' + field.replace('"', '""') + '",x\n' for field in fields]
    data = "".join(rows).encode()
    blocks = list(line_blocks(BytesIO(data).read, "x", quoted=True, size=size))
    assert b"".join(block for _, block in blocks) == data
    for before, block in blocks:
        assert block.count(b'"') % 2 == 0
        start = data.find(block) if before else 0
        assert start >= 0
    counts = [0]
    for _, block in blocks:
        counts.append(counts[-1] + block.count(b"\n"))
    assert [before for before, _ in blocks] == counts[:-1]


def test_places_in_errors_are_those_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BLOCK", 40)
    lines = ["id,reference,hypothesis", *(f"{n},a b,a c" for n in range(50))]
    lines[33] = "32,a b"
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"a\.csv:34: 2 fields"):
        read(path)
    objects = [json.dumps({"id": str(n), "text": "a", "pred_text": "b"}) for n in range(20)]
    objects[12] = '{"id": "12", "text": 3, "pred_text": "b"}'
    (tmp_path / "a.jsonl").write_text("\n".join(objects))
    with pytest.raises(InputError, match=r"a\.jsonl:13: the value of 'text' is not text"):
        read(tmp_path / "a.jsonl")
    monkeypatch.setattr(tables, "FIRST_ROWS", 5)
    table = pl.DataFrame(
        {"id": list("abcdefghij"), "text": ["a"] * 10, "hyp": ["a"] * 8 + [None] * 2}
    )
    table.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet, row 9: null in column 'hyp'"):
        read(tmp_path / "a.parquet")


def test_compressed_shards(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"id,text,hyp\n1,a,b\n"))
    assert texts(read(tmp_path / "a.csv.gz")) == [("1", "a", "b")]


def test_only_the_needed_columns_are_read(tmp_path: Path) -> None:
    table = corpus(9).with_columns(audio=pl.lit(b"\0"), words=pl.concat_list("level"))
    table.rename({"base": "hypothesis"}).write_parquet(tmp_path / "a.parquet")
    (part,) = read(tmp_path / "a.parquet", metadata=("dialect",))
    assert part.corpus.references.columns == ["utt", "text", "dialect"]


def test_rows_wait_for_those_of_the_other_side(tmp_path: Path) -> None:
    table = corpus(50)
    table.select("id", "reference").write_csv(tmp_path / "ref.csv")
    table.select("id", hypothesis="new").reverse().write_ndjson(tmp_path / "hyp.jsonl")
    expected = sorted(table.select("id", "reference", "new").rows())
    assert texts(read(tmp_path / "ref.csv", tmp_path / "hyp.jsonl")) == expected


def test_sides_that_do_not_fit(tmp_path: Path) -> None:
    table = corpus(20)
    table.select("id", "reference").write_csv(tmp_path / "ref.csv")
    table[:15].select("id", hypothesis="new").write_csv(tmp_path / "few.csv")
    with pytest.raises(MismatchError, match=r"few\.csv lacks 'utt-15'.* and 2 more"):
        read(tmp_path / "ref.csv", tmp_path / "few.csv")
    table.select(hypothesis="new").write_csv(tmp_path / "none.csv")
    with pytest.raises(MismatchError, match=r"ref\.csv has ids and .*none\.csv has none"):
        read(tmp_path / "ref.csv", tmp_path / "none.csv")
    pl.concat([table, table[:1]]).select("reference").write_csv(tmp_path / "more.csv")
    with pytest.raises(MismatchError, match=r"none\.csv lacks '21'"):
        read(tmp_path / "more.csv", tmp_path / "none.csv")


def test_folders_and_patterns(tmp_path: Path) -> None:
    write_shards(corpus(9), tmp_path / "run", 3)
    for name in ("_SUCCESS", ".part.crc", "notes.txt", "_metadata.parquet"):
        (tmp_path / "run" / name).write_text("x")
    for pattern in ("run", "run/*.parquet", "**/*.parquet", "r*/part-00[0-2]*"):
        found = find_shards(str(tmp_path / pattern))
        assert [shard.name for shard in found] == [f"part-00{n}.parquet" for n in range(3)]
    first = find_shards(str(tmp_path / "run"))[0]
    corpus(5).write_parquet(first.path)
    assert find_shards(str(tmp_path / "run"))[0].identity != first.identity


def test_formats_that_are_no_shards(tmp_path: Path) -> None:
    (tmp_path / "a.stm").write_text("f 1 s 0 1 a\n")
    with pytest.raises(OptionError, match="it is read as stm; shards are parquet, csv"):
        read(tmp_path / "a.stm")
    (tmp_path / "a.data").write_text("id,text,hyp\n1,a,b\n")
    with pytest.raises(OptionError, match="the name does not show the format"):
        read(tmp_path / "a.data")
    assert texts(read(tmp_path / "a.data", format="csv")) == [("1", "a", "b")]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("run/*.parquet", "run"),
        ("*", "shards"),
        ("a/b-[0-9].csv", "a/b"),
        ("gs://x/y/", "gs://x/y"),
    ],
)
def test_names_of_systems(pattern: str, name: str) -> None:
    assert named_path(pattern) == name


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system in memory of fsspec, which is empty before and after."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def test_urls(memory: Any, tmp_path: Path) -> None:
    table = corpus(60).select("id", "reference", hypothesis="new")
    write_shards(table, tmp_path / "run", 3)
    for path in (tmp_path / "run").iterdir():
        memory.pipe(f"/bucket/run/{path.name}", path.read_bytes())
    local = misword.score(misword.shards(tmp_path / "run", engine="serial", names=["x"]))
    for pattern in ("memory://bucket/run/*.parquet", "memory://bucket/run"):
        found = misword.score(misword.shards(pattern, engine="serial", names=["x"]))
        assert found.summary().equals(local.summary())
    shards = find_shards("memory://bucket/run")
    memory.pipe("/bucket/run/part-000.parquet", b"other")
    assert find_shards("memory://bucket/run")[0].identity != shards[0].identity
    with pytest.raises(InputError, match="no shard has this name"):
        find_shards("memory://bucket/none/*.csv")
    with pytest.raises(MissingExtraError, match="Protocol not known: nowhere"):
        find_shards("nowhere://bucket/a.csv")


def test_a_url_of_a_local_file_in_other_processes(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    corpus(12).rename({"new": "hypothesis"}).write_parquet(tmp_path / "a.parquet")
    found = misword.score(misword.shards(f"file://{tmp_path}/*.parquet", engine="serial"))
    assert (
        found["wer"]
        == misword.score(misword.shards(tmp_path / "a.parquet", engine="serial"))["wer"]
    )


def test_a_network_that_fails(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that fails is repeated; after three attempts the shard is named."""
    memory.pipe("/bucket/a.csv", b"id,text,hyp\n1,a,b\n")
    attempts = []

    def fail(*_: Any, **__: Any) -> Any:
        attempts.append(1)
        raise RuntimeError("reset by peer")

    monkeypatch.setattr(type(memory), "open", fail)
    with pytest.raises(InputError, match=r"a\.csv: cannot be read: RuntimeError: reset by peer"):
        misword.score(misword.shards("memory://bucket/a.csv", engine="serial"))
    assert len(attempts) == 3
