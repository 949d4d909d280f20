"""One HTML file with everything in it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from misword.core.errors import OptionError
from misword.core.types import Result
from misword.core.version import __version__
from misword.report.headline import headline
from misword.report.markup import Markup, element, joined
from misword.report.origin import cite
from misword.report.sections import Section, article

EARLY = "theme.js"
CHARTS = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.js")
OWN = (
    "dom.js",
    "table.js",
    "charts.js",
    "corpus.js",
    "filter.js",
    "list.js",
    "alignment.js",
    "explorer.js",
)
LICENCES = (
    "LICENSE.vega",
    "LICENSE.vega-lite",
    "LICENSE.d3",
    "LICENSE.d3-ease",
    "LICENSE.delaunator",
)


def page(results: Sequence[Result], title: str) -> str:
    """The whole page, as text."""
    if not results:
        raise OptionError("there is no result to show", fix="give at least one")
    made = [article(f"r{number}", result) for number, result in enumerate(results)]
    named = title or ("misword report" if len(results) > 1 else "misword")
    scripts = [*map(asset, CHARTS), "\n".join(map(asset, OWN))]
    style, early = asset("style.css"), asset(EARLY)
    blocks = [block for _, _, data in made for block in data]
    return _template().substitute(
        policy=_policy([early, *scripts], style),
        version=__version__,
        title=joined([title or f"{named}: {headline(results[0])}"]),
        heading=element("bdi", named),
        style=style,
        early=early,
        contents=_contents([sections for _, sections, _ in made]),
        body=joined([*(whole for whole, _, _ in made), _citing(results)]),
        licences=element("pre", "\n\n".join(map(asset, LICENCES)), tabindex="0"),
        scripts=joined([*blocks, *(element("script", Markup(text)) for text in scripts)]),
    )


@cache
def asset(name: str) -> str:
    """A file that is part of the page."""
    return (files("misword.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    return Template((files("misword.report") / "templates" / "page.html").read_text("utf-8"))


def _policy(scripts: Sequence[str], style: str) -> str:
    """What the page may do: run these scripts, use this style, and nothing else at all."""
    hashes = " ".join(f"'sha256-{_hash(text)}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")


def _citing(results: Sequence[Result]) -> Markup:
    heading = element("h2", "How to cite", id="cite")
    return element("section", heading, cite(results), class_="result", aria_labelledby="cite")


def _contents(results: Sequence[Sequence[Section]]) -> Markup:
    """Links to the sections; with several results, those of each in a row of their own."""
    several = len(results) > 1
    rows = []
    for number, sections in enumerate(results):
        first = element("a", f"Result {number + 1}" if several else "Answer",
                        href=f"#r{number}-answer")  # fmt: skip
        links = [element("a", part.short, href=f"#{part.id}") for part in sections]
        name = f"result {number + 1}" if several else "contents"
        if number == len(results) - 1:
            links.append(element("a", "Citing", href="#cite"))
        rows.append(element("nav", first, *links, class_="bar", aria_label=name))
    return joined(rows)
