"""How rescored N-best lists are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.core.formatting import count
from misword.report.article import Article, Section
from misword.report.explorer.data import MAXIMAL_HYPOTHESES
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.packing import NO_NUMBER, Data, packed
from misword.report.tables import page_table
from misword.stat.descriptions.hypotheses import RescoredLists, agreements_table, models_table

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


@dataclass(frozen=True)
class RescoredPage(Kind):
    """Log-probabilities of language models, and the hypothesis that each model prefers."""

    name = "rescored"
    sections: ClassVar[tuple[Section, ...]] = (LISTS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return what the numbers are, the table of the models, and how often they agree."""
        if RescoredLists.of(article.result) is None:
            return ()
        notes = article.result.provenance.get("notes", ())
        return (
            paragraph(INTRODUCTION, "introduction"),
            *(paragraph(without_direction_marks(str(note)), "note") for note in notes),
            page_table(article, models_table(article.result), "language models"),
            page_table(article, agreements_table(article.result), "agreement"),
        )
