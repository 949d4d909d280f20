"""Forgiven differences of writing: how many of each family, and the most frequent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from misword.core.formatting import count, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.links import (
    WORDS,
    Condition,
    difference_is,
    field_is,
    filter_cell,
    filtering,
    group_cells,
)
from misword.report.html.markup import (
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.result_access import (
    Row,
    best_hypotheses,
    forgiving_families,
    group_columns,
    rows,
    systems,
    table,
    titles,
)

if TYPE_CHECKING:
    import polars as pl

# Rows of each table of differences.
SHOWN = 40
NOTHING = "∅"
# The name of the explorer's filter.
FAMILY = "forgiven difference of family"
EXPLANATION = (
    "These differences between reference and hypothesis are differences of writing and were not "
    "counted as errors. Each counts once, however many words it has."
)


def count_differences(forgiven: pl.DataFrame, systems: list[str]) -> dict[str, pl.DataFrame]:
    """Return, by family, a row for each difference, the most frequent first.

    The counts are in `total` and in columns `0`, `1`, ... in the order of the systems, since the
    name of a system can be any text.
    """
    import polars as pl

    counts = forgiven.group_by("family", "reference", "hypothesis").agg(
        pl.len().alias("total"),
        *((pl.col("system") == name).sum().alias(str(i)) for i, name in enumerate(systems)),
    )
    ordered = counts.sort(
        "total", "reference", "hypothesis", descending=[True, False, False], nulls_last=True
    )
    families = ordered.group_by("family").agg(pl.sum("total"))
    families = families.sort("total", "family", descending=[True, False])
    return {name: ordered.filter(family=name).head(SHOWN) for name in families["family"]}


def _section(article: Article) -> Markup:
    """Return the rates without forgiveness, the counts by family, and the differences."""
    result = article.result
    if not forgiving_families(result):
        return Markup()
    tables = joined([_rates(result), _counts(result)])
    return joined([paragraph(EXPLANATION, "note"), tables, _differences(result)])


FORGIVEN = Section("forgiven", "Forgiven", "Forgiven differences of writing", _section)


def _rates(result: Result) -> Markup:
    """Return the rates of the metrics that count edits, as they are and without forgiveness."""
    frame, title = table(result, "summary"), titles(result)
    if frame is None:
        return Markup()
    groups = group_columns(frame)
    body = [
        [
            text_cell(row["system"]),
            *group_cells(row, groups),
            text_cell(title(row["metric"])),
            *(number_cell(row[name], percent(row[name])) for name in ("rate", "without")),
        ]
        for row in frame.to_dicts()
        if row["without"] is not None
    ]
    header = ["system", *groups, "metric", "rate, %", "without forgiveness, %"]
    return data_table(header, body, label="rates without forgiveness") if body else Markup()


def _counts(result: Result) -> Markup:
    """Return the number of differences of each system, group and family."""
    frame = table(result, "summary")
    if frame is None:
        return Markup()
    first = frame["metric"][0]
    counted = [row for row in rows(result, "summary") if row["metric"] == first]
    all_families = forgiving_families(result)
    families = [f for f in all_families if any(row[f"forgiven.{f}"] for row in counted)]
    groups, columns = group_columns(frame), ["forgiven", *(f"forgiven.{name}" for name in families)]
    body = [
        [
            text_cell(row["system"]),
            *group_cells(row, groups),
            *(number_cell(row[name], count(row[name])) for name in columns),
        ]
        for row in counted
    ]
    return data_table(["system", *groups, "all", *families], body, label="forgiven differences")


def _differences(result: Result) -> Markup:
    """Return a table of the most frequent differences of each family."""
    frame = table(result, "forgiven")
    if frame is None:
        return Markup()
    names = systems(result)
    tables = []
    for family, differences in count_differences(best_hypotheses(frame), names).items():
        body = [
            [
                *(
                    filter_cell(row[side] or NOTHING, _forgiven(row))
                    for side in ("reference", "hypothesis")
                ),
                *(number_cell(row[str(i)], count(row[str(i)])) for i in range(len(names))),
            ]
            for row in differences.to_dicts()
        ]
        header = ["reference", "hypothesis", *(names if len(names) > 1 else ["times"])]
        shown = data_table(header, body, label=f"forgiven: {family}", tall=True)
        name = filtering(family.capitalize(), field_is(WORDS, FAMILY, family))
        tables.append(element("div", element("h4", name), shown))
    return element("div", *tables, class_="columns")


def _forgiven(row: Row) -> Condition:
    return difference_is("forgiven", row["reference"], row["hypothesis"])
