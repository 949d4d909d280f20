"""The date and the title that a result records."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS
from misword.cli.inputs import run_date
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.io.results import read_result


def test_the_date_is_that_of_today_or_of_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_date() == "2026-05-28"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")
    assert run_date() == "1970-01-01"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert run_date() == "1970-01-02"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = date.today()
    assert before <= date.fromisoformat(run_date()) <= date.today()


@pytest.mark.parametrize("value", ["today", "1.5", "9" * 30])
def test_a_variable_that_is_no_time_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    with pytest.raises(OptionError, match="SOURCE_DATE_EPOCH"):
        run_date()


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    for name, text in {"ref.txt": "a b c\nd e\n", "hyp.txt": "a x c\nd e\n"}.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / "ref.txt"), str(tmp_path / "hyp.txt")]


def test_title_and_date_are_recorded_and_shown(tmp_path: Path, texts: list[str]) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    named = ["--title", "June <set>", "--out", str(out), "--report", str(page)]
    assert main(["score", *texts, *named]) == 0
    origin = read_result(out).provenance
    assert (origin["date"], origin["options"]["title"]) == ("2026-05-28", "June <set>")
    assert "June &lt;set&gt;" in page.read_text("utf-8")
    again, other = tmp_path / "again.html", tmp_path / "other.html"
    assert main(["report", str(out), "-o", str(again)]) == 0
    assert "June &lt;set&gt;" in again.read_text("utf-8")
    assert main(["report", str(out), "-o", str(other), "--title", "July"]) == 0
    assert "<bdi>July</bdi>" in other.read_text("utf-8")


def test_two_runs_give_the_same_page(tmp_path: Path, texts: list[str]) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for page in pages:
        assert main(["compare", *texts, texts[0], "--report", str(page)]) == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_a_title_without_a_page_or_a_result_is_refused(
    texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", *texts, "--title", "June"]) == 2
    assert "--title without --report or --out" in capsys.readouterr().err


def test_every_command_with_a_report_has_a_title() -> None:

    found = 0
    for name in COMMANDS:
        options = set(parser_of(name)._option_string_actions)
        if "--report" in options:
            found += 1
            assert "--title" in options, name
    assert found >= 12
