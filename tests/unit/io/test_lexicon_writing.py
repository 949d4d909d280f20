"""Lexicons are written in the format that the name of the file says."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from extras import needs
from misword.core.errors import InputError, MissingExtraError, OptionError
from misword.core.parts import Requirement
from misword.io import lexicon_writing
from misword.io.lexicon_writing import Row, check_format, write_lexicon
from misword.io.lexicons import read_lexicon

ROWS: list[Row] = [
    ("source", "target", "rank", "score"),
    ("dog", "chien", 1, 0.5),
    ("x, y", '"=1+1"', 1, 0.25),
    ("<b>", "שלום", 2, 0.125),
]


def pairs(path: Path) -> list[tuple[str, str]]:
    lexicon = read_lexicon(path)
    return list(zip(lexicon.source, lexicon.target, strict=True))


@pytest.mark.parametrize("name", ["d.tsv", "d.txt", "d", "d.csv", "D.CSV"])
def test_tables_are_read_again(name: str, tmp_path: Path) -> None:
    write_lexicon(ROWS, tmp_path / name)
    if not name.lower().endswith(".csv"):
        assert (tmp_path / name).read_text("utf-8").splitlines()[1] == "dog\tchien\t1\t0.500000"
    else:
        assert (tmp_path / name).read_text("utf-8").splitlines()[1] == "dog,chien,1,0.500000"
        assert pairs(tmp_path / name) == [(str(a), str(b)) for a, b, _, _ in ROWS[1:]]


def test_commas_may_hold_what_tabs_cannot(tmp_path: Path) -> None:
    write_lexicon([("source", "target"), ("a\tb", "c\nd")], tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text("utf-8") == 'source,target\na\tb,"c\nd"\n'


def test_html(tmp_path: Path) -> None:
    write_lexicon(ROWS, tmp_path / "draft.html")
    page = (tmp_path / "draft.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "<title>draft</title>" in page
    assert '<td dir="auto">&lt;b&gt;</td>' in page
    assert '<td class="number">0.500000</td>' in page
    assert page.count("<tr>") == len(ROWS)
    assert "<script" not in page


@needs("xlsxwriter")
def test_excel(tmp_path: Path) -> None:
    write_lexicon(ROWS, tmp_path / "d.xlsx")
    with zipfile.ZipFile(tmp_path / "d.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    words = re.findall(r"<t[^>]*>(.*?)</t>", sheet)
    assert words[:6] == ["source", "target", "rank", "score", "dog", "chien"]
    assert "<v>0.5</v>" in sheet  # numbers are numbers
    assert "<f>" not in sheet  # a word that looks like a formula is text


@needs("xlsxwriter")
@pytest.mark.parametrize("word", ["=1+1", "{=1}", "+1+1", "@a", "http://a.example", "\x1b[2J"])
def test_words_in_excel_are_text(word: str, tmp_path: Path) -> None:
    write_lexicon([("source", "target"), (word, word)], tmp_path / "d.xlsx")
    with zipfile.ZipFile(tmp_path / "d.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert "xl/worksheets/_rels/sheet1.xml.rels" not in book.namelist()  # links are there
    assert "<f" not in sheet
    assert sheet.count('t="inlineStr"') == 4


@needs("xlsxwriter")
def test_a_sheet_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon_writing, "EXCEL_ROWS", 3)
    with pytest.raises(InputError, match="4 rows; a sheet holds 3"):
        write_lexicon(ROWS, tmp_path / "d.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_the_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = Requirement(("no_such_module",), lexicon_writing.EXCEL.install)
    monkeypatch.setattr(lexicon_writing, "EXCEL", absent)
    check_format("d.csv")
    with pytest.raises(MissingExtraError) as caught:
        check_format(tmp_path / "d.xlsx")
    assert "pip install 'misword[excel]'" in caught.value.fix


@needs("xlsxwriter")
@pytest.mark.parametrize("failing", ["pathlib.Path.mkdir", "tempfile.mkstemp"])
def test_a_full_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(failing, full)
    with pytest.raises(OptionError, match=r"temporary files cannot be written: No space left"):
        write_lexicon([("source", "target"), ("cat", "chat")], tmp_path / "lexicon.xlsx")
    assert not list(tmp_path.iterdir())
