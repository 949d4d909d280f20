"""The tables and figures of a paper, and what the conclusions of a page say about each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from studies.common.conclusions import NOT_HAD, REPRODUCED, SHOWS, Conclusion, single_statuses
from studies.common.markdown import table

AGREES = "agrees"
IN_PART = "agrees in part"
DISAGREES = "differs"
EXPLANATIONS = {
    REPRODUCED: "all numbers that could be computed again are the printed ones",
    AGREES: "all claims that could be tested show; numbers that could be computed again are the "
    "printed ones",
    IN_PART: "some claims show or numbers are the printed ones, others not: the reason names them",
    DISAGREES: "no claim that could be tested shows, or another number comes out",
    NOT_HAD: "nothing could be computed, because the named data or model is not here",
}
HEADER = ["part", "content", "status", "reason"]


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
        rows.append([part, content, overall(own), reasons(own)])
    return table(HEADER, rows, text_columns=len(HEADER))


def overall(conclusions: Iterable[Conclusion]) -> str:
    """Return the status of a table or figure, from all conclusions about it.

    >>> overall([Conclusion("Table 1", "", SHOWS), Conclusion("Table 1", "", NOT_HAD)])
    'agrees'
    """
    statuses = {status for each in conclusions for status in single_statuses(each.status)}
    found = statuses - {NOT_HAD}
    if not found:
        return NOT_HAD
    if found == {REPRODUCED}:
        return REPRODUCED
    if found <= {REPRODUCED, SHOWS}:
        return AGREES
    return IN_PART if found & {REPRODUCED, SHOWS} else DISAGREES


def reasons(conclusions: Iterable[Conclusion]) -> str:
    """Return what does not agree or is not to be had, and why.

    >>> reasons([Conclusion("Table 8", "scores", "TER: differs; BLEU: reproduced", "rounding")])
    'scores: TER: differs (rounding)'
    """
    lines = []
    for each in conclusions:
        others = [
            part
            for part in each.status.split("; ")
            if not set(single_statuses(part)) <= {REPRODUCED, SHOWS}
        ]
        claim = f"{each.claim}: {', '.join(others)}" if others else ""
        reason = f"({each.reason})" if claim and each.reason else each.reason
        lines.append(f"{claim} {reason}".strip())
    return "; ".join(dict.fromkeys(line for line in lines if line))
