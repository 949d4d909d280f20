"""How agreement with people is shown: whether metrics prefer the transcripts that people prefer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import count, counted, is_number, listed, percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.charts import Figure, Spec, interval_plot, scaled_interval, tooltip
from misword.report.html.markup import Cell, Markup, data_table, number_cell, text_cell
from misword.report.html.text import interval_in_sentence
from misword.report.kinds import Kind
from misword.report.result_access import (
    Row,
    Titles,
    confidence,
    metrics,
    rows,
    titles,
    unique,
)

# The table of triplets has at most this many rows.
TRIPLETS_SHOWN = 20
# The headline names at most this many metrics with an overlapping interval.
NAMED = 3
HEADER = ("metric", "consensus", "triplets", "agreed, %", "from", "to", "with half for ties, %",
          "ties, %")  # fmt: skip


def agreement_headline(result: Result) -> str:
    """Return the metric that agrees most often with people, at the highest consensus."""
    shown = [row for row in rows(result, "agreement") if is_number(row["agreed"])]
    if not shown:
        return ""
    level, title = shown[0]["consensus"], titles(result)
    ranked = sorted(
        (row for row in shown if row["consensus"] == level), key=lambda row: -row["agreed"]
    )
    first, *others = ranked
    interval = interval_in_sentence(confidence(result), span(first["low"], first["high"], 1))
    share = f"{percent(first['agreed'], 1)} %{interval} of {counted(first['triplets'], 'triplet')}"
    share += f" (consensus {level})"
    name = title(first["metric"])
    if not others:
        return f"{name} chooses as people do in {share}."
    most = "most often" if first["agreed"] > others[0]["agreed"] else "as often as any"
    return f"{name} chooses as people do {most}: {share}{_overlapping(first, others, title)}."


def _overlapping(first: Row, others: list[Row], title: Titles) -> str:
    """Return the metrics whose interval overlaps that of the first: there is no test of these."""
    if not _has_interval(first):
        return ""
    near = [
        title(row["metric"]) for row in others if _has_interval(row) and row["high"] >= first["low"]
    ]
    if not near:
        return "; no other metric's interval reaches its own"
    if len(near) == 1:
        return f"; {near[0]} has an interval that overlaps with its own"
    names = listed(near) if len(near) <= NAMED else f"{len(near)} other metrics"
    return f"; {names} have intervals that overlap with its own"


def _has_interval(row: Row) -> bool:
    return is_number(row.get("low")) and is_number(row.get("high"))


def agreement_plot(result: Result) -> Figure | None:
    """Return how often each metric prefers what people prefer, by level of consensus."""
    shown = [row for row in rows(result, "agreement") if is_number(row["agreed"])]
    if not shown:
        return None
    title = titles(result)
    points = [_point(row, title) for row in shown]
    series = unique(point["series"] for point in points)
    fields = tooltip(row="metric", series="people", shown="agreed", interval="interval, %")
    text = "; ".join(
        f"{title(row['metric'])} {percent(row['agreed'], 1)} % (consensus {row['consensus']})"
        for row in shown
    )
    return Figure(
        "agreement",
        f"Agreement with people, {confidence(result)} intervals",
        f"Share of triplets in which the metric prefers what most people chose, ties counted as "
        f"wrong: {text}. The dashed line is what a coin would get.",
        interval_plot(points, series, title="triplets agreed, %", line=50, fields=fields),
        HEADER,
        [_cells(row, title) for row in shown],
    )


def _point(row: Row, title: Titles) -> Spec:
    x, low, high = scaled_interval(row["agreed"], row["low"], row["high"])
    return {
        "row": title(row["metric"]),
        "series": f"consensus {row['consensus']}",
        "x": x,
        "low": low,
        "high": high,
        "shown": f"{percent(row['agreed'], 1)} %",
        "interval": span(row["low"], row["high"], 1),
    }


def _cells(row: Row, title: Titles) -> list[Cell]:
    shares = ("agreed", "low", "high", "half", "ties")
    return [
        text_cell(title(row["metric"])),
        text_cell(row["consensus"]),
        number_cell(row["triplets"], count(row["triplets"])),
        *(number_cell(row[name], percent(row[name], 1)) for name in shares),
    ]


def _disagreements(article: Article) -> Markup:
    """Return triplets in which metrics prefer what most people rejected, most metrics first."""
    labels = metrics(article.result)
    judged = []
    for row in rows(article.result, "triplets"):
        margin = row["votes_a"] - row["votes_b"]
        against = sum(_is_against(row, label, margin) for label in labels)
        if against:
            judged.append((against, abs(margin), row))
    judged.sort(key=lambda item: item[:2], reverse=True)
    if not judged:
        return Markup()
    body = [
        [
            text_cell(row["reference"]),
            text_cell(row["a"]),
            number_cell(row["votes_a"], count(row["votes_a"])),
            text_cell(row["b"]),
            number_cell(row["votes_b"], count(row["votes_b"])),
            number_cell(against, f"{against} of {len(labels)}"),
        ]
        for against, _, row in judged[:TRIPLETS_SHOWN]
    ]
    header = ["reference", "a", "votes", "b", "votes", "metrics against the majority"]
    return data_table(header, body, label="triplets", tall=True)


def _is_against(row: Row, label: str, margin: int) -> bool:
    """Return whether a metric gives the higher error rate to the transcript that most chose."""
    a, b = row.get(f"{label}.a"), row.get(f"{label}.b")
    return is_number(a) and is_number(b) and margin * (a - b) > 0


DISAGREEMENTS = Section("people", "People", "Where metrics and people disagree", _disagreements)


@dataclass(frozen=True)
class Agreement(Kind):
    """How often each metric agrees with people, and the triplets on which metrics do not."""

    name = "agreement"
    cites = ("hats2023",)
    sections: ClassVar[tuple[Section, ...]] = (DISAGREEMENTS,)

    def headline(self, result: Result) -> str:
        """Return the metric that agrees most often with people."""
        return agreement_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the chart of agreement."""
        return (article.figure(agreement_plot(article.result)),)
