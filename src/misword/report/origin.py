"""Where a result comes from, and how to cite it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from misword.core.types import Result
from misword.report.markup import Markup, element, joined
from misword.report.reading import metrics, unique
from misword.report.references import citations
from misword.report.wording import metric_name

SHOWN_ELSEWHERE = frozenset(
    {"options", "sha256", "signatures", "metrics", "words", "encoders", "notes"}
)


def origin(result: Result) -> Markup:
    """Signatures, inputs with their hashes, options, version."""
    known = result.provenance
    signatures = _mapping(known.get("signatures"))
    ordered = [*(label for label in metrics(result) if label in signatures), *signatures]
    parts = [
        _pairs("Signatures", {metric_name(k): signatures[k] for k in ordered}, code=True),
        _pairs("Inputs, SHA-256", _mapping(known.get("sha256")), code=True),
        _pairs("Options", _mapping(known.get("options"))),
        _pairs("Made by", {k: v for k, v in known.items() if k not in SHOWN_ELSEWHERE}),
    ]
    return joined(parts)


def cite(results: Sequence[Result]) -> Markup:
    """The papers behind the numbers, and what to write beside them."""
    entries = unique(entry for result in results for entry in citations(result))
    note = element(
        "p",
        "Write the signature beside every number you publish: two numbers are comparable only if "
        "their signatures are equal.",
        class_="note",
    )
    return joined([note, element("pre", "\n\n".join(entries), tabindex="0")])


def _pairs(title: str, values: dict[str, Any], *, code: bool = False) -> Markup:
    if not values:
        return Markup()
    body = [
        element(
            "tr",
            element("td", element("bdi", key), class_="key"),
            element("td", element("bdi", _told(value)), class_="code" if code else None),
        )
        for key, value in values.items()
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


def _told(value: Any) -> str:
    """A setting as text; what has parts as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _mapping(value: Any) -> dict[str, Any]:
    return {str(key): inner for key, inner in value.items()} if isinstance(value, dict) else {}
