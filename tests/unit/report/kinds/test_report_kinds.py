"""The registry of kinds: a new kind is one class, found by an entry point or by the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from misword.cli.main import main
from misword.core.errors import InputError
from misword.core.types import Result
from misword.io.results import write_result
from misword.report import render
from misword.report.article import Article, Section
from misword.report.kinds import KINDS, Kind
from misword.report.markup import Markup, data_table, element, text_cell
from misword.stat.descriptions.result_access import rows
from plugins import register

BIBTEX = "@misc{doe2030, title = {Latencies}}"


def slowest(article: Article) -> Markup:
    body = [[text_cell(row["utt"])] for row in rows(article.result, "slow")]
    return data_table(["utt"], body, label="slow") if body else Markup()


@dataclass(frozen=True)
class Latencies(Kind):
    """A kind of result that misword does not have."""

    name = "latencies"
    cites = (BIBTEX, "holm1979")
    sections: ClassVar[tuple[Section, ...]] = (Section("slow", "Slow", "The slowest", slowest),)

    def headline(self, result: Result) -> str:
        return f"Half of the utterances take {result.provenance['median']} ms or less."

    def opening(self, article: Article) -> Iterable[Markup]:
        return (element("p", "Measured on one machine.", class_="note"),)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "report_kinds", {"latencies": Latencies})


def latencies(*slow: str) -> Result:
    table = pl.DataFrame({"utt": list(slow)}, schema={"utt": pl.String})
    return Result("latencies", {"slow": table}, {"median": 7})


@pytest.mark.usefixtures("installed")
def test_a_kind_of_another_package_has_a_page() -> None:
    page = render([latencies("utt-<b>")])
    assert "Half of the utterances take 7 ms or less." in page
    assert "Measured on one machine." in page
    assert ">The slowest</h3>" in page
    assert '<a href="#r0-slow">Slow</a>' in page
    assert "utt-&lt;b&gt;" in page
    assert BIBTEX in page
    assert "@article{holm1979" in page
    assert "Where the numbers come from" in page


@pytest.mark.usefixtures("installed")
def test_a_section_without_content_is_left_out() -> None:
    assert "The slowest" not in render([latencies()])


def test_a_kind_that_is_not_registered_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="no report page for results of kind 'latencies'"):
        render([latencies("a")])
    write_result(latencies("a"), tmp_path / "out")
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "out"), "-o", str(page)]) == 2
    assert "kinds with a page: agreement, " in capsys.readouterr().err
    assert not page.exists()


def test_translations_have_a_page_with_their_provenance() -> None:
    """`misword report` reads every folder that `misword translate --out` wrote."""
    table = pl.DataFrame({"word": ["dog"], "candidate": ["chien"]})
    page = render([Result("translations", {"candidates": table}, {"signature": "translate|k:1"})])
    assert "Where the numbers come from" in page
    assert "translate|k:1" in page


@pytest.mark.parametrize("name", KINDS.names())
def test_kinds_keep_the_contract(name: str) -> None:
    """Each kind has its key as its name, distinct sections, and papers of the bibliography."""
    from misword.core.parts import bibtex

    kind = KINDS.load(name)()
    assert kind.name == name
    assert kind == KINDS.create(name)
    sections = [section.name for section in kind.sections]
    assert len(set(sections)) == len(sections)
    empty = Result(name, {}, {})
    assert kind.headline(empty) == ""
    assert all(bibtex(cite).startswith("@") for cite in kind.citations(empty))
