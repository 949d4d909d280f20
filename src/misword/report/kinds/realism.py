"""How the realism of noise channels is shown: the bits that each needs for real errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    counted,
    interval_in_sentence,
    is_number,
    number,
    number_span,
    percent,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup, data_table, number_cell, text_cell
from misword.stat.descriptions.result_access import confidence, rows, table

ERRORS_SHOWN = 100


def realism_headline(result: Result) -> str:
    """Return the channel that needs the fewest bits for the errors of the recogniser."""
    shown = [row for row in rows(result, "summary") if is_number(row["bits"])]
    if not shown:
        return ""
    best = min(shown, key=lambda row: float(row["bits"]))
    interval = interval_in_sentence(confidence(result), number_span(best["low"], best["high"]))
    errors = counted(best["errors"], "substitution")
    return (
        f"No channel needs fewer bits for the recogniser's errors than {best['channel']}: "
        f"{number(best['bits'], 2)} for each of {errors}{interval}."
    )


def _summary(result: Result) -> Markup:
    """Return a table with a row for each channel."""
    level = f"{confidence(result)} interval"
    header = ("channel", "bits", level, "difference", level, "coverage, %", "mean rank",
              "median rank")  # fmt: skip
    body = [
        [
            text_cell(row["channel"]),
            number_cell(row["bits"], number(row["bits"], 2)),
            text_cell(number_span(row["low"], row["high"])),
            number_cell(row["difference"], number(row["difference"], 2)),
            text_cell(number_span(row["difference_low"], row["difference_high"])),
            number_cell(row["coverage"], percent(row["coverage"], 1)),
            number_cell(row["mean_rank"], number(row["mean_rank"], 1)),
            number_cell(row["median_rank"], number(row["median_rank"], 1)),
        ]
        for row in rows(result, "summary")
    ]
    return data_table(header, body, label="channels") if body else Markup()


def _errors(article: Article) -> Markup:
    """Return distinct test errors, the most frequent first, with their bits under each channel."""
    errors = table(article.result, "errors")
    if errors is None:
        return Markup()
    channels = [row["channel"] for row in rows(article.result, "summary")]
    bits = [f"{name}.bits" for name in channels if f"{name}.bits" in errors.columns]
    # Equal errors have equal bits.
    distinct = errors.unique(["said", "heard"], keep="first", maintain_order=True)
    times = errors.group_by("said", "heard").len("times")
    shown = distinct.join(times, on=["said", "heard"], how="left", maintain_order="left")
    shown = shown.sort("times", descending=True, maintain_order=True).head(ERRORS_SHOWN)
    body = [
        [
            text_cell(row["said"]),
            text_cell(row["heard"]),
            number_cell(row["times"], count(row["times"])),
            *(number_cell(row[name], number(row[name], 2)) for name in bits),
        ]
        for row in shown.iter_rows(named=True)
    ]
    header = ("said", "heard", "times", *(f"{name.removesuffix('.bits')}, bits" for name in bits))
    return data_table(header, body, label="errors", tall=True)


ERRORS = Section("errors", "Errors", "Real errors, and their bits", _errors)


@dataclass(frozen=True)
class RealismPage(Kind):
    """The realism of channels: bits for each real error, and the errors themselves."""

    name = "realism"
    sections: ClassVar[tuple[Section, ...]] = (ERRORS,)

    def headline(self, result: Result) -> str:
        """Return the channel that needs the fewest bits."""
        return realism_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the table of channels."""
        return (_summary(article.result),)
