"""The section of forgiven differences, and what other sections say about them."""

from __future__ import annotations

import re
from typing import Any

import pytest

import misword
from misword.core.types import Result
from misword.report.article import Article
from misword.report.sections.rates import forgiveness_sentence
from misword.report.sections.words import FORGIVEN, count_confusions, count_differences
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import metadata
from misword.stat.descriptions.scores import rates_table
from results_made import HOSTILE, scores, summary, words_table

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
    assert forgiveness_sentence(result()).startswith("Differences of writing were forgiven (")
    assert metadata(result()) == []


def test_forgiven_differences_are_no_confusions() -> None:
    found = count_confusions(result().tables["words"], ["one", "two"])
    assert {name: frame.height for name, frame in found.items()} == {"substitution": 1}


def forgiven(*rates: tuple[str, float, float]) -> str:
    """The sentence on systems with a rate, and a rate without forgiveness."""
    rows = [summary(system=name, rate=rate, without=plain) for name, rate, plain in rates]
    shown = scores(rows)
    shown.provenance["forgiven"] = ["case", "numbers"]
    return forgiveness_sentence(shown)


def test_the_page_says_what_the_ranking_would_be_without_forgiveness() -> None:
    start = "Differences of writing were forgiven (case and numbers); if they counted, "
    assert forgiven(("a", 0.1, 0.2)) == f"{start}the WER would be 20.0 %."
    assert forgiven(("b", 0.1, 0.2), ("a", 0.2, 0.3)) == (
        f"{start}the WER would be 20.0 to 30.0 %, and the ranking would be the same."
    )
    assert forgiven(("a", 0.1, 0.4), ("b", 0.2, 0.3)) == (
        f"{start}b would have the lowest WER (30.0 %) and a 40.0 %: the ranking would be b and a."
    )
    assert forgiven(("a", 0.1, 0.2), ("b", 0.2, 0.5), ("c", 0.3, 0.4)) == (
        f"{start}a would still have the lowest WER (20.0 %), but the ranking would be: a, c and b."
    )


def test_confusions_that_changed_most_come_first() -> None:
    """The most frequent ones are there, too; a change is that of the system that differs most."""
    places: Any = {
        ("1", "old"): [("substitution", "a", "b")] * 9 + [("substitution", "c", "d")] * 2,
        ("1", "mid"): [("substitution", "a", "b")] * 9 + [("deletion", "e", None)],
        ("1", "new"): [("substitution", "a", "b")] * 8 + [("substitution", "c", "d")] * 7,
    }
    found = count_confusions(words_table(places), ["old", "mid", "new"])
    columns = ("reference", "total", "0", "1", "2", "change")
    assert found["substitution"].select(columns).rows() == [
        ("c", 9, 2, 0, 7, 5),
        ("a", 26, 9, 9, 8, 1),
    ]
    assert found["deletion"].select(columns).rows() == [("e", 1, 0, 1, 0, 1)]
    many: Any = {("1", "one"): [("deletion", "often", None)] * 3}
    many["1", "two"] = many["1", "one"] + [("deletion", f"w{k}", None) for k in range(60)]
    frame = count_confusions(words_table(many), ["one", "two"])["deletion"]
    assert frame["reference"].to_list().count("often") == 1
    assert frame.height == 41


@pytest.mark.parametrize("forgive", ["", "numbers"])
def test_nothing_forgiven(forgive: str) -> None:
    """Without forgiveness there is no section; if nothing was found, it has only counts."""
    scores = misword.score(["a b"], {HOSTILE[0]: ["a c"]}, "wer", forgive=forgive)
    shown = FORGIVEN.make(Article.of("r0", scores.result(bootstrap=0)))
    assert bool(shown) == bool(forgive)
    assert "<script>" not in shown
