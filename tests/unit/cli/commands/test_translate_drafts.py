"""`misword translate` with --draft, --report, --judged and --accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bilingual import write_mapping
from misword.cli.main import main
from misword.io.results import read_result


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return write_mapping(tmp_path)


def run(*arguments: object) -> int:
    return main(["translate", *map(str, arguments)])


def test_draft_page_and_lexicon(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft, page, lexicon = (tmp_path / name for name in ("d.csv", "d.html", "accepted.tsv"))
    files = ["--report", page, "-o", draft, "--out", tmp_path / "r"]
    assert run(toy, "--all", "--k", 2, *files, "--format", "json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["headwords"], facts["accept"]) == (4, 0)
    assert "chien" in page.read_text("utf-8")
    assert set(read_result(tmp_path / "r").tables) == {"candidates", "examples", "headwords"}
    text = draft.read_text("utf-8").replace("chien,0.970000,dog,,", "chien,0.970000,dog,accept,")
    draft.write_text(text, encoding="utf-8")
    files = ["--judged", draft, "-o", draft, "--accepted", lexicon]
    assert run(toy, "--all", *files, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["accept"] == 1
    assert lexicon.read_text("utf-8") == "source\ttarget\ndog\tchien\n"
    assert "dog,accept," in draft.read_text("utf-8")


def test_candidates_are_still_written_without_a_draft(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(toy, "--all", "--k", 2, "-o", tmp_path / "c.tsv") == 0
    assert len((tmp_path / "c.tsv").read_text("utf-8").splitlines()) == 9
    assert "--draft writes a row for each headword" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--all", "--draft"], "a draft is written to files"),
        (["--all", "--accepted", "a.tsv"], "--accepted without verdicts"),
        (["dog", "--source-lang", "en"], "no draft is made"),
        (["--all", "--draft", "-o", "-"], "standard output gets the results"),
        (["--all", "--judged", "judged.csv", "-o", "d.tsv"], "'wolf' (judged.csv:3)"),
        (["--all", "--draft", "-o", "judged.csv"], "2 verdicts, which would be lost"),
        (["--all", "--judged", "judged.csv", "--report", "judged.csv"], "this is an input"),
    ],
)
def test_what_is_refused(
    arguments: list[str],
    message: str,
    toy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    judged = tmp_path / "judged.csv"
    text = "source,target,verdict,other\ndog,chien,accept,\nwolf,loup,accept,\n"
    judged.write_text(text, encoding="utf-8")
    assert run(toy, *arguments) == 2
    assert message in capsys.readouterr().err
    assert judged.read_text("utf-8") == text
    assert not (tmp_path / "d.tsv").exists()
