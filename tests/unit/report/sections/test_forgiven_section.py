"""The section of forgiven differences, and what other sections say about them."""

from __future__ import annotations

import re

import pytest

import misword
from misword.core.types import Result
from misword.report.article import Article
from misword.report.sections.rates import introduction
from misword.report.sections.words import FORGIVEN, count_confusions, count_differences
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import metadata
from misword.stat.descriptions.scores import rates_table
from results_made import HOSTILE

REFERENCES = ["we are late uh", "we are here", "the e-mail"]
SYSTEMS = {"one": ["we're late", "we're here", "an e mail"], "two": REFERENCES}


def result(**systems: list[str]) -> Result:
    scores = misword.score(REFERENCES, systems or SYSTEMS, "wer,cer", forgive="writing")
    return scores.result(bootstrap=0)


def text(markup: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup))


def test_differences_are_counted_by_family() -> None:
    found = count_differences(result().tables["forgiven"], ["one", "two"])
    assert list(found) == ["contractions", "compounds", "fillers"]
    assert found["contractions"].rows() == [("contractions", "we are", "we're", 2, 2, 0)]
    assert found["fillers"].rows() == [("fillers", "uh", None, 1, 1, 0)]


def test_the_section_has_rates_counts_and_differences() -> None:
    shown = text(FORGIVEN.make(Article.of("r0", result())))
    # one: 1 error of 9 words; without forgiveness: we are/we're twice, uh, the/an, e-mail/e mail.
    assert "one WER 11.11 88.89" in shown
    assert "system all compounds contractions fillers one 4 1 2 1 two 0 0 0 0" in shown
    assert "reference hypothesis one two we are we're 2 0" in shown
    assert "uh ∅ 1 0" in shown


def test_the_rates_say_what_was_forgiven() -> None:
    assert "without forgiveness, % substitutions" in text(
        page_table(Article.of("r0", result()), rates_table(result()))
    )
    assert introduction(result())[-1].startswith("Differences of writing were forgiven (")
    assert metadata(result()) == []


def test_forgiven_differences_are_no_confusions() -> None:
    found = count_confusions(result().tables["words"], ["one", "two"])
    assert {name: frame.height for name, frame in found.items()} == {"substitution": 1}


@pytest.mark.parametrize("forgive", ["", "numbers"])
def test_nothing_forgiven(forgive: str) -> None:
    """Without forgiveness there is no section; if nothing was found, it has only counts."""
    scores = misword.score(["a b"], {HOSTILE[0]: ["a c"]}, "wer", forgive=forgive)
    shown = FORGIVEN.make(Article.of("r0", scores.result(bootstrap=0)))
    assert bool(shown) == bool(forgive)
    assert "<script>" not in shown
