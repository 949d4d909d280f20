"""The parts of a result's page, each only if there is something to show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from misword.core.types import Result
from misword.report import lexicon, robustness, tables
from misword.report.charts import Figure
from misword.report.distribution import changes
from misword.report.downstream import downstream, scatter
from misword.report.explorer import explorer_data
from misword.report.figures import forest, rates
from misword.report.headline import headline
from misword.report.markup import Markup, data_block, data_table, element, joined
from misword.report.origin import origin
from misword.report.people import agreement, disagreements
from misword.report.reading import confidence, grouped_by, metrics, rows, table
from misword.report.relations import heatmap
from misword.report.slices import dumbbell
from misword.report.utterances import Utterances, utterances
from misword.report.wording import in_line, unbroken

SLICED = tuple(
    (part, column) for part in ("tag", "frequency", "length") for column in ("rate", "distance")
)


@dataclass(slots=True)
class Page:
    """One result on the page: names its elements, and collects the data for the scripts."""

    prefix: str
    result: Result
    found: Utterances | None = None
    blocks: list[Markup] = field(default_factory=list)

    def name(self, part: str) -> str:
        """An id that no other element has."""
        return f"{self.prefix}-{part}"

    def block(self, part: str, value: object) -> str:
        """Keep data for the scripts; its id."""
        name = self.name(f"data-{part}")
        self.blocks.append(data_block(name, value))
        return name

    def figure(self, made: Figure | None) -> Markup:
        """A chart's place: its title, what it says in words, its numbers, its downloads."""
        if made is None:
            return Markup()
        data = {"spec": made.spec, "panels": made.panels, "file": f"misword-{made.name}"}
        buttons = [
            element("button", kind.upper(), type="button", data_format=kind,
                    aria_label=f"download {made.title} as {kind.upper()}")
            for kind in ("svg", "png")
        ]  # fmt: skip
        numbers = element(
            "details",
            element("summary", "In words and numbers"),
            element("p", in_line(made.text), class_="note"),
            data_table(made.header, made.rows, label=made.title),
        )
        return element(
            "figure",
            element("div", element("h4", made.title), *buttons, class_="tools"),
            element("div", class_="chart", role="img", aria_label=made.text),
            numbers,
            id=self.name(f"figure-{made.name}"),
            data_spec=self.block(f"spec-{made.name}", data),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """A part with a heading, and a shorter name for the table of contents."""

    id: str
    short: str
    title: str
    body: Markup


def sections(page: Page) -> Iterator[Section]:
    """Everything below the first screen."""
    for name, short, title, make in PARTS:
        body = make(page)
        if body:
            yield Section(page.name(name), short, title, body)


def opening(page: Page) -> Markup:
    """The first screen: the answer, the table, the chart."""
    result = page.result
    share = confidence(result)
    answer = element("h2", unbroken(in_line(headline(result))), id=page.name("answer"))
    if result.kind == "evaluation":
        figures = rate_figures(page)
        return joined([answer, lexicon.lede(result), *figures])
    parts = [answer, tables.lede(result)]
    frame = table(result, "summary")
    if rows(result, "differences"):
        parts.append(tables.differences(result))
        parts.append(page.figure(forest(rows(result, "differences"), share)))
    elif frame is not None:
        parts.append(tables.summary(result))
        parts.append(page.figure(rates(frame.to_dicts(), grouped_by(frame), share)))
    elif result.kind == "agreement":
        parts.append(page.figure(agreement(rows(result, "agreement"), share)))
    elif result.kind == "correlation":
        parts.append(_correlation(page))
    elif result.kind == "robustness":
        parts += _robustness(page)
    return joined(parts)


def rate_figures(page: Page) -> list[Markup]:
    """The rates of an evaluation as a table and as a chart."""
    result = page.result
    table = lexicon.rate_table(lexicon.whole(result), confidence(result))
    return [table, page.figure(lexicon.hits(result))]


def _robustness(page: Page) -> list[Markup]:
    """What was done, the table, and both figures."""
    result, found = page.result, rows(page.result, "levels")
    share = confidence(result)
    drawn = (
        robustness.correlation(found, share),
        robustness.similarity(found, rows(result, "lines"), share),
    )
    return [robustness.lede(result), robustness.table(result), *map(page.figure, drawn)]


def _correlation(page: Page) -> Markup:
    """From a result of its own, or from the rates of the utterances."""
    result = page.result
    found = rows(result, "metrics")
    if not found and page.found is not None:
        found = page.found.correlations()
    return page.figure(heatmap(found, metrics(result)))


def _metrics_together(page: Page) -> Markup:
    return Markup() if page.result.kind == "correlation" else _correlation(page)


def _downstream(page: Page) -> Markup:
    result = page.result
    found = rows(result, "downstream")
    scores = list(dict.fromkeys(row["score"] for row in found))
    labels = list(dict.fromkeys(row["metric"] for row in found))
    blocks = rows(result, "blocks")
    drawn = [downstream(found, confidence(result)), scatter(blocks, labels, scores)]
    return joined(page.figure(figure) for figure in drawn)


def _slices(page: Page) -> Markup:
    found = rows(page.result, "slices")
    drawn = [page.figure(dumbbell(found, part, column)) for part, column in SLICED] if found else []
    return element("div", *drawn, class_="figures") if any(drawn) else Markup()


def _changes(page: Page) -> Markup:
    return page.figure(changes(page.found.changes())) if page.found else Markup()


def _explorer(page: Page) -> Markup:
    if page.found is None or not page.found.labels:
        return Markup()
    name = page.block("utterances", explorer_data(page.result, page.found))
    place = element("div", class_="explorer", id=page.name("explore"), data_explorer=name)
    return joined([tables.legend(), place])


PARTS = (
    ("compared", "Differences", "Is one better than the first?",
     lambda page: lexicon.compared(page.result)),
    ("columns", "Columns", "Which words, by the columns of the lexicon",
     lambda page: lexicon.by_column(page.result)),
    ("coverage", "Coverage", "What the vocabularies have of the lexicon",
     lambda page: lexicon.coverage(page.result)),
    ("missed", "Missed", "What was not found", lambda page: lexicon.missed(page.result)),
    ("together", "Metrics", "Do the metrics say the same?", _metrics_together),
    ("downstream", "Downstream", "What becomes of it downstream", _downstream),
    ("slices", "Words", "Which words", _slices),
    ("changes", "Changes", "How single utterances changed", _changes),
    ("people", "People", "Where metrics and people part", lambda page: disagreements(page.result)),
    ("contrast", "Contrast", "What the worsened utterances have more of",
     lambda page: tables.contrast(page.result)),
    ("worst", "Worst", "What got worse most",
     lambda page: tables.worst(page.result, page.name("explore"))),
    ("heard", "Heard", "What was heard", lambda page: robustness.examples(page.result)),
    ("utterances", "Utterances", "Utterances", _explorer),
    ("confusions", "Confusions", "Confusions", lambda page: tables.confused(page.result)),
    ("origin", "Provenance", "Where the numbers come from", lambda page: origin(page.result)),
)  # fmt: skip


def article(prefix: str, result: Result) -> tuple[Markup, list[Section], list[Markup]]:
    """A result as HTML, its sections for the table of contents, its data for the scripts."""
    page = Page(prefix, result, utterances(result))
    first = opening(page)
    parts = list(sections(page))
    drawn = [
        element(
            "section", element("h3", part.title, id=part.id), part.body, aria_labelledby=part.id
        )
        for part in parts
    ]
    whole = element("article", first, *drawn, class_="result", aria_labelledby=page.name("answer"))
    return whole, parts, page.blocks
