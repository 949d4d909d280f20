"""The section on speakers: whose errors, by recording and by speaker."""

from __future__ import annotations

from misword.report.article import Article, Section
from misword.report.markup import Markup, joined, paragraph
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import rows
from misword.stat.descriptions.scores import attribution_table, recordings_table, speakers_table

NOTE = (
    "Errors of the recogniser are those that remain if each segment of the reference may be said "
    "by any speaker (ORC). What is counted beyond them is due to wrong speakers. Words with a "
    "wrong speaker are those of the alignment of all words, whoever said them."
)


def _speakers_section(article: Article) -> Markup:
    if not rows(article.result, "recordings"):
        return Markup()
    tables = (
        ("attribution", attribution_table),
        ("recordings", recordings_table),
        ("speakers", speakers_table),
    )
    shown = [page_table(article, describe(article.result), name) for name, describe in tables]
    return joined([paragraph(NOTE, "note"), *shown])


SPEAKERS = Section("speakers", "Speakers", "Whose errors are they?", _speakers_section)
