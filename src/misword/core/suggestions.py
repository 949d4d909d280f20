"""Suggestions for names that were misspelt."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known name, and a space; empty if none is similar.

    >>> did_you_mean("scroe", ["score", "compare"])
    "did you mean 'score'? "
    >>> did_you_mean("xyz", ["score", "compare"])
    ''
    """
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), list(known), 1)
    return f"did you mean {near[0]!r}? " if near else ""
