"""Utterances without text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

LONG_RUN = 5  # consecutive empty texts that are hardly chance
LARGE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Empty(Check):
    """Empty texts whose counterpart on the other side has words.

    A recogniser may hear nothing in an utterance, so a few empty hypotheses are a note. Many of
    them, or several in a row, are a warning; so are empty references, which have no error rate, and
    empty translations.

    Example: `misword check ref.txt hyp.txt --checks empty`
    """

    name: ClassVar[str] = "empty"
    title: ClassVar[str] = "empty lines"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair."""
        seen: set[tuple[str, str]] = set()
        for pair in (*texts.matching_pairs, *texts.translated_pairs):
            for finding in _both_sides(pair):
                if (finding.file, finding.side) not in seen:
                    seen.add((finding.file, finding.side))
                    yield finding


def _both_sides(pair: TextPair) -> Iterator[Finding]:
    for place, text, other in ((0, pair.left, pair.right), (1, pair.right, pair.left)):
        rows = [
            (row[place], row[1 - place])
            for row in pair.rows.tolist()
            if not text.texts[row[place]].strip() and len(other.words[row[1 - place]]) > 1
        ]
        if not rows:
            continue
        share = len(rows) / len(pair.rows)
        many = share > LARGE_SHARE or longest_run([row for row, _ in rows]) >= LONG_RUN
        severity: Severity = "warning" if many or text.side != "hypothesis" else "note"
        verb = "is" if len(rows) == 1 else "are"
        yield found(
            Empty.name,
            severity,
            text,
            f"{counted(len(rows), 'line')} {verb} empty where {other.name} has words",
            rows=[row for row, _ in rows],
            other=other,
            pairs=rows,
            evidence={"share of lines": share},
        )


def longest_run(rows: list[int]) -> int:
    """Return the length of the longest run of consecutive numbers in a rising list.

    >>> longest_run([1, 2, 5, 6, 7])
    3
    """
    best = length = 0
    previous = None
    for row in rows:
        length = length + 1 if previous is not None and row == previous + 1 else 1
        best, previous = max(best, length), row
    return best
