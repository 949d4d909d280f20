"""The utterance explorer: search, filters, order, keyboard, alignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import misword
from browser.steps import counted, ids, scored, search
from misword.core.types import Result
from results_made import large, words_table

if TYPE_CHECKING:
    from browser.conftest import Open


def test_search(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    counted(page, 210)
    search(page, "  LOAF   of ")
    texts = (
        demo.tables["words"]
        .group_by("utt", "system")
        .agg(pl.col(side).drop_nulls().str.join(" ") for side in ("reference", "hypothesis"))
    )
    either = pl.any_horizontal(pl.col("reference", "hypothesis").str.contains("loaf of"))
    found = texts.filter(either)["utt"].n_unique()
    assert 0 < found < 210
    counted(page, found)
    search(page, "en-flite-awb-001")
    counted(page, 1)
    assert ids(page) == ["en-flite-awb-001"]
    search(page, "no such words anywhere")
    counted(page, 0)
    assert "No utterance" in page.locator(".detail").inner_text()
    page.get_by_role("button", name="Reset").click()
    counted(page, 210)


def test_filters(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    table = demo.tables["utterances"].filter(system="whisper-tiny")
    page.get_by_label("Filter by").select_option(label="WER of whisper-tiny")
    page.get_by_label("From", exact=True).fill("20")
    page.get_by_label("To", exact=True).fill("50")
    inside = table.filter(pl.col("wer.rate").round(6).is_between(0.2, 0.5))
    assert 0 < inside.height < 210
    counted(page, inside.height)
    page.get_by_role("button", name="Add a filter").click()
    second = page.locator(".condition").nth(1)
    second.get_by_label("Filter by").select_option(label="noise")
    second.get_by_label("Value").select_option(label="snr15")
    noisy = inside.filter(noise="snr15").height
    assert 0 < noisy < inside.height
    counted(page, noisy)
    second.get_by_role("button", name="remove filter").click()
    counted(page, inside.height)


def test_filter_by_tag(open_page: Open) -> None:
    """Utterances with an error on a verb: not those whose verb is right."""
    from playwright.sync_api import expect

    alignments: Any = {
        ("right", "a"): [("hit", "he", "he"), ("hit", "sat", "sat")],
        ("wrong", "a"): [("hit", "he", "he"), ("substitution", "sat", "sad")],
        ("other", "a"): [("deletion", "he", None), ("hit", "sat", "sat")],
        ("joined", "a"): [("substitution", "l'homme", "lomme"), ("hit", "a", "a")],
    }
    words = words_table(alignments, tag=["PRON", "VERB"] * 3 + ["DET+NOUN", "AUX"])
    page = open_page(scored([utt for utt, _ in alignments], words))
    page.get_by_label("Filter by").select_option(label="error on a word of tag")
    for tag, found in {"VERB": ["wrong"], "PRON": ["other"], "NOUN": ["joined"], "AUX": []}.items():
        page.get_by_label("Tag", exact=True).select_option(label=tag)
        expect(page.locator(".list .id")).to_have_text(found)


def test_sorting(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    table = demo.tables["utterances"]
    rates = {s: table.filter(system=s)["wer.rate"].to_numpy() for s in demo.provenance["systems"]}
    change = rates["whisper-tiny"] - rates["pocketsphinx"]
    seen = [float(t) for t in page.locator(".list .change").all_inner_texts()]
    assert seen[:5] == pytest.approx(sorted(100 * change, reverse=True)[:5], abs=0.051)
    page.get_by_label("Direction").select_option(label="lowest first")
    seen = [float(t) for t in page.locator(".list .change").all_inner_texts()]
    assert seen[:5] == pytest.approx(sorted(100 * change)[:5], abs=0.051)
    page.get_by_label("Order by").select_option(label="order of the input")
    assert ids(page)[:2] == ["en-flite-awb-001", "en-flite-awb-002"]
    page.get_by_label("Order by").select_option(label="CER of pocketsphinx")
    assert "CER in %" in page.locator(".count").inner_text()


def test_keyboard(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(300):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.name || document.activeElement.className")
        )
        if "list" in reached:
            break
    assert {"search", "list", "sort", "scroll"} <= reached
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"

    def at() -> str | None:
        chosen = page.locator("[aria-selected=true]")
        assert chosen.get_attribute("id") == page.locator(".list").get_attribute(
            "aria-activedescendant"
        )
        return chosen.get_attribute("aria-posinset")

    assert at() == "1"
    for key, place in {"ArrowDown": "2", "End": "210", "ArrowUp": "209", "Home": "1"}.items():
        page.keyboard.press(key)
        assert at() == place
    page.keyboard.press("ArrowDown")
    assert (
        page.locator("[aria-selected=true] .id").inner_text()
        == page.locator(".detail h4").inner_text()
    )
    assert page.locator(".count").get_attribute("aria-live") == "polite"


def test_alignment_of_right_to_left_text(open_page: Open) -> None:
    places: Any = [
        ("hit", "שלום", "שלום"),
        ("substitution", "עולם", "עולה"),
        ("insertion", None, "טוב"),
    ]
    page = open_page(scored(["1"], words_table({("1", "a"): places})))
    first, second = (page.locator(".column").nth(k).bounding_box() for k in (0, 1))
    assert first
    assert second
    assert first["x"] > second["x"]
    assert page.locator(".alignment").get_attribute("dir") == "rtl"
    assert page.locator(".list .text").get_attribute("dir") == "auto"
    assert page.locator(".column .substitution bdi").inner_text() == "עולה"


def test_alignment_of_two_systems(open_page: Open) -> None:
    """One reference over both hypotheses; an insertion of one leaves a gap in the other."""
    alignments: Any = {
        ("1", "a"): [("hit", "the", "the"), ("deletion", "cat", None), ("hit", "sat", "sat")],
        ("1", "b"): [("hit", "the", "the"), ("insertion", None, "big"),
                     ("substitution", "cat", "hat"), ("hit", "sat", "sat")],
    }  # fmt: skip
    words = words_table(alignments, **{"ember.cost": [0.0, 1.0, 0.0, 0.0, 1.0, 0.1, 0.0]})
    page = open_page(scored(["1"], words, "ember"))
    page.get_by_label("Alignment and cost").select_option(label="any error costs 1")
    cells = [column.locator(".cell").all_inner_texts() for column in page.locator(".column").all()]
    assert [[cell.strip() for cell in column] for column in cells] == [
        ["the", "the", "the"], ["", "", "bigI"], ["cat", "∅D", "hatS"], ["sat", "sat", "sat"]
    ]  # fmt: skip
    page.get_by_label("Alignment and cost").select_option(label="cost of EmbER")
    swapped = page.locator(".column .substitution")
    assert swapped.inner_text() == "hatS 0.10"
    assert "cost-1" in (swapped.get_attribute("class") or "")
    assert "cost-5" in (page.locator(".column .deletion").get_attribute("class") or "")
    descriptions = page.locator(".detail .unseen li").all_text_contents()
    assert descriptions == ["a: cat deleted", "b: big inserted; hat for cat, cost 0.10"]


def test_references_that_differ_are_shown_apart(open_page: Open) -> None:
    """A reference with alternatives has another reading for each system."""
    alignments: Any = {
        ("1", "a"): [("hit", "gonna", "gonna")],
        ("1", "b"): [("hit", "going", "going"), ("hit", "to", "to")],
    }
    page = open_page(scored(["1"], words_table(alignments)))
    assert page.locator(".alignment").count() == 2


def test_worst_utterances_open_in_the_explorer(open_page: Open, demo: Result) -> None:
    page = open_page(demo)
    search(page, "no such words anywhere")
    counted(page, 0)
    button = page.locator("#r0-worst ~ * button.link").nth(1)
    button.click()
    assert page.locator(".detail h4").inner_text() == button.inner_text()


def test_twenty_thousand_utterances(open_page: Open) -> None:
    """The page answers; how soon, bench/report.py measures."""
    result = large()
    page = open_page(result)
    print(f"ready after {page.evaluate('misword.ready'):.0f} ms")
    counted(page, 20_000)
    search(page, "word123")
    matching = pl.any_horizontal(pl.col("reference", "hypothesis").str.contains("word123"))
    found = result.tables["words"].filter(matching).select("utt").unique()
    counted(page, found.height)
    page.get_by_label("Filter by").select_option(label="speaker")
    page.get_by_label("Value").select_option(label="speaker 07")
    pairs = result.tables["utterances"].filter(speaker="speaker 07")
    counted(page, found.join(pairs, on="utt", how="semi").height)
    assert page.locator("[role=option]").count() > 0
    page.get_by_role("button", name="Reset").click()
    counted(page, 20_000)
    assert page.locator("[role=option]").count() < 60
    page.locator(".list").evaluate("e => { e.scrollTop = e.scrollHeight; }")
    page.locator('[aria-posinset="20000"]').wait_for()


def test_long_utterances_are_drawn_in_parts(open_page: Open) -> None:
    places: Any = [("hit", f"w{k}", f"w{k}") for k in range(4000)]
    page = open_page(scored(["1"], words_table({("1", "a"): places})))
    assert page.locator(".column").count() == 1500
    page.get_by_role("button", name="Show 2500 more places").click()
    assert page.locator(".column").count() == 3000


def test_hits_that_are_written_otherwise_keep_both_words(open_page: Open) -> None:
    """And do not shift what comes after them."""
    alignments: Any = {
        ("1", "a"): [("hit", "Cat", "cat"), ("hit", "sat", "sat")],
        ("2", "a"): [("hit", "on", "on"), ("substitution", "mats", "mat")],
    }
    page = open_page(scored(["1", "2"], words_table(alignments)))
    assert page.locator(".column .cell").all_inner_texts() == ["Cat", "cat", "sat", "sat"]
    page.locator("[role=option]").nth(1).click()
    assert page.locator(".column .cell").all_inner_texts() == ["on", "on", "mats", "matS"]


def test_search_by_parts_of_words(open_page: Open, demo: Result) -> None:
    """As a search in the texts as strings finds them: within a text, not across two."""
    page = open_page(demo)
    words = demo.tables["words"].filter(pl.col("rank") == 1)
    texts: dict[str, set[str]] = {}
    for side in ("reference", "hypothesis"):
        joined = words.group_by("utt", "system", maintain_order=True).agg(
            pl.col(side).drop_nulls().str.join(" ")
        )
        for utt, _, text in joined.iter_rows():
            texts.setdefault(utt, {utt}).add(text.lower())
    longest = max((text for each in texts.values() for text in each), key=len)
    queries = ["th", "e l", "s and a", "my brother and his wi", "ick up some mil", longest,
               f"{longest} {longest} {longest}", "en-flite 001", "é", longest[3:-2]]  # fmt: skip
    for query in queries:
        search(page, query)
        expected = sum(any(query in text for text in each) for each in texts.values())
        counted(page, expected)
    assert longest.count(" ") >= 10


def long_recording() -> Result:
    """Two systems on one text of 2,000 words: one leaves words out, the other repeats one."""
    words = [f"w{k}" for k in range(2000)]
    loop = [*words[:1800], *["again"] * 40, *words[1800:]]
    gap = [*words[:300], *words[312:]]
    said = {"good": [" ".join(gap)], "stuck": [" ".join(loop)]}
    return misword.compare([" ".join(words)], said, "wer", ids=["call"]).result()


def test_passages_show_the_same_words_of_all_systems(open_page: Open) -> None:
    page = open_page(long_recording())
    box = page.get_by_role("region", name="worst passages", exact=True)
    box.scroll_into_view_if_needed()
    first = box.locator(".card").first
    first.wait_for()
    assert "errors: good 0, stuck 40" in first.inner_text()
    page.locator(".passages select").select_option(label="errors of good")
    deleted = box.locator(".card").first
    assert "errors: good 12, stuck 0" in deleted.inner_text()
    assert deleted.locator(".column").count() == 30
    deleted.get_by_role("button", name="In the whole text").click()
    detail = page.locator(".explorer .detail")
    assert "deletion" in detail.inner_html()
    assert detail.get_by_role("button", name="earlier places").count() == 1


def test_flags_jump_to_the_errors_of_their_system(open_page: Open) -> None:
    page = open_page(long_recording())
    flagged = page.locator("section", has=page.get_by_role("heading", name="Hypotheses that look"))
    flagged.get_by_role("button", name="call").first.click()
    shown = page.locator(".explorer .detail .column")
    assert shown.first.inner_text().split()[0] == "w1760"
    page.get_by_role("button", name="Show 1760 earlier places").click()
    assert page.get_by_role("button", name="Show 260 earlier places").is_visible()
