"""Files of verdicts that were edited wrongly: all verdicts are read, or the file is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drafts_made import headword, made_draft
from misword.bli.auditing.false_positives import DoubtfulAnswer, read_verdicts, write_verdicts
from misword.bli.draft import apply_judgements, read_judgements
from misword.core.errors import InputError, MiswordError

Rows = list[list[str]]
HEADWORDS = [
    headword("dog", "chien", "chat", verdict="accept"),
    headword("cat", "maison", verdict="other", other=("chat", "chatte")),
    headword("red", "vert", verdict="reject"),
    headword("roof", "toit"),
]
ANSWERS = [
    DoubtfulAnswer("dog", "hunde", ("hund",), ("a",), ("form",), 1, True),
    DoubtfulAnswer("house", "gebäude", ("haus",), ("a", "b"), ("synonym",), 1, False),
    DoubtfulAnswer("car", "wagen", ("auto",), ("b",), ("synonym",), 2, True),
]
ANSWERED = {("dog", "hunde"): True, ("car", "wagen"): False}


def draft(path: Path) -> None:
    made_draft(*HEADWORDS).write(path)


def judged_words(path: Path) -> object:
    rows, _ = apply_judgements(HEADWORDS, read_judgements(path), "d")
    assert {row.word for row in rows if row.verdict} == {"dog", "cat", "red"}
    judged = read_judgements(path)
    return {word: (one.target, one.verdict, one.other) for word, one in judged.items()}


def audit(path: Path) -> None:
    write_verdicts(path, ANSWERS, ANSWERED)


def judged_answers(path: Path) -> object:
    return read_verdicts(path, ANSWERS)


FILES: dict[str, tuple[Callable[[Path], None], Callable[[Path], object]]] = {
    "draft": (draft, judged_words),
    "audit": (audit, judged_answers),
}


def without_column(rows: Rows, place: int) -> Rows:
    at = place % len(rows[0])
    return [[*row[:at], *row[at + 1 :]] for row in rows]


def at_row(change: Callable[[list[str]], list[list[str]]]) -> Callable[[Rows, int], Rows]:
    """Return the change of one row below the header into some rows."""

    def edit(rows: Rows, place: int) -> Rows:
        at = 1 + place % (len(rows) - 1)
        return [*rows[:at], *change(rows[at]), *rows[at + 1 :]]

    return edit


def renamed(rows: Rows, place: int) -> Rows:
    at = place % len(rows[0])
    return [[*rows[0][:at], f"{rows[0][at]}s", *rows[0][at + 1 :]], *rows[1:]]


def moved(rows: Rows, place: int) -> Rows:
    return [[*row[-(place % len(row)) :], *row[: -(place % len(row))]] for row in rows]


def with_verdict(word: str) -> Callable[[Rows, int], Rows]:
    """Return the change of the verdict of one row."""

    def edit(rows: Rows, place: int) -> Rows:
        at = rows[0].index("verdict")
        judged = [number for number, row in enumerate(rows) if number and row[at]]
        chosen = judged[place % len(judged)]
        return [
            [*row[:at], word, *row[at + 1 :]] if number == chosen else row
            for number, row in enumerate(rows)
        ]

    return edit


EDITS: dict[str, Callable[[Rows, int], Rows]] = {
    "no column": without_column,
    "renamed column": renamed,
    "moved columns": moved,
    "no header": lambda rows, place: rows[1:],
    "no header and one row": lambda rows, place: [rows[1 + place % (len(rows) - 1)]],
    "header again": lambda rows, place: [*rows, rows[0]],
    "file twice": lambda rows, place: [*rows, *rows[1:]],
    "row twice": at_row(lambda row: [row, row]),
    "changed word": at_row(lambda row: [[f"{row[0]}x", *row[1:]]]),
    "word in capitals": at_row(lambda row: [[row[0].upper(), *row[1:]]]),
    "no word": at_row(lambda row: [["", *row[1:]]]),
    "field less": at_row(lambda row: [row[:-1]]),
    "field more": at_row(lambda row: [[*row, "x"]]),
    "row in two": at_row(lambda row: [row[:3], row[3:]]),
    "empty line": at_row(lambda row: [row, [""]]),
    "bad verdict": with_verdict("perhaps"),
    "two verdicts": with_verdict("yes no"),
    "column of spaces": lambda rows, place: [[*row, " "] for row in rows],
}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252")


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
@pytest.mark.parametrize("kind", FILES)
@given(
    edit=st.sampled_from(sorted(EDITS)),
    place=st.integers(0, 20),
    separator=st.sampled_from([None, None, ";", " "]),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(ENCODINGS),
)
@settings(max_examples=150)
def test_no_verdict_is_lost(
    kind: str,
    suffix: str,
    edit: str,
    place: int,
    separator: str | None,
    line_end: str,
    encoding: str,
) -> None:
    write, read = FILES[kind]
    with TemporaryDirectory() as folder:
        path = Path(folder, f"verdicts{suffix}")
        write(path)
        expected = read(path)
        own = "\t" if suffix == ".tsv" else ","
        rows = [line.split(own) for line in path.read_text("utf-8").splitlines()]
        lines = [(separator or own).join(row) for row in EDITS[edit](rows, place)]
        content = line_end.join([*lines, ""])
        path.write_bytes(content.encode(encoding, "replace"))
        try:
            found = read(path)
        except MiswordError:
            return
        assert found == expected


def test_a_verdict_other_needs_its_column(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("source,target,verdict,others\ncat,maison,other,chat\n")
    with pytest.raises(InputError, match="no column 'other'"):
        read_judgements(path)
