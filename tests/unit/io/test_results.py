"""Results to disk and back."""

from __future__ import annotations

import json
import os
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.io import results
from misword.io.results import read_result, write_result
from own_files import rewrite


def make(rows: int = 3, **provenance: object) -> Result:
    tables = {
        "zeta": pl.DataFrame({"utt": [f"u{n}" for n in range(rows)], "x": [0.5] * rows}),
        "alpha": pl.DataFrame(
            {"rate": [float("nan"), None, 1.0], "é": ["\u2028", None, "</script>"]}
        ),
    }
    return Result("score", tables, {"signature": "wer|v1", **provenance})


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_round_trip(tmp_path: Path) -> None:
    result = make(5000, nested={"b": [1, 2.5, None, True]})
    write_result(result, tmp_path / "deep" / "out")
    found = read_result(tmp_path / "deep" / "out")
    assert (found.kind, found.provenance) == (result.kind, result.provenance)
    assert list(found.tables) == ["zeta", "alpha"]
    for name, table in result.tables.items():
        assert found.tables[name].equals(table)
        assert found.tables[name].schema == table.schema
    assert os.listdir(tmp_path / "deep") == ["out"]


def test_small_tables_are_in_the_json_too(tmp_path: Path) -> None:
    write_result(make(2001), tmp_path / "out")
    index = json.loads((tmp_path / "out/result.json").read_text(encoding="utf-8"))
    assert index["tables"]["zeta"] == {
        "file": "zeta.parquet",
        "rows": 2001,
        "columns": ["utt", "x"],
        "checksum": sha256((tmp_path / "out/zeta.parquet").read_bytes()).hexdigest(),
    }
    assert index["tables"]["alpha"]["data"][0] == {"rate": None, "é": "\u2028"}
    write_result(make(2000), tmp_path / "out")
    index = json.loads((tmp_path / "out/result.json").read_text(encoding="utf-8"))
    assert len(index["tables"]["zeta"]["data"]) == 2000


def test_the_same_result_gives_the_same_bytes(tmp_path: Path) -> None:
    write_result(make(b=1, a=2), tmp_path / "one")
    write_result(make(a=2, b=1), tmp_path / "two")
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert set(content(tmp_path / "one")) == {"result.json", "zeta.parquet", "alpha.parquet"}


def test_values_json_does_not_know(tmp_path: Path) -> None:
    table = pl.DataFrame({"day": [date(2020, 1, 2)]})
    provenance = {"n": np.int64(3), "path": Path("a/b"), "bad": float("inf"), "pair": (1, 2)}
    write_result(Result("x", {"t": table}, provenance), tmp_path / "out")
    found = read_result(tmp_path / "out")
    assert found.provenance == {"n": 3, "path": "a/b", "bad": None, "pair": [1, 2]}
    assert found.tables["t"].equals(table)


