"""How much of the gold lexicon the vocabularies of each mapping cover."""

from __future__ import annotations

from misword.core.formatting import count
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, data_table, number_cell, text_cell
from misword.report.result_access import rows

# Columns of the table and their headings.
COLUMNS = {
    "headwords": "headwords",
    "source_known": "with a vector",
    "answerable": "answerable",
    "pairs": "gold pairs",
    "pairs_known": "both words known",
    "targets": "translations",
    "target_known": "with a vector",
    "source_beyond": "headwords cut off",
    "target_beyond": "translations cut off",
}
# Columns that are shown if a mapping says what it was trained on.
SHARED = {
    "shared_pairs": "pairs in training",
    "shared_headwords": "headwords in training",
    "shared_lemmas": "headwords in training, by lemma",
}


def _section(article: Article) -> Markup:
    coverage = rows(article.result, "coverage")
    if not coverage:
        return Markup()
    known = {name for row in coverage for name in SHARED if row.get(name) is not None}
    columns = COLUMNS | {name: title for name, title in SHARED.items() if name in known}
    body = [
        [
            text_cell(row["mapping"]),
            *(number_cell(row[name], _count(row[name])) for name in columns),
        ]
        for row in coverage
    ]
    return data_table(["mapping", *columns.values()], body, label="coverage")


COVERAGE = Section("coverage", "Coverage", "How much of the lexicon is covered", _section)


def _count(number: int | None) -> str:
    return "not known" if number is None else count(number)
