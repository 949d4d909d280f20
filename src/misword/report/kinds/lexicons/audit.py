"""How an audit of a gold lexicon is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    counted,
    listed,
    percent,
    probability,
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
    interval_plot,
    nominal,
    quantitative,
    scaled_interval,
    tooltip,
)
from misword.report.kinds import Kind
from misword.report.markup import (
    Cell,
    Markup,
    data_table,
    element,
    joined,
    number_cell,
    paragraph,
    text_cell,
    without_direction_marks,
)
from misword.stat.descriptions.result_access import Row, confidence, rows, table, titles, unique

# The headline of an audit of a gold lexicon.

# Flags that the headline names, and how.
NAMED = {
    "proper-noun": "are proper nouns",
    "training-pair": "are in the training lexicon",
    "identical": "are the same word twice",
}


def audit_headline(result: Result) -> str:
    """Return the shares of names, leaks and identical pairs, and whether systems change places."""
    flags = {row["flag"]: row for row in rows(result, "summary")}
    if not flags:
        return ""
    found = [
        f"{percent(flags[name]['share'], 1)} % {text}"
        for name, text in NAMED.items()
        if name in flags and flags[name]["pairs"]
    ]
    pairs = counted(int(result.provenance.get("pairs", 0)), "pair")
    sentence = f"Of {pairs}, {listed(found)}." if found else f"{pairs}, none of them a name."
    return f"{sentence}{_changes(result)}"


def _changes(result: Result) -> str:
    """Return how many conclusions about systems change; nothing without systems."""
    compared = rows(result, "conclusions")
    if not compared:
        return ""
    changed = {(row["baseline"], row["system"]) for row in compared if row["changed"]}
    whole = {(row["baseline"], row["system"]) for row in compared}
    if not changed:
        return " No conclusion about the systems changes."
    number = counted(len(whole), "comparison")
    return f" {len(changed)} of {number} of systems end differently on a cleaned lexicon."


# The flags of pairs: their numbers, a chart, and the pairs with the most probable flags.

PAIRS_SHOWN = 200  # of each flag
FLAGS_HEADER = (
    "flag",
    "pairs",
    "of all, %",
    "headwords",
    "of all, %",
    "expected pairs",
    "an example",
)


def flag_table(result: Result) -> Markup:
    """Return a row for each flag; flags that could not be given are grey."""
    title = titles(result)
    body = [
        [
            text_cell(title(row["flag"])),
            number_cell(row["pairs"], count(row["pairs"])),
            number_cell(row["share"], percent(row["share"])),
            number_cell(row["headwords"], count(row["headwords"])),
            number_cell(row["headword_share"], percent(row["headword_share"])),
            number_cell(row["expected"], count(round(row["expected"]))),
            Cell(row["example"], is_text=True, wide=True),
        ]
        for row in rows(result, "summary")
    ]
    return data_table(FLAGS_HEADER, body, label="flags") if body else Markup()


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
        ("flag", "pairs", "%"),
        [
            [
                text_cell(title(row["flag"])),
                number_cell(row["pairs"], count(row["pairs"])),
                number_cell(row["share"], percent(row["share"])),
            ]
            for row in shown
        ],
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
            _flag_pairs(found),
        )
        for flag, found in by_flag.items()
    )


def _numbers(found: list[Row], threshold: float) -> str:
    """Return how many pairs have a flag, and how many have it with less than the threshold."""
    flagged = sum(row["probability"] >= threshold for row in found)
    less = len(found) - flagged
    return counted(flagged, "pair") + (f", {less:,} less probable" if less else "")


def _flag_pairs(found: list[Row]) -> Markup:
    """Return the table of one flag."""
    ordered = sorted(found, key=lambda row: -row["probability"])[:PAIRS_SHOWN]
    note = f"The first {PAIRS_SHOWN} of {len(found):,}." if len(found) > PAIRS_SHOWN else ""
    body = [
        [
            number_cell(row["line"], count(row["line"])),
            text_cell(row["source"]),
            text_cell(row["target"]),
            number_cell(row["probability"], f"{row['probability']:.2f}"),
            Cell(without_direction_marks(row["evidence"]), is_text=True, wide=True),
        ]
        for row in ordered
    ]
    header = ("line", "word", "translation", "probability", "evidence")
    return joined(
        [paragraph(note, "note"), data_table(header, body, label="flagged pairs", tall=True)]
    )


FLAGGED = Section("flagged", "Pairs", "The pairs of each flag", _pairs)


def not_given(result: Result) -> Markup:
    """Return the flags that could not be given, and what they need."""
    missing = result.provenance.get("not_given", {})
    texts = [f"{name} {reason}" for name, reason in missing.items()]
    return paragraph(f"Not given: {'; '.join(texts)}." if texts else "", "note")


# What the lexicon consists of, and what it shares with the training lexicon.

TITLES = {
    "part of speech": "Pairs by part of speech",
    "source frequency": "Source words by rank in the word vectors",
    "target frequency": "Target words by rank in the word vectors",
    "senses": "Headwords by number of translations",
}


def _composition(article: Article) -> Markup:
    by_kind: dict[str, list[Row]] = {}
    for row in rows(article.result, "composition"):
        by_kind.setdefault(row["by"], []).append(row)
    return article.figures(_composition_figure(kind, found) for kind, found in by_kind.items())


def _composition_figure(kind: str, found: list[Row]) -> Figure:
    """Return a bar for each value."""
    shares = [row["count"] / max(1, row["whole"]) for row in found]
    values = [
        {"row": row["value"], "x": 100 * share, "shown": f"{percent(share)} %",
         "number": count(row["count"])}
        for row, share in zip(found, shares, strict=True)
    ]  # fmt: skip
    text = "; ".join(
        f"{row['value']} {percent(share)} %" for row, share in zip(found, shares, strict=True)
    )
    return Figure(
        f"composition-{kind.replace(' ', '-')}",
        TITLES.get(kind, kind),
        f"{text}.",
        bar_chart(values, "%"),
        (kind, "number", "of", "%"),
        [
            [
                text_cell(row["value"]),
                number_cell(row["count"], count(row["count"])),
                number_cell(row["whole"], count(row["whole"])),
                number_cell(share, percent(share)),
            ]
            for row, share in zip(found, shares, strict=True)
        ],
    )


def _leaks(article: Article) -> Markup:
    body = [
        [
            text_cell(row["shared"]),
            number_cell(row["count"], count(row["count"])),
            number_cell(row["of"], count(row["of"])),
            number_cell(row["count"], percent(row["count"] / max(1, row["of"]))),
        ]
        for row in rows(article.result, "leaks")
    ]
    return data_table(("shared", "number", "of", "%"), body, label="leaks") if body else Markup()


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
            paragraph(SYSTEMS_NOTE, "note"),
            article.figure(_systems_figure(article.result, found)),
            data_table(header, body, label="systems", tall=True),
            _conclusions(article.result),
        ]
    )


def _systems_figure(result: Result, found: list[Row]) -> Figure:
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


@dataclass(frozen=True)
class AuditPage(Kind):
    """Flags of the pairs of a gold lexicon, its composition, and systems on its variants."""

    name = "audit"
    cites = ("kementchedjhieva2019", "denisova2023")
    sections: ClassVar[tuple[Section, ...]] = (SYSTEMS, ERRORS, COMPOSITION, LEAKS, FLAGGED)

    def headline(self, result: Result) -> str:
        """Return the shares of names and leaks, and whether systems change places."""
        return audit_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the size of the lexicon, the table of flags and its chart."""
        result = article.result
        return (
            paragraph(_introduction(result), "introduction"),
            flag_table(result),
            not_given(result),
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
