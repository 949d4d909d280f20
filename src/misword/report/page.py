"""The whole page: one HTML file that contains its style, its scripts and its data."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePath
from string import Template
from typing import Any

from misword.core.errors import OptionError
from misword.core.formatting import counted, is_number
from misword.core.parts import bibtex
from misword.core.types import Result
from misword.core.version import __version__
from misword.report.article import Article, Section
from misword.report.explorer.audio import AudioPlaces
from misword.report.kinds import headline, kind_of
from misword.report.markup import (
    Markup,
    element,
    folded,
    joined,
    with_unbroken_numbers,
    without_direction_marks,
)
from misword.stat.descriptions.result_access import (
    described_parts,
    lead_metric,
    metrics,
    rows,
    systems,
    table,
    titles,
    unique,
)

# A function that shows a note to the user.
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
    "matrix.js",
    "charts.js",
    "streams.js",
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
    "timeline.js",
    "suspects.js",
    "same.js",
    "utterance.js",
    "export.js",
    "address.js",
    "explorer.js",
    "passages.js",
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
        content=" and ".join(dict.fromkeys(kind_of(one).content for one in results)),
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


# The line above the headline: data set, size of the data, number of systems, date of the run.

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


def data_facts(result: Result) -> Markup:
    """Return the facts that the result records, as a list; nothing if it records none."""
    facts = [*map(without_direction_marks, filter(None, [_data_set(result)])), *_sizes(result)]
    items = [element("li", element("bdi", fact)) for fact in facts]
    if shown := shown_date(recorded_date(result)):
        items.append(element("li", element("time", shown, datetime=recorded_date(result))))
    return element("ul", *items, class_="about", aria_label="data") if items else Markup()


def recorded_title(result: Result) -> str:
    """Return the title that the user gave to the command; empty if there is none."""
    return str(_option(result, "title") or "")


def recorded_date(result: Result) -> str:
    """Return the date of the run, such as `2026-11-18`; empty if the result has none."""
    return str(result.provenance.get("date") or "")


def shown_date(recorded: str) -> str:
    """Return a date in words; empty if the text is not a date.

    >>> shown_date("2026-11-18"), shown_date("soon")
    ('18 November 2026', '')
    """
    try:
        day = date.fromisoformat(recorded)
    except ValueError:
        return ""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def reference_words(result: Result) -> int | None:
    """Return the number of reference words, counted by WER; None if it was not measured.

    With alternatives, systems may be measured against different readings: the first one counts.
    """
    label = lead_metric(metrics(result))
    names = systems(result)
    if label.partition(":")[0] != "wer" or not names:
        return None
    own = [
        row
        for row in rows(result, "summary")
        if (row["system"], row["metric"]) == (names[0], label)
    ]
    total = [row for row in own if row.get("total")] or own
    sizes = [row["reference"] for row in total]
    return round(sum(sizes)) if sizes and all(map(is_number, sizes)) else None


def _sizes(result: Result) -> list[str]:
    """Return the numbers of utterances, words and systems, as far as the result has them."""
    utterances, words, names = table(result, "utterances"), reference_words(result), systems(result)
    return [
        *([counted(utterances["utt"].n_unique(), "utterance")] if utterances is not None else ()),
        *([counted(words, "word")] if words is not None else ()),
        *([counted(len(names), "system")] if names else ()),
    ]


def _data_set(result: Result) -> str:
    """Return the name of the file of references; empty if they do not come from one file."""
    path = _option(result, "reference")
    return PurePath(path).name if isinstance(path, str) and path != "-" else ""


def _option(result: Result, name: str) -> object:
    options = result.provenance.get("options")
    return options.get(name) if isinstance(options, dict) else None


# Where the numbers of a result come from: signatures, inputs, options, version.

# Entries of the provenance that other tables or sections show.
SHOWN_ELSEWHERE = frozenset(
    {"options", "sha256", "signatures", "metrics", "words", "encoders", "notes", "parts"}
)


def _provenance_section(article: Article) -> Markup:
    provenance, title = article.result.provenance, titles(article.result)
    signatures = _mapping(provenance.get("signatures"))
    labels = [label for label in metrics(article.result) if label in signatures]
    signed = [(title(label), signatures[label]) for label in unique([*labels, *signatures])]
    others = [(key, value) for key, value in provenance.items() if key not in SHOWN_ELSEWHERE]
    tables = [
        _provenance_table("Signatures", signed, code=True),
        _provenance_table("Inputs, SHA-256", _mapping(provenance.get("sha256")).items(), code=True),
        _provenance_table("Options", _mapping(provenance.get("options")).items()),
        _provenance_table("Made by", others),
    ]
    return folded("Signatures, inputs and options", *tables) if any(tables) else Markup()


PROVENANCE = Section("origin", "Provenance", "Where the numbers come from", _provenance_section)


def _provenance_table(
    title: str, values: Collection[tuple[str, Any]], *, code: bool = False
) -> Markup:
    """Return a table of names and values; values that are None are left out."""
    if not values:
        return Markup()
    body = [
        element(
            "tr",
            element("td", element("bdi", key), class_="key"),
            element("td", element("bdi", _as_text(value)), class_="code" if code else None),
        )
        for key, value in values
        if value is not None
    ]
    return element(
        "div",
        element("table", element("caption", title), element("tbody", *body), class_="small"),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=title,
    )


def _as_text(value: Any) -> str:
    """Return a string as it is and any other value as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _mapping(value: Any) -> dict[str, Any]:
    return {str(key): inner for key, inner in value.items()} if isinstance(value, dict) else {}


# How to cite a result: BibTeX entries of misword, of its parts and of its methods.


def citation_section(results: Sequence[Result]) -> Markup:
    """Return the section with all entries of all results, each once."""
    entries = unique(entry for result in results for entry in citations(result))
    note = element(
        "p",
        "Write the signature beside every number you publish: two numbers are comparable only if "
        "their signatures are equal.",
        class_="note",
    )
    text = element("pre", "\n\n".join(entries), tabindex="0")
    return element(
        "section",
        element("h2", "How to cite", id="cite"),
        note,
        folded("BibTeX entries", text),
        class_="result",
        aria_labelledby="cite",
    )


def citations(result: Result) -> list[str]:
    """Return entries for misword, for the parts of a result, and for its methods."""
    parts = described_parts(result)
    encoders = [str(label) for label in result.provenance.get("encoders", ())]
    # The other parts are sorted by label, because a result folder does not store their order.
    labels = unique([*metrics(result), *encoders, *sorted(parts)])
    of_parts = [cite for label in labels for cite in parts.get(label, {}).get("cites", ())]
    of_methods = [bibtex(cite) for cite in kind_of(result).citations(result)]
    return unique([_misword(result), *map(str, of_parts), *of_methods])


def _misword(result: Result) -> str:
    """Return the entry of misword in the version that made the result."""
    version = str(result.provenance.get("misword", ""))
    field = f",\n  version = {{{version}}}" if version else ""
    return f"@software{{misword,\n  title = {{misword}}{field}\n}}"
