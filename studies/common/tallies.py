"""How often each status was found, for claims that are tested with several systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def tally(statuses: Iterable[str]) -> str:
    """Return how often each status was found; only the status if it is the only one.

    >>> tally(["shows", "shows"]), tally(["shows", "does not show", "shows"])
    ('shows', 'shows (2 of 3), does not show (1 of 3)')
    """
    counts = Counter(statuses)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{name} ({n} of {counts.total()})" for name, n in counts.most_common())
