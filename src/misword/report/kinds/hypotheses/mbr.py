"""How choices with the least expected cost are shown: rates, scales and chosen texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    interval_in_sentence,
    is_number,
    number,
    percent,
    probability,
    signed,
    signed_span,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup, data_table, number_cell, text_cell
from misword.stat.descriptions.result_access import confidence, rows, titles

RANK_1, MBR, HELD_OUT = "rank 1", "mbr", "mbr, held out"
# The table of texts has at most this many rows.
TEXTS_SHOWN = 100


def mbr_headline(result: Result) -> str:
    """Return the rates of rank 1 and of the choice, or how many lists have another choice."""
    rated = [row for row in rows(result, "rates") if is_number(row["rate"])]
    if not rated:
        chosen = rows(result, "chosen")
        if not chosen:
            return ""
        others = sum(row["rank"] > 1 for row in chosen)
        return (
            f"The hypothesis with the least expected cost is not the first one in {count(others)} "
            f"of {count(len(chosen))} lists."
        )
    metric = rated[0]["metric"]
    own = {row["choice"]: row for row in rated if row["metric"] == metric}
    first, best = own[RANK_1], own.get(HELD_OUT, own[MBR])
    interval = interval_in_sentence(confidence(result), span(best["low"], best["high"], 2))
    held_out = " on held-out lists" if best["choice"] == HELD_OUT else ""
    return (
        f"The hypotheses with the least expected cost have {titles(result)(metric)} "
        f"{percent(best['rate'])} %{held_out}{interval}; the first ones have "
        f"{percent(first['rate'])} %."
    )


def _rates(result: Result) -> Markup:
    """Return a table with a row for each metric and choice."""
    title, level = titles(result), f"{confidence(result)} interval"
    body = [
        [
            text_cell(title(row["metric"])),
            text_cell(row["choice"]),
            number_cell(row["rate"], percent(row["rate"])),
            text_cell(span(row["low"], row["high"], 2)),
            number_cell(row["difference"], signed(row["difference"], 2)),
            text_cell(signed_span(row["difference_low"], row["difference_high"], 2)),
            number_cell(row["p"], probability(row["p"])),
        ]
        for row in rows(result, "rates")
    ]
    header = ("metric", "choice", "rate, %", level, "difference from rank 1", level, "p")
    return data_table(header, body, label="rates") if body else Markup()


def _scales(article: Article) -> Markup:
    """Return the rate at each scale."""
    body = [
        [
            number_cell(row["scale"], f"{row['scale']:g}"),
            number_cell(row["rate"], percent(row["rate"])),
            number_cell(row["folds"], count(row["folds"])),
        ]
        for row in rows(article.result, "scales")
    ]
    header = ("scale", "rate of all lists, %", "folds that chose it")
    return data_table(header, body, label="scales") if body else Markup()


def _texts(article: Article) -> Markup:
    """Return chosen texts that are not of rank 1, the greatest gain first."""
    moved = [row for row in rows(article.result, "chosen") if row["rank"] > 1]
    moved.sort(key=lambda row: row["expected"] - row["expected_first"])
    body = [
        [
            text_cell(row["utt"]),
            number_cell(row["rank"], count(row["rank"])),
            number_cell(row["expected"], number(row["expected"], 3)),
            number_cell(row["expected_first"], number(row["expected_first"], 3)),
            text_cell(row["text"] or ""),
        ]
        for row in moved[:TEXTS_SHOWN]
    ]
    header = ("utterance", "rank", "expected cost", "expected cost of rank 1", "text")
    return data_table(header, body, label="texts", tall=True) if body else Markup()


SCALES = Section("scales", "Scales", "The rate at each scale of the scores", _scales)
TEXTS = Section("texts", "Texts", "Chosen texts that are not of rank 1", _texts)


@dataclass(frozen=True)
class MinimumRiskPage(Kind):
    """Choices with the least expected cost: their rates, the scales, and the texts."""

    name = "mbr"
    cites = ("stolcke1997",)
    sections: ClassVar[tuple[Section, ...]] = (SCALES, TEXTS)

    def headline(self, result: Result) -> str:
        """Return the rates of rank 1 and of the choice."""
        return mbr_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of rates."""
        return (_rates(article.result),)
