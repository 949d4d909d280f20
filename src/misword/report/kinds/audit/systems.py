"""Systems on variants of the lexicon, and their errors that a person should judge."""

from __future__ import annotations

from misword.core.formatting import count, percent, probability, signed, signed_span, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.html.text import without_direction_marks
from misword.report.result_access import Row, confidence, rows, unique

ERRORS_SHOWN = 300
NOTE = (
    "Hit rates on the lexicon as it is, without proper nouns, with other forms of its translations "
    "filled in, and with the translations of other dictionaries filled in."
)
TEST_NOTE = (
    "Positive is better for the first system of a row. p by paired permutation test over "
    "headwords, corrected for the number of comparisons on each lexicon (Holm); a system is better "
    "if p is below 0.05."
)
ERRORS_NOTE = (
    "Best candidates that are not in the gold lexicon, but that another source holds for right, or "
    "where another system is right. Those with the most evidence come first. Write yes or no into "
    "the file of --judge, and run the command again."
)


def _systems(article: Article) -> Markup:
    found = rows(article.result, "rankings")
    if not found:
        return Markup()
    header = ["gold lexicon", "system", "rate", "%", f"{confidence(article.result)} interval",
              "found", "of", "place"]  # fmt: skip
    body = [
        [
            *(text_cell(row[name]) for name in ("gold", "system", "metric")),
            number_cell(row["rate"], percent(row["rate"])),
            number_cell(row["low"], span(row["low"], row["high"])),
            *(number_cell(row[name], count(row[name])) for name in ("part", "whole", "place")),
        ]
        for row in found
    ]
    return joined(
        [
            paragraph(NOTE, "note"),
            article.figure(_figure(article.result, found)),
            data_table(header, body, label="systems", tall=True),
            _conclusions(article.result),
        ]
    )


def _figure(result: Result, found: list[Row]) -> Figure:
    """Return the rates at the first k: a row for each lexicon, a point for each system."""
    metric = found[0]["metric"]
    shown = [row for row in found if row["metric"] == metric and row["rate"] is not None]
    points = []
    for row in shown:
        x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
        points.append(
            {"row": row["gold"], "series": row["system"], "x": x, "low": low, "high": high,
             "shown": f"{percent(row['rate'])} %", "interval": span(row["low"], row["high"])}
        )  # fmt: skip
    text = "; ".join(f"{r['gold']}: {r['system']} {percent(r['rate'])} %" for r in shown)
    fields = tooltip(row="gold lexicon", series="system", shown="rate", interval="interval, %")
    return Figure(
        "systems",
        f"{metric} on each lexicon, {confidence(result)} intervals",
        without_direction_marks(f"{text}."),
        interval_plot(
            points, unique(row["system"] for row in shown), title=f"{metric}, %", fields=fields
        ),
        ("gold lexicon", "system", "%"),
        [
            [
                text_cell(r["gold"]),
                text_cell(r["system"]),
                number_cell(r["rate"], percent(r["rate"])),
            ]
            for r in shown
        ],
    )


def _conclusions(result: Result) -> Markup:
    found = rows(result, "conclusions")
    if not found:
        return Markup()
    header = ["gold lexicon", "system", "against", "difference, points",
              f"{confidence(result)} interval", "p", "headwords", "better", "changed"]  # fmt: skip
    body = [
        [
            *(text_cell(row[name]) for name in ("gold", "system", "baseline")),
            number_cell(row["difference"], signed(row["difference"], 2)),
            number_cell(row["low"], signed_span(row["low"], row["high"], 2)),
            number_cell(row["p_holm"], probability(row["p_holm"])),
            number_cell(row["headwords"], count(row["headwords"])),
            text_cell(row["better"]),
            text_cell("yes" if row["changed"] else "no"),
        ]
        for row in found
    ]
    faint = [not row["changed"] for row in found]
    table = data_table(header, body, label="conclusions", faint=faint, tall=True)
    return joined([paragraph(TEST_NOTE, "note"), table])


def _errors(article: Article) -> Markup:
    """Return the margins with their calculation, and the errors to be judged."""
    errors = rows(article.result, "doubtful")
    margins = [
        [
            text_cell(row["first"]),
            text_cell(row["second"]),
            Cell(row["arithmetic"], is_text=True, wide=True),
            number_cell(row["open"], count(row["open"])),
        ]
        for row in rows(article.result, "margins")
    ]
    if not errors and not margins:
        return Markup()
    body = [
        [
            *(text_cell(row[name]) for name in ("source", "candidate", "verdict", "gold")),
            text_cell(row["systems"]),
            Cell(without_direction_marks(row["evidence"]), is_text=True, wide=True),
        ]
        for row in errors[:ERRORS_SHOWN]
    ]
    header = ("headword", "answer", "verdict", "gold", "systems", "held for right by")
    cut = f" The first {ERRORS_SHOWN} of {len(errors):,}." if len(errors) > ERRORS_SHOWN else ""
    names = ("better", "other", "margin in hit@1", "still to be judged")
    return joined(
        [
            data_table(names, margins, label="margins") if margins else Markup(),
            paragraph(f"{ERRORS_NOTE}{cut}", "note"),
            data_table(header, body, label="errors to be judged", tall=True),
        ]
    )


SYSTEMS = Section("systems", "Systems", "Do systems change places?", _systems)
ERRORS = Section("errors", "Errors", "Errors that may be right", _errors)
