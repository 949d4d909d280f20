"""How the combination of several systems is shown: rates and texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    interval_in_sentence,
    is_number,
    percent,
    probability,
    signed,
    signed_span,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup, data_table, number_cell, text_cell
from misword.stat.descriptions.result_access import confidence, rows, titles

COMBINED = "combined"
# The table of texts has at most this many rows.
TEXTS_SHOWN = 100


def combination_headline(result: Result) -> str:
    """Return the rates of the combination and of the best system, or the number of texts."""
    rated = [row for row in rows(result, "rates") if is_number(row["rate"])]
    if not rated:
        texts = rows(result, "texts")
        return f"The systems elected {count(len(texts))} texts." if texts else ""
    metric = rated[0]["metric"]
    own = [row for row in rated if row["metric"] == metric]
    combined = next((row for row in own if row["system"] == COMBINED), own[-1])
    others = [row for row in own if row["system"] != COMBINED]
    interval = interval_in_sentence(confidence(result), span(combined["low"], combined["high"], 2))
    said = f"The combination has {titles(result)(metric)} {percent(combined['rate'])} %{interval}"
    if not others:
        return f"{said}."
    best = min(others, key=lambda row: float(row["rate"]))
    return f"{said}; the best system, {best['system']}, has {percent(best['rate'])} %."


def _rates(result: Result) -> Markup:
    """Return a table with a row for each metric and system."""
    title, level = titles(result), f"{confidence(result)} interval"
    body = [
        [
            text_cell(title(row["metric"])),
            text_cell(row["system"]),
            number_cell(row["rate"], percent(row["rate"])),
            text_cell(span(row["low"], row["high"], 2)),
            number_cell(row["difference"], signed(row["difference"], 2)),
            text_cell(signed_span(row["difference_low"], row["difference_high"], 2)),
            number_cell(row["p_holm"], probability(row["p_holm"])),
        ]
        for row in rows(result, "rates")
    ]
    header = ("metric", "system", "rate, %", level, "combination minus it", level, "p (Holm)")
    return data_table(header, body, label="rates") if body else Markup()


def _texts(article: Article) -> Markup:
    """Return the first combined texts."""
    body = [
        [text_cell(row["utt"]), text_cell(row["text"] or "")]
        for row in rows(article.result, "texts")[:TEXTS_SHOWN]
    ]
    header = ("utterance", "text")
    return data_table(header, body, label="texts", tall=True) if body else Markup()


TEXTS = Section("texts", "Texts", "The first combined texts", _texts)


@dataclass(frozen=True)
class CombinationPage(Kind):
    """The combination of several systems: rates and texts."""

    name = "combination"
    cites = ("fiscus1997",)
    sections: ClassVar[tuple[Section, ...]] = (TEXTS,)

    def headline(self, result: Result) -> str:
        """Return the rates of the combination and of the best system."""
        return combination_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of rates."""
        return (_rates(article.result),)
