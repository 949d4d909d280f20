"""The page of an evaluation in a browser: drawn, and no word is taken for code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bilingual import GOLD, open_mapping
from browser.steps import drawn
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.settings import EvaluationSettings
from misword.bli.retrievers import RETRIEVERS
from misword.core.types import Result
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap
from results_made import HOSTILE

if TYPE_CHECKING:
    from browser.conftest import Open


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
        "Which words, by the columns of the lexicon",
        "How much of the lexicon is covered",
        "What was not found",
    ]
    for mark in page.locator(".chart .mark-symbol path").all():
        mark.hover(force=True)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, link, svg [onload]").count() == 0
    body = page.locator("body").inner_text()
    for text in HOSTILE[:4]:
        assert text in body
