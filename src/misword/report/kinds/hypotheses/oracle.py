"""How the best hypotheses of N-best lists are shown: rates by depth, and metric by metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    interval_in_sentence,
    is_number,
    percent,
    signed,
    signed_span,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    chart,
    line_plot,
    nominal,
    quantitative,
    scaled_interval,
    tooltip,
)
from misword.report.explorer.section import EXPLORER
from misword.report.kinds import Kind
from misword.report.markup import Cell, Markup, data_table, number_cell, text_cell
from misword.report.sections.translated_choices import TRANSLATED_CHOICES
from misword.stat.descriptions.result_access import Row, Titles, confidence, rows, titles, unique

RANK_1 = "rank 1"
# Cells of the heat map with a greater loss than this have white letters.
DARK = 0.6


def oracle_headline(result: Result) -> str:
    """Return the rate of the first metric at rank 1, and that of its best choice."""
    curve = [row for row in rows(result, "curves") if is_number(row["rate"])]
    if not curve:
        return ""
    system, metric = curve[0]["system"], curve[0]["metric"]
    own = [row for row in curve if (row["system"], row["metric"]) == (system, metric)]
    first, best = own[0], own[-1]
    interval = interval_in_sentence(confidence(result), span(best["low"], best["high"], 2))
    return (
        f"The best of {count(best['depth'])} hypotheses of {system} have "
        f"{titles(result)(metric)} {percent(best['rate'])} %{interval}; its first ones have "
        f"{percent(first['rate'])} %."
    )


def curve_plot(result: Result) -> Figure | None:
    """Return the rate of each metric's own choice over the depth of the lists."""
    shown = [row for row in rows(result, "curves") if is_number(row["rate"])]
    if not shown:
        return None
    names = _series(result, shown)
    points = [_point(row, name) for row, name in zip(shown, names, strict=True)]
    text = "; ".join(
        f"{name} {percent(row['rate'])} % at depth {count(row['depth'])}"
        for row, name in zip(shown, names, strict=True)
    )
    ticks = sorted({row["depth"] for row in shown})
    fields = tooltip(series="metric", x="depth", shown="rate", interval="interval, %")
    header = ("metric", "depth", "rate, %", "from", "to", "difference from rank 1", "interval",
              "shorter lists")  # fmt: skip
    return Figure(
        "oracle-curve",
        f"Best hypotheses by depth, {confidence(result)} intervals",
        "Rate of the choice that each metric makes from the first hypotheses of each list: "
        f"{text}.",
        line_plot(points, unique(names), x="depth", y="rate, %", fields=fields, log_ticks=ticks),
        header,
        [_curve_cells(row, name) for row, name in zip(shown, names, strict=True)],
    )


def _series(result: Result, shown: Sequence[Row]) -> list[str]:
    """Return the name of the line of each row: the metric, with the system if there are several."""
    title, several = titles(result), len({row["system"] for row in shown}) > 1
    return [
        f"{title(row['metric'])}, {row['system']}" if several else title(row["metric"])
        for row in shown
    ]


def _point(row: Row, name: str) -> Spec:
    y, low, high = scaled_interval(row["rate"], row["low"], row["high"])
    return {
        "series": name,
        "x": row["depth"],
        "y": y,
        "low": low,
        "high": high,
        "shown": f"{percent(row['rate'])} %",
        "interval": span(row["low"], row["high"]),
    }


def _curve_cells(row: Row, name: str) -> list[Cell]:
    return [
        text_cell(name),
        number_cell(row["depth"], count(row["depth"])),
        *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
        number_cell(row["difference"], signed(row["difference"], 2)),
        text_cell(signed_span(row["difference_low"], row["difference_high"], 2)),
        number_cell(row["shorter"], count(row["shorter"])),
    ]


