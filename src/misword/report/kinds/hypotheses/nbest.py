"""Pages of N-best lists: oracle, minimum expected cost, combination and rescored lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from misword.core.formatting import count, is_number, percent, span
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
from misword.report.explorer.data import MAXIMAL_HYPOTHESES
from misword.report.explorer.section import EXPLORER
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.packing import NO_NUMBER, Data, packed
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.hypotheses import (
    RANK_1,
    RescoredLists,
    agreements_table,
    choosers,
    chosen_table,
    combination_rates_table,
    combined_texts_table,
    curves_table,
    mbr_rates_table,
    models_table,
    oracle_rates_table,
    scales_table,
    ties_table,
    translation_changes_table,
    translations_table,
)
from misword.stat.descriptions.result_access import Row, Titles, confidence, rows, titles, unique

# A table of texts has at most this many rows.
TEXTS_SHOWN = 100
# Cells of the heat map with a greater loss than this have white letters.
DARK = 0.6


def _translations(article: Article) -> Markup:
    """Return the scores of the translations of each choice, and their differences."""
    values = page_table(article, translations_table(article.result), "scores of the translations")
    changes = translation_changes_table(article.result)
    label = "differences of the translations"
    return joined([values, page_table(article, changes, label)]) if values else Markup()


TRANSLATED_CHOICES = Section(
    "translations", "Translations", "What the choice does to the translations", _translations
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
    return Figure(
        "oracle-curve",
        f"Best hypotheses by depth, {confidence(result)} intervals",
        "Rate of the choice that each metric makes from the first hypotheses of each list: "
        f"{text}.",
        line_plot(points, unique(names), x="depth", y="rate, %", fields=fields, log_ticks=ticks),
        *page_cells(None, replace(curves_table(result), rows=shown)),
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


def heat_map(result: Result, system: str, number: int) -> Figure | None:
    """Return the rates of one system: judged by the row's metric, chosen by the column's."""
    every = [row for row in rows(result, "rates") if row["system"] == system]
    shown = [row for row in every if is_number(row["rate"])]
    if not shown:
        return None
    title, chooser = titles(result), choosers(result)
    own = {row["metric"]: row["rate"] for row in shown if row["chosen_by"] == row["metric"]}
    first = {row["metric"]: row["rate"] for row in shown if row["chosen_by"] == RANK_1}
    values = [_heat_cell(row, title, chooser, own, first) for row in shown]
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['rate'])} % chosen by {chooser(row['chosen_by'])}"
        for row in shown
    )
    return Figure(
        f"oracle-choices-{number}",
        f"{system}: rates in %, judged by the row, chosen by the column",
        "The colour shows the share of the distance from the lowest rate to that of rank 1 that is "
        f"lost: {text}.",
        _heat_spec(values),
        *page_cells(None, replace(oracle_rates_table(result), rows=shown).without("system")),
    )


def _heat_cell(
    row: Row,
    title: Titles,
    chooser: Titles,
    own: dict[str, float],
    first: dict[str, float],
) -> Spec:
    lowest, highest = own.get(row["metric"], 0.0), first.get(row["metric"], 0.0)
    lost = (row["rate"] - lowest) / (highest - lowest) if highest > lowest else 0.0
    return {
        "a": chooser(row["chosen_by"]),
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


def _ties(article: Article) -> Markup:
    """Return what the choice among equally good hypotheses can change."""
    return page_table(article, ties_table(article.result), "ties")


TIES = Section("ties", "Ties", "What the choice among equally good hypotheses can change", _ties)


@dataclass(frozen=True)
class OraclePage(Kind):
    """The best hypotheses of N-best lists: rates, translations, ties and the lists."""

    name = "oracle"
    cites = ("le2016",)
    sections: ClassVar[tuple[Section, ...]] = (TRANSLATED_CHOICES, TIES, EXPLORER)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the heat map of each system and the curves."""
        result = article.result
        named = unique(row["system"] for row in rows(result, "rates"))
        maps = (heat_map(result, system, at) for at, system in enumerate(named, start=1))
        return article.figures(maps), article.figure(curve_plot(result))


def _scales(article: Article) -> Markup:
    """Return the rate at each scale."""
    return page_table(article, scales_table(article.result), "scales")


