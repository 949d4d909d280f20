"""The page of suspects: verdicts by keyboard, saved and loaded files, 10,000 suspects; rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import misword
from browser.steps import counted
from misword.asr.references.judgements import Decisions, read_judgements
from misword.core.types import Result

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

SAID = ["the meeting begins at two", "we talk about the gadget", "=1+1 is the question here"]
HEARD = ["the meeting begins at ten", "we talk about the budget", "=1+2 is the question here"]


def doubted() -> Result:
    return misword.references(SAID, {"a": HEARD, "b": HEARD, "c": HEARD}, bootstrap=0).result()


def press(page: Page, keys: str) -> None:
    page.locator(".suspects .list").focus()
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page, folder: Path, name: str) -> Path:
    """The file that the page saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_verdicts_are_saved_as_the_command_reads_them(open_page: Open, tmp_path: Path) -> None:
    page = open_page(doubted())
    counted(page, 3)
    page.get_by_label("Reviewer").fill("anna")
    press(page, "cb")
    page.get_by_label("Another text").fill("another  text")
    page.keyboard.press("Enter")
    assert (
        "3 judged: 0 reference, 1 consensus, 1 both, 1 text" in page.locator(".count").inner_text()
    )
    by_json = Decisions.of(read_judgements([saved(page, tmp_path, "Save verdicts (JSON)")]))
    by_csv = Decisions.of(read_judgements([saved(page, tmp_path, "Save verdicts (CSV)")]))
    assert by_json.corrections() == by_csv.corrections()
    found = [one for one, *_ in by_json.agreed.values()]
    assert {one.reviewer for one in found} == {"anna"}
    assert [one.verdict for one in found] == ["consensus", "both", "text"]
    assert found[2].text == "another text"


def test_verdicts_of_another_reviewer_are_loaded(open_page: Open, tmp_path: Path) -> None:
    result = doubted()
    page = open_page(result)
    counted(page, 3)
    press(page, "c")
    path = tmp_path / "ben.json"
    rows = [
        {"id": row["id"], "verdict": "reference", "text": "", "reviewer": "ben"}
        for row in result.tables["suspects"].to_dicts()
    ]
    path.write_text(json.dumps({"verdicts": rows}))
    page.locator("input[type=file]").set_input_files(path)
    told = page.locator(".suspects .note[role=status]")
    told.filter(has_text="2 verdicts read, 1 differ").wait_for()
    assert "2 reference" in page.locator(".count").inner_text()


def test_ten_thousand_suspects(open_page: Open) -> None:
    result = doubted()
    one = result.tables["suspects"]
    many = one[[number % len(one) for number in range(10_000)]]
    page = open_page(Result(result.kind, {**result.tables, "suspects": many}, result.provenance))
    counted(page, 10_000)
    press(page, "ccc")
    assert "judged" in page.locator(".count").inner_text()


def test_rules_from_the_explorer(open_page: Open, tmp_path: Path) -> None:
    scores = misword.score(["we are gonna go", "gonna"], ["we are going to go", "going to"], "wer")
    page = open_page(scores.result(bootstrap=0))
    page.locator(".differences summary").click()
    page.get_by_role("button", name="these two are the same").click()
    cells = page.locator(".same td").all_inner_texts()
    assert cells == ["80.00", "0.00", "4"]
    path = saved(page, tmp_path, "Save rules")
    assert path.read_text() == "gonna / going to\n"
    again = misword.score(
        ["we are gonna go", "gonna"], ["we are going to go", "going to"], "wer", equivalents=path
    )
    assert again["wer"] == 0


@pytest.mark.parametrize("width", [390])
def test_narrow_screens(open_page: Open, width: int) -> None:
    page = open_page(doubted())
    page.set_viewport_size({"width": width, "height": 800})
    counted(page, 3)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
