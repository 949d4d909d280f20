"""Extended grapheme clusters: what a reader sees as one character (Unicode, UAX #29)."""

from __future__ import annotations

from functools import cache
from typing import Any

from misword.core.parts.installed import version_of


def rule() -> str:
    """Return the name of the rule for signatures: the package and its version."""
    return f"regex-{version_of('regex')}"


def graphemes(text: str) -> list[str]:
    """Return the extended grapheme clusters of a text.

    Known problems: the package `regex` does not join Indic conjuncts (rule GB9c of Unicode 15.1):
    `क्षि` is two clusters.

    >>> graphemes("นี้e\u0301") == ["นี้", "e\u0301"]
    True
    """
    found: list[str] = _cluster().findall(text)
    return found


@cache
def _cluster() -> Any:
    """Return the pattern of a cluster."""
    import regex

    return regex.compile(r"\X")
