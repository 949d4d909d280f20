"""The section on times of words: errors of begins and ends, and the recordings most off."""

from __future__ import annotations

from misword.report.article import Article, Section
from misword.report.markup import Markup, joined, paragraph
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import rows
from misword.stat.descriptions.scores import recording_times_table, word_times_table
from misword.stat.score_tables import RECORDING_TIMES, WORD_TIME_ERRORS

NOTE = (
    "Words are aligned by their texts; the times of right words are compared where both sides have "
    "them. Positive errors are late."
)


def _times_section(article: Article) -> Markup:
    if not rows(article.result, WORD_TIME_ERRORS):
        return Markup()
    tables = ((WORD_TIME_ERRORS, word_times_table), (RECORDING_TIMES, recording_times_table))
    shown = [page_table(article, describe(article.result), name) for name, describe in tables]
    return joined([paragraph(NOTE, "note"), *shown])


TIMES = Section("times", "Times", "How far are the times of words off?", _times_section)
