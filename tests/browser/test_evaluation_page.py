"""The page of an evaluation in a browser: charts, and the search through all entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from bilingual import GOLD, open_mapping
from browser.steps import counted, drawn, widths
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.retrievers import RETRIEVERS
from misword.core.types import Result
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap
from results_made import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

SEARCH = "Search in words and candidates"
TAGS = {"dog": "NOUN", "cat": "NOUN", "house": "VERB", "roof": "ADJ", "unicorn": "NOUN"}


def strange() -> Result:
    """Names of mappings, words, columns and values that look like code."""
    pairs = [*GOLD[:6], *(("roof", text) for text in HOSTILE)]
    values = [HOSTILE[i % 2] for i in range(len(pairs))]
    lexicon = Lexicon(
        tuple(a for a, _ in pairs),
        tuple(b for _, b in pairs),
        tuple(range(len(pairs))),
        HOSTILE[2],
        {HOSTILE[3]: tuple(values)},
    )
    settings = EvaluationSettings((1, 2), by=(HOSTILE[3],), bootstrap=Bootstrap(50))
    mappings = [open_mapping(HOSTILE[0]), open_mapping(HOSTILE[1])]
    return evaluate_open(mappings, lexicon, RETRIEVERS.create_all("nn"), settings).result()


def test_the_page_is_drawn_and_text_stays_text(open_page: Open) -> None:
    """Everything is shown as it is written."""
    page = open_page(strange())
    drawn(page)
    assert page.locator("figure .chart svg path").count() > 5
    titles = page.locator("h3").all_inner_texts()
    assert titles[:4] == [
        "Is one better than the first?",
        "All entries, found and not found",
        "Which words, by the columns of the lexicon",
        "How much of the lexicon is covered",
    ]
    for mark in page.locator(".chart .mark-symbol path").all():
        mark.hover(force=True)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link, svg [onload]").count() == 0
    body = page.locator("body").inner_text()
    for text in HOSTILE[:4]:
        assert text in body


def evaluated(*names: str) -> Result:
    """The small lexicon with parts of speech, evaluated with two candidates."""
    pairs = list(dict.fromkeys(GOLD))
    source, target = zip(*pairs, strict=True)
    columns = {"pos": tuple(TAGS[word] for word in source)}
    lexicon = Lexicon(source, target, tuple(range(len(pairs))), "gold", columns)
    settings = EvaluationSettings((1, 2), by=("pos",), bootstrap=Bootstrap(20))
    mappings = [open_mapping(name) for name in names]
    return evaluate_open(mappings, lexicon, RETRIEVERS.create_all("nn"), settings).result()


def large(size: int) -> Result:
    """A result with many headwords, each with ten candidates."""
    small, words = evaluated("toy"), [f"w{i}" for i in range(size)]
    numbers = np.arange(size)
    pairs = pl.DataFrame(
        {"system": "toy nn", "source": words, "target": [f"v{i}" for i in numbers],
         "line": numbers, "source_known": numbers % 9 > 0, "both_known": numbers % 9 > 0,
         "rank": pl.Series(numbers % 9).replace(0, None)}
    )  # fmt: skip
    predictions = pl.DataFrame(
        {"system": "toy nn", "word": np.repeat(words, 10), "rank": np.tile(np.arange(1, 11), size),
         "candidate": [f"v{(i + j) % size}" for i in numbers for j in range(10)],
         "right": [j == i % 9 for i in numbers for j in range(10)]}
    )  # fmt: skip
    tables = {**small.tables, "pairs": pairs, "predictions": predictions}
    return Result("evaluation", tables, small.provenance)


def shows(page: Page, *words: str) -> None:
    """Wait until the list has these headwords."""
    from playwright.sync_api import expect

    expect(page.locator(".entries .list .word")).to_have_text(list(words))


def test_search_and_filters_of_entries(open_page: Open) -> None:
    """Each headword is found by what became of it, by its part of speech, and by its words."""
    page = open_page(evaluated("toy"))
    counted(page, 5)
    result = page.get_by_label("Result", exact=True)
    for outcome, words in (
        ("found", ["dog", "cat", "house"]),
        ("not found", []),
        ("headword out of vocabulary", ["unicorn"]),
        ("gold out of vocabulary", ["roof"]),
    ):
        result.select_option(label=outcome)
        shows(page, *words)
    page.get_by_role("button", name="Reset").click()
    page.get_by_label(SEARCH).fill("TOUT")
    shows(page, "dog")
    page.get_by_label(SEARCH).fill("toit")
    shows(page, "house", "roof")
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Filter by").select_option(label="pos")
    page.get_by_label("Value", exact=True).select_option(label="NOUN")
    shows(page, "dog", "cat", "unicorn")
    page.get_by_label("Order by").select_option(label="rank of gold")
    page.get_by_label("Direction").select_option(label="reversed")
    shows(page, "cat", "dog", "unicorn")


def test_systems_are_side_by_side(open_page: Open) -> None:
    """The details have the gold translations and the candidates of both systems."""
    page = open_page(evaluated("one", "two"))
    page.locator(".entries .list").focus()
    page.keyboard.press("ArrowDown")
    detail = page.locator(".entries .detail")
    assert detail.locator("h4").inner_text() == "cat"
    heads = detail.locator("table[aria-label=candidates] th").all_inner_texts()
    assert heads == ["rank", "one nn: found", "two nn: found"]
    assert detail.locator("td.right").all_inner_texts() == ["chat gold", "chat gold"]
    assert page.locator(".entries .list .outcome").nth(2).inner_text() == "rank 2, first maison"
    page.get_by_label("Filter by").select_option(label="found by")
    page.get_by_label("Systems", exact=True).select_option(label="no system")
    shows(page, "roof", "unicorn")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_page_hides_no_column(open_page: Open, scheme: str) -> None:
    page = open_page(
        evaluated("one", "two"), color_scheme=scheme, viewport={"width": 420, "height": 900}
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 420
    assert min(widths(page.locator(".entries .list .row").first.locator("span"))) > 50


def test_thirty_thousand_entries(open_page: Open) -> None:
    """Only the visible rows are elements of the page."""
    page = open_page(large(30_000))
    counted(page, 30_000)
    assert page.locator(".entries [role=option]").count() < 40
    page.get_by_label(SEARCH).fill("w2999")
    counted(page, 11)
    page.get_by_label("Result", exact=True).select_option(label="headword out of vocabulary")
    shows(page, "w29997")


def test_older_results_have_entries_without_columns(open_page: Open) -> None:
    """A result without the table of slices has no filter by part of speech."""
    made = evaluated("toy")
    tables = {name: table for name, table in made.tables.items() if name != "slices"}
    page = open_page(Result("evaluation", tables, made.provenance))
    counted(page, 5)
    assert "pos" not in page.get_by_label("Filter by").inner_text()
