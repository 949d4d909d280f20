"""The severity of errors: rates of labels, the worst utterances, and what a new system changed."""

from __future__ import annotations

from misword.report.article import Article, Section
from misword.report.markup import Markup, joined, paragraph
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import rows
from misword.stat.descriptions.severity import severity_changes, severity_tables

EXPLANATION = (
    "Differences of writing are forgiven first. Each remaining error has a label and a level: "
    "critical if it probably changes what a listener would do or believe. Labels come from lists "
    "and rules, not from a model; read the errors themselves before you decide on their number."
)


def _section(article: Article) -> Markup:
    """Return the tables that have rows."""
    result = article.result
    if not rows(result, "severity") and not rows(result, "severity_differences"):
        return Markup()
    tables = [*severity_changes(result), *severity_tables(result)]
    parts = [page_table(article, table, table.title.lower()) for table in tables if table.rows]
    return joined([paragraph(EXPLANATION, "note"), *parts])


SEVERITY = Section("severity", "Severity", "Which errors matter", _section)
