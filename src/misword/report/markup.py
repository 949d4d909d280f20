"""HTML elements in which the users' text cannot become markup.

`Markup` is a string that is HTML already; every other string is escaped where it enters an element
or an attribute. Only `element`, `joined` and the page's template make `Markup`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from misword.stat.descriptions.result_access import Verdict

# Elements without an end tag.
VOID = frozenset({"input", "meta", "br"})
# A tall table with more rows than this scrolls.
TALL = 12
# Text of at most this many characters stays on one line.
SHORT = 24
# Characters that could end a script element, or a line of JavaScript.
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


class Markup(str):
    """HTML, as opposed to text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, and for a number the value that the column is sorted by."""

    shown: str
    value: float | None = None
    is_text: bool = False
    wide: bool = False


def text_cell(text: Any) -> Cell:
    """Return a cell of text; empty for None."""
    return Cell("" if text is None else str(text), is_text=True)


def number_cell(value: float | None, shown: str) -> Cell:
    """Return a cell of a number."""
    return Cell(shown, None if value is None else float(value))


def element(name: str, *children: str, **attributes: Any) -> Markup:
    """Return an element; `class_` is the attribute `class`, `data_x` is `data-x`.

    An attribute that is None or False is left out, one that is True has no value.

    >>> element("p", "1 < 2", class_="a&b")
    '<p class="a&amp;b">1 &lt; 2</p>'
    """
    start = "".join(_attribute(key, value) for key, value in attributes.items())
    content = joined(children)
    return Markup(f"<{name}{start}>" if name in VOID else f"<{name}{start}>{content}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """Join parts; a part that is not `Markup` is escaped."""
    return Markup("".join(p if isinstance(p, Markup) else escape(p, quote=False) for p in parts))


def paragraph(text: str, kind: str) -> Markup:
    """Return a paragraph of a CSS class; nothing where there is no text."""
    return element("p", text, class_=kind) if text else Markup()


def folded(summary: str, *content: Markup) -> Markup:
    """Return content that is hidden until the reader opens it, follows a link to it, or prints."""
    return element("details", element("summary", summary), *content, class_="fold")


def data_block(identifier: str, value: Any) -> Markup:
    """Return data for the page's scripts: JSON that cannot end its script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escaped in UNSAFE.items():
        text = text.replace(character, escaped)
    return element("script", Markup(text), type="application/json", id=identifier)


def data_table(
    header: Sequence[str],
    body: Sequence[Sequence[Cell]],
    *,
    label: str,
    faint: Sequence[bool] = (),
    tall: bool = False,
) -> Markup:
    """Return a table; columns of numbers are flush right, and a click on a heading sorts.

    `faint` says which rows are grey; a `tall` table scrolls.
    """
    columns = range(len(header))
    numeric = [bool(body) and not any(line[i].is_text for line in body) for i in columns]
    head = [
        element("th", name, scope="col", class_=_heading_class(name, numeric[i]))
        for i, name in enumerate(header)
    ]
    lines = [
        element(
            "tr",
            *(_cell(line[i], numeric[i]) for i in columns),
            class_="unclear" if faint and faint[number] else None,
        )
        for number, line in enumerate(body)
    ]
    whole = element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *lines),
        data_sortable=len(body) > 2,
    )
    kind = "scroll tall" if tall and len(body) > TALL else "scroll"
    return element("div", whole, class_=kind, tabindex="0", role="region", aria_label=label)


def _heading_class(name: str, is_number: bool) -> str | None:
    kinds = ["num"] * is_number + ["long"] * (len(name) > SHORT)
    return " ".join(kinds) or None


def _cell(cell: Cell, is_number: bool) -> Markup:
    if is_number:
        value = "" if cell.value is None else repr(cell.value)
        return element("td", cell.shown, class_="num", data_value=value)
    kind = "wide" if cell.wide else "short" if len(cell.shown) <= SHORT else "text"
    return element("td", cell.shown, dir="auto", class_=kind)


def _attribute(key: str, value: Any) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


# Sentences of the page: p-values, intervals and names of systems within a text.

# Unicode characters that set the writing direction of all text after them.
DIRECTION_MARKS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]


def without_direction_marks(text: str) -> str:
    """Remove the marks in users' names that would reverse the rest of a sentence.

    >>> without_direction_marks("\\u202eb is better than a")
    'b is better than a'
    """
    return text.translate(dict.fromkeys(DIRECTION_MARKS))


def with_unbroken_numbers(text: str) -> str:
    """Keep numbers and their signs on one line, by spaces at which no line breaks.

    >>> with_unbroken_numbers("-1.0 % (p = 0.3)").split(" ")
    ['-1.0\\xa0%', '(p\\xa0=\\xa00.3)']
    >>> with_unbroken_numbers("4.2 → 7.9 %")
    '4.2\\xa0→\\xa07.9\\xa0%'
    """
    pattern = r"(?<=\d) (?=[%→])|(?<=→) (?=\d)|(?<=\bp) (?=[<=])|(?<=\bp [<=]) "
    return re.sub(pattern, "\u00a0", text)


# Tiles: the few large numbers of the first screen, each with its verdict in words and colour.

# Signs of the verdicts. They are about error rates: a lower rate is better.
SIGNS: dict[Verdict, str] = {"better": "▼", "worse": "▲", "unclear": "≈", "untested": "?"}


# Letters of a value that fit into one line of a tile.
LONG_VALUE = 24


@dataclass(frozen=True, slots=True)
class Tile:
    """A number with a name; `change` is in the colour of the verdict, with its sign.

    A tile without a verdict has a change without sign and colour.
    """

    name: str
    value: str
    change: str = ""
    verdict: Verdict | None = None
    remark: str = ""


def tiles(shown: Sequence[Tile], label: str) -> Markup:
    """Return the tiles as a list; nothing if there are none."""
    items = [element("li", *_parts(tile), class_=" ".join(_classes(tile))) for tile in shown]
    return element("ul", *items, class_="tiles", aria_label=label) if items else Markup()


def _classes(tile: Tile) -> Iterable[str]:
    """Yield the CSS classes of a tile; a long value has smaller letters and more place."""
    yield "tile"
    yield tile.verdict or ""
    if len(tile.value) > LONG_VALUE:
        yield "wide"


def _parts(tile: Tile) -> list[Markup]:
    texts = {"name": tile.name, "value": tile.value, "change": tile.change, "remark": tile.remark}
    parts = []
    for kind, text in texts.items():
        if text:
            plain = with_unbroken_numbers(without_direction_marks(text))
            signed = kind == "change" and tile.verdict is not None
            parts.append(element("span", *_sign(tile, signed), element("bdi", plain), class_=kind))
    return parts


def _sign(tile: Tile, signed: bool) -> list[Markup]:
    if not signed or tile.verdict is None:
        return []
    return [element("span", SIGNS[tile.verdict] + "\u00a0", aria_hidden="true")]
