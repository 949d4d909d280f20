"""Forgiven differences of writing in the output of `score`, `align` and `compare`."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from misword.cli.main import main
from misword.cli.rendering import show
from misword.core.tables import Table, text

REFERENCES = "utt,speaker,text\na,ann,we are late uh\nb,bo,the 20 cats\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "ref.csv").write_text(REFERENCES, "utf-8")
    (tmp_path / "one.csv").write_text("utt,text\na,we're late\nb,the twenty cat\n", "utf-8")
    (tmp_path / "two.csv").write_text("utt,text\na,we are late uh\nb,The 20 cats\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return Run(capsys)


class Run:
    """Runs a command and returns what it prints on standard output and error."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, command: str) -> tuple[str, str]:
        assert main(command.split()) == 0
        return self.capsys.readouterr()


def test_score_shows_rates_without_and_counts(run: Run) -> None:
    out, _ = run("score ref.csv one.csv two.csv --forgive writing --metrics wer --format table")
    lines = [line.split() for line in out.splitlines()]
    assert lines[1][2:8] == ["%", "95", "%", "interval", "without", "%"]
    one = next(line for line in lines if line[:1] == ["one"])
    assert one[2] == "14.29"
    assert one[6] == "71.43"
    assert ["system", "all", "case", "contr.", "fillers", "numbers"] in lines
    assert ["one", "3", "0", "1", "1", "1"] in lines
    assert ["two", "1", "1", "0", "0", "0"] in lines


def test_score_counts_by_group(run: Run) -> None:
    command = "score ref.csv one.csv --forgive writing --metrics wer --by speaker"
    out, _ = run(f"{command} --format md")
    assert "| one | ann | wer | 0.00 |" in out
    assert "**Forgiven differences of writing**\n\n| system | speaker | all | contr. |" in out
    assert "| one | bo | 1 | 0 | 0 | 1 |" in out
    rows = json.loads(run(f"{command} --format json")[0])["rows"]
    assert [(row["without"], row["forgiven"], row["forgiven.numbers"]) for row in rows] == [
        (0.75, 2, 0), (2 / 3, 1, 1), (5 / 7, 3, 1),
    ]  # fmt: skip
    csv = pl.read_csv(StringIO(run(f"{command} --format csv")[0]))
    assert csv["forgiven.fillers"].to_list() == [1, 0, 1]


def test_score_without_forgiveness_is_as_before(run: Run) -> None:
    out, _ = run("score ref.csv one.csv --metrics wer --format table")
    assert "without" not in out
    assert "Forgiven" not in out
    assert "hits" in out


def test_align_marks_blocks_with_their_family(run: Run) -> None:
    out, _ = run("align ref.csv one.csv --forgive writing --format table")
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[:4] == [
        "a  one  errors 0, words 4",
        "REF  we are late uh",
        "HYP  we're  late ***",
        "     contr.      fillers",
    ]
    assert lines[8].split() == ["numbers", "S"]
    assert "forgiven: contr. contractions, fillers, numbers" in lines
    listed = [line.split() for line in lines]
    assert ["contractions", "we", "are", "we're", "1"] in listed
    assert ["fillers", "uh", "***", "1"] in listed
    assert ["substitution", "cats", "cat", "1"] in listed
    assert sum("20" in line for line in listed) == 2  # in the text and in the list


def test_align_lists_as_many_as_asked_for(run: Run) -> None:
    out, _ = run("align ref.csv one.csv --forgive writing --forgiven 1 --limit 0 --format json")
    found = json.loads(out)
    contraction = {"family": "contractions", "reference": "we are", "hypothesis": "we're"}
    assert found["forgiven"] == [contraction | {"count": 1}]
    assert [row["hypothesis"] for row in found["confusions"]] == ["cat"]
    out, _ = run("align ref.csv one.csv --forgive writing --format json")
    steps = json.loads(out)["pairs"][0]["steps"]
    assert [step["family"] for step in steps] == ["contractions", None, "fillers"]
    out, _ = run("align ref.csv one.csv --forgive writing --forgiven 0 --format md")
    assert "contractions" not in out.replace("+contractions", "")


def test_align_csv_has_the_family(run: Run) -> None:
    table = pl.read_csv(StringIO(run("align ref.csv one.csv --forgive writing --format csv")[0]))
    assert table.select("kind", "family", "reference", "hypothesis").rows() == [
        ("substitution", None, "cats", "cat"),
        ("forgiven", "contractions", "we are", "we're"),
        ("forgiven", "fillers", "uh", None),
        ("forgiven", "numbers", "20", "twenty"),
    ]
    assert "family" not in run("align ref.csv one.csv --format csv")[0]


def test_compare_notes_what_was_forgiven(run: Run) -> None:
    out, err = run("compare ref.csv one.csv two.csv --forgive writing --metrics wer --format table")
    assert "note: differences of writing were forgiven: one 3, two 1; wer would be" in err
    assert "forgive:" in out
    for name, forgive in (("one", "writing"), ("two", "numbers")):
        run(f"score ref.csv {name}.csv --forgive {forgive} --out {name}")
    assert main(["compare", "one", "two"]) != 0


@pytest.mark.parametrize(("columns", "space"), [("100", 3), ("30", 2)])
def test_a_wide_table_has_less_space_between_columns(
    columns: str, space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", columns)
    out = Terminal()
    names = "a" * 14, "b" * 13
    show(Table("wide", list(map(text, names)), [dict.fromkeys(names, "1")]), out)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert "a" * 14 + " " * space + "b" * 13 in shown
