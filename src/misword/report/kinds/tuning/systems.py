"""How the choice of one of several systems is shown: rates, and how certain the choice is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import count, is_number, percent, probability, signed, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import Cell, Markup, data_table, number_cell, text_cell
from misword.report.html.text import p_in_sentence
from misword.report.kinds import Kind
from misword.report.result_access import Row, Titles, confidence, rows, titles, unique


def system_headline(result: Result) -> str:
    """Return the choice of each metric, and whether the next system is distinguishable."""
    title = titles(result)
    return " ".join(_sentence(row, title) for row in rows(result, "choices"))


def _sentence(row: Row, title: Titles) -> str:
    test = f" ({p_in_sentence(row['next_p'])} against {row['next']})" if is_number(
        row["next_p"]) else ""  # fmt: skip
    return f"{title(row['metric'])} chooses {row['system']}, {percent(row['rate'])} %{test}."


def rate_figures(result: Result) -> list[Figure]:
    """Return the rates of all systems by each metric."""
    shown = [row for row in rows(result, "rates") if is_number(row["rate"])]
    metrics = unique(row["metric"] for row in shown)
    return [
        _figure(result, [row for row in shown if row["metric"] == metric], number)
        for number, metric in enumerate(metrics, start=1)
    ]


def _figure(result: Result, shown: Sequence[Row], number: int) -> Figure:
    metric = titles(result)(shown[0]["metric"])
    text = "; ".join(f"{row['system']} {percent(row['rate'])} %" for row in shown)
    points: list[Spec] = []
    for row in shown:
        x, low, high = scaled_interval(row["rate"], row["low"], row["high"])
        points.append({
            "row": row["system"], "series": metric, "x": x, "low": low, "high": high,
            "sure": bool(row["chosen"]), "shown": f"{percent(row['rate'])} %",
            "interval": span(row["low"], row["high"]),
        })  # fmt: skip
    fields = tooltip(row="system", shown="rate", interval="interval, %")
    plot = interval_plot(points, [metric], title=f"{metric}, %", fields=fields, hollow=True)
    header = ("system", "rate, %", "from", "to", "difference from the lowest", "p", "best in, %")
    return Figure(
        f"systems-{number}",
        f"{metric} of each system, {confidence(result)} intervals; the chosen one is filled",
        f"Rates by {metric}: {text}.",
        plot,
        header,
        [_cells(row) for row in shown],
    )


def _cells(row: Row) -> list[Cell]:
    return [
        text_cell(row["system"]),
        *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
        number_cell(row["difference"], signed(row["difference"], 2)),
        number_cell(row["p"], "" if row["chosen"] else probability(row["p"])),
        number_cell(row["best_share"], percent(row["best_share"])),
    ]


def _choices(result: Result) -> Markup:
    """Return the choice of each metric, and how certain it is."""
    title = titles(result)
    body = [
        [
            text_cell(title(row["metric"])),
            text_cell(row["system"]),
            number_cell(row["rate"], percent(row["rate"])),
            number_cell(row["held_out"], percent(row["held_out"])),
            text_cell(f"{count(row['same_folds'])} of {count(row['folds'])}"),
            text_cell(row["next"]),
            number_cell(row["next_difference"], signed(row["next_difference"], 2)),
            number_cell(row["next_p"], probability(row["next_p"])),
            number_cell(row["others"], percent(row["others"])),
        ]
        for row in rows(result, "choices")
    ]
    header = ("metric", "chooses", "rate, %", "held out, %", "same in folds", "next",
              "difference", "p", "others in resamples, %")  # fmt: skip
    return data_table(header, body, label="choices") if body else Markup()


def _judged(article: Article) -> Markup:
    """Return what each metric says of the choice of the others."""
    title = titles(article.result)
    body = [
        [
            text_cell(title(row["chosen_by"])),
            text_cell(row["system"]),
            text_cell(title(row["metric"])),
            *(number_cell(row[key], percent(row[key])) for key in ("rate", "lowest")),
        ]
        for row in rows(article.result, "judged")
    ]
    header = ("chosen by", "system", "judged by", "rate, %", "lowest rate, %")
    return data_table(header, body, label="judged choices") if body else Markup()


JUDGED = Section("judged", "Judged", "What each metric says of the choice of the others", _judged)


@dataclass(frozen=True)
class ChosenSystem(Kind):
    """The system that each metric chooses, and how certain the choice is."""

    name = "system-tuning"
    cites = ("le2016",)
    sections: ClassVar[tuple[Section, ...]] = (JUDGED,)

    def headline(self, result: Result) -> str:
        """Return the choice of each metric."""
        return system_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of choices, and the rates of all systems."""
        return _choices(article.result), article.figures(rate_figures(article.result))

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on tuning by a metric, intervals and tests."""
        return (*self.cites, "bisani2004", "noreen1989") if rows(result, "rates") else ()
