"""How noisy texts are shown: the errors at each word error rate, and the most frequent of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import count, counted, is_number, listed, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup, data_table, number_cell, text_cell
from misword.stat.descriptions.result_access import rows, table

ERRORS_SHOWN = 100
# The headline names at most this many rates.
NAMED = 5
HEADER = ("system", "asked, %", "WER, %", "substitutions", "deletions", "insertions", "words",
          "left alone")  # fmt: skip


def corruption_headline(result: Result) -> str:
    """Return the word error rates of the noisy texts."""
    rates = [row["wer"] for row in rows(result, "summary") if is_number(row["wer"])]
    if not rates:
        return ""
    shown = [f"{percent(rate, 1)} %" for rate in rates]
    found = f"word error rate {listed(shown)}"
    if len(shown) > NAMED:
        found = f"{len(shown)} word error rates from {shown[0]} to {shown[-1]}"
    return f"Noise in {counted(rows(result, 'summary')[0]['words'], 'word')}: {found}."


def _summary(result: Result) -> Markup:
    """Return a table with a row for each noisy text."""
    counts = ("substitutions", "deletions", "insertions", "words", "left_alone")
    body = [
        [
            text_cell(row["system"]),
            number_cell(row["asked"], percent(row["asked"])),
            number_cell(row["wer"], percent(row["wer"])),
            *(number_cell(row[name], count(row[name])) for name in counts),
        ]
        for row in rows(result, "summary")
    ]
    return data_table(HEADER, body, label="noisy texts") if body else Markup()


def _frequent_errors(article: Article) -> Markup:
    """Return the errors that were drawn most often, over all noisy texts."""
    truth = table(article.result, "truth")
    if truth is None:
        return Markup()
    counts = truth.group_by("kind", "old", "new", maintain_order=True).len("times")
    body = [
        [
            text_cell(row["kind"]),
            text_cell(row["old"]),
            text_cell(row["new"]),
            number_cell(row["times"], count(row["times"])),
        ]
        for row in counts.sort("times", descending=True, maintain_order=True)
        .head(ERRORS_SHOWN)
        .iter_rows(named=True)
    ]
    return data_table(("error", "word", "became", "times"), body, label="errors", tall=True)


ERRORS = Section("errors", "Errors", "The most frequent errors", _frequent_errors)


@dataclass(frozen=True)
class CorruptionPage(Kind):
    """The noisy texts of `misword corrupt`: their error rates, and the most frequent errors."""

    name = "corruption"
    sections: ClassVar[tuple[Section, ...]] = (ERRORS,)

    def headline(self, result: Result) -> str:
        """Return the word error rates."""
        return corruption_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of error rates."""
        return (_summary(article.result),)
