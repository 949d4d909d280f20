"""The most frequent substitutions, deletions and insertions, counted for each system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.core.formatting import count
from misword.report.article import Article, Section
from misword.report.explorer.links import difference_is, filter_cell, filtering
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
)
from misword.report.result_access import Row, best_hypotheses, systems, table

if TYPE_CHECKING:
    import polars as pl

# Rows of each table.
SHOWN = 40
NOTE = "A click on a word or a number shows the utterances in the explorer."
# The words that each kind of error has.
WORDS = {
    "substitution": ("reference", "hypothesis"),
    "deletion": ("reference",),
    "insertion": ("hypothesis",),
}


def count_confusions(words: pl.DataFrame, systems: list[str]) -> dict[str, pl.DataFrame]:
    """Return, by kind of error, a row for each pair of words, the most frequent first.

    The counts are in `total` and in columns `0`, `1`, ... in the order of the systems, since the
    name of a system can be any text.
    """
    import polars as pl

    kind = pl.col("kind").cast(pl.String)
    errors = best_hypotheses(words).filter(kind != "hit")
    counts = errors.group_by("kind", "reference", "hypothesis").agg(
        pl.len().alias("total"),
        *((pl.col("system") == name).sum().alias(str(i)) for i, name in enumerate(systems)),
    )
    ordered = counts.sort(
        "total", "reference", "hypothesis", descending=[True, False, False], nulls_last=True
    )
    by_kind = {name: ordered.filter(kind == name).head(SHOWN) for name in WORDS}
    return {name: frame for name, frame in by_kind.items() if not frame.is_empty()}


def _section(article: Article) -> Markup:
    """Return a table for each kind of error, with a column for each system."""
    frame = table(article.result, "words")
    if frame is None:
        return Markup()
    names = systems(article.result)
    tables = []
    for kind, confusions in count_confusions(frame, names).items():
        header = [*WORDS[kind], *names] if len(names) > 1 else [*WORDS[kind], "times"]
        body = [_cells(kind, row, names) for row in confusions.to_dicts()]
        shown = data_table(header, body, label=f"{kind}s", tall=True)
        tables.append(element("div", element("h4", f"{kind.capitalize()}s"), shown))
    if not tables:
        return Markup()
    explored = article.rates is not None and article.rates.labels
    note = paragraph(NOTE if explored else "", "note")
    return joined([note, element("div", *tables, class_="columns")])


def _cells(kind: str, row: Row, names: list[str]) -> list[Cell]:
    """Return the words and the counts of a confusion; a click shows its utterances."""
    words = row["reference"], row["hypothesis"]
    cells = [filter_cell(row[side], difference_is(kind, *words)) for side in WORDS[kind]]
    for i, name in enumerate(names):
        times = row[str(i)]
        linked = filtering(count(times), difference_is(kind, *words, name)) if times else "0"
        cells.append(number_cell(times, linked))
    return cells


CONFUSIONS = Section("confusions", "Confusions", "Confusions", _section)
