"""Where the numbers of a result come from: signatures, inputs, options, version."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from misword.report.article import Article, Section
from misword.report.html.markup import Markup, element, folded
from misword.report.result_access import metrics, titles, unique

# Entries of the provenance that other tables or sections show.
SHOWN_ELSEWHERE = frozenset(
    {"options", "sha256", "signatures", "metrics", "words", "encoders", "notes", "parts"}
)


def _section(article: Article) -> Markup:
    provenance, title = article.result.provenance, titles(article.result)
    signatures = _mapping(provenance.get("signatures"))
    labels = [label for label in metrics(article.result) if label in signatures]
    signed = [(title(label), signatures[label]) for label in unique([*labels, *signatures])]
    others = [(key, value) for key, value in provenance.items() if key not in SHOWN_ELSEWHERE]
    tables = [
        _table("Signatures", signed, code=True),
        _table("Inputs, SHA-256", _mapping(provenance.get("sha256")).items(), code=True),
        _table("Options", _mapping(provenance.get("options")).items()),
        _table("Made by", others),
    ]
    return folded("Signatures, inputs and options", *tables) if any(tables) else Markup()


PROVENANCE = Section("origin", "Provenance", "Where the numbers come from", _section)


def _table(title: str, values: Collection[tuple[str, Any]], *, code: bool = False) -> Markup:
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
