"""The whole page: one HTML file that contains its style, its scripts and its data."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from misword.core.errors import OptionError
from misword.core.types import Result
from misword.core.version import __version__
from misword.report.article import Article, Section
from misword.report.citations import citation_section
from misword.report.data_facts import data_facts, recorded_title
from misword.report.explorer.audio import AudioPlaces
from misword.report.html.markup import Markup, element, joined
from misword.report.html.text import with_unbroken_numbers, without_direction_marks
from misword.report.kinds import headline, kind_of
from misword.report.sections.provenance import PROVENANCE

# Tells the user something.
Note = Callable[[str], None]
UNUSED_AUDIO = "the audio is not used: no result here has an explorer of utterances"
# The script that sets the theme before the page is drawn, the chart library, and misword's scripts.
EARLY = "theme.js"
CHARTS = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.js")
OWN = (
    "dom.js",
    "csv.js",
    "table.js",
    "folds.js",
    "charts.js",
    "corpus.js",
    "search.js",
    "filter.js",
    "chips.js",
    "list.js",
    "controls.js",
    "verdicts.js",
    "entries.js",
    "draft.js",
    "lexicon.js",
    "rescored.js",
    "alignment.js",
    "triplets.js",
    "scatter.js",
    "nbest.js",
    "audio.js",
    "utterance.js",
    "export.js",
    "address.js",
    "explorer.js",
)
LICENCES = (
    "LICENSE.vega",
    "LICENSE.vega-lite",
    "LICENSE.d3",
    "LICENSE.d3-delaunay",
    "LICENSE.d3-ease",
    "LICENSE.d3-geo",
    "LICENSE.d3-geo-projection",
    "LICENSE.d3-scale-chromatic",
    "LICENSE.delaunator",
    "LICENSE.robust-predicates",
    "LICENSE.topojson-client",
)


@dataclass(frozen=True, slots=True)
class RenderedArticle:
    """One result as HTML, with its sections (for the table of contents), data blocks and notes.

    `plays` is whether it plays audio files.
    """

    prefix: str
    body: Markup
    sections: list[Section]
    blocks: list[Markup]
    notes: list[str]
    plays: bool


def page(results: Sequence[Result], title: str, audio: AudioPlaces, note: Note) -> str:
    """Return the page of one or more results as text; `note` is called with notes on it."""
    if not results:
        raise OptionError("there is no result to show", fix="give at least one")
    articles = [_render(f"r{number}", result, audio) for number, result in enumerate(results)]
    notes = dict.fromkeys(text for article in articles for text in article.notes)
    if audio.folder is not None and not notes and not any(article.plays for article in articles):
        notes[UNUSED_AUDIO] = None
    for text in notes:
        note(text)
    title = title or _recorded_title(results)
    name = title or ("misword report" if len(results) > 1 else "misword")
    scripts = [*map(asset, CHARTS), "\n".join(map(asset, OWN))]
    style, early = asset("style.css"), asset(EARLY)
    blocks = [block for article in articles for block in article.blocks]
    return _template().substitute(
        policy=_policy([early, *scripts], style, plays=any(article.plays for article in articles)),
        version=__version__,
        title=joined([title or f"{name}: {headline(results[0])}"]),
        heading=element("bdi", name),
        style=style,
        early=early,
        contents=_contents(articles),
        body=joined([*(article.body for article in articles), citation_section(results)]),
        licences=element("pre", "\n\n".join(map(asset, LICENCES)), tabindex="0"),
        scripts=joined([*blocks, *(element("script", Markup(text)) for text in scripts)]),
    )


def _recorded_title(results: Sequence[Result]) -> str:
    """Return the title that all results record; empty if they have none, or different ones."""
    titles = set(map(recorded_title, results))
    return titles.pop() if len(titles) == 1 else ""


@cache
def asset(name: str) -> str:
    """Return the text of a file that is part of every page."""
    return (files("misword.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    return Template((files("misword.report") / "templates" / "page.html").read_text("utf-8"))


def _render(prefix: str, result: Result, audio: AudioPlaces) -> RenderedArticle:
    """Return one result as HTML: headline, first screen, and the sections that have content."""
    article, kind = Article.of(prefix, result, audio), kind_of(result)
    sentence = kind.answer(result) or headline(result)
    sentence = with_unbroken_numbers(without_direction_marks(sentence))
    answer = element("h2", sentence, id=article.id("answer"))
    opening = list(kind.opening(article))
    contents = [(section, section.make(article)) for section in (*kind.sections, PROVENANCE)]
    shown = [(section, content) for section, content in contents if content]
    body = element(
        "article",
        data_facts(result),
        answer,
        *opening,
        *(_section(article.id(section.name), section.title, inner) for section, inner in shown),
        class_="result",
        aria_labelledby=article.id("answer"),
    )
    sections = [section for section, _ in shown]
    return RenderedArticle(prefix, body, sections, article.blocks, article.notes, article.plays)


def _section(identifier: str, title: str, content: Markup) -> Markup:
    heading = element("h3", title, id=identifier)
    return element("section", heading, content, aria_labelledby=identifier)


def _policy(scripts: Sequence[str], style: str, *, plays: bool) -> str:
    """Return the content security policy: only these scripts and this style are allowed.

    If the page `plays` audio, also media files of the disk, or of the server that has the page.
    """
    hashes = " ".join(f"'sha256-{_hash(text)}'" for text in scripts)
    media = " media-src 'self' file:;" if plays else ""
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_hash(style)}';{media} "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")


def _contents(articles: Sequence[RenderedArticle]) -> Markup:
    """Return the links to the sections; with several results, one row of links for each."""
    several = len(articles) > 1
    lines = []
    for number, article in enumerate(articles):
        first = element("a", f"Result {number + 1}" if several else "Answer",
                        href=f"#{article.prefix}-answer")  # fmt: skip
        links = [
            element("a", section.short, href=f"#{article.prefix}-{section.name}")
            for section in article.sections
        ]
        if number == len(articles) - 1:
            links.append(element("a", "Citing", href="#cite"))
        label = f"result {number + 1}" if several else "contents"
        lines.append(element("nav", first, *links, class_="bar", aria_label=label))
    return joined(lines)
