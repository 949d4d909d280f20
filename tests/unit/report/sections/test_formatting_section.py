"""The section of punctuation and capitals."""

from __future__ import annotations

import re

import misword
from misword.cli.commands.scoring.score import errors_table, marks_table
from misword.report.article import Article
from misword.report.sections.words import FORMATTING


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
    rows = misword.score(["a"], ["a"], "wer").summary(bootstrap=0).to_dicts()
    assert marks_table(rows, []) is None
    assert errors_table(rows, []) is None
