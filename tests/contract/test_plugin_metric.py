"""A metric of another package is listed and described like misword's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import misword
from misword.asr.metrics import METRICS
from misword.asr.metrics.edit_rate import EditRate
from misword.cli.main import main
from plugins import register

ENTRY = "@article{doe2026,\n  author = {Doe, Jane},\n  title = {A Rate},\n  year = {2026}\n}"


@dataclass(frozen=True, slots=True)
class PluginRate(EditRate):
    """Word errors per reference word, by another package."""

    name: ClassVar[str] = "plugged"
    title: ClassVar[str] = "PlugER"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = (ENTRY, "le2016")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "metrics", {"plugged": PluginRate})


def test_it_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "plugged" in METRICS.names()
    assert main(["parts", "metrics", "--format", "csv"]) == 0
    assert "metrics,plugged,ties=misword" in capsys.readouterr().out


def test_a_result_describes_it() -> None:
    scores = misword.score(["a b"], ["a c"], "plugged,wer")
    parts = scores.result(bootstrap=0).provenance["parts"]
    assert parts["plugged"]["title"] == "PlugER"
    assert parts["plugged"]["family"] == "words"
    assert parts["plugged"]["cites"][0] == ENTRY
    assert parts["plugged"]["cites"][1].startswith("@inproceedings{le2016,")
    assert parts["wer"]["title"] == "WER"


def test_a_report_page_has_its_title_and_citation(tmp_path: Path) -> None:
    """From the command line to the page, without any other entry for the metric."""
    files = [tmp_path / "ref.txt", tmp_path / "hyp.txt"]
    for file, text in zip(files, ("a b c\n", "a x c\n"), strict=True):
        file.write_text(text, "utf-8")
    page = tmp_path / "page.html"
    assert main(["score", *map(str, files), "--metrics", "plugged", "--report", str(page)]) == 0
    html = page.read_text("utf-8")
    assert "PlugER 33.3 %" in html
    assert "@article{doe2026," in html


def test_help_names_the_command_that_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    assert "`misword parts metrics` lists them" in " ".join(capsys.readouterr().out.split())


def test_its_own_parts_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "metrics", {"wer": PluginRate})
    assert METRICS.load("wer") is not PluginRate
