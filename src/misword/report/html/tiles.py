"""Tiles: the few large numbers of the first screen, each with its verdict in words and colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from misword.report.html.markup import Markup, element
from misword.report.html.text import with_unbroken_numbers, without_direction_marks
from misword.report.result_access import Verdict

# Signs of the verdicts. They are about error rates: a lower rate is better.
SIGNS: dict[Verdict, str] = {"better": "▼", "worse": "▲", "unclear": "≈", "untested": "?"}


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
    items = [element("li", *_parts(tile), class_=f"tile {tile.verdict or ''}") for tile in shown]
    return element("ul", *items, class_="tiles", aria_label=label) if items else Markup()


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
