"""The page of a draft: search, filters, verdicts by keyboard and by click, the saved file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.steps import counted
from drafts_made import headword, made_draft, many
from misword.bli.draft import read_judgements
from misword.io.dictionaries.entries import Example

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

DRAFT = made_draft(
    headword("dog", "chien", "chienne", rank=3, pos="NOUN", lemma="dog", name=0.1),
    headword("=1+1", "-ing", "x, y", rank=9, pos="X"),
    headword("london", "londres", rank=2, pos="PROPN", name=0.9),
    headword("<b>bold</b>", '"quoted"', rank=5, verdict="accept"),
    headword("unicorn", rank=7),
)


def shows(page: Page, *words: str) -> None:
    """Wait until the list has these headwords."""
    from playwright.sync_api import expect

    expect(page.locator(".draft .list .word")).to_have_text(list(words))


def verdicts(page: Page) -> list[str]:
    return page.locator(".draft .list .verdict").all_inner_texts()


def press(page: Page, keys: str) -> None:
    """Press keys in the list; a full stop stands for Enter."""
    page.locator(".draft .list").focus()
    for key in keys:
        page.keyboard.press("Enter" if key == "." else key)


def saved(page: Page, folder: Path) -> Path:
    """The file that the page saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save verdicts").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_search_filters_and_order(open_page: Open) -> None:
    page = open_page(DRAFT.result())
    counted(page, 5)
    search = page.get_by_label("Search in words and candidates")
    search.fill("CHIENNE")
    shows(page, "dog")
    page.get_by_role("button", name="Reset").click()
    counted(page, 5)
    page.get_by_label("Filter by").select_option(label="verdict")
    page.get_by_label("Verdict", exact=True).select_option(label="accept")
    shows(page, "<b>bold</b>")
    page.get_by_label("Filter by").select_option(label="probability of a name")
    page.get_by_label("From", exact=True).fill("0.5")
    shows(page, "london")
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Order by").select_option(label="frequency rank")
    shows(page, "london", "dog", "<b>bold</b>", "unicorn", "=1+1")


def test_keys_give_verdicts_that_a_draft_reads(open_page: Open, tmp_path: Path) -> None:
    page = open_page(DRAFT.result())
    press(page, "a2.r")
    assert verdicts(page) == ["accept", "other: x, y", "reject", "accept", ""]
    text = page.locator(".count").inner_text()
    assert text.endswith("4 judged: 2 accepted, 1 rejected, 1 other")
    found = read_judgements(saved(page, tmp_path))
    assert {word: (one.target, one.verdict, one.other) for word, one in found.items()} == {
        "dog": ("chien", "accept", ()),
        "=1+1": ("-ing", "other", ("x, y",)),
        "london": ("londres", "reject", ()),
        "<b>bold</b>": ('"quoted"', "accept", ()),
    }
    press(page, "u")
    assert verdicts(page)[3] == ""


def test_other_translations_are_written(open_page: Open) -> None:
    page = open_page(DRAFT.result())
    press(page, "o")
    page.keyboard.type("toutou; cabot")
    page.keyboard.press("Enter")
    assert verdicts(page)[0] == "other: toutou; cabot"
    assert page.locator(".draft .detail h4").inner_text() == "=1+1"
    page.get_by_role("button", name="accept x, y").click()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Reject").click()
    assert verdicts(page)[1:3] == ["other: x, y", "reject"]


def test_any_number_of_candidates_is_accepted(open_page: Open, tmp_path: Path) -> None:
    """A key of a number takes a candidate, and takes it back; A takes the first and goes on."""
    draft = made_draft(
        headword("bank", "banque", "rive", "berge", "banc"), headword("cat", "chat", "chatte")
    )
    page = open_page(draft.result())
    page.get_by_label("Reviewer").fill("Ann")
    press(page, "2342a2.")
    assert verdicts(page) == ["accept: berge; banc", "other: chatte"]
    found = read_judgements(saved(page, tmp_path))
    assert found["bank"].other == ("berge", "banc")
    assert {one.reviewer for one in found.values()} == {"Ann"}


def test_a_hundred_entries_by_keys_alone(open_page: Open, tmp_path: Path) -> None:
    """Every second entry gets two equivalents: 1.5 on average, with 1.5 keys an entry."""
    page = open_page(many(1000).result())
    press(page, "2aa" * 50)
    found = read_judgements(saved(page, tmp_path))
    assert len(found) == 100
    words = [(one.target, *one.other) for one in found.values()]
    assert sum(map(len, words)) == 150
    assert words[:2] == [("v0", "v1"), ("v1",)]


def test_senses_and_examples_are_shown(open_page: Open) -> None:
    bank, money = headword("bank", "rive", "banque", forms=("banks",), known=True), Example("Pay.")
    first, second = bank.candidates
    candidates = (replace(first, pos="NOUN"), replace(second, sense=2))
    river = Example("The bank of the river.", "La rive du fleuve.")
    bank = replace(bank, candidates=candidates, examples=((1, river), (2, money)), frequency=12)
    page = open_page(made_draft(bank, headword("cat", "chat")).result())
    rows = page.locator(".draft .detail tbody tr")
    assert [row.locator("td").first.inner_text() for row in rows.all()] == ["1", "2"]
    assert page.get_by_label("examples").inner_text().splitlines() == [
        "sense 1: The bank of the river. – La rive du fleuve.", "sense 2: Pay."
    ]  # fmt: skip
    facts = page.locator(".draft .facts").inner_text()
    assert "forms: banks" in facts
    assert "frequency: 12" in facts
    assert "training lexicon: has the word" in facts


def test_the_browser_keeps_verdicts(open_page: Open) -> None:
    """They are there after the page is opened again, if it is the same draft."""
    page = open_page(DRAFT.result())
    press(page, "ar")
    page.reload()
    page.wait_for_function("misword.ready")
    assert verdicts(page)[:2] == ["accept", "reject"]


def test_without_storage_the_page_says_so(open_page: Open) -> None:
    page = open_page(DRAFT.result())
    full = "() => { Storage.prototype.setItem = () => { throw new Error('no storage'); }; }"
    page.evaluate(full)
    press(page, "a")
    page.evaluate("misword.drafts[0].verdicts.write()")
    press(page, "a")
    assert "does not keep them" in page.locator(".count").inner_text()
    page.evaluate("misword.drafts[0].verdicts.saved = true")  # no question when the page closes


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_page(open_page: Open, scheme: str) -> None:
    page = open_page(DRAFT.result(), color_scheme=scheme, viewport={"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    assert page.locator(".draft .list .back").first.is_hidden()
    assert page.locator(".draft .list .verdict").first.is_visible()


def test_thirty_thousand_headwords(open_page: Open) -> None:
    """Only the visible rows are elements of the page."""
    page = open_page(many(30_000).result())
    counted(page, 30_000)
    assert page.locator(".draft [role=option]").count() < 40
    page.locator(".draft .list").focus()
    page.keyboard.press("End")
    assert page.locator(".draft .detail h4").inner_text() == "w29999"
    page.get_by_label("Search in words and candidates").fill("w2999")
    shows(page, "w2999", *(f"w2999{digit}" for digit in range(10)))
