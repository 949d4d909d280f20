"""Conclusions about a paper's claims, and the sections of a page that state them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

# Statuses of claims.
SHOWS = "shows"
INCONCLUSIVE = "inconclusive"
OPPOSITE = "the opposite shows"
NOT_HOLDING = "does not hold"
# Statuses of printed numbers.
REPRODUCED = "reproduced"
DIFFERS = "differs"
# The status of either without data.
NOT_AVAILABLE = "not available"
OF_CLAIMS = frozenset({SHOWS, INCONCLUSIVE, OPPOSITE, NOT_HOLDING})
OF_NUMBERS = frozenset({REPRODUCED, DIFFERS})
CERTAIN = 0.975
EXPLANATIONS = {
    SHOWS: "the 95 % interval of the difference is on the side of the claim; or an order of "
    "numbers is as claimed in at least 97.5 % of the resamples; or a number is as claimed",
    INCONCLUSIVE: "the interval contains 0, or the order is as claimed in some of the resamples: "
    "these data can neither show the claim nor its opposite",
    OPPOSITE: "the interval is on the other side",
    NOT_HOLDING: "an order of numbers is as claimed in at most 2.5 % of the resamples, or a number "
    "is not as claimed",
    REPRODUCED: "computed again from the printed numbers or the authors' files: the printed "
    "digits, or a named rounding",
    DIFFERS: "computed again, with another number; the page says why, as far as it is known",
    NOT_AVAILABLE: "data or a model that is needed is not published or not here",
}


class Conclusion(NamedTuple):
    """One line of the summary of a page: a part of the paper, its claim, and what is found.

    `part` begins with the names of tables and figures: `Tables 5 and 6, our vectors`. `reason` says
    what is missing, or what differs.
    """

    part: str
    claim: str
    status: str
    reason: str = ""


class Section(NamedTuple):
    """A part of a page, the lines that it adds to the summary, and commands for its numbers.

    Files in the commands are relative to ../shared/data. `figures` has the charts that the text
    shows, by the name of their file.
    """

    text: str
    conclusions: tuple[Conclusion, ...] = ()
    commands: tuple[str, ...] = ()
    figures: Mapping[str, str] = MappingProxyType({})


def conclusion(low: float, high: float, claimed: Literal["lower", "higher"]) -> str:
    """Return whether a claim about a difference shows, from the interval of the difference.

    >>> conclusion(-0.5, -0.1, "lower"), conclusion(-0.5, 0.1, "lower")
    ('shows', 'inconclusive')
    """
    if low <= 0 <= high:
        return INCONCLUSIVE
    return SHOWS if (high < 0) == (claimed == "lower") else OPPOSITE


def holding(share: float) -> str:
    """Return whether a claim about an order shows, from the share of resamples that have it.

    >>> holding(0.99), holding(0.9), holding(0.01)
    ('shows', 'inconclusive', 'does not hold')
    """
    if share >= CERTAIN:
        return SHOWS
    return NOT_HOLDING if share <= 1 - CERTAIN else INCONCLUSIVE


def fact(holds: bool) -> str:
    """Return the status of a claim about a number that needs no interval."""
    return SHOWS if holds else NOT_HOLDING


def compared(ours: Iterable[float], printed: Iterable[float], tolerance: float) -> str:
    """Return whether numbers agree with the printed ones.

    >>> compared([30.82], [30.81], 0.011)
    'reproduced'
    """
    near = all(abs(a - b) <= tolerance for a, b in zip(ours, printed, strict=True))
    return REPRODUCED if near else DIFFERS


def joined(statuses: Mapping[str, str]) -> str:
    """Return one status for several: the common one, or each with its name.

    >>> joined({"BLEU": SHOWS, "TER": SHOWS}), joined({"BLEU": SHOWS, "TER": INCONCLUSIVE})
    ('shows', 'BLEU: shows; TER: inconclusive')
    """
    if len(set(statuses.values())) == 1:
        return next(iter(statuses.values()))
    return "; ".join(f"{name}: {status}" for name, status in statuses.items())


def single_statuses(status: str) -> list[str]:
    """Return the different statuses in one that was joined or counted, in their order.

    >>> single_statuses("TER: differs; BLEU: shows; METEOR: shows")
    ['differs', 'shows']
    """
    return list(dict.fromkeys(part.rpartition(": ")[2] for part in status.split("; ")))


def statuses_by_name(status: str) -> dict[str, list[str]]:
    """Return the names of each status in one that was joined or counted; no names if it is single.

    >>> statuses_by_name("BLEU: shows; TER: differs; METEOR: shows"), statuses_by_name("shows")
    ({'shows': ['BLEU', 'METEOR'], 'differs': ['TER']}, {'shows': []})
    """
    found: dict[str, list[str]] = {}
    for part in status.split("; "):
        name, _, single = part.rpartition(": ")
        names = found.setdefault(single, [])
        if name:
            names.append(name)
    return found
