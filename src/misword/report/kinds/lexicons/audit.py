"""The page of an audit: flags, composition, leaks, and systems on variants of the lexicon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from misword.core.formatting import count, counted, listed, percent
from misword.core.tables import Table
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.charts import (
    Figure,
    Spec,
    chart,
    interval_plot,
    nominal,
    quantitative,
    rate_point,
    tooltip,
)
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.tables import page_cells, page_table
from misword.stat.descriptions.lexicons import (
    composition_table,
    conclusions_table,
    doubtful_table,
    flagged_pairs_table,
    flags_table,
    leaks_table,
    margins_table,
    rankings_table,
)
from misword.stat.descriptions.result_access import Row, confidence, rows, table, titles, unique

# The flags of pairs: their numbers, a chart, and the pairs with the most probable flags.

PAIRS_SHOWN = 200  # of each flag


def _flags(result: Result) -> Table:
    """Return the flags with their examples at the end, where there is room for them."""
    names = ("flag", "pairs", "share", "headwords", "headword_share", "expected", "example")
    return flags_table(result).only(*names)


def flag_figure(result: Result) -> Figure | None:
    """Return a bar for the share of pairs with each flag."""
    title = titles(result)
    shown = [row for row in rows(result, "summary") if row["pairs"]]
    if not shown:
        return None
    values = [_bar(title(row["flag"]), row["share"], row["pairs"]) for row in shown]
    text = "; ".join(f"{title(row['flag'])} {percent(row['share'])} %" for row in shown)
    return Figure(
        "flags",
        "Share of pairs with each flag",
        f"{text}.",
        bar_chart(values, "pairs, %"),
        *page_cells(None, replace(flags_table(result).only("flag", "pairs", "share"), rows=shown)),
    )


def _bar(name: str, share: float, number: int) -> Spec:
    return {"row": name, "x": 100 * share, "shown": f"{percent(share)} %", "number": count(number)}


def bar_chart(values: list[Spec], title: str) -> Spec:
    """Return a chart with a horizontal bar for each `row`, as long as `x`."""
    encoding = {
        "y": nominal("row", axis={"labelLimit": 190, "tickSize": 0}),
        "x": quantitative("x", title=title),
        "tooltip": tooltip(row="what", shown="share", number="number"),
    }
    return chart(values, height={"step": 24}, mark={"type": "bar"}, encoding=encoding)


def _pairs(article: Article) -> Markup:
    """Return the pairs of each flag, the most probable first."""
    title, threshold = titles(article.result), article.result.provenance.get("threshold", 0.5)
    by_flag: dict[str, list[Row]] = {}
    for row in rows(article.result, "flags"):
        by_flag.setdefault(row["flag"], []).append(row)
    return joined(
        element(
            "details",
            element("summary", f"{title(flag)}: {_numbers(found, threshold)}"),
            _flag_pairs(article, found),
        )
        for flag, found in by_flag.items()
    )


def _numbers(found: list[Row], threshold: float) -> str:
    """Return how many pairs have a flag, and how many have it with less than the threshold."""
    flagged = sum(row["probability"] >= threshold for row in found)
    less = len(found) - flagged
    return counted(flagged, "pair") + (f", {less:,} less probable" if less else "")


def _flag_pairs(article: Article, found: list[Row]) -> Markup:
    """Return the table of one flag."""
    table = flagged_pairs_table(found)
    shown = replace(table, rows=table.rows[:PAIRS_SHOWN])
    note = f"The first {PAIRS_SHOWN} of {len(found):,}." if len(found) > PAIRS_SHOWN else ""
    return joined([paragraph(note, "note"), page_table(article, shown)])


FLAGGED = Section("flagged", "Pairs", "The pairs of each flag", _pairs)


# What the lexicon consists of, and what it shares with the training lexicon.

TITLES = {
    "part of speech": "Pairs by part of speech",
    "source frequency": "Source words by rank in the word vectors",
    "target frequency": "Target words by rank in the word vectors",
    "senses": "Headwords by number of translations",
}


def _composition(article: Article) -> Markup:
    kinds = unique(row["by"] for row in rows(article.result, "composition"))
    return article.figures(_composition_figure(article.result, kind) for kind in kinds)


def _composition_figure(result: Result, kind: str) -> Figure:
    """Return a bar for each value."""
    table = composition_table(result, kind)
    values = [
        _bar(row["value"], row["count"] / max(1, row["whole"]), row["count"]) for row in table.rows
    ]
    text = "; ".join(f"{value['row']} {value['shown']}" for value in values)
    return Figure(
        f"composition-{kind.replace(' ', '-')}",
        TITLES.get(kind, kind),
        f"{text}.",
        bar_chart(values, "%"),
        *page_cells(None, table),
    )


def _leaks(article: Article) -> Markup:
    return page_table(article, leaks_table(article.result))


COMPOSITION = Section("composition", "Composition", "What the lexicon consists of", _composition)
LEAKS = Section("leaks", "Leaks", "What it shares with the training lexicon", _leaks)


# Systems on variants of the lexicon, and their errors that a person should judge.

ERRORS_SHOWN = 300
SYSTEMS_NOTE = (
    "Hit rates on the lexicon as it is, without proper nouns, with other forms of its translations "
    "filled in, and with the translations of other dictionaries filled in."
)
TEST_NOTE = (
    "Positive is better for the first system of a row. p by paired permutation test over "
    "headwords, corrected for the number of comparisons on each lexicon (Holm); a system is better "
    "if p is below 0.05."
)
ERRORS_NOTE = (
    "Best candidates that are not in the gold lexicon, but that another source confirms, or "
    "where another system is right. Those with the most evidence come first. Write yes or no into "
    "the file of --judge, and run the command again."
)


def _systems(article: Article) -> Markup:
    found = rows(article.result, "rankings")
    if not found:
        return Markup()
    return joined(
        [
            paragraph(SYSTEMS_NOTE, "note"),
            article.figure(_systems_figure(article.result, found)),
            page_table(article, rankings_table(article.result), "systems"),
            _conclusions(article),
        ]
    )


def _systems_figure(result: Result, found: list[Row]) -> Figure:
    """Return the rates at the first k: a row for each lexicon, a point for each system."""
    metric = found[0]["metric"]
    shown = [row for row in found if row["metric"] == metric and row["rate"] is not None]
    points = [
        rate_point(row["gold"], row["system"], row["rate"], row["low"], row["high"])
        for row in shown
    ]
    text = "; ".join(f"{r['gold']}: {r['system']} {percent(r['rate'])} %" for r in shown)
    fields = tooltip(row="gold lexicon", series="system", shown="rate", interval="interval, %")
    return Figure(
        "systems",
        f"{metric} on each lexicon, {confidence(result)} intervals",
        without_direction_marks(f"{text}."),
        interval_plot(
            points, unique(row["system"] for row in shown), title=f"{metric}, %", fields=fields
        ),
        *page_cells(
            None, replace(rankings_table(result).only("gold", "system", "rate"), rows=shown)
        ),
    )


def _conclusions(article: Article) -> Markup:
    table = page_table(article, conclusions_table(article.result))
    return joined([paragraph(TEST_NOTE, "note"), table]) if table else table


def _errors(article: Article) -> Markup:
    """Return the margins with their calculation, and the errors to be judged."""
    margins, errors = margins_table(article.result), doubtful_table(article.result)
    if not errors.rows and not margins.rows:
        return Markup()
    size, shown = len(errors.rows), replace(errors, rows=errors.rows[:ERRORS_SHOWN])
    cut = f" The first {ERRORS_SHOWN} of {size:,}." if size > ERRORS_SHOWN else ""
    return joined(
        [
            page_table(article, margins, tall=False),
            paragraph(f"{ERRORS_NOTE}{cut}", "note"),
            page_table(article, shown),
        ]
    )


SYSTEMS = Section("systems", "Systems", "Do systems change places?", _systems)
ERRORS = Section("errors", "Errors", "Errors that may be right", _errors)


@dataclass(frozen=True)
class AuditPage(Kind):
    """Flags of the pairs of a gold lexicon, its composition, and systems on its variants."""

    name = "audit"
    content = "lexicon"
    cites = ("kementchedjhieva2019", "denisova2023")
    sections: ClassVar[tuple[Section, ...]] = (SYSTEMS, ERRORS, COMPOSITION, LEAKS, FLAGGED)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the size of the lexicon, the table of flags and its chart."""
        result = article.result
        return (
            paragraph(_introduction(result), "introduction"),
            page_table(article, _flags(result), "flags", tall=False),
            article.figure(flag_figure(result)),
        )

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on audits and, where systems were compared, on the tests."""
        compared = table(result, "conclusions") is not None
        return (*self.cites, "bisani2004", "holm1979") if compared else self.cites


def _introduction(result: Result) -> str:
    """Return the name and the size of the lexicon, and what the cleaned copy leaves out."""
    facts = result.provenance
    name = facts.get("gold", {}).get("name", "the lexicon")
    languages = " to ".join(facts.get("languages", ()))
    numbers = ((facts.get("pairs", 0), "pair"), (facts.get("headwords", 0), "headword"))
    size = " of ".join(counted(number, noun) for number, noun in numbers)
    left_out = listed([str(flag) for flag in facts.get("left_out", ())])
    cleaned = (
        f" A cleaned copy without the pairs flagged as {left_out} has "
        f"{counted(facts.get('kept', 0), 'pair')}."
        if left_out
        else ""
    )
    return without_direction_marks(
        f"{name}, {languages}: {size}. A pair has a flag if its probability is "
        f"{facts.get('threshold', 0.5):g} or more; the expected pairs are the sum of all "
        f"probabilities.{cleaned}"
    )
