"""The section of punctuation and capitals."""

from __future__ import annotations

import re

import misword
from misword.report.article import Article
from misword.report.sections.words import FORMATTING
from misword.stat.descriptions.scores import formatted_errors_table, marks_table


def section(metrics: str) -> str:
    scores = misword.score(["Well, yes."], {"<b>": ["well, yes"]}, metrics)
    markup = FORMATTING.make(Article.of("r0", scores.result(bootstrap=0)))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup))


def test_the_section_has_errors_and_marks() -> None:
    shown = section("formatted,punctuation,capitals")
    assert "&lt;b&gt; 0.00 50.00 50.00 0.00 100.00" in shown
    assert "comma 100.00 100.00 100.00 0.00 1 1" in shown
    assert "first letter 0.00 0.00 100.00 1 0" in shown


def test_other_metrics_have_no_section_and_no_tables() -> None:
    assert section("wer") == ""
    result = misword.score(["a"], ["a"], "wer").result(bootstrap=0)
    assert marks_table(result).rows == []
    assert formatted_errors_table(result).rows == []
