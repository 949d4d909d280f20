"""Conclusions about a paper's claims, and the sections of a page that state them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

SHOWS = "shows"
NOT_SEEN = "does not show"
OPPOSITE = "the opposite shows"
NOT_HOLDING = "does not hold"
REPRODUCED = "reproduced"
DIFFERS = "differs"
NOT_HAD = "not to be had"
CERTAIN = 0.975
EXPLANATIONS = {
    SHOWS: "the 95 % interval of the difference is on the side of the claim; or an order of "
    "numbers is as claimed in at least 97.5 % of the resamples",
    NOT_SEEN: "the interval contains 0, or the order is as claimed in some of the resamples",
    OPPOSITE: "the interval is on the other side",
    NOT_HOLDING: "an order of numbers is as claimed in at most 2.5 % of the resamples",
    REPRODUCED: "computed again from the printed numbers or the authors' files: the printed "
    "digits, or a named rounding",
    DIFFERS: "computed again, with another number; the page says why, as far as it is known",
    NOT_HAD: "data or a model that is needed is not published or not here",
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
    ('shows', 'does not show')
    """
    if low <= 0 <= high:
        return NOT_SEEN
    return SHOWS if (high < 0) == (claimed == "lower") else OPPOSITE


def holding(share: float) -> str:
    """Return whether a claim about an order shows, from the share of resamples that have it.

    >>> holding(0.99), holding(0.9), holding(0.01)
    ('shows', 'does not show', 'does not hold')
    """
    if share >= CERTAIN:
        return SHOWS
    return NOT_HOLDING if share <= 1 - CERTAIN else NOT_SEEN


def compared(ours: Iterable[float], printed: Iterable[float], tolerance: float) -> str:
    """Return whether numbers agree with the printed ones.

    >>> compared([30.82], [30.81], 0.011)
    'reproduced'
    """
    near = all(abs(a - b) <= tolerance for a, b in zip(ours, printed, strict=True))
    return REPRODUCED if near else DIFFERS


def joined(statuses: Mapping[str, str]) -> str:
    """Return one status for several: the common one, or each with its name.

    >>> joined({"BLEU": SHOWS, "TER": SHOWS}), joined({"BLEU": SHOWS, "TER": NOT_SEEN})
    ('shows', 'BLEU: shows; TER: does not show')
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
