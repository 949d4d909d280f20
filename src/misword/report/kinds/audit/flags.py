"""The flags of pairs: their numbers, a chart, and the pairs with the most probable flags."""

from __future__ import annotations

from misword.core.formatting import count, counted, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, chart, nominal, quantitative, tooltip
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.html.text import without_direction_marks
from misword.report.result_access import Row, rows, titles

PAIRS_SHOWN = 200  # of each flag
HEADER = ("flag", "pairs", "of all, %", "headwords", "of all, %", "expected pairs", "an example")


def flag_table(result: Result) -> Markup:
    """Return a row for each flag; flags that could not be given are grey."""
    title = titles(result)
    body = [
        [
            text_cell(title(row["flag"])),
            number_cell(row["pairs"], count(row["pairs"])),
            number_cell(row["share"], percent(row["share"])),
            number_cell(row["headwords"], count(row["headwords"])),
            number_cell(row["headword_share"], percent(row["headword_share"])),
            number_cell(row["expected"], count(round(row["expected"]))),
            Cell(row["example"], is_text=True, wide=True),
        ]
        for row in rows(result, "summary")
    ]
    return data_table(HEADER, body, label="flags") if body else Markup()


def flag_figure(result: Result) -> Figure | None:
    """Return a bar for the share of pairs with each flag."""
    title = titles(result)
    shown = [row for row in rows(result, "summary") if row["pairs"]]
    if not shown:
        return None
    values = [_bar(title(row["flag"]), row["share"], row["pairs"]) for row in shown]
    text = "; ".join(f"{title(row['flag'])} {percent(row['share'])} %" for row in shown)
    return Figure(
        "flags",
        "Share of pairs with each flag",
        f"{text}.",
        bar_chart(values, "pairs, %"),
        ("flag", "pairs", "%"),
        [
            [
                text_cell(title(row["flag"])),
                number_cell(row["pairs"], count(row["pairs"])),
                number_cell(row["share"], percent(row["share"])),
            ]
            for row in shown
        ],
    )


def _bar(name: str, share: float, number: int) -> Spec:
    return {"row": name, "x": 100 * share, "shown": f"{percent(share)} %", "number": count(number)}


def bar_chart(values: list[Spec], title: str) -> Spec:
    """Return a chart with a horizontal bar for each `row`, as long as `x`."""
    encoding = {
        "y": nominal("row", axis={"labelLimit": 190, "tickSize": 0}),
        "x": quantitative("x", title=title),
        "tooltip": tooltip(row="what", shown="share", number="number"),
    }
    return chart(values, height={"step": 24}, mark={"type": "bar"}, encoding=encoding)


def _pairs(article: Article) -> Markup:
    """Return the pairs of each flag, the most probable first."""
    title = titles(article.result)
    by_flag: dict[str, list[Row]] = {}
    for row in rows(article.result, "flags"):
        by_flag.setdefault(row["flag"], []).append(row)
    return joined(
        element(
            "details",
            element("summary", f"{title(flag)}: {counted(len(found), 'pair')}"),
            _flag_pairs(found),
        )
        for flag, found in by_flag.items()
    )


def _flag_pairs(found: list[Row]) -> Markup:
    """Return the table of one flag."""
    ordered = sorted(found, key=lambda row: -row["probability"])[:PAIRS_SHOWN]
    note = f"The first {PAIRS_SHOWN} of {len(found):,}." if len(found) > PAIRS_SHOWN else ""
    body = [
        [
            number_cell(row["line"], count(row["line"])),
            text_cell(row["source"]),
            text_cell(row["target"]),
            number_cell(row["probability"], f"{row['probability']:.2f}"),
            Cell(without_direction_marks(row["evidence"]), is_text=True, wide=True),
        ]
        for row in ordered
    ]
    header = ("line", "word", "translation", "probability", "evidence")
    return joined(
        [paragraph(note, "note"), data_table(header, body, label="flagged pairs", tall=True)]
    )


FLAGGED = Section("flagged", "Pairs", "The pairs of each flag", _pairs)


def not_given(result: Result) -> Markup:
    """Return the flags that could not be given, and what they need."""
    missing = result.provenance.get("not_given", {})
    texts = [f"{name} {reason}" for name, reason in missing.items()]
    return paragraph(f"Not given: {'; '.join(texts)}." if texts else "", "note")