def heat_map(result: Result, system: str, number: int) -> Figure | None:
    """Return the rates of one system: judged by the row's metric, chosen by the column's."""
    every = [row for row in rows(result, "rates") if row["system"] == system]
    shown = [row for row in every if is_number(row["rate"])]
    if not shown:
        return None
    title = titles(result)
    own = {row["metric"]: row["rate"] for row in shown if row["chosen_by"] == row["metric"]}
    first = {row["metric"]: row["rate"] for row in shown if row["chosen_by"] == RANK_1}
    values = [_heat_cell(row, title, own, first) for row in shown]
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['rate'])} % chosen by {_chooser(row, title)}"
        for row in shown
    )
    return Figure(
        f"oracle-choices-{number}",
        f"{system}: rates in %, judged by the row, chosen by the column",
        "The colour shows the share of the distance from the lowest rate to that of rank 1 that is "
        f"lost: {text}.",
        _heat_spec(values),
        ("judged by", "chosen by", "rate, %", "from", "to", "difference from rank 1", "interval"),
        [_choice_cells(row, title) for row in shown],
    )


def _chooser(row: Row, title: Titles) -> str:
    return RANK_1 if row["chosen_by"] == RANK_1 else title(row["chosen_by"])


def _heat_cell(row: Row, title: Titles, own: dict[str, float], first: dict[str, float]) -> Spec:
    lowest, highest = own.get(row["metric"], 0.0), first.get(row["metric"], 0.0)
    lost = (row["rate"] - lowest) / (highest - lowest) if highest > lowest else 0.0
    return {
        "a": _chooser(row, title),
        "b": title(row["metric"]),
        "value": 100 * row["rate"],
        "lost": min(max(lost, 0.0), 1.0),
        "bright": lost > DARK,
        "interval": span(row["low"], row["high"]),
    }


def _heat_spec(values: Sequence[Spec]) -> Spec:
    color = quantitative("lost", scale={"scheme": "blues", "domain": [0, 1]}, legend=None)
    letters = {"condition": {"test": "datum.bright", "value": "#ffffff"}, "value": "#000000"}
    fields = tooltip(a="chosen by", b="judged by", value="rate, %", interval="interval, %")
    return chart(
        values,
        width={"step": 84},
        height={"step": 34},
        encoding={
            "x": nominal("a", axis={"labelAngle": -40, "orient": "bottom", "labelLimit": 120}),
            "y": nominal("b", axis={"labelLimit": 190}),
        },
        layer=[
            {"mark": {"type": "rect"}, "encoding": {"color": color, "tooltip": fields}},
            {
                "mark": {"type": "text", "fontSize": 12},
                "encoding": {"text": quantitative("value", format=".2f"), "color": letters},
            },
        ],
    )


def _choice_cells(row: Row, title: Titles) -> list[Cell]:
    return [
        text_cell(title(row["metric"])),
        text_cell(_chooser(row, title)),
        *(number_cell(row[key], percent(row[key])) for key in ("rate", "low", "high")),
        number_cell(row["difference"], signed(row["difference"], 2)),
        text_cell(signed_span(row["difference_low"], row["difference_high"], 2)),
    ]


def _ties(article: Article) -> Markup:
    """Return what the choice among equally good hypotheses can change."""
    title = titles(article.result)
    body = [
        [
            text_cell(row["system"]),
            text_cell(title(row["chosen_by"])),
            text_cell(title(row["metric"])),
            *(number_cell(row[key], count(row[key])) for key in ("lists", "tied", "differing")),
            *(number_cell(row[key], percent(row[key]))
              for key in ("rate", "lowest", "highest", "own")),
        ]
        for row in rows(article.result, "ties")
    ]  # fmt: skip
    header = ("system", "chosen by", "judged by", "lists", "tied", "differing", "rate, %",
              "best ties, %", "worst ties, %", "own choice, %")  # fmt: skip
    return data_table(header, body, label="ties") if body else Markup()


TIES = Section("ties", "Ties", "What the choice among equally good hypotheses can change", _ties)


@dataclass(frozen=True)
class OraclePage(Kind):
    """The best hypotheses of N-best lists: rates, translations, ties and the lists."""

    name = "oracle"
    cites = ("le2016",)
    sections: ClassVar[tuple[Section, ...]] = (TRANSLATED_CHOICES, TIES, EXPLORER)

    def headline(self, result: Result) -> str:
        """Return the rates of the first and of the best hypotheses."""
        return oracle_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the heat map of each system and the curves."""
        result = article.result
        named = unique(row["system"] for row in rows(result, "rates"))
        maps = (heat_map(result, system, at) for at, system in enumerate(named, start=1))
        return article.figures(maps), article.figure(curve_plot(result))
