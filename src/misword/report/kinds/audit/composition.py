"""What the lexicon consists of, and what it shares with the training lexicon."""

from __future__ import annotations

from misword.core.formatting import count, percent
from misword.report.article import Article, Section
from misword.report.html.charts import Figure
from misword.report.html.markup import Markup, data_table, number_cell, text_cell
from misword.report.kinds.audit.flags import bar_chart
from misword.report.result_access import Row, rows

TITLES = {
    "part of speech": "Pairs by part of speech",
    "source frequency": "Source words by rank in the word vectors",
    "target frequency": "Target words by rank in the word vectors",
    "senses": "Headwords by number of translations",
}


def _composition(article: Article) -> Markup:
    by_kind: dict[str, list[Row]] = {}
    for row in rows(article.result, "composition"):
        by_kind.setdefault(row["by"], []).append(row)
    return article.figures(_figure(kind, found) for kind, found in by_kind.items())


def _figure(kind: str, found: list[Row]) -> Figure:
    """Return a bar for each value."""
    shares = [row["count"] / max(1, row["whole"]) for row in found]
    values = [
        {"row": row["value"], "x": 100 * share, "shown": f"{percent(share)} %",
         "number": count(row["count"])}
        for row, share in zip(found, shares, strict=True)
    ]  # fmt: skip
    text = "; ".join(
        f"{row['value']} {percent(share)} %" for row, share in zip(found, shares, strict=True)
    )
    return Figure(
        f"composition-{kind.replace(' ', '-')}",
        TITLES.get(kind, kind),
        f"{text}.",
        bar_chart(values, "%"),
        (kind, "number", "of", "%"),
        [
            [
                text_cell(row["value"]),
                number_cell(row["count"], count(row["count"])),
                number_cell(row["whole"], count(row["whole"])),
                number_cell(share, percent(share)),
            ]
            for row, share in zip(found, shares, strict=True)
        ],
    )


def _leaks(article: Article) -> Markup:
    body = [
        [
            text_cell(row["shared"]),
            number_cell(row["count"], count(row["count"])),
            number_cell(row["of"], count(row["of"])),
            number_cell(row["count"], percent(row["count"] / max(1, row["of"]))),
        ]
        for row in rows(article.result, "leaks")
    ]
    return data_table(("shared", "number", "of", "%"), body, label="leaks") if body else Markup()


COMPOSITION = Section("composition", "Composition", "What the lexicon consists of", _composition)
LEAKS = Section("leaks", "Leaks", "What it shares with the training lexicon", _leaks)
