"""The page of a comparison: verdicts, the forest plot, and the table of differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from misword.core.formatting import (
    count,
    counted,
    is_number,
    p_in_sentence,
    percent,
    probability,
    signed,
    signed_span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    interval_plot,
    intervals_in_title,
    scaled_interval,
    tooltip,
    unsure_note,
)
from misword.report.explorer.passages import PASSAGES_SECTION
from misword.report.explorer.section import EXPLORER
from misword.report.kinds.comparison.breakdown import (
    CONTRAST,
    GROUPS,
    SLICES,
    WORD_CHANGES,
    WORST,
)
from misword.report.kinds.scores import ScoresPage, explanation, sentence_in_full
from misword.report.markup import Markup, Tile, paragraph, tiles, without_direction_marks
from misword.report.sections.entities import ENTITIES
from misword.report.sections.metric_correlations import METRIC_CORRELATIONS
from misword.report.sections.rates import (
    ERROR_KINDS,
    RANKINGS,
    forgiveness_sentence,
    introduction,
    lead_ranking,
)
from misword.report.sections.severity import SEVERITY
from misword.report.sections.speakers import SPEAKERS
from misword.report.sections.times import TIMES
from misword.report.sections.utterances import FLAGGED, UTTERANCE_CHANGES
from misword.report.sections.words import CONFUSIONS, FORGIVEN
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.comparison import (
    comparison_headline,
    differences_table,
    lead_row,
    pairs_table,
    tied_leaders,
    verdict_counts,
)
from misword.stat.descriptions.result_access import (
    Row,
    Titles,
    Verdict,
    confidence,
    deciding_p,
    rows,
    table,
    titles,
    unique,
    verdict,
)
from misword.stat.descriptions.scores import scores_headline

# The first screen of a comparison: a short verdict, and the rates before and after.

# The first screen has at most this many tiles; the table has all differences.
TILES = 4
# A tile of several systems names at most this many.
NAMED_SYSTEMS = 4
VERDICT_WORDS: dict[Verdict, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "no difference can be shown",
    "untested": "not tested",
}


def comparison_answer(result: Result) -> str:
    """Return the verdict with the rates before and after; empty if there are no differences."""
    differences, title = rows(result, "differences"), titles(result)
    if not differences:
        return ""
    if len(unique(row["system"] for row in differences)) > 1:
        return _of_several(result, differences, title)
    verdicts = [verdict(row) for row in differences]
    lead = lead_row(differences)
    change = f"{title(lead['metric'])} {before_and_after(lead)}"
    if set(verdicts) == {"untested"}:
        return f"{lead['system']} against {lead['baseline']}, not tested: {change}."
    return f"{verdict_counts(differences, verdicts, title)}: {change}."


def before_and_after(row: Row) -> str:
    """Return both rates and the relative change.

    >>> row = {"baseline_rate": 0.042, "rate": 0.0794, "relative": 0.8904}
    >>> before_and_after(row), before_and_after(row | {"baseline_rate": 0.0, "relative": None})
    ('4.2 → 7.9 %, +89.0 %', '0.0 → 7.9 %')
    """
    old, new = row["baseline_rate"], row["rate"]
    if not (is_number(old) and is_number(new)):
        return "undefined"
    same = percent(old, 1) == percent(new, 1) and old != new
    rates = f"{percent(old, 1 + same)} → {percent(new, 1 + same)} %"
    return f"{rates}, {signed(row['relative'], 1)} %" if is_number(row["relative"]) else rates


def comparison_tiles(result: Result) -> list[Tile]:
    """Return a tile for each metric; of several systems, how many are better and worse."""
    differences, title = rows(result, "differences"), titles(result)
    lead = lead_row(differences)
    if len(unique(row["system"] for row in differences)) == 1:
        others = [row for row in differences if row is not lead]
        return [_of_metric(row, title(row["metric"])) for row in [lead, *others][:TILES]]
    of_lead = [row for row in differences if row["metric"] == lead["metric"]]
    judged_rows = {
        judged: sorted(
            (row for row in of_lead if verdict(row) == judged), key=lambda row: row["rate"] or 0
        )
        for judged in VERDICT_WORDS
    }
    return [
        Tile(
            f"{title(lead['metric'])} against {lead['baseline']}",
            _named_changes(shown),
            VERDICT_WORDS[judged],
            judged,
            f"{percent(lead['baseline_rate'], 1)} % → {_rates(shown)} %",
        )
        for judged, shown in judged_rows.items()
        if shown
    ]


def _named_changes(shown: Sequence[Row]) -> str:
    """Return the names of systems with their relative changes; of many, the first few.

    >>> _named_changes([{"system": "b", "relative": 0.108}, {"system": "c", "relative": None}])
    'b\\xa0+10.8 %, c'
    """
    texts = [
        f"{row['system']}\u00a0{signed(row['relative'], 1)} %"
        if is_number(row["relative"])
        else row["system"]
        for row in shown[:NAMED_SYSTEMS]
    ]
    more = len(shown) - NAMED_SYSTEMS
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def _rates(shown: Sequence[Row]) -> str:
    """Return the lowest and the highest rate of several systems, or that of one."""
    ends = dict.fromkeys(percent(shown[at]["rate"], 1) for at in (0, -1))
    return " to ".join(ends)


def _of_metric(row: Row, name: str) -> Tile:
    """Return the tile of one metric: both rates, the relative change and the verdict."""
    shown, _, relative = before_and_after(row).partition(", ")
    judged = verdict(row)
    words = ", ".join(filter(None, [relative, VERDICT_WORDS[judged]]))
    tally = [row.get(key) for key in ("better", "worse")]
    better, worse = tally
    remark = (
        f"{counted(round(better), 'utterance')} better, {count(worse)} worse"
        if is_number(better) and is_number(worse)
        else ""
    )
    return Tile(name, shown, words, judged, remark)


def _of_several(result: Result, differences: Sequence[Row], title: Titles) -> str:
    """Return who leads by the lead metric: one system with its change, or several that are tied."""
    lead = lead_row(differences)
    name, baseline = title(lead["metric"]), lead["baseline"]
    of_lead = [row for row in differences if row["metric"] == lead["metric"]]
    defined = [row for row in of_lead if is_number(row["rate"])]
    systems = f"of {len(of_lead) + 1} systems"
    if not defined or not is_number(lead["baseline_rate"]):
        return f"{name} is undefined for some {systems}."
    if tied := tied_leaders(result, lead["metric"], title):
        return f"{tied}."
    lowest = min(defined, key=lambda row: row["rate"])
    if lowest["rate"] > lead["baseline_rate"]:
        return f"{baseline} has the lowest {name} {systems}: {percent(lead['baseline_rate'], 1)} %."
    unsure = " (no difference can be shown)" if verdict(lowest) == "unclear" else ""
    change = f"{before_and_after(lowest)} against {baseline}{unsure}"
    return f"{lowest['system']} has the lowest {name} {systems}: {change}."


# The forest plot: relative changes against the first system, with their intervals.


def forest_plot(result: Result) -> Figure | None:
    """Return the plot of relative changes; points that are not distinguishable are hollow."""
    shown = [row for row in rows(result, "differences") if is_number(row["relative"])]
    if not shown:
        return None
    title, share, baseline = titles(result), confidence(result), shown[0]["baseline"]
    systems = unique(row["system"] for row in shown)
    spec = interval_plot(
        [_forest_point(row, title) for row in shown],
        systems,
        title=[f"change against {baseline}, %", "left of the line: fewer errors"],
        line=0,
        fields=tooltip(
            row="metric", series="system", change="change", interval="interval, %", p="p"
        ),
        hollow=True,
    )
    text = "; ".join(
        f"{row['system'] + ': ' if len(systems) > 1 else ''}{title(row['metric'])} "
        f"{signed(row['relative'])} %{_interval_and_p(row)}"
        for row in shown
    )
    return Figure(
        "forest",
        f"Relative change{intervals_in_title(share, systems, tested=True)}",
        f"Relative change of each metric against {baseline}: {text}. {unsure_note(systems)}",
        spec,
        *page_cells(None, replace(differences_table(result), rows=shown)),
    )


def _forest_point(row: Row, title: Titles) -> Spec:
    x, low, high = scaled_interval(row["relative"], row["relative_low"], row["relative_high"])
    return {
        "row": title(row["metric"]),
        "series": row["system"],
        "x": x,
        "low": low,
        "high": high,
        "sure": verdict(row) in ("better", "worse"),
        "change": f"{signed(row['relative'])} %",
        "interval": signed_span(row["relative_low"], row["relative_high"]),
        "p": probability(deciding_p(row)),
    }


def _interval_and_p(row: Row) -> str:
    """Return the interval and the p-value in brackets; empty where both are missing."""
    p = deciding_p(row)
    interval = signed_span(row["relative_low"], row["relative_high"])
    parts = [interval, "" if p is None else p_in_sentence(p)]
    shown = ", ".join(part for part in parts if part)
    return f" ({shown})" if shown else ""


@dataclass(frozen=True)
class ComparisonPage(ScoresPage):
    """Differences with their tests; a comparison without differences is shown as its scores."""

    name = "comparison"
    sections: ClassVar[tuple[Section, ...]] = (
        GROUPS,
        ERROR_KINDS,
        RANKINGS,
        ENTITIES,
        SEVERITY,
        SPEAKERS,
        TIMES,
        METRIC_CORRELATIONS,
        SLICES,
        WORD_CHANGES,
        UTTERANCE_CHANGES,
        CONTRAST,
        WORST,
        PASSAGES_SECTION,
        EXPLORER,
        FLAGGED,
        CONFUSIONS,
        FORGIVEN,
    )

    def headline(self, result: Result) -> str:
        """Return the headline of the differences, or that of the scores if there are none."""
        return comparison_headline(result) or scores_headline(result)

    def answer(self, result: Result) -> str:
        """Return the verdict with the rates before and after."""
        return comparison_answer(result) or super().answer(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the verdicts as tiles, the forest plot and the table of differences."""
        result = article.result
        if not rows(result, "differences"):
            return super().opening(article)
        differences = differences_table(result)
        sentences = [*introduction(result), *differences.notes]
        return (
            tiles(comparison_tiles(result), "differences"),
            explanation(result),
            paragraph(without_direction_marks(forgiveness_sentence(result)), "summary"),
            article.figures([lead_ranking(result), forest_plot(result)]),
            sentence_in_full(comparison_headline(result)),
            page_table(article, differences, "differences"),
            page_table(article, pairs_table(result), "all pairs"),
            paragraph(without_direction_marks(" ".join(sentences)), "note"),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on intervals, tests, corrections, slices and contrast."""
        yield from super().citations(result)
        differences = rows(result, "differences")
        if differences:
            yield from ("bisani2004", "noreen1989", "holm1979")
        if any(is_number(row.get("p_mapsswe")) for row in differences):
            yield "gillick1989"
        if table(result, "slices") is not None or table(result, "contrast") is not None:
            yield "roux2022"
