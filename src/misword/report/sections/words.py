"""Sections on words: frequent errors, forgiven differences of writing, formatted text."""

from __future__ import annotations

from dataclasses import replace

from misword.core.formatting import count
from misword.core.lazy import pl
from misword.core.tables import WORDS, Condition, difference_is, field_is
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.section import filter_cell, filtering
from misword.report.markup import Cell, Markup, data_table, element, joined, number_cell, paragraph
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import (
    Row,
    best_hypotheses,
    forgiving_families,
    systems,
    table,
)
from misword.stat.descriptions.scores import (
    forgiven_table,
    formatted_errors_table,
    marks_table,
    rates_table,
)

# Substitutions, deletions and insertions, counted for each system.

# Rows of each table: those that changed most, and the most frequent ones.
CONFUSIONS_SHOWN, FREQUENT_SHOWN = 40, 20
CONFUSIONS_NOTE = "A click on a word or a number shows the utterances in the explorer."
CONFUSIONS_ORDER = (
    "Those that differ most between the first system and another come first; the change is that "
    "difference. A click on a heading sorts by the counts of a system."
)
# The words that each kind of error has.
WORDS_OF_CONFUSION = {
    "substitution": ("reference", "hypothesis"),
    "deletion": ("reference",),
    "insertion": ("hypothesis",),
}


def count_confusions(words: pl.DataFrame, systems: list[str]) -> dict[str, pl.DataFrame]:
    """Return, by kind of error, a row for each pair of words.

    The counts are in `total` and in columns `0`, `1`, ... in the order of the systems, since the
    name of a system can be any text. `change` is the largest difference from the first system, and
    the rows with the largest change come first; of one system, the most frequent. The most frequent
    ones are there even if they changed little.
    """
    kind = pl.col("kind").cast(pl.String)
    errors = best_hypotheses(words).filter(kind != "hit")
    counts = errors.group_by("kind", "reference", "hypothesis").agg(
        pl.len().alias("total"),
        *((pl.col("system") == name).sum().alias(str(i)) for i, name in enumerate(systems)),
    )
    others = [
        pl.col(str(i)).cast(pl.Int64) - pl.col("0").cast(pl.Int64) for i in range(1, len(systems))
    ]
    change = (
        pl.max_horizontal(*(difference.abs() for difference in others)) if others else pl.lit(0)
    )
    ordered = counts.with_columns(change=change).sort(
        *("change", "total", "reference", "hypothesis"),
        descending=[True, True, False, False],
        nulls_last=True,
    )
    by_kind = {name: ordered.filter(kind == name) for name in WORDS_OF_CONFUSION}
    by_kind = {name: _changed_or_frequent(frame) for name, frame in by_kind.items()}
    return {name: frame for name, frame in by_kind.items() if not frame.is_empty()}


def _changed_or_frequent(ordered: pl.DataFrame) -> pl.DataFrame:
    """Return the first rows, and those of the most frequent rows that are not among them."""
    numbered = ordered.with_row_index("at")
    frequent = numbered.sort("total", descending=True, maintain_order=True).head(FREQUENT_SHOWN)
    kept = numbered.filter(
        (pl.col("at") < CONFUSIONS_SHOWN) | pl.col("at").is_in(frequent["at"].implode())
    )
    return kept.drop("at")


def _confusions_section(article: Article) -> Markup:
    """Return a table for each kind of error, with a column for each system."""
    frame = table(article.result, "words")
    if frame is None:
        return Markup()
    names = systems(article.result)
    tables = []
    for kind, confusions in count_confusions(frame, names).items():
        counted = [*names, "change"] if len(names) > 1 else ["times"]
        header = [*WORDS_OF_CONFUSION[kind], *counted]
        body = [_confusion_cells(kind, row, names) for row in confusions.to_dicts()]
        shown = data_table(header, body, label=f"{kind}s", tall=True)
        tables.append(element("div", element("h4", f"{kind.capitalize()}s"), shown))
    if not tables:
        return Markup()
    explored = article.rates is not None and article.rates.labels
    notes = [CONFUSIONS_ORDER] * (len(names) > 1) + [CONFUSIONS_NOTE] * bool(explored)
    note = paragraph(" ".join(notes), "note")
    return joined([note, element("div", *tables, class_="columns")])