def test_an_old_result_is_replaced_and_foreign_files_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_result(Result("old", {"gone": pl.DataFrame({"a": [1]})}), out)
    (out / "report.html").write_text("mine")
    write_result(make(), out)
    assert read_result(out).kind == "score"
    assert sorted(os.listdir(out)) == [
        "alpha.parquet",
        "report.html",
        "result.json",
        "zeta.parquet",
    ]
    assert (out / "report.html").read_text() == "mine"
    assert os.listdir(tmp_path) == ["out"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    write_result(make(), tmp_path)
    assert read_result(tmp_path).kind == "score"


@pytest.mark.parametrize("name", ["thesis.txt", "result.json"])
def test_other_folders_are_not_touched(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("{}")
    with pytest.raises(OptionError, match="not a result of misword") as caught:
        write_result(make(), out)
    assert caught.value.where == str(out)
    assert content(out) == {name: b"{}"}


def test_a_file_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("mine")
    with pytest.raises(OptionError, match="not a result"):
        write_result(make(), out)
    assert out.read_text() == "mine"
    with pytest.raises(OptionError, match="cannot be written"):
        write_result(make(), out / "below")


def test_failure_leaves_the_old_result_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    write_result(make(), out)
    before = content(out)
    with pytest.raises(OptionError, match="table's name"):
        write_result(Result("x", {"../evil": pl.DataFrame({"a": [1]})}), out)
    original = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if str(self).endswith(".new"):
            raise OSError("no")
        return original(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OptionError, match="cannot be written"):
        write_result(Result("new", {}), out)
    assert content(out) == before
    assert os.listdir(tmp_path) == ["out"]


def test_what_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a result of misword") as caught:
        read_result(tmp_path / "nothing")
    assert caught.value.where == str(tmp_path / "nothing")
    for text in ("{", "[]", "{}", '{"format": "misword-result", "version": 1}'):
        (tmp_path / "result.json").write_text(text)
        with pytest.raises(InputError, match="not a result of misword"):
            read_result(tmp_path)


def test_results_of_another_version(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text('{"format": "misword-result", "version": 99}')
    with pytest.raises(InputError, match="version 99"):
        read_result(tmp_path)


def test_tables_that_are_gone_or_elsewhere(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_result(make(), out)
    (out / "alpha.parquet").write_bytes(b"junk")
    with pytest.raises(InputError, match="its checksum does not fit") as caught:
        read_result(out)
    assert caught.value.where == str(out / "alpha.parquet")
    rewrite(out / "result.json", lambda index: index["tables"]["alpha"].pop("checksum"))
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_result(out)
    (out / "alpha.parquet").unlink()
    with pytest.raises(InputError, match="there is no such table"):
        read_result(out)
    elsewhere = {"file": "../alpha.parquet"}
    rewrite(out / "result.json", lambda index: index["tables"]["alpha"].update(elsewhere))
    with pytest.raises(InputError, match=r"alpha\.file is not in its form"):
        read_result(out)


@pytest.mark.parametrize("what", ["rows", "columns"])
def test_tables_with_other_rows_or_columns(tmp_path: Path, what: str) -> None:
    write_result(make(), tmp_path)
    table = pl.read_parquet(tmp_path / "zeta.parquet")
    changed = table.head(2) if what == "rows" else table.rename({"x": "y"})
    changed.write_parquet(tmp_path / "zeta.parquet")
    with pytest.raises(InputError, match="its checksum does not fit"):
        read_result(tmp_path)

    def without_checksum(index: dict[str, Any]) -> None:
        index["tables"]["zeta"].pop("checksum")

    rewrite(tmp_path / "result.json", without_checksum, sealed=False)
    with pytest.raises(InputError, match=f"other {what} than were written"):
        read_result(tmp_path)


def test_tables_that_another_user_wrote_are_checked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """polars crashes on some Parquet data; its checksum is no proof of who wrote it."""
    checked: list[int] = []
    monkeypatch.setattr(
        results, "check_parquet", lambda contents, fix: checked.append(len(contents))
    )
    write_result(make(), tmp_path / "out")
    read_result(tmp_path / "out")
    assert checked == []
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache of another user"))
    for _ in range(2):
        read_result(tmp_path / "out")
    assert checked == [2]


def test_results_of_older_versions_have_no_checksums(tmp_path: Path) -> None:
    write_result(make(), tmp_path)

    def older(index: dict[str, Any]) -> None:
        for table in index["tables"].values():
            table.pop("checksum")

    rewrite(tmp_path / "result.json", older, sealed=False)
    assert read_result(tmp_path).tables["zeta"].equals(make().tables["zeta"])


def test_a_changed_index_is_refused(tmp_path: Path) -> None:
    write_result(make(), tmp_path)
    text = (tmp_path / "result.json").read_text("utf-8")
    (tmp_path / "result.json").write_text(text.replace("wer|v1", "wer|v2"), "utf-8")
    with pytest.raises(InputError, match="its checksum does not fit"):
        read_result(tmp_path)
