"""The tables and figures of a paper, and what the conclusions of a page say about each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from misword.core.formatting import listed
from studies.common.conclusions import (
    DIFFERS,
    INCONCLUSIVE,
    NOT_AVAILABLE,
    NOT_HOLDING,
    OF_CLAIMS,
    OF_NUMBERS,
    OPPOSITE,
    REPRODUCED,
    SHOWS,
    Conclusion,
    single_statuses,
    statuses_by_name,
)
from studies.common.markdown import table

IN_PART = "in part"
CONTRADICTED = "contradicted"
NONE = "none"
OF_PRINTED_NUMBERS = {
    REPRODUCED: "all numbers that could be computed again are the printed ones",
    IN_PART: "some are the printed ones, others differ",
    DIFFERS: "other numbers come out",
    NOT_AVAILABLE: "nothing could be computed again, because data or a model is not here",
    NONE: "the part has no numbers that could be computed again",
}
OF_ALL_CLAIMS = {
    SHOWS: "all claims that could be tested show",
    IN_PART: "some claims show, others not",
    INCONCLUSIVE: "no claim shows, and none is contradicted: the intervals are too wide",
    CONTRADICTED: "no claim shows, and the opposite of one does, or an order or a number does not "
    "hold",
    NOT_AVAILABLE: "no claim could be tested, because data or a model is not here",
    NONE: "the part has no claim that was tested",
}
HEADER = ["part", "content", "printed numbers", "claims", "reason"]


def parts_of(name: str) -> list[str]:
    """Return the tables and figures that the part of a conclusion names.

    >>> parts_of("Tables 5 and 6, our vectors"), parts_of("Figures 5, 7 and 8")
    (['Table 5', 'Table 6'], ['Figure 5', 'Figure 7', 'Figure 8'])
    >>> parts_of("Tables 1 to 3, printed numbers"), parts_of("Table 1 (EN-KO)")
    (['Table 1', 'Table 2', 'Table 3'], ['Table 1'])
    >>> parts_of("Table 2 and Figure 2, our vectors")
    ['Table 2', 'Figure 2']
    """
    found = re.findall(r"([A-Z][a-z]+?)s? (\d+(?:(?:, | and | to )\d+)*)", name)
    return [f"{kind} {number}" for kind, numbers in found for number in _expanded(numbers)]


def _expanded(numbers: str) -> Iterator[int]:
    """Yield the numbers of a list such as `1 to 3, 5 and 7`."""
    for part in re.split(r", | and ", numbers):
        first, _, last = part.partition(" to ")
        yield from range(int(first), int(last or first) + 1)


def contents_table(contents: Mapping[str, str], conclusions: Sequence[Conclusion]) -> str:
    """Return the table of all tables and figures of a paper.

    An error is raised for a table or figure without a conclusion: no part is left out silently.
    """
    rows = []
    for part, content in contents.items():
        own = [each for each in conclusions if part in parts_of(each.part)]
        if not own:
            raise ValueError(f"no conclusion about {part}")
        rows.append([part, content, of_numbers(own), of_claims(own), reasons(own)])
    return table(HEADER, rows, text_columns=len(HEADER))


def _statuses(conclusions: Iterable[Conclusion]) -> set[str]:
    return {status for each in conclusions for status in single_statuses(each.status)}


def of_numbers(conclusions: Sequence[Conclusion]) -> str:
    """Return the status of the printed numbers of a table or figure.

    >>> of_numbers([Conclusion("Table 1", "", "BLEU: reproduced; TER: differs")])
    'in part'
    """
    statuses = _statuses(conclusions)
    found = statuses & OF_NUMBERS
    if not found:
        return NOT_AVAILABLE if NOT_AVAILABLE in statuses else NONE
    return IN_PART if len(found) > 1 else next(iter(found))


def of_claims(conclusions: Sequence[Conclusion]) -> str:
    """Return the status of the claims of a table or figure.

    >>> of_claims([Conclusion("Table 1", "", "8 of 14: the opposite shows; 6 of 14: inconclusive")])
    'contradicted'
    >>> of_claims([Conclusion("Table 1", "", SHOWS), Conclusion("Table 1", "", NOT_AVAILABLE)])
    'shows'
    """
    statuses = _statuses(conclusions)
    found = statuses & OF_CLAIMS
    if not found:
        return NOT_AVAILABLE if statuses == {NOT_AVAILABLE} else NONE
    if SHOWS in found:
        return SHOWS if found == {SHOWS} else IN_PART
    return CONTRADICTED if found & {OPPOSITE, NOT_HOLDING} else INCONCLUSIVE


def reasons(conclusions: Iterable[Conclusion]) -> str:
    """Return what does not agree or is not available, and why, as sentences.

    >>> reasons([Conclusion("Table 8", "scores", "TER: differs; BLEU: reproduced", "rounding")])
    'Scores: differs for TER (rounding).'
    >>> reasons([Conclusion("Table 3", "recall falls", "8 of 9: the opposite shows; 1 of 9: shows")]
    ... )
    'Recall falls: the opposite shows in 8 of 9 tests.'
    """
    return " ".join(dict.fromkeys(filter(None, map(_reason, conclusions))))


def _reason(conclusion: Conclusion) -> str:
    found = statuses_by_name(conclusion.status)
    others = [
        f"{status}{_where(names)}"
        for status, names in found.items()
        if status not in (REPRODUCED, SHOWS)
    ]
    if not others and not conclusion.reason:
        return ""
    said = f"{conclusion.claim[0].upper()}{conclusion.claim[1:]}: " if others else ""
    said += listed(others)
    if conclusion.reason:
        said += f" ({conclusion.reason})" if said else conclusion.reason
    return f"{said[0].upper()}{said[1:]}."


def _where(names: Sequence[str]) -> str:
    """Return the names that a status is about: `for BLEU and TER`, or `in 8 of 14 tests`."""
    if not names:
        return ""
    counted = all(re.fullmatch(r"\d+ of \d+", name) for name in names)
    return f" in {listed(names)} tests" if counted else f" for {listed(names)}"