def _confusion_cells(kind: str, row: Row, names: list[str]) -> list[Cell]:
    """Return the words and the counts of a confusion; a click shows its utterances."""
    words = row["reference"], row["hypothesis"]
    cells = [
        filter_cell(row[side], difference_is(kind, *words)) for side in WORDS_OF_CONFUSION[kind]
    ]
    for i, name in enumerate(names):
        times = row[str(i)]
        linked = filtering(count(times), difference_is(kind, *words, name)) if times else "0"
        cells.append(number_cell(times, linked))
    if len(names) > 1:
        change = max((row[str(i)] - row["0"] for i in range(1, len(names))), key=abs)
        cells.append(number_cell(change, f"{change:+,}"))
    return cells


CONFUSIONS = Section("confusions", "Confusions", "Confusions", _confusions_section)


# Forgiven differences of writing: how many of each family, and the most frequent ones.

# Rows of each table of differences.
DIFFERENCES_SHOWN = 40
NOTHING = "∅"
# The name of the explorer's filter.
FAMILY = "forgiven difference of family"
FORGIVEN_EXPLANATION = (
    "These differences between reference and hypothesis are differences of writing and were not "
    "counted as errors. Each counts once, however many words it has."
)


def count_differences(forgiven: pl.DataFrame, systems: list[str]) -> dict[str, pl.DataFrame]:
    """Return, by family, a row for each difference, the most frequent first.

    The counts are in `total` and in columns `0`, `1`, ... in the order of the systems, since the
    name of a system can be any text.
    """
    counts = forgiven.group_by("family", "reference", "hypothesis").agg(
        pl.len().alias("total"),
        *((pl.col("system") == name).sum().alias(str(i)) for i, name in enumerate(systems)),
    )
    ordered = counts.sort(
        "total", "reference", "hypothesis", descending=[True, False, False], nulls_last=True
    )
    families = ordered.group_by("family").agg(pl.sum("total"))
    families = families.sort("total", "family", descending=[True, False])
    return {
        name: ordered.filter(family=name).head(DIFFERENCES_SHOWN) for name in families["family"]
    }


def _forgiven_section(article: Article) -> Markup:
    """Return the rates without forgiveness, the counts by family, and the differences."""
    result = article.result
    if not forgiving_families(result):
        return Markup()
    rates = rates_table(result)
    rates = replace(rates, rows=[row for row in rates.rows if row["without"] is not None])
    return joined(
        [
            paragraph(FORGIVEN_EXPLANATION, "note"),
            page_table(article, rates, "rates without forgiveness"),
            page_table(article, forgiven_table(result), "forgiven differences"),
            _differences(result),
        ]
    )


FORGIVEN = Section("forgiven", "Forgiven", "Forgiven differences of writing", _forgiven_section)


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


# Formatted text: errors of words by what is wrong, and punctuation marks and capitals by kind.

FORMATTING_EXPLANATION = (
    "Words are aligned without regard to punctuation and capitals. Marks are compared where a word "
    "of the reference has a word of the hypothesis, capitals where these two are the same word."
)


def _formatting_section(article: Article) -> Markup:
    """Return the tables of the metrics `formatted`, `punctuation` and `capitals`."""
    shown = [formatted_errors_table(article.result), marks_table(article.result)]
    tables = [page_table(article, table) for table in shown if table.rows]
    return joined([paragraph(FORMATTING_EXPLANATION, "note"), *tables]) if tables else Markup()


FORMATTING = Section("formatting", "Formatting", "Punctuation and capitals", _formatting_section)
