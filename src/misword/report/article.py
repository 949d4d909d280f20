"""One result on the page: the ids of its elements, its figures, and its data for the scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from misword.core.types import Result
from misword.report.charts import Figure, panel_height, reserved_height
from misword.report.explorer.audio import AudioPlaces
from misword.report.markup import (
    Markup,
    data_block,
    data_table,
    element,
    joined,
    without_direction_marks,
)
from misword.report.rates import UtteranceRates, utterance_rates


@dataclass(slots=True)
class Article:
    """One result on the page that is being made.

    `prefix` starts the id of each element, so that several results can be on one page. `rates` are
    the error rates of single utterances, if the result has them. `audio` says where their audio is.
    `blocks` collects the data that the page's scripts read, `notes` what the user should know.
    `plays` is whether the page plays audio files.
    """

    prefix: str
    result: Result
    rates: UtteranceRates | None = None
    audio: AudioPlaces = field(default_factory=AudioPlaces)
    blocks: list[Markup] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plays: bool = False

    @classmethod
    def of(cls, prefix: str, result: Result, audio: AudioPlaces | None = None) -> Article:
        """Begin the article of a result."""
        return cls(prefix, result, utterance_rates(result), audio or AudioPlaces())

    def id(self, name: str) -> str:
        """Return an id that no other element of the page has."""
        return f"{self.prefix}-{name}"

    def add_data(self, name: str, value: object) -> str:
        """Add data for the scripts and return the id of its block."""
        identifier = self.id(f"data-{name}")
        self.blocks.append(data_block(identifier, value))
        return identifier

    def figures(self, figures: Iterable[Figure | None]) -> Markup:
        """Return several figures, one below the other."""
        return joined(map(self.figure, figures))

    def figure(self, figure: Figure | None) -> Markup:
        """Return a chart with its title, its text, its numbers and its download buttons."""
        if figure is None:
            return Markup()
        panels = figure.panels if "facet" in figure.spec else 0
        data = {"spec": figure.spec, "panels": panels, "file": f"misword-{figure.name}"}
        buttons = [
            element("button", format_.upper(), type="button", data_format=format_,
                    aria_label=f"download {figure.title} as {format_.upper()}")
            for format_ in ("svg", "png")
        ]  # fmt: skip
        numbers = element(
            "details",
            element("summary", "In words and numbers"),
            element("p", without_direction_marks(figure.text), class_="note"),
            data_table(figure.header, figure.rows, label=figure.title),
        )
        return element(
            "figure",
            element("div", element("h4", figure.title), *buttons, class_="tools"),
            element("div", _space(figure), class_="chart", role="img", aria_label=figure.text),
            numbers,
            id=self.id(f"figure-{figure.name}"),
            data_spec=self.add_data(f"spec-{figure.name}", data),
        )


def _space(figure: Figure) -> Markup:
    """Return an empty element of the chart's height; the policy allows no style of one element."""
    height, row = reserved_height(figure.spec), panel_height(figure.spec)
    return element("canvas", width=1, height=height, data_row=row or None, class_="reserved")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a result's page, below the first screen.

    `name` is its id within the article, `short` its name in the table of contents, `title` its
    heading. `make` returns its content; a section without content is left out.
    """

    name: str
    short: str
    title: str
    make: Callable[[Article], Markup]
