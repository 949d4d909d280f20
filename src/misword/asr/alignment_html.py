"""Alignments as HTML for notebooks: the reference over the hypothesis, errors in colour.

Colours and lines are those of the report. A notebook has no style sheet of misword, so each element
has its own style, with the colour of its text and of its background.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from misword.asr.word_tables import Step

PAIRS = 10
STEPS = 100  # of each pair
LONGEST = 40  # characters of a word, or of a forgiven block

HIT = "opacity:.7"  # of the colour of the notebook, which may be dark
FORGIVEN = "color:#1b1d21;background:#d9e8fa;border-bottom:2px solid #0a4f8a"
LINES = {"substitution": "solid", "insertion": "dashed", "deletion": "dotted"}
# Backgrounds of errors, from a cost near 0 to a cost of 1 or more.
COSTS = ("#fff3e8", "#ffe4cc", "#ffd3ab", "#ffc28c", "#ffb06b")


def alignments_html(title: str, pairs: Iterable[Sequence[Step]], size: int) -> str:
    """Return the first pairs; `size` is the number of all pairs."""
    shown = "".join(_pair_html(steps) for _, steps in zip(range(PAIRS), pairs, strict=False))
    more = f"<p>... {size - PAIRS:,} more</p>" if size > PAIRS else ""
    return f"<div><p>{escape(title)}</p>{shown}{more}</div>"


def _pair_html(steps: Sequence[Step]) -> str:
    places = "".join(map(_step_html, steps[:STEPS]))
    more = f"... {len(steps) - STEPS:,} more" if len(steps) > STEPS else ""
    return f'<div dir="auto" style="margin:6px 0">{places}{more}</div>'


def _step_html(step: Step) -> str:
    """Return one place: the reference word over the hypothesis word."""
    words = "<br>".join(_word(word) for word in (step.reference, step.hypothesis))
    name = "forgiven: " + step.family if step.family else step.kind
    look = f"display:inline-block;padding:0 4px;margin:2px 1px;{_style(step)}"
    return f'<span title="{escape(name)}" style="{look}">{words}</span>'


def _style(step: Step) -> str:
    if step.family:
        return FORGIVEN
    if step.kind == "hit":
        return HIT
    depth = ceil(len(COSTS) * min(max(step.cost, 0.0), 1.0))
    background = COSTS[depth - 1] if depth else "#ffffff"
    return f"color:#1b1d21;background:{background};border-bottom:2px {LINES[step.kind]} #7f2d00"


def _word(word: str | None) -> str:
    if word is None:
        return "&nbsp;"
    return escape(word if len(word) <= LONGEST else word[: LONGEST - 1] + "…")
