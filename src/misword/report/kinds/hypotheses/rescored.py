"""How rescored N-best lists are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import count, counted, listed, number, percent
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.data import MAXIMAL_HYPOTHESES
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
    without_direction_marks,
)
from misword.report.packing import NO_NUMBER, Data, packed
from misword.stat.descriptions.result_access import Row, rows, table

# The hypothesis of each N-best list that a language model prefers.


@dataclass(frozen=True)
class RescoredLists:
    """The hypotheses of all lists, by list and rank, and the columns of the language models.

    `starts` has the row of the first hypothesis of each list, and the number of rows at its end.
    """

    hypotheses: pl.DataFrame
    models: list[str]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, result: Result) -> RescoredLists | None:
        """Return the lists of a result; None if it has no hypotheses."""
        frame, summary = table(result, "hypotheses"), table(result, "summary")
        if frame is None or summary is None:
            return None
        keys = [name for name in ("system", "utt") if name in frame.columns]
        numbered = frame.select(*keys, "rank").with_row_index("first")
        # Lists are in the order of their first hypothesis.
        numbered = numbered.with_columns(pl.col("first").min().over(keys))
        order = numbered.select(pl.arg_sort_by("first", "rank")).to_series()
        starts = np.flatnonzero(
            np.diff(numbered["first"][order].to_numpy().astype(int), prepend=-1)
        )
        return cls(frame[order], summary["column"].to_list(), np.append(starts, len(frame)))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def preferred(self) -> dict[str, NDArray[np.int64]]:
        """For each model, the place of the most probable hypothesis in each list, from 0.

        Of equally probable ones it is the first.
        """
        places = {}
        for model in self.models:
            values = self.hypotheses[model].to_numpy()
            found = [
                int(values[start:end].argmax())
                for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)
            ]
            places[model] = np.array(found, np.int64)
        return places

    def ranks(self, model: str) -> NDArray[np.int64]:
        """Return the rank of the hypothesis that a model prefers in each list."""
        ranks = self.hypotheses["rank"].to_numpy()
        return np.asarray(ranks[self.starts[:-1] + self.preferred[model]], np.int64)

    def agreements(self) -> dict[tuple[str, str], float]:
        """Return the share of lists in which two models prefer the same hypothesis."""
        return {
            (a, b): float((self.preferred[a] == self.preferred[b]).mean())
            for a, b in combinations(self.models, 2)
        }


# All rescored lists with a search; the script `rescored.js` makes the list.


def _lists_section(article: Article) -> Markup:
    lists = RescoredLists.of(article.result)
    if lists is None:
        return Markup()
    shown = int(np.searchsorted(lists.starts, MAXIMAL_HYPOTHESES, side="right")) - 1
    block = article.add_data("rescored", list_data(lists, shown))
    place = element("div", class_="rescored", id=article.id("hypotheses"), data_rescored=block)
    left_out = len(lists) - shown
    note = f"The last {count(left_out)} lists are left out." if left_out else ""
    return joined([paragraph(note, "note"), place])


LISTS = Section("lists", "Lists", "All lists, and what the models prefer", _lists_section)


def list_data(lists: RescoredLists, shown: int) -> Data:
    """Return the first lists as data for the script."""
    size = int(lists.starts[shown])
    frame = lists.hypotheses.head(size)
    first = frame[lists.starts[:shown].tolist()]
    systems = first["system"].cast(str).to_list() if "system" in first.columns else []
    return {
        "ids": first["utt"].cast(str).to_list(),
        "systems": systems if len(set(systems)) > 1 else [],
        "lengths": packed(np.diff(lists.starts[: shown + 1])),
        "ranks": packed(frame["rank"].to_numpy()),
        "texts": frame["text"].fill_null("").to_list(),
        "models": [
            {
                "name": model,
                "values": packed(
                    frame[model].cast(float).fill_null(NO_NUMBER).to_numpy().astype(np.float32)
                ),
                "preferred": packed(lists.preferred[model][:shown]),
            }
            for model in lists.models
        ],
    }


INTRODUCTION = (
    "Log-probabilities are natural logarithms of the probability of the whole text. A model "
    "prefers the most probable hypothesis of a list; this favours short ones. misword tune finds "
    "weights for a choice."
)
COUNTS = {"texts": "distinct texts", "words": "words", "tokens": "tokens", "oov": "unknown words"}


@dataclass(frozen=True)
class RescoredPage(Kind):
    """Log-probabilities of language models, and the hypothesis that each model prefers."""

    name = "rescored"
    sections: ClassVar[tuple[Section, ...]] = (LISTS,)

    def headline(self, result: Result) -> str:
        """Return in how many lists each model prefers another hypothesis than rank 1."""
        lists = RescoredLists.of(result)
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
        lists = RescoredLists.of(article.result)
        if lists is None:
            return ()
        notes = article.result.provenance.get("notes", ())
        return (
            paragraph(INTRODUCTION, "introduction"),
            *(paragraph(without_direction_marks(str(note)), "note") for note in notes),
            _models(article.result, lists),
            _agreements(lists),
        )


def _others(lists: RescoredLists) -> dict[str, float]:
    """Return the share of lists in which each model prefers another hypothesis than rank 1."""
    return {model: float((lists.ranks(model) > 1).mean()) for model in lists.models}


def _models(result: Result, lists: RescoredLists) -> Markup:
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


def _agreements(lists: RescoredLists) -> Markup:
    """Return how often two models prefer the same hypothesis; nothing for one model."""
    body = [
        [text_cell(a), text_cell(b), number_cell(share, percent(share, 1))]
        for (a, b), share in lists.agreements().items()
    ]
    if not body:
        return Markup()
    return data_table(["model", "and", "prefer the same, % of lists"], body, label="agreement")
