"""Formatted text: errors of words by what is wrong, and punctuation marks and capitals by kind."""

from __future__ import annotations

from misword.core.formatting import count, group_values, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import (
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.result_access import group_columns, rows, table, titles
from misword.stat.mark_tables import ERRORS, mark_counts, shown_kind

EXPLANATION = (
    "Words are aligned without regard to punctuation and capitals. Marks are compared where a word "
    "of the reference has a word of the hypothesis, capitals where these two are the same word."
)


def _section(article: Article) -> Markup:
    """Return the tables of the metrics `formatted`, `punctuation` and `capitals`."""
    tables = [shown for shown in (_errors(article.result), _marks(article.result)) if shown]
    return joined([paragraph(EXPLANATION, "note"), *tables]) if tables else Markup()


FORMATTING = Section("formatting", "Formatting", "Punctuation and capitals", _section)


def _errors(result: Result) -> Markup:
    """Return the errors of formatted words, in percent of the reference words."""
    groups = _groups(result)
    body = [
        [
            *map(text_cell, (row["system"], *group_values(row, groups))),
            *(number_cell(row[name], percent(row[name] / max(1, row["reference"])))
              for name in ERRORS),
            number_cell(row["rate"], percent(row["rate"])),
        ]
        for row in rows(result, "summary")
        if row.get("only_case") is not None
    ]  # fmt: skip
    header = ["system", *groups, *(f"{name}, %" for name in ERRORS.values()), "all, %"]
    return data_table(header, body, label="errors of formatted words") if body else Markup()


def _marks(result: Result) -> Markup:
    """Return a row for each kind of mark."""
    groups, title = _groups(result), titles(result)
    body = [
        [
            *map(text_cell, (row["system"], *group_values(row, groups), title(row["metric"]))),
            text_cell(shown_kind(counts.kind)),
            *(number_cell(share, percent(share)) for share in
              (counts.precision, counts.recall, counts.f, counts.error_rate)),
            *(number_cell(n, count(n)) for n in (counts.reference, counts.hypothesis)),
        ]
        for row in rows(result, "summary")
        for counts in mark_counts(row)
    ]  # fmt: skip
    header = ["system", *groups, "metric", "mark", "precision, %", "recall, %", "F, %", "errors, %",
              "reference", "hypothesis"]  # fmt: skip
    return data_table(header, body, label="marks at aligned words") if body else Markup()


def _groups(result: Result) -> list[str]:
    frame = table(result, "summary")
    return [] if frame is None else group_columns(frame)
