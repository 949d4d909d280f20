"""Clicks that filter the explorer, its state in the address, and the CSV of what it lists."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import polars as pl
import pytest

import misword
from browser.steps import counted, ids, search
from misword.core.types import Result

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

REFERENCES = ["call anna now please", "the mat uh we are here", "call bob now", "=1+1 is two"]
SYSTEMS = {
    "base": ["call hannah now please", "the mat we're here", "call rob now", '=1+1 "is" to'],
    "new": ["call anna no please", "on on on on on on on on on on on on", "call bob no", ""],
}
METADATA = {"speaker": ["x", "y", "x", "-ing"], "snr": [1.5, 20.0, 3.25, None]}


@pytest.fixture(scope="module")
def scores() -> Result:
    return misword.score(
        REFERENCES, SYSTEMS, "wer,cer", keywords={"anna": "names", "bob": "names"},
        forgive="writing", metadata=METADATA, ids=["anna", "mat", "bob", "sum"],
    ).result(by="speaker", bootstrap=50)  # fmt: skip


def listed(page: Page, *expected: str) -> None:
    """Wait until the list has these utterances, in any order."""
    counted(page, len(expected))
    assert sorted(ids(page)) == sorted(expected)


def chips(page: Page) -> list[str]:
    return page.locator(".chips bdi").all_inner_texts()


def section(page: Page, title: str) -> str:
    return f"section:has(h3:text-is('{title}'))"


def test_a_click_on_a_confusion(open_page: Open, scores: Result) -> None:
    """The words filter by any system, a count by one; the keyboard works as the mouse does."""
    page = open_page(scores)
    row = page.locator(f"{section(page, 'Confusions')} tr", has_text="now")
    row.get_by_role("button", name="no", exact=True).click()
    listed(page, "anna", "bob")
    assert chips(page) == ["“no” for “now”"]
    assert page.evaluate("document.activeElement.className") == "list"
    page.get_by_role("button", name="remove filter: “no” for “now”").press("Enter")
    counted(page, 4)
    assert not page.locator(".chips").is_visible()
    deleted = page.locator(f"{section(page, 'Confusions')} tr", has_text="hannah")
    deleted.get_by_role("button", name="1").focus()
    page.keyboard.press("Enter")
    listed(page, "anna")
    assert chips(page) == ["“hannah” for “anna” in base"]


def test_errors_of_one_system_and_of_hidden_systems(open_page: Open, scores: Result) -> None:
    page = open_page(scores)
    insertion = page.locator(f"{section(page, 'Confusions')} h4:text-is('Deletions') + * tr")
    insertion.filter(has_text="two").get_by_role("button", name="two").click()
    listed(page, "sum")
    page.get_by_role("checkbox", name="new").uncheck()
    listed(page)
    page.get_by_role("checkbox", name="base").click()  # the last one stays
    assert page.get_by_role("checkbox", name="base").is_checked()
    page.get_by_role("button", name="Reset").click()
    counted(page, 4)
    assert page.get_by_role("checkbox", name="new").is_checked()


@pytest.mark.parametrize(
    ("title", "button", "chip", "found"),
    [
        ("Names, numbers and keywords", "names", "error on a word of class: names",
         ["anna", "bob"]),
        ("Hypotheses that look made up or stuck", "loop", "flag of the hypothesis: loop", ["mat"]),
        ("Forgiven differences of writing", "Contractions",
         "forgiven difference of family: contractions", ["mat"]),
        ("Forgiven differences of writing", "we're", "“we're” for “we are”, forgiven", ["mat"]),
        ("Forgiven differences of writing", "uh", "“∅” for “uh”, forgiven", ["mat"]),
    ],
)  # fmt: skip
def test_a_click_on_a_label(
    open_page: Open, scores: Result, title: str, button: str, chip: str, found: list[str]
) -> None:
    page = open_page(scores)
    page.locator(section(page, title)).get_by_role("button", name=button, exact=True).first.click()
    assert chips(page) == [chip]
    listed(page, *found)


def test_a_click_on_a_group(open_page: Open, scores: Result) -> None:
    """In the table of rates, in the facts of an utterance; another value replaces the first."""
    page = open_page(scores)
    table = page.locator("article > .scroll table").first
    table.get_by_role("button", name="x", exact=True).first.click()
    assert chips(page) == ["speaker: x"]
    listed(page, "anna", "bob")
    table.get_by_role("button", name="y", exact=True).first.click()
    assert chips(page) == ["speaker: y"]
    listed(page, "mat")
    page.locator(".facts").get_by_role("button", name="20").click()
    assert chips(page) == ["speaker: y", "snr: 20"]
    listed(page, "mat")
    assert table.get_by_role("button", name="all").count() == 0


def test_each_result_has_its_own_explorer(open_page: Open, scores: Result) -> None:
    page = open_page([scores, scores])
    second = page.locator("article").nth(1)
    second.get_by_role("button", name="hannah", exact=True).click()
    assert second.locator(".chips bdi").all_inner_texts() == ["“hannah” for “anna”"]
    assert second.locator(".list .id").all_inner_texts() == ["anna"]
    assert page.locator("article").first.locator(".list .id").count() == 4
    assert "#r1-explore?c=" in page.url


def test_an_id_in_the_flagged_table_opens_the_utterance(open_page: Open, scores: Result) -> None:
    page = open_page(scores)
    page.locator(section(page, "Hypotheses that look made up or stuck")).get_by_role(
        "button", name="mat"
    ).click()
    assert page.locator(".detail h4").inner_text() == "mat"
    assert "loop (new)" in page.locator(".facts").inner_text()


def test_groups_tags_and_contrasts_of_a_comparison(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    contrast = page.locator(section(page, "What the worsened utterances have more of"))
    button = contrast.get_by_role("button", name="flite-awb").first
    button.click()
    assert chips(page) == ["speaker: flite-awb"]
    expected = demo.tables["utterances"].filter(speaker="flite-awb")["utt"].n_unique()
    counted(page, expected)


def test_the_address_restores_the_state(open_page: Open, scores: Result) -> None:
    page = open_page(scores)
    assert "#" not in page.url
    search(page, "a")
    page.get_by_label("Filter by").select_option(label="WER of base")
    page.get_by_label("From", exact=True).fill("10")
    page.get_by_label("Order by").select_option(label="speaker")
    page.get_by_label("Direction").select_option(label="lowest first")
    page.locator(f"{section(page, 'Confusions')} tr", has_text="now").get_by_role(
        "button", name="no", exact=True
    ).click()
    page.locator("[role=option]").nth(1).click()
    page.get_by_role("checkbox", name="base").uncheck()
    page.locator("[role=option]").nth(1).click()

    def state(at: Page) -> object:
        return (
            at.get_by_label("Search in ids and texts").input_value(),
            at.get_by_label("From", exact=True).input_value(),
            at.get_by_label("Order by").input_value(),
            at.get_by_label("Direction").input_value(),
            at.locator(".count").inner_text(),
            at.locator(".head").inner_text(),
            at.locator(".detail").inner_text(),
            at.get_by_role("checkbox", name="base").is_checked(),
            chips(at),
            ids(at),
        )

    before = state(page)
    assert page.locator(".detail h4").inner_text() == ids(page)[1]
    other = page.context.new_page()
    other.goto(page.url)
    assert state(other) == before
    assert other.locator(".explorer").evaluate("e => e.getBoundingClientRect().top < innerHeight")
    other.get_by_role("button", name="Reset").click()
    counted(other, 4)


def test_back_and_forward(open_page: Open, scores: Result) -> None:
    """A series of letters or of steps in the list is one step back."""
    page = open_page(scores)
    table = page.locator("article > .scroll table").first
    table.get_by_role("button", name="x", exact=True).first.click()
    counted(page, 2)
    page.get_by_label("Search in ids and texts").press_sequentially("rob", delay=90)
    listed(page, "bob")
    page.go_back()
    listed(page, "anna", "bob")
    assert page.get_by_label("Search in ids and texts").input_value() == ""
    page.go_back()
    counted(page, 4)
    assert chips(page) == []
    page.go_forward()
    page.go_forward()
    listed(page, "bob")
    assert chips(page) == ["speaker: x"]
    page.get_by_role("button", name="Reset").click()
    page.locator(".list").focus()
    first = page.locator(".detail h4").inner_text()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.locator(".detail h4").inner_text() != first
    page.go_back()
    assert page.locator(".detail h4").inner_text() == first


@pytest.mark.parametrize(
    "state",
    [
        "c=<script>window.hacked=1</script>&q=<img src=x onerror=window.hacked=1>",
        'c=["is","Metadata","__proto__","x"]&c=["difference","constructor","a","b",null]&c=[]&c=7',
        'f=["Rate, %","WER of base",1e999,"x"]&f={"length":1e9}&f=["Metadata","speaker",["x"]]',
        "o=%E0%A4%A&p=0 99&u=nobody&s=nobody&d=sideways",
        "q=" + "a" * 200_000,
        "&".join(['c=["is","Metadata","speaker","x"]'] * 5000),
    ],
)
def test_a_hostile_address_does_no_harm(open_page: Open, scores: Result, state: str) -> None:
    page = open_page(scores)
    page.goto(f"{page.url}#r0-explore?{quote(state, safe='=&%')}")
    page.reload()
    assert page.evaluate("misword.ready") > 0
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator(".chips li").count() <= 100
    page.get_by_role("button", name="Reset").click()
    counted(page, 4)


def test_what_the_page_lacks_is_said(open_page: Open, scores: Result) -> None:
    page = open_page(scores)
    page.goto(f"{page.url}#r0-explore?u=nobody&{quote('c=[1]', safe='=')}")
    assert "2 parts of it were ignored" in page.locator(".explorer").inner_text()
    search(page, "anna")
    counted(page, 1)
    assert "ignored" not in page.locator(".explorer").inner_text()


def saved(page: Page, path: Path) -> list[list[str]]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as CSV").click()
    assert waiting.value.suggested_filename == "misword-utterances.csv"
    waiting.value.save_as(path)
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_csv_of_what_is_listed(open_page: Open, scores: Result, tmp_path: Path) -> None:
    """In the order of the list; texts that a spreadsheet would calculate have an apostrophe."""
    page = open_page(scores)
    page.get_by_label("Order by").select_option(label="order of the input")
    page.get_by_label("Direction").select_option(label="lowest first")
    head, *rows = saved(page, tmp_path / "all.csv")
    assert head == ["utterance", "speaker", "snr", "reference", "hypothesis (base)",
                    "hypothesis (new)", "WER (base)", "WER (new)", "CER (base)",
                    "CER (new)"]  # fmt: skip
    assert [row[0] for row in rows] == ["anna", "mat", "bob", "sum"]
    assert rows[3][:6] == ["sum", "'-ing", "", "'=1+1 is two", '\'=1+1 "is" to', ""]
    assert rows[1][3:5] == [REFERENCES[1], SYSTEMS["base"][1]]
    table = scores.tables["utterances"]
    for place, (system, metric) in enumerate(
        [("base", "wer"), ("new", "wer"), ("base", "cer"), ("new", "cer")]
    ):
        expected = table.filter(system=system)[f"{metric}.rate"].to_list()
        assert [float(row[6 + place]) for row in rows] == pytest.approx(expected, rel=1e-6)
    search(page, "call")
    counted(page, 2)
    page.get_by_role("checkbox", name="base").uncheck()
    head, *rows = saved(page, tmp_path / "some.csv")
    assert [row[0] for row in rows] == ["anna", "bob"]
    assert head[3:] == ["reference", "hypothesis (new)", "WER (new)", "CER (new)"]


def test_csv_of_a_result_without_words(open_page: Open, scores: Result, tmp_path: Path) -> None:
    tables = {"utterances": scores.tables["utterances"].filter(pl.col("system") == "new")}
    page = open_page(Result(scores.kind, tables, scores.provenance))
    head, *rows = saved(page, tmp_path / "bare.csv")
    assert head == ["utterance", "speaker", "snr", "WER", "CER"]
    assert len(rows) == 4
    assert page.locator("[data-filter] button").count() == 0