def _chosen_texts(article: Article) -> Markup:
    """Return chosen texts that are not of rank 1, the greatest gain first."""
    chosen = chosen_table(article.result)
    moved = [row for row in chosen.rows if row["rank"] > 1]
    moved.sort(key=lambda row: row["expected"] - row["expected_first"])
    return page_table(article, replace(chosen, rows=moved[:TEXTS_SHOWN]), "texts")


SCALES = Section("scales", "Scales", "The rate at each scale of the scores", _scales)
CHOSEN_TEXTS = Section("texts", "Texts", "Chosen texts that are not of rank 1", _chosen_texts)


@dataclass(frozen=True)
class MinimumRiskPage(Kind):
    """Choices with the least expected cost: their rates, the scales, and the texts."""

    name = "mbr"
    cites = ("stolcke1997",)
    sections: ClassVar[tuple[Section, ...]] = (SCALES, CHOSEN_TEXTS)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of rates."""
        return (page_table(article, mbr_rates_table(article.result), "rates"),)


def _combined_texts(article: Article) -> Markup:
    """Return the first combined texts."""
    texts = combined_texts_table(article.result)
    return page_table(article, replace(texts, rows=texts.rows[:TEXTS_SHOWN]))


COMBINED_TEXTS = Section("texts", "Texts", "The first combined texts", _combined_texts)


@dataclass(frozen=True)
class CombinationPage(Kind):
    """The combination of several systems: rates and texts."""

    name = "combination"
    cites = ("fiscus1997",)
    sections: ClassVar[tuple[Section, ...]] = (COMBINED_TEXTS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of rates."""
        return (page_table(article, combination_rates_table(article.result)),)


# All rescored lists with a search; the script `rescored.js` makes the list.


def _lists_section(article: Article) -> Markup:
    lists = RescoredLists.of(article.result)
    if lists is None:
        return Markup()
    shown = int(np.searchsorted(lists.starts, MAXIMAL_HYPOTHESES, side="right")) - 1
    block = article.add_data("rescored", list_data(lists, shown))
    place = element("div", class_="rescored", id=article.id("hypotheses"), data_rescored=block)
    left_out = len(lists) - shown
    note = f"The last {count(left_out)} lists are left out." if left_out else ""
    return joined([paragraph(note, "note"), place])


LISTS = Section("lists", "Lists", "All lists, and what the models prefer", _lists_section)


def list_data(lists: RescoredLists, shown: int) -> Data:
    """Return the first lists as data for the script."""
    size = int(lists.starts[shown])
    frame = lists.hypotheses.head(size)
    first = frame[lists.starts[:shown].tolist()]
    systems = first["system"].cast(str).to_list() if "system" in first.columns else []
    return {
        "ids": first["utt"].cast(str).to_list(),
        "systems": systems if len(set(systems)) > 1 else [],
        "lengths": packed(np.diff(lists.starts[: shown + 1])),
        "ranks": packed(frame["rank"].to_numpy()),
        "texts": frame["text"].fill_null("").to_list(),
        "models": [
            {
                "name": model,
                "values": packed(
                    frame[model].cast(float).fill_null(NO_NUMBER).to_numpy().astype(np.float32)
                ),
                "preferred": packed(lists.preferred[model][:shown]),
            }
            for model in lists.models
        ],
    }


INTRODUCTION = (
    "Log-probabilities are natural logarithms of the probability of the whole text. A model "
    "prefers the most probable hypothesis of a list; this favours short ones. misword tune finds "
    "weights for a choice."
)


@dataclass(frozen=True)
class RescoredPage(Kind):
    """Log-probabilities of language models, and the hypothesis that each model prefers."""

    name = "rescored"
    sections: ClassVar[tuple[Section, ...]] = (LISTS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return what the numbers are, the table of the models, and how often they agree."""
        if RescoredLists.of(article.result) is None:
            return ()
        notes = article.result.provenance.get("notes", ())
        return (
            paragraph(INTRODUCTION, "introduction"),
            *(paragraph(without_direction_marks(str(note)), "note") for note in notes),
            page_table(article, models_table(article.result), "language models"),
            page_table(article, agreements_table(article.result), "agreement"),
        )
