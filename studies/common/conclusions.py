"""Conclusions about a paper's claims, and the pages that state them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from studies.common.markdown import page, table

SHOWS = "shows"
NOT_SEEN = "does not show"
OPPOSITE = "the opposite shows"
NOT_HOLDING = "does not hold"
REPRODUCED = "reproduced"
DIFFERS = "differs"
NO_DATA = "no data"
CERTAIN = 0.975
EXPLANATIONS = {
    SHOWS: "the 95 % interval of the difference is on the side of the claim; or an order of "
    "numbers is as claimed in at least 97.5 % of the resamples",
    NOT_SEEN: "the interval contains 0, or the order is as claimed in some of the resamples",
    OPPOSITE: "the interval is on the other side",
    NOT_HOLDING: "an order of numbers is as claimed in at most 2.5 % of the resamples",
    REPRODUCED: "computed again from the authors' files: the printed digits, or a named rounding",
    DIFFERS: "computed again, with another number; the page says why, as far as it is known",
    NO_DATA: "what the table needs is not published or not here",
}


class Conclusion(NamedTuple):
    """One line of the summary of a page: a table of the paper, its claim, and what is found."""

    part: str
    claim: str
    status: str


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


class Section(NamedTuple):
    """A part of a page, and the lines that it adds to the summary."""

    text: str
    conclusions: tuple[Conclusion, ...] = ()


def write_page(path: Path, title: str, introduction: str, sections: Sequence[Section]) -> None:
    """Write a page: title, introduction, the summary of all conclusions, and the sections."""
    conclusions = [line for section in sections for line in section.conclusions]
    texts = [section.text for section in sections]
    path.write_text(page(f"# {title}", introduction, summary(conclusions), *texts), "utf-8")


def summary(conclusions: Sequence[Conclusion]) -> str:
    """Return the section `Summary` of a page, which the index reads."""
    return "## Summary\n\n" + table(["part", "claim", "status"], conclusions, text_columns=3)


def joined(statuses: Mapping[str, str]) -> str:
    """Return one status for several: the common one, or each with its name.

    >>> joined({"BLEU": SHOWS, "TER": SHOWS}), joined({"BLEU": SHOWS, "TER": NOT_SEEN})
    ('shows', 'BLEU: shows; TER: does not show')
    """
    if len(set(statuses.values())) == 1:
        return next(iter(statuses.values()))
    return "; ".join(f"{name}: {status}" for name, status in statuses.items())
