"""All rescored lists with a search; the script `rescored.js` makes the list."""

from __future__ import annotations

import numpy as np

from misword.core.formatting import count
from misword.report.article import Article, Section
from misword.report.explorer.lists import MAXIMAL_HYPOTHESES
from misword.report.explorer.packing import Data, packed
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.kinds.rescored.choices import ScoredLists
from misword.report.word_lists import NO_NUMBER


def _section(article: Article) -> Markup:
    lists = ScoredLists.of(article.result)
    if lists is None:
        return Markup()
    shown = int(np.searchsorted(lists.starts, MAXIMAL_HYPOTHESES, side="right")) - 1
    block = article.add_data("rescored", list_data(lists, shown))
    place = element("div", class_="rescored", id=article.id("hypotheses"), data_rescored=block)
    left_out = len(lists) - shown
    note = f"The last {count(left_out)} lists are left out." if left_out else ""
    return joined([paragraph(note, "note"), place])


LISTS = Section("lists", "Lists", "All lists, and what the models prefer", _section)


def list_data(lists: ScoredLists, shown: int) -> Data:
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
