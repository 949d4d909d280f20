"""`misword score`: what it prints of many groups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from misword.cli.main import main
from misword.stat.descriptions import scores


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    """Files with a group for each of 30 utterances."""
    paths = tmp_path / "ref.csv", tmp_path / "hyp.csv"
    for path, text in zip(paths, ("a b", "a c"), strict=True):
        rows = (f"{n},{text},s{n}\n" for n in range(30))
        path.write_text("id,text,speaker\n" + "".join(rows), "utf-8")
    return [str(path) for path in paths]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(["score", *arguments]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def rates(out: str) -> int:
    """Return the number of rows of the table."""
    return sum("50.00" in line for line in out.splitlines())


def test_the_terminal_shows_the_first_groups(
    tables: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "GROUPS_SHOWN", 20)
    out, _ = run(capsys, *tables, "--by", "speaker", "--metrics", "wer", "--format", "table")
    assert rates(out) == 20 + 1
    assert "10 more rows are in the result" in out
    out, _ = run(capsys, *tables, "--by", "speaker", "--format", "json")
    assert len(json.loads(out)["rows"]) == 2 * (30 + 1)


def test_few_groups_are_all_shown(tables: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, *tables, "--by", "speaker", "--metrics", "wer", "--format", "table")
    assert rates(out) == 30 + 1
    assert "more row" not in out
