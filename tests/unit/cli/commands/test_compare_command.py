"""`misword compare` on the terminal: the verdict first."""

from __future__ import annotations

from pathlib import Path

import pytest

from misword.asr.comparison.compare import compare
from misword.cli.main import main
from misword.stat.descriptions.comparison import comparison_headline


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("the cat sat\non the mat\n" * 20, "utf-8")
    Path("base.txt").write_text("a cat sad\nin the mad\n" * 20, "utf-8")
    Path("new.txt").write_text("the cat sad\non the mat\n" * 20, "utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], command: str) -> str:
    assert main(command.split()) == 0
    return str(capsys.readouterr().out)


def test_the_headline_is_above_the_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "compare ref.txt base.txt new.txt --metrics wer --format table")
    first = lines.splitlines()[0]
    assert first.startswith("new is better than base on WER; WER -75.0 % (p")
    marked = run(capsys, "compare ref.txt base.txt new.txt --metrics wer --format md")
    assert marked.splitlines()[0] == f"**{first.replace('<', '&lt;')}**"


def test_it_is_the_sentence_of_the_page() -> None:
    """The light result has all that the headline reads."""
    references, base, new = ["a b c"] * 30, ["a x y"] * 30, ["a b x"] * 30
    comparison = compare(references, {"base": base, "new": new}, "wer,cer")
    light, whole = comparison.shown(), comparison.result()
    assert comparison_headline(light) == comparison_headline(whole)
    assert set(light.provenance) <= set(whole.provenance)
