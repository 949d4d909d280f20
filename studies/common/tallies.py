"""How often each status was found, for claims that are tested with several systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def tally(statuses: Iterable[str]) -> str:
    """Return how often each status was found; only the status if it is the only one.

    >>> tally(["shows", "shows"]), tally(["shows", "inconclusive", "shows"])
    ('shows', '2 of 3: shows; 1 of 3: inconclusive')
    """
    counts = Counter(statuses)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{n} of {counts.total()}: {name}" for name, n in counts.most_common())
