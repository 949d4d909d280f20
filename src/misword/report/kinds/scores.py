"""The page of scores: tiles, rates, correlations and utterances."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted, is_number, percent, span
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.passages import PASSAGES_SECTION
from misword.report.explorer.section import EXPLORER
from misword.report.kinds import Kind
from misword.report.markup import (
    Markup,
    Tile,
    paragraph,
    tiles,
    with_unbroken_numbers,
    without_direction_marks,
)
from misword.report.rates import ERRORS, error_rates, overall_rows, ranked_rows
from misword.report.sections.confidences import CONFIDENCES
from misword.report.sections.entities import ENTITIES
from misword.report.sections.metric_correlations import METRIC_CORRELATIONS
from misword.report.sections.rates import (
    ERROR_KINDS,
    RANKINGS,
    RATE_GROUPS,
    SEVERAL_REFERENCES,
    forgiveness_sentence,
    introduction,
    rate_figure,
    rates_of_first_groups,
)
from misword.report.sections.severity import SEVERITY
from misword.report.sections.speakers import SPEAKERS
from misword.report.sections.timeline import TIMELINE
from misword.report.sections.times import LATENCIES, TIMES
from misword.report.sections.utterances import FLAGGED, UTTERANCE_CHANGES
from misword.report.sections.words import CONFUSIONS, FORGIVEN, FORMATTING
from misword.report.tables import page_table
from misword.stat.descriptions.result_access import (
    Row,
    confidence,
    lead_metric,
    metrics,
    rows,
    titles,
    unique,
)
from misword.stat.descriptions.scores import scores_headline

# The first screen of scores: a short heading and one large number for each metric or system.

# The first screen has at most this many tiles; the table has all rates.
TILES = 4


def scores_answer(result: Result) -> str:
    """Return the rate of the lead metric in a short sentence; empty if no rate is defined."""
    rows, title = overall_rows(result), titles(result)
    label = lead_metric(unique(row["metric"] for row in rows))
    ranked = ranked_rows(rows, label)
    if not ranked:
        return ""
    lowest, *others = ranked
    if not others:
        return f"{title(label)} {_tile_rate(lowest)}{_in_words(lowest)}."
    against = f"{others[0]['system']} has {_tile_rate(others[0])}"
    if len(others) > 1:
        against = (
            f"the {len(others)} others have {_tile_rate(others[0])} to {_tile_rate(others[-1])}"
        )
    if lowest["rate"] == others[0]["rate"]:
        return f"No system alone has the lowest {title(label)}: {_tile_rate(lowest)}."
    return f"{lowest['system']} has the lowest {title(label)}: {_tile_rate(lowest)}; {against}."


def scores_tiles(result: Result) -> list[Tile]:
    """Return a tile for each metric of one system, or for each system with the lowest rates."""
    rows, title, share = overall_rows(result), titles(result), confidence(result)
    labels = unique(row["metric"] for row in rows)
    label = lead_metric(labels)
    ranked = ranked_rows(rows, label)
    if len(ranked) > 1:
        return [_tile(row, row["system"], share) for row in ranked[:TILES]]
    ordered = [label, *(name for name in labels if name != label)]
    shown = [row for name in ordered for row in ranked_rows(rows, name)]
    return [_tile(row, title(row["metric"]), share) for row in shown[:TILES]]


def explanation(result: Result) -> Markup:
    """Return what the lead metric counts, for readers who do not know it."""
    label, title = lead_metric(metrics(result)), titles(result)
    text = f"{title(label)} is an error rate. Lower is better." if label else ""
    if label.partition(":")[0] == "wer":
        counts = "errors (wrong, missing and extra words) for each 100 words of the reference"
        text = f"{title(label)} is the word error rate: {counts}. Lower is better."
    return paragraph(without_direction_marks(text), "introduction")


def sentence_in_full(headline: str) -> Markup:
    """Return the headline, with its intervals and tests, as the text above the table."""
    return paragraph(with_unbroken_numbers(without_direction_marks(headline)), "summary")


def _tile(row: Row, name: str, share: str) -> Tile:
    interval = span(row.get("low"), row.get("high"), 1)
    rates = error_rates(row)
    errors = ", ".join(f"{percent(rates[key], 1)} {text}" for key, text in ERRORS.items() if rates)
    remark = f"per 100: {errors}" if errors else ""
    return Tile(
        name, _tile_rate(row), f"{share} interval {interval}" if interval else "", None, remark
    )


def _in_words(row: Row) -> str:
    """Return the rate as a number of errors in a number of words; empty if it is not of words."""
    if row["metric"].partition(":")[0] != "wer":
        return ""
    if row["rate"] == 0:
        return ": no errors"
    words = 100 if row["rate"] >= 0.01 else 1000
    return f": about {counted(round(words * row['rate']), 'error')} in {words:,} words"


def _tile_rate(row: Row) -> str:
    return f"{percent(row['rate'], 1)} %"


@dataclass(frozen=True)
class ScoresPage(Kind):
    """Rates with intervals; below them the correlations, the changes and the utterances."""

    name = "scores"
    sections: ClassVar[tuple[Section, ...]] = (
        SEVERAL_REFERENCES,
        ERROR_KINDS,
        RATE_GROUPS,
        RANKINGS,
        ENTITIES,
        SEVERITY,
        SPEAKERS,
        TIMELINE,
        TIMES,
        LATENCIES,
        METRIC_CORRELATIONS,
        UTTERANCE_CHANGES,
        PASSAGES_SECTION,
        EXPLORER,
        FLAGGED,
        CONFUSIONS,
        CONFIDENCES,
        FORMATTING,
        FORGIVEN,
    )

    def answer(self, result: Result) -> str:
        """Return the lowest rate of the lead metric in a short sentence."""
        return scores_answer(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the rates as tiles, their chart and their table."""
        result = article.result
        rates, left_out = rates_of_first_groups(result)
        return (
            tiles(scores_tiles(result), "rates"),
            explanation(result),
            paragraph(without_direction_marks(forgiveness_sentence(result)), "summary"),
            article.figure(rate_figure(result)),
            sentence_in_full(scores_headline(result) if scores_answer(result) else ""),
            page_table(article, rates, "rates"),
            paragraph(without_direction_marks(" ".join([*introduction(result), left_out])), "note"),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the paper on bootstrap intervals, if there are any."""
        bounded = any(is_number(row.get("low")) for row in rows(result, "summary"))
        return ("bisani2004",) if bounded else ()
