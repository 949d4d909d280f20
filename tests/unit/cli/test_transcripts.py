"""Options that name files of transcripts, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from misword.cli.main import main


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder, words in (("ref", "in 2020 we"), ("one", "in twenty we"), ("two", "in 2020")):
        (tmp_path / folder).mkdir()
        tagged = "['0:YEAR']|['0']"
        rows = [f"{word}|{tagged if word == '2020' else '[]|[]'}" for word in words.split()]
        text = "\n".join(["token|tags|wer_tags", *rows])
        (tmp_path / folder / "call.nlp").write_text(f"{text}\n", "utf-8")
    norm = {"0": {"candidates": [{"verbalization": ["twenty"]}]}}
    (tmp_path / "call.norm.json").write_text(json.dumps(norm), "utf-8")
    (tmp_path / "a.txt").write_bytes("café\n".encode("latin-1"))
    (tmp_path / "b.txt").write_bytes("cafe\n".encode("latin-1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rates(capsys: pytest.CaptureFixture[str], command: str) -> dict[str, float]:
    assert main([*command.split(), "--format", "json", "--metrics", "wer"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    return {row["system"]: row["rate"] for row in rows}


def test_folders_and_sidecars(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rates(capsys, "score ref one two") == {"one": 1 / 3, "two": 1 / 3}
    found = rates(capsys, "score ref one two --alternatives-from call.norm.json --out result")
    assert found == {"one": 0, "two": 1 / 3}
    settings = json.loads((files / "result" / "result.json").read_text("utf-8"))
    assert set(settings["provenance"]["sha256"]) == {
        "ref/call.nlp", "one/call.nlp", "two/call.nlp", "call.norm.json",
    }  # fmt: skip


def test_more_references_and_encodings(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rates(capsys, "score a.txt b.txt --encoding latin-1") == {"b": 1}
    command = "score a.txt b.txt --encoding latin-1 --more-references b.txt"
    assert rates(capsys, command) == {"b": 0}
    assert main(["score", "a.txt", "b.txt"]) == 2
    assert "--encoding" in capsys.readouterr().err


def test_join(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "a.csv").write_text("recording,text\nr,a\nr,b c\n", "utf-8")
    (files / "b.csv").write_text("recording,text\nr,a b\nr,c\n", "utf-8")
    assert rates(capsys, "score a.csv b.csv") == {"b": 2 / 3}
    assert rates(capsys, "score a.csv b.csv --join recording") == {"b": 0}


@pytest.mark.parametrize(
    "option", ["--more-references b.txt", "--alternatives-from call.norm.json"]
)
def test_alternatives_must_not_be_switched_off(
    files: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    command = f"score a.txt b.txt --encoding latin-1 --no-alternatives {option}"
    assert main(command.split()) == 2
    assert "--no-alternatives reads as text" in capsys.readouterr().err


def test_missing_hypotheses_and_several_columns(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("t.csv").write_text("id,text,x,y\n1,a b,a b,a c\n2,c d,c d,c d\n", "utf-8")
    assert rates(capsys, "score t.csv --hypothesis-column x,y --metrics wer") == {"x": 0, "y": 0.25}
    Path("h.csv").write_text("id,text\n2,c d\n", "utf-8")
    assert main(["score", "t.csv", "h.csv"]) == 2
    assert "--missing skip" in capsys.readouterr().err
    assert rates(capsys, "score t.csv h.csv --metrics wer --missing delete") == {"h": 0.5}
    assert rates(capsys, "score t.csv h.csv --metrics wer --missing skip") == {"h": 0}
    main(["score", "t.csv", "h.csv", "--missing", "skip"])
    assert "1 of 2 utterances lack a hypothesis and are left out" in capsys.readouterr().err


def test_the_n_best_lists_of_the_demo(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "--copy", "demo"])
    capsys.readouterr()
    once, lists = (
        rates(capsys, f"score demo/en/ref.csv demo/en/whisper-tiny.{name} --names w --metrics wer")
        for name in ("csv", "nbest.jsonl")
    )
    assert lists == once
    main(["score", "demo/en/ref.csv", "demo/en/whisper-tiny.nbest.jsonl"])
    assert "only the best hypothesis of each is read" in capsys.readouterr().err
