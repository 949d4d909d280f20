"""Sections on single utterances: histograms of their changes, and flagged hypotheses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from misword.core.formatting import count, cut
from misword.core.tables import WORDS, field_is
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    quantitative,
    small_multiples,
    tooltip,
    verdict_colors,
)
from misword.report.explorer.data import FLAG
from misword.report.explorer.section import filter_cell, opening_cell
from misword.report.markup import Markup, data_table, joined, number_cell, paragraph, text_cell
from misword.stat.descriptions.result_access import Titles, table, titles, unique

Changes = NDArray[np.float64]
# Widths of a bin, as rates. The chart uses the narrowest width with which BINS bins on each side
# cover 99 % of the changes.
WIDTHS = (0.005, 0.01, 0.02, 0.05, 0.1)
BINS = 20
# The chart has at most this many histograms; the table has the numbers of all.
PANELS = 24
# `labelFlush` would move the first and the last label into their neighbours.
AXIS = {"tickCount": 5, "labelFlush": False, "labelOverlap": "greedy"}


def change_histograms(changes: Mapping[tuple[str, str], Changes], title: Titles) -> Figure | None:
    """Return a histogram for each metric and system; unchanged utterances are only counted.

    `changes` has the change of each utterance by metric and system.
    """
    panels = _panels(changes, title)
    if not panels:
        return None
    bars = [
        {"panel": name, "order": order, **bar}
        for order, (name, panel) in enumerate(panels[:PANELS])
        for bar in _bars(panel)
    ]
    cut = len(panels) > PANELS
    tallies = [
        (name, int((panel < 0).sum()), int((panel > 0).sum()), int((panel == 0).sum()))
        for name, panel in panels
    ]
    text = "; ".join(
        f"{name}: {less:,} utterances got better, {more:,} worse, {same:,} stayed as they were"
        for name, less, more, same in tallies
    )
    return Figure(
        "changes",
        "Change of each utterance's rate" + (f" (the first {PANELS})" if cut else ""),
        f"{text}. Utterances that stayed as they were have no bar.",
        _spec(bars),
        ["metric", "better", "worse", "same"],
        [[text_cell(name), *(number_cell(n, count(n)) for n in tally)] for name, *tally in tallies],
    )


def _panels(changes: Mapping[tuple[str, str], Changes], title: Titles) -> list[tuple[str, Changes]]:
    """Return the names of the panels and their changes, without panels in which nothing changed."""
    several = len(unique(system for _, system in changes)) > 1
    panels = [
        (title(metric) + (f", {system}" if several else ""), values[np.isfinite(values)])
        for (metric, system), values in changes.items()
    ]
    return [(name, values) for name, values in panels if np.any(values)]


def _changes_section(article: Article) -> Markup:
    if article.rates is None:
        return Markup()
    return article.figure(change_histograms(article.rates.changes(), titles(article.result)))


UTTERANCE_CHANGES = Section("changes", "Changes", "How single utterances changed", _changes_section)


def _spec(bars: list[Spec]) -> Spec:
    fields = {"panel": "metric", "from": "from", "to": "to", "utterances": "utterances"}
    encoding = {
        "x": quantitative("from", title="change, points", bin={"binned": True}, axis=AXIS),
        "x2": {"field": "to"},
        "y": quantitative("utterances", title="utterances"),
        "color": verdict_colors("side", ("better", "worse"))["color"],
        "tooltip": tooltip(**fields),
    }
    return small_multiples(bars, 120, {"type": "bar", "binSpacing": 1}, encoding)


def _bars(changes: Changes) -> list[Spec]:
    """Return the bars of a histogram, in points; the outermost bars include all larger changes."""
    changed = changes[changes != 0]
    reach = float(np.quantile(np.abs(changed), 0.99))
    width = next((w for w in WIDTHS if w * BINS >= reach), WIDTHS[-1])
    # Multiples of the width are not exact in binary: 1e-9 keeps a change of 0.05 in one bin always.
    bins = np.ceil(np.abs(changed) / width - 1e-9).clip(1, BINS).astype(np.int64)
    signed_bins, sizes = np.unique(np.where(changed < 0, -bins, bins), return_counts=True)
    return [
        {
            "from": round(100 * width * (k if k < 0 else k - 1), 6),
            "to": round(100 * width * (k + 1 if k < 0 else k), 6),
            "side": "better" if k < 0 else "worse",
            "utterances": size,
        }
        for k, size in zip(signed_bins.tolist(), sizes.tolist(), strict=True)
    ]


# Flagged hypotheses, such as loops and bursts of insertions.

FLAGGED_SHOWN = 200  # rows
LONGEST = 400  # characters of a text
MEANINGS = {
    "loop": "words of loops that were not said",
    "burst": "successive insertions",
    "long": "words, far more than the reference has",
    "empty": "words of the reference, and no hypothesis",
    "script": "words in another script than the reference",
    "language": "words in another language than the references",
}


def _flagged_section(article: Article) -> Markup:
    """Return a table of the flagged hypotheses."""
    flagged = table(article.result, "flagged")
    if flagged is None or flagged.is_empty():
        return Markup()
    meanings = "; ".join(f"{name}: {text}" for name, text in MEANINGS.items())
    more = len(flagged) - FLAGGED_SHOWN
    rest = f" {count(more)} more are in the table flagged of the result." if more > 0 else ""
    body = [
        [
            opening_cell(article, row["utt"], row["system"]),
            text_cell(row["system"]),
            filter_cell(row["flag"], field_is(WORDS, FLAG, row["flag"])),
            number_cell(row["words"], count(row["words"])),
            *(text_cell(cut(row[side], LONGEST)) for side in ("reference", "hypothesis")),
        ]
        for row in flagged.head(FLAGGED_SHOWN).to_dicts()
    ]
    header = ["utterance", "system", "flag", "words", "reference", "hypothesis"]
    text = f"The number of words of each flag: {meanings}.{rest}"
    return joined([paragraph(text, "note"), data_table(header, body, label="flagged", tall=True)])


FLAGGED = Section("flagged", "Flagged", "Hypotheses that look made up or stuck", _flagged_section)
