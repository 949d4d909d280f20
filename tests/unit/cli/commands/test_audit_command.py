"""`misword audit` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audited import write_audited
from misword.cli.main import main
from misword.io.lexicons import read_lexicon
from misword.io.results import read_result

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_audited(tmp_path / "audit")


def run(folder: Path, *arguments: str) -> int:
    """Audit the small lexicon; flags and files are named by the arguments."""
    gold = str(folder / "gold.tsv")
    return main(["audit", gold, "--source-lang", "en", "--target-lang", "de", *arguments])


def as_json(folder: Path, capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert run(folder, "--format", "json", *arguments) == 0
    parsed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return parsed


def systems(folder: Path) -> list[str]:
    return [
        "--flags", "proper-noun", "--k", "1", "--bootstrap", "0", "--predictions",
        str(folder / "first.tsv"), str(folder / "second.tsv"),
    ]  # fmt: skip


def test_json_has_the_numbers(folder: Path, capsys: Capture) -> None:
    told = as_json(folder, capsys, "--flags", "proper-noun,identical", "--leave-out", "identical")
    counts = {row["flag"]: row["pairs"] for row in told["summary"]}
    assert counts == {"proper-noun": 2, "identical": 3}
    assert (told["pairs"], told["headwords"], told["kept"]) == (12, 11, 9)
    assert told["languages"] == ["en", "de"]


@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_other_formats(folder: Path, capsys: Capture, form: str) -> None:
    assert run(folder, "--flags", "identical", "--format", form) == 0
    out = capsys.readouterr().out
    assert "london" in out
    assert "same word" in out


def test_all_outputs_are_written(folder: Path, capsys: Capture) -> None:
    files = {name: folder / name for name in ("clean.tsv", "audit.html", "results")}
    arguments = ["-o", str(files["clean.tsv"]), "--report", str(files["audit.html"])]
    arguments += ["--out", str(files["results"]), "--training", str(folder / "train.txt")]
    told = as_json(folder, capsys, "--flags", "proper-noun,training-pair", *arguments)
    assert told["kept"] == 9
    clean = read_lexicon(files["clean.tsv"])
    assert "green" not in clean.source
    assert list(clean.columns) == ["pos", "proper-noun", "training-pair"]
    assert "proper noun" in files["audit.html"].read_text("utf-8")
    assert read_result(files["results"]).kind == "audit"


def test_verdicts_are_read_back(folder: Path, capsys: Capture) -> None:
    judge = folder / "verdicts.tsv"
    arguments = [*systems(folder), "--judge", str(judge)]
    first = as_json(folder, capsys, *arguments)
    assert first["margins"][0]["open"] == 7
    text = judge.read_text("utf-8")
    judge.write_text(text.replace("dog\thunde\t\t", "dog\thunde\tyes\t"), "utf-8")
    second = as_json(folder, capsys, *arguments)
    assert second["margins"][0]["arithmetic"] == (
        "(5 - 2) / 10 = 30.00 %; with verdicts (4 - 2) / 10 = 20.00 %"
    )
    assert "dog\thunde\tyes\t" in judge.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "v.tsv"], "--judge without systems"),
        (["--flags", "nouns"], "unknown flag 'nouns'"),
        (["-o", "{folder}/gold.tsv"], "this is an input"),
        (["--paradigms", "{folder}/train.txt"], "not a lemma, a form"),
        (["--training", "{folder}/nothing.txt"], "no such file"),
        (["--columns", "target,source"], "the columns are swapped"),
        (["--pos-column", "tag"], "no column 'tag'"),
    ],
)
def test_bad_options_are_refused(
    folder: Path, capsys: Capture, arguments: list[str], message: str
) -> None:
    filled = [argument.format(folder=folder) for argument in arguments]
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert run(folder, *filled) == 2
    assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_verdicts_on_other_pairs_are_refused(folder: Path, capsys: Capture) -> None:
    judge = folder / "verdicts.tsv"
    judge.write_text("source\tcandidate\tverdict\nzebra\tpferd\tyes\n", "utf-8")
    assert run(folder, *systems(folder), "--judge", str(judge)) == 2
    assert "zebra – pferd" in capsys.readouterr().err
    assert "zebra" in judge.read_text("utf-8")
