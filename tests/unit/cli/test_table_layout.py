"""Tables on terminals of different widths: nothing is wider than the terminal, nothing is cut."""

from __future__ import annotations

import io
import re

import pytest

from misword.cli.printing import console
from misword.cli.rendering import show, text_rows
from misword.core.tables import Table, prose, text, written


def grid(header: list[str], rows: list[list[str]], left: int = 1, long: str = "") -> Table:
    """A table of texts; the first columns are aligned left, and one is prose."""
    columns = [
        prose(name) if name == long else text(name) if place < left else written(name, name, str)
        for place, name in enumerate(header)
    ]
    return Table("grid", columns, [dict(zip(header, row, strict=True)) for row in rows])


NUMBERS = grid(
    ["metric", "system", "pocketsphinx %", "95 % interval", "p, MAPSSWE", "better"],
    [
        ["wer", "whisper-tiny", "34.72", "-77.60 to -67.45", "< 0.001", "145"],
        ["cer", "whisper-tiny", "20.87", "-82.59 to -74.75", "", "149"],
    ],
    left=2,
)
PROSE = grid(
    ["name", "what it does", "installed"],
    [["wer", "Word errors per reference word, the usual measure of recognition", "yes"]],
    left=2,
    long="what it does",
)


class Terminal(io.StringIO):
    """A terminal that keeps what is printed."""

    def isatty(self) -> bool:
        return True


def shown(table: Table, width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a table on a terminal of a width."""
    for name, value in {"COLUMNS": str(width), "TERM": "xterm", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    out = Terminal()
    show(table, out)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    return [line.rstrip() for line in plain.splitlines() if line.strip()]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(NUMBERS, width, monkeypatch)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    for row in text_rows(NUMBERS):
        for cell in row:
            assert set(cell.split()) <= set(words)
    for name in NUMBERS.header():
        assert set(name.split()) <= set(words)


def test_a_wide_terminal_has_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(shown(NUMBERS, 100, monkeypatch)) == 4


def test_headers_are_broken_before_the_table_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(NUMBERS, 72, monkeypatch)
    assert len(lines) == 5
    assert [line.split()[-1] for line in lines[:2]] == ["p,", "better"]


def test_further_tables_repeat_the_first_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(NUMBERS, 60, monkeypatch)
    assert sum(line.split()[:2] == ["metric", "system"] for line in lines) == 2
    assert sum(line.split()[:2] == ["wer", "whisper-tiny"] for line in lines) == 2


def test_prose_is_folded_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(PROSE, 40, monkeypatch)
    assert max(map(len, lines)) <= 40
    assert lines[2].split()[-1] == "yes"
    folded = " ".join(line.removeprefix(" wer").removesuffix("yes").strip() for line in lines[2:])
    assert folded == text_rows(PROSE)[0][1]


def test_a_pipe_has_each_row_on_one_line() -> None:
    out = io.StringIO()
    long = grid(["name", "text"], [["a", "word " * 200]], left=2, long="text")
    show(long, out)
    assert len([line for line in out.getvalue().splitlines() if "word" in line]) == 1


def test_a_column_that_is_wider_than_the_terminal_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(grid(["name", "value"], [["a", "x" * 90]]), 40, monkeypatch)
    assert "x" * 90 in " ".join(lines)


def test_the_console_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "77")
    assert console(Terminal()).width == 77
