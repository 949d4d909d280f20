"""The utterances that got worse: how they differ from the others, and the worst of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from misword.core.formatting import count, is_number, number, percent, signed
from misword.report.article import Article, Section
from misword.report.explorer.links import METADATA, field_is, filter_cell
from misword.report.explorer.section import opening_cell
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    text_cell,
)
from misword.report.html.text import number_span
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique

CONTRAST_NOTE = (
    "Means of numbers, shares of values. A ratio above 1: the worsened utterances have more."
)


def _contrast(article: Article) -> Markup:
    """Return the properties of the utterances that got worse beside those of the others."""
    contrast = rows(article.result, "contrast")
    several = len(unique(row["system"] for row in contrast)) > 1
    header = [*(["system"] if several else ()), "metadata", "value", "worsened", "others", "ratio",
              f"{confidence(article.result)} interval", "n worsened", "n others"]  # fmt: skip

    def cells(row: Row) -> list[Cell]:
        is_share = bool(row["value"])
        return [
            *([text_cell(row["system"])] if several else ()),
            text_cell(row["column"]),
            filter_cell(row["value"], field_is(METADATA, row["column"], row["value"])),
            *(
                number_cell(row[group], _share_or_mean(row[group], is_share=is_share))
                for group in ("worsened", "others")
            ),
            number_cell(row["ratio"], number(row["ratio"])),
            number_cell(row["low"], number_span(row.get("low"), row.get("high"))),
            *(number_cell(row[size], count(row[size])) for size in ("worsened_n", "others_n")),
        ]

    note = element("p", CONTRAST_NOTE, class_="note")
    return _tables_by_metric(contrast, header, cells, titles(article.result), note)


def _worst(article: Article) -> Markup:
    """Return the utterances that got worse most; a click on an id opens the explorer."""
    worst = rows(article.result, "worst")
    several = len(unique(row["system"] for row in worst)) > 1
    baseline = str(article.result.provenance.get("baseline") or "first system")
    with_errors = any(is_number(row.get("errors")) for row in worst)
    header = [*(["system"] if several else ()), "utterance", "before, %", "now, %", "change",
              *(["errors"] if with_errors else ()), "texts"]  # fmt: skip

    def cells(row: Row) -> list[Cell]:
        return [
            *([text_cell(row["system"])] if several else ()),
            opening_cell(article, str(row["utt"])),
            number_cell(row["baseline_rate"], percent(row["baseline_rate"], 1)),
            number_cell(row["rate"], percent(row["rate"], 1)),
            number_cell(row["change"], signed(row["change"])),
            *([number_cell(row["errors"], f"{row['errors']:+.3g}")] if with_errors else ()),
            Cell(_texts(row, baseline), is_text=True, wide=True),
        ]

    return _tables_by_metric(worst, header, cells, titles(article.result), Markup())


CONTRAST = Section("contrast", "Contrast", "What the worsened utterances have more of", _contrast)
WORST = Section("worst", "Worst", "What got worse most", _worst)


def _texts(row: Row, baseline: str) -> Markup:
    """Return the reference and both hypotheses, one below the other."""
    texts = (("reference", "reference"), (baseline, "baseline_text"), (row["system"], "text"))
    parts = []
    for name, column in texts:
        parts += [element("span", name), element("span", str(row[column] or ""), dir="auto")]
    return element("div", *parts, class_="texts")


def _tables_by_metric(
    data: Sequence[Row],
    header: Sequence[str],
    cells: Callable[[Row], list[Cell]],
    title: Titles,
    note: Markup,
) -> Markup:
    """Return a table for each metric, the first one open; a single table is always open."""
    labels = unique(row["metric"] for row in data)
    tables = [
        data_table(
            header,
            [cells(row) for row in data if row["metric"] == label],
            label=title(label),
            tall=True,
        )
        for label in labels
    ]
    if not tables:
        return Markup()
    if len(tables) == 1:
        return joined([note, element("p", f"By {title(labels[0])}.", class_="note"), *tables])
    folded = [
        element("details", element("summary", f"By {title(label)}"), shown, open=not number)
        for number, (label, shown) in enumerate(zip(labels, tables, strict=True))
    ]
    return joined([note, *folded])


def _share_or_mean(value: float | None, *, is_share: bool) -> str:
    """Return a share in percent, or a mean with three significant digits."""
    if not is_number(value):
        return ""
    return f"{percent(value, 1)} %" if is_share else f"{value:.3g}"
