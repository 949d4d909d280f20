"""How rescored N-best lists are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import count, counted, listed, number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Cell, Markup, data_table, number_cell, paragraph, text_cell
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.rescored.choices import ScoredLists
from misword.report.kinds.rescored.lists import LISTS
from misword.report.result_access import Row, rows

INTRODUCTION = (
    "Log-probabilities are natural logarithms of the probability of the whole text. A model "
    "prefers the most probable hypothesis of a list; this favours short ones. misword tune finds "
    "weights for a choice."
)
COUNTS = {"texts": "distinct texts", "words": "words", "tokens": "tokens", "oov": "unknown words"}


@dataclass(frozen=True)
class RescoredLists(Kind):
    """Log-probabilities of language models, and the hypothesis that each model prefers."""

    name = "rescored"
    sections: ClassVar[tuple[Section, ...]] = (LISTS,)

    def headline(self, result: Result) -> str:
        """Return in how many lists each model prefers another hypothesis than rank 1."""
        lists = ScoredLists.of(result)
        if lists is None:
            return ""
        (first, share), *rest = _others(lists).items()
        clauses = [
            f"{first} prefers another hypothesis than rank 1 in {percent(share, 1)} %",
            *(f"{model} in {percent(share, 1)} %" for model, share in rest),
        ]
        return f"{listed(clauses)} of {counted(len(lists), 'list')}."

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return what the numbers are, the table of the models, and how often they agree."""
        lists = ScoredLists.of(article.result)
        if lists is None:
            return ()
        notes = article.result.provenance.get("notes", ())
        return (
            paragraph(INTRODUCTION, "introduction"),
            *(paragraph(without_direction_marks(str(note)), "note") for note in notes),
            _models(article.result, lists),
            _agreements(lists),
        )


def _others(lists: ScoredLists) -> dict[str, float]:
    """Return the share of lists in which each model prefers another hypothesis than rank 1."""
    return {model: float((lists.ranks(model) > 1).mean()) for model in lists.models}


def _models(result: Result, lists: ScoredLists) -> Markup:
    """Return a row for each model; counts that no model has are left out."""
    summary, others = rows(result, "summary"), _others(lists)
    counts = [name for name in COUNTS if any(row.get(name) is not None for row in summary)]

    def cells(row: Row) -> list[Cell]:
        model = row["column"]
        return [
            text_cell(model),
            text_cell(row["model"]),
            *(number_cell(row[name], count(row[name])) for name in counts),
            number_cell(row["per_word"], number(row["per_word"], 3)),
            number_cell(others[model], percent(others[model], 1)),
            number_cell(lists.ranks(model).mean(), number(float(lists.ranks(model).mean()))),
        ]

    header = ["column", "model", *(COUNTS[name] for name in counts), "log-probability per word"]
    header += ["prefers another than rank 1, % of lists", "mean rank of the preferred"]
    return data_table(header, [cells(row) for row in summary], label="language models")


def _agreements(lists: ScoredLists) -> Markup:
    """Return how often two models prefer the same hypothesis; nothing for one model."""
    body = [
        [text_cell(a), text_cell(b), number_cell(share, percent(share, 1))]
        for (a, b), share in lists.agreements().items()
    ]
    if not body:
        return Markup()
    return data_table(["model", "and", "prefer the same, % of lists"], body, label="agreement")
