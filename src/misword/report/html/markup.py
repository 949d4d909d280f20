"""HTML elements in which the users' text cannot become markup.

`Markup` is a string that is HTML already; every other string is escaped where it enters an element
or an attribute. Only `element`, `joined` and the page's template make `Markup`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

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
