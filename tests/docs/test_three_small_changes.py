"""docs/three-small-changes.md: each diff changes one file, and does what the page says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import misword
from misword.cli.commands import COMMANDS, options_of

SOURCE = Path(misword.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "three-small-changes.md").read_text("utf-8")
DIFFS = re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package in which all diffs are applied, and with texts."""
    folder = tmp_path_factory.mktemp("changed")
    shutil.copytree(SOURCE, folder / "src" / "misword", ignore=shutil.ignore_patterns("*.pyc"))
    for diff in DIFFS:
        apply(diff, folder)
    (folder / "ref.txt").write_text("The cat sat\non the mat\n")
    (folder / "a.txt").write_text("the cat sat\non a mat\n")
    (folder / "b.txt").write_text("the cat\non the mat mat\n")
    return folder


def apply(diff: str, folder: Path) -> None:
    """Apply a diff of one file, whose lines of context are in the file exactly once."""
    ((old, new),) = re.findall(r"^--- (\S+)\n\+\+\+ b/(\S+)$", diff, re.MULTILINE)
    path = folder / new
    for hunk in re.split(r"^@@ .* @@\n", diff, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines(keepends=True)
        before, after = (
            "".join(line[1:] if line != "\n" else line for line in lines if line[0] != sign)
            for sign in "+-"
        )
        text = "" if old == "/dev/null" else path.read_text("utf-8")
        assert text.count(before) == 1 or (not before and not path.exists()), before
        path.write_text(text.replace(before, after, 1), "utf-8")


def run(folder: Path, *words: str) -> str:
    """Return what a command of the changed package prints."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200"}
    made = subprocess.run(
        [sys.executable, "-m", "misword", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert not made.returncode, made.stderr
    return made.stdout


def test_each_change_is_one_file() -> None:
    assert len(DIFFS) == 3
    assert [len(re.findall(r"^\+\+\+ ", diff, re.MULTILINE)) for diff in DIFFS] == [1, 1, 1]


def test_the_option(changed: Path) -> None:
    """It is a flag, an argument, in the help and in the provenance, of all commands that score."""
    plain = json.loads(run(changed, "score", "ref.txt", "a.txt", "--format", "json"))
    words = ("score", "ref.txt", "a.txt", "--ignore-case", "--format", "json", "--out", "result")
    changed_rates = json.loads(run(changed, *words))
    rates = [found["rows"][0]["rate"] for found in (plain, changed_rates)]
    assert rates == [pytest.approx(2 / 6), pytest.approx(1 / 6)]
    recorded = json.loads((changed / "result" / "result.json").read_text("utf-8"))
    assert recorded["provenance"]["options"]["ignore_case"] is True
    scoring = [name for name in COMMANDS if "preset" in options_of(name)]
    assert len(scoring) > 5
    for command in scoring:
        assert "--ignore-case" in run(changed, command, "--help", "all"), command
    code = "import misword; print(misword.wer(['A'], ['a']), misword.score(['A'], ['a'], 'wer', ignore_case=True)['wer'])"  # noqa: E501
    environment = {**os.environ, "PYTHONPATH": str(changed / "src")}
    made = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert made.stdout.split() == ["1.0", "0.0"], made.stderr


def test_the_column(changed: Path) -> None:
    """It is in every output with the same digits."""
    words = ("compare", "ref.txt", "a.txt", "b.txt", "--metrics", "wer", "--brief")
    assert "points" not in PAGE.partition("## A column")[0]
    table, marked = run(changed, *words), run(changed, *words, "--format", "md")
    run(changed, *words, "--report", "page.html")
    page = (changed / "page.html").read_text("utf-8")
    for output in (table, marked, page):
        assert "points" in output
        assert "+16.67" in output


def test_the_metric(changed: Path) -> None:
    """It has a rate, an interval and a comparison."""
    words = ("ref.txt", "a.txt", "b.txt", "--metrics", "wer,length-error", "--format", "json")
    found = json.loads(run(changed, "score", *words))["rows"]
    rates = {(row["system"], row["metric"]): row["rate"] for row in found}
    assert rates["a", "length-error"] == 0
    assert rates["b", "length-error"] == pytest.approx(2 / 6)
    assert "length-error" in run(changed, "parts", "metrics")
    differences = json.loads(run(changed, "compare", *words))["differences"]
    assert {row["metric"] for row in differences} == {"wer", "length-error"}
