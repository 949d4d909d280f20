"""Workbooks of Excel are read as tables; damaged ones are refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from extras import needs
from misword.core.errors import InputError
from misword.io.files.limits import limited
from misword.io.files.sources import open_source
from misword.io.files.workbooks import read_workbook
from misword.io.lexicons import read_lexicon

pytestmark = [needs("openpyxl")]


def workbook(path: Path, *rows: list[object]) -> Path:
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_cells_are_text_and_empty_rows_are_left_out(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "d.xlsx", ["source", "target", "n"], [], ["1990", 1991.0], [2.5, True]
    )
    rows, numbers = read_workbook(open_source(path))
    assert rows == [["source", "target", "n"], ["1990", "1991", ""], ["2.5", "TRUE", ""]]
    assert numbers == [1, 3, 4]


def test_a_lexicon_may_be_a_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", ["pos", "source", "target"], ["NOUN", "dog", "chien"])
    lexicon = read_lexicon(path)
    assert (lexicon.source, lexicon.target, lexicon.columns) == (
        ("dog",),
        ("chien",),
        {"pos": ("NOUN",)},
    )


def test_formulas_are_not_calculated(tmp_path: Path) -> None:
    """A formula that no program has calculated has no value."""
    path = workbook(tmp_path / "d.xlsx", ["source", "target"], ["a", "=1+1"])
    assert read_workbook(open_source(path))[0][1] == ["a", ""]


def changed(path: Path, name: str, change: bytes) -> Path:
    """The same archive with another beginning of one member."""
    data = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            new.writestr(member, (change if member == name else b"") + old.read(member))
    path.write_bytes(data.getvalue())
    return path


@pytest.mark.parametrize("change", [b"<x>", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"\0"])
def test_damaged_sheets(change: bytes, tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", ["source", "target"], ["a", "b"])
    changed(path, "xl/worksheets/sheet1.xml", change)
    with pytest.raises(InputError, match="no workbook that can be read"):
        read_lexicon(path)


def test_what_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "d.xlsx").write_bytes(b"source,target\n")
    with pytest.raises(InputError, match="no workbook that can be read"):
        read_lexicon(tmp_path / "d.xlsx")


def test_an_archive_that_expands_too_far(tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", ["source", "target"], ["a", "b"])
    size = path.stat().st_size
    changed(path, "docProps/app.xml", b" " * 10 * size)
    with limited(4 * size), pytest.raises(InputError, match="bytes without compression"):
        read_lexicon(path)
