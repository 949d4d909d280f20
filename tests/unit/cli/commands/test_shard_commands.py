"""`score` and `compare` over shards: outputs, options without meaning, results that are kept."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.cli.main import main
from misword.core.engines.local import SerialEngine
from misword.core.errors import InputError
from misword.io.files.checksums import json_checksum
from shards_made import corpus, write_shards


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = corpus(200)
    folder = tmp_path_factory.mktemp("shards") / "run"
    write_shards(table, folder, 4)
    table.write_parquet(folder.parent / "all.parquet")
    return folder


COLUMNS = ["--hypothesis-column", "base,new", "--engine", "serial"]


def test_json_equals_the_plain_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--hypothesis-column", "base,new", "--format", "json"]
    assert main(["score", str(run / "*.parquet"), "--engine", "serial", *columns]) == 0
    shards = json.loads(capsys.readouterr().out)
    assert main(["score", str(run.parent / "all.parquet"), *columns]) == 0
    assert shards == json.loads(capsys.readouterr().out)


def test_other_formats(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = ["score", str(run), *COLUMNS, "--by", "dialect", "--metrics", "wer"]
    assert main([*score, "--format", "csv"]) == 0
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert [row["dialect"] for row in rows] == ["north", "south", "west"] * 2 + ["", ""]
    assert main([*score, "--format", "md"]) == 0
    assert "| base | north | wer |" in capsys.readouterr().out
    compare = ["compare", str(run), *COLUMNS, "--metrics", "wer"]
    assert main([*compare, "--by", "dialect", "--format", "table"]) == 0
    printed = capsys.readouterr()
    assert "Change against base" in printed.out
    assert "Change by dialect" in printed.out
    assert "MAPSSWE of wer, new: z = " in printed.out
    assert "worst utterances cannot be computed for shards" in printed.err
    assert main([*compare, "--format", "json", "--baseline", "new"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"][0]["system"] == "base"
    assert main([*compare, "--format", "csv"]) == 0
    assert "wer,new,base," in capsys.readouterr().out


def test_results_and_reports(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    command = ["score", str(run), *COLUMNS, "--out", str(out), "--format", "json"]
    assert main([*command, "--report", str(page)]) == 0
    assert "base" in page.read_text("utf-8")
    first = (out / "result.json").read_bytes()
    capsys.readouterr()
    assert main(command) == 2
    assert "it has a result already" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert "4 of 4 shards had been finished before" in capsys.readouterr().err
    provenance = json.loads(first)["provenance"]
    assert provenance["shards"]["number"] == 4
    assert "engine" not in provenance["options"]
    assert len(list((out / "utterances").glob("*.parquet"))) == 4
    assert main(["compare", str(out), str(out), "--names", "a,b,c,d"]) == 2
    assert "a result of shards" in capsys.readouterr().err
    assert main(["verify", str(out), "--format", "json"]) == 0


def test_files_of_each_side(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--hypothesis-column", "new", "--engine", "serial", "--format", "json"]
    rows = []
    for files in ([str(run)], [str(run), str(run)]):
        assert main(["score", *files, *options]) == 0
        found = json.loads(capsys.readouterr().out)["rows"]
        rows.append([{**row, "system": ""} for row in found])
    assert rows[0] == rows[1]


def test_a_lost_shard_is_a_bug(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No engine can lose a shard without an error, whatever its own code does."""
    outcomes = SerialEngine.outcomes

    def careless(*arguments: Any) -> Iterator[Any]:
        return (each for each in outcomes(*arguments) if each.task != 2)

    monkeypatch.setattr(SerialEngine, "outcomes", careless)
    for command in ("score", "compare"):
        out = tmp_path / command
        assert main([command, str(run), *COLUMNS, "--out", str(out)]) == 70
        assert "lost 1 of 4 tasks, first 2 (this is a bug" in capsys.readouterr().err
        assert not (out / "result.json").exists()


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"counted": 3}, "3 of 4 shards are in its numbers"),
        ({"rows_counted": 350}, "350 of 400 rows are in its numbers"),
        ({"rows_left_out": 50}, "400 of 350 rows are in its numbers"),
        ({"number": 5, "rows": 500}, "4 of 5 shards are in its numbers"),
    ],
)
def test_a_result_that_lacks_shards_is_refused(
    run: Path,
    tmp_path: Path,
    changes: dict[str, int],
    what: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert main(["score", str(run), *COLUMNS, "--out", str(out), "-q"]) == 0
    assert main(["verify", str(out)]) == 0
    index = json.loads((out / "result.json").read_bytes())
    shards = index["provenance"]["shards"]
    assert (shards["counted"], shards["rows"], shards["rows_counted"]) == (4, 400, 400)
    shards |= changes
    index["checksum"] = json_checksum(index)
    (out / "result.json").write_text(json.dumps(index))
    capsys.readouterr()
    assert main(["verify", str(out), "--format", "csv"]) == 1
    assert what in capsys.readouterr().out
    with pytest.raises(InputError, match=what):
        misword.load(out)


def test_missing_files_of_shards(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`verify` names them; the same command makes them again, also if rows of a file are lost."""
    out = tmp_path / "out"
    command = ["score", str(run), *COLUMNS, "--out", str(out), "--format", "json", "--force"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    first, second, *_ = sorted((out / "utterances").glob("*.parquet"))
    first.unlink()
    assert main(["verify", str(out), "--format", "csv"]) == 1
    assert f"{first}: there is no such file" in capsys.readouterr().out
    first.with_name(first.name.replace("-00000.parquet", ".json")).unlink()
    assert main(["verify", str(out), "--format", "csv"]) == 1
    assert "it has the files of 3 of 4 shards" in capsys.readouterr().out
    pl.read_parquet(second).head(-1).write_parquet(second)
    assert main(command) == 0
    again = capsys.readouterr()
    assert again.out == printed
    assert "2 of 4 shards had been finished before" in again.err
    assert main(["verify", str(out)]) == 0


def test_a_folder_with_other_files_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("x")
    assert main(["score", str(run), *COLUMNS, "--out", str(tmp_path)]) == 2
    assert "not a result of misword" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_bad_shard_leaves_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_shards(corpus(20), tmp_path / "run", 2)
    (tmp_path / "run" / "part-000.parquet").write_bytes(b"x")
    command = ["score", str(tmp_path / "run"), *COLUMNS, "--format", "json"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    problem, part = json.loads(printed.err)["message"].splitlines()
    assert problem == "1 problem in 2 shards:"
    assert "part-000.parquet: this is not a readable Parquet file" in part
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["utterances"]
    assert main([*command, "--out", str(tmp_path / "out"), "--keep-going"]) == 0
    assert "1 of 2 shards left out: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metadata", "x.csv"], "--metadata cannot be used with shards: "),
        (["--more-references", "x.csv"], "--more-references cannot be used with shards: "),
        (["--confidences"], "--confidences cannot be used with shards: "),
        (["--encoding", "latin-1"], "--encoding cannot be used with shards: "),
        (["--ranks", "3"], "--ranks cannot be used with shards: "),
        (["--engine", "sparc"], "unknown engine 'sparc'"),
        (["--by", "speaker"], "no column 'speaker'; it has: id"),
    ],
)
def test_options_without_meaning(
    options: list[str], message: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(run), *COLUMNS, *options]) == 2
    assert message in capsys.readouterr().err


def test_shards_without_an_engine(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (str(run / "*.parquet"), "s3://bucket/a.parquet"):
        for command in ("score", "compare"):
            assert main([command, path]) == 2
            assert "name an engine: --engine auto" in capsys.readouterr().err
    assert main(["score", "a", "b", "--keep-going"]) == 2
    assert "--keep-going is for shards" in capsys.readouterr().err
    assert main(["score", "-", "--engine", "serial"]) == 2
    assert "standard input has no shards" in capsys.readouterr().err


def test_the_help_explains_shards(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["score", "--help", "all"])
    text = " ".join(capsys.readouterr().out.split())
    assert "With --engine, the inputs are folders or patterns" in text
    assert "--engine ray://head:10001" in text
