"""Formats for programs: UTF-8 on any standard output, exact cells, numbers that JSON lacks."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from contextlib import redirect_stdout
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from misword.cli.main import main
from misword.cli.printing import json_text

WORDS = "naïve €100 😀 \u0627\u0644 na\u0308ive"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ref.txt").write_text(f"{WORDS}\n", "utf-8")
    (tmp_path / "hyp.txt").write_text("a b c d e\n", "utf-8")
    (tmp_path / "ref.csv").write_text("utt,text\na,=x y\nb,-ing +1 @b\n", "utf-8")
    (tmp_path / "hyp.csv").write_text("utt,text\na,=1+2 y\nb,-1.5 x y\n", "utf-8")
    monkeypatch.chdir(tmp_path)


def run(line: str, **environment: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "misword", *line.split()],
        capture_output=True,
        env={**os.environ, **environment},
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16", "latin-1:strict"])
@pytest.mark.parametrize("form", ["json", "csv", "md"])
def test_formats_for_programs_are_utf8(form: str, encoding: str) -> None:
    line = f"align ref.txt hyp.txt --format {form}"
    expected = run(line, PYTHONIOENCODING="utf-8")
    assert "€100".encode() in expected
    assert run(line, PYTHONIOENCODING=encoding) == expected


@pytest.mark.parametrize("form", ["json", "csv"])
def test_formats_for_programs_in_the_c_locale(form: str) -> None:
    line = f"align ref.txt hyp.txt --format {form}"
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert "😀".encode() in run(line, **locale)


def test_texts_to_standard_output_are_utf8() -> None:
    line = "corrupt ref.txt --wer 0 --channel uniform -o -"
    assert run(line, PYTHONIOENCODING="ascii") == f"{WORDS}\n".encode()


def test_tables_for_people_have_the_encoding_of_the_terminal() -> None:
    shown = run("align ref.txt hyp.txt --format table", PYTHONIOENCODING="cp1252").decode("cp1252")
    assert "€100" in shown
    assert "\\U0001f600" in shown


def test_help_in_ascii() -> None:
    assert b"exit codes" in run("--help", PYTHONIOENCODING="ascii")
    assert b"usage" in run("score --help", PYTHONIOENCODING="ascii")


def test_output_into_an_object_that_takes_text() -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        assert main(["align", "ref.txt", "hyp.txt", "--format", "csv"]) == 0
    assert "€100" in out.getvalue()


class OnlyLatin(io.StringIO):
    encoding = "latin-1"


def test_output_into_an_object_of_another_encoding(capsys: pytest.CaptureFixture[str]) -> None:
    with redirect_stdout(OnlyLatin()):
        assert main(["align", "ref.txt", "hyp.txt", "--format", "csv"]) == 2
    assert "standard output: it is latin-1, not UTF-8" in capsys.readouterr().err


def test_texts_into_an_object_that_takes_text(capsys: pytest.CaptureFixture[str]) -> None:
    with redirect_stdout(io.StringIO()):
        assert main(["corrupt", "ref.txt", "--wer", "0", "--channel", "uniform", "-o", "-"]) == 2
    assert "standard output takes no bytes" in capsys.readouterr().err


def test_json_has_no_infinity() -> None:
    value = {"a": [math.inf, -math.inf, math.nan, 1.5], "b": (math.inf,)}
    text = json_text(value)
    assert json.loads(text) == {"a": ["Infinity", "-Infinity", "NaN", 1.5], "b": ["Infinity"]}


def test_json_escapes_what_a_terminal_obeys() -> None:
    value = "\x1b\x7f\x9b\u202e\u2028\udcff é"
    text = json_text(value)
    assert text == '"\\u001b\\u007f\\u009b\\u202e\\u2028\\udcff é"'
    assert json.loads(text) == value


@pytest.mark.parametrize("command", [["score"], ["compare"]])
def test_infinity_and_dates_in_columns(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    table = {"utt": ["a", "b"], "level": [math.inf, 1.5], "day": [date(2020, 1, 2)] * 2}
    pl.DataFrame({**table, "text": ["x y", "z"]}).write_parquet("ref.parquet")
    words = [*command, "ref.parquet", "hyp.csv", "hyp.csv", "--format", "json"]
    assert main([*words, "--by", "level,day"]) == 0
    out = capsys.readouterr().out
    rows = json.loads(out, parse_constant=pytest.fail)["rows" if command == ["score"] else "groups"]
    assert {row["level"] for row in rows} >= {"Infinity", 1.5}
    assert {row["day"] for row in rows} >= {"2020-01-02"}


def words_of(text: str) -> set[str]:
    rows = csv.DictReader(io.StringIO(text))
    return {cell for row in rows for cell in (row["reference"], row["hypothesis"])}


def test_csv_has_no_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["align", "ref.csv", "hyp.csv", "--format", "csv"]
    assert main(line) == 0
    assert words_of(capsys.readouterr().out) == {
        "'=x",
        "'=1+2",
        "'-ing",
        "-1.5",
        "+1",
        "x",
        "'@b",
        "y",
    }
    assert main([*line, "--keep-formulas"]) == 0
    assert words_of(capsys.readouterr().out) == {"=x", "=1+2", "-ing", "-1.5", "+1", "x", "@b", "y"}


def test_lexicons_have_no_formulas(capsys: pytest.CaptureFixture[str]) -> None:
    Path("v.vec").write_text("3 2\n=a 1 0\n-b 0 1\nc 1 1\n", "utf-8")
    Path("gold.tsv").write_text("=a\t=a\n-b\t-b\n", "utf-8")
    line = "map v.vec v.vec --lexicon gold.tsv --method procrustes -o a.map"
    assert main(line.split()) == 0
    assert main(["translate", "a.map", "=a", "--k", "1", "-o", "x.csv"]) == 0
    assert Path("x.csv").read_text("utf-8").splitlines()[1].startswith("'=a,'=a,1,")
    assert main(["translate", "a.map", "=a", "--k", "1", "-o", "x.csv", "--keep-formulas"]) == 0
    assert Path("x.csv").read_text("utf-8").splitlines()[1].startswith("=a,=a,1,")
    assert main(["translate", "a.map", "=a", "--k", "1", "-o", "x.tsv"]) == 0
    assert Path("x.tsv").read_text("utf-8").splitlines()[1].startswith("=a\t=a\t1\t")
    assert main(["translate", "a.map", "=a", "--k", "1", "-o", "x.html"]) == 0
    assert '<td dir="auto">=a</td>' in Path("x.html").read_text("utf-8")
    capsys.readouterr()
    assert main(["translate", "a.map", "=a", "--k", "1", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("'=a,")


@pytest.mark.parametrize(
    "line",
    [
        "score ref.txt hyp.txt --report - --format json",
        "check ref.txt hyp.txt --report - --format json",
        "gate ref.txt hyp.txt --max wer=1 --junit - --format json",
    ],
)
def test_a_second_output_on_standard_output(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A page and JSON, one after the other, are neither a page nor JSON."""
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "standard output gets the results" in err


@pytest.mark.parametrize("option", ["--out", "--report"])
def test_outputs_with_empty_names(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As of a variable of the shell that is not set."""
    assert main(["score", "ref.txt", "hyp.txt", option, ""]) == 2
    assert "empty" in capsys.readouterr().err
