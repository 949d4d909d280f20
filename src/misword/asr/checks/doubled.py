"""Utterances that are there twice, and sentences that recur."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import leave_out
from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.near_doubles import near_doubles
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check
from misword.core.formatting import counted

LONG, CHARACTERS = 6, 12  # words and characters of a sentence that few people say in the same way
VERY_LONG = 10  # words of a sentence that hardly two people say in the same way
SEVERAL_TIMES = 0.1  # the share of recurring long lines from which on recurrence is the design
FEWEST_LINES = 3  # that are nearly the same
WARNED = 5  # utterances that are there twice
# A block that is there twice: lines, different sentences, and lines with the same errors.
BLOCK, SENTENCES, WITH_ERRORS = 5, 3, 2
MOST_OCCURRENCES = 20  # of a text that is looked for in blocks


@dataclass(frozen=True, slots=True)
class Doubled(Check):
    """Utterances that are there twice: the same reference with the same hypotheses.

    A sentence that several people read has the same reference, but its hypotheses differ. It is a
    note, since intervals then need blocks (`--block`). Blocks of lines that are there twice are
    found if their hypotheses have the same errors. Sentences of fewer than six words are not looked
    at: people give the same short answers.

    Example: `misword check ref.txt hyp.txt --checks doubled`
    """

    name: ClassVar[str] = "doubled"
    title: ClassVar[str] = "doubled utterances"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look for recurring references, with their hypotheses."""
        references = texts.references
        keys = _keys(texts)
        groups = _recurring(references)
        long = sum(map(_is_long, references.words))
        again = sum(len(rows) - 1 for rows in groups)
        recurs_by_design = again > SEVERAL_TIMES * max(1, long)
        in_blocks: set[int] = set()
        with_errors = _with_errors(texts)
        blocks = doubled_blocks(keys, references, with_errors)
        for first, second, size in sorted(blocks, key=lambda block: -block[2]):
            if in_blocks.isdisjoint(range(second, second + size)):
                in_blocks.update(range(second, second + size))
                yield _block(texts, first, second, size)
        rest = [[row for row in rows if row not in in_blocks] for rows in groups]
        if recurs_by_design:
            yield from _recurrence(references, rest)
        else:
            yield from _scattered(texts, rest, keys, with_errors)
        yield from _nearly(references)


def _recurring(text: CheckedText) -> list[list[int]]:
    """Return the rows of each long text that is there more than once."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, (line, words) in enumerate(zip(text.plain, text.words, strict=True)):
        if _is_long(words):
            rows[line].append(row)
    return [group for group in rows.values() if len(group) > 1]


def _is_long(words: Sequence[str]) -> bool:
    return len(words) >= LONG and sum(map(len, words)) >= CHARACTERS


def _keys(texts: CheckedTexts) -> list[tuple[str, ...]]:
    """Return the reference and the hypotheses of each row of the references."""
    columns = [texts.references.plain]
    for pair in texts.pairs:
        if pair.left is texts.references:
            column = [""] * len(pair.left)
            for row, mate in pair.rows.tolist():
                column[row] = pair.right.plain[mate]
            columns.append(column)
    return list(zip(*columns, strict=True))


def _with_errors(texts: CheckedTexts) -> set[int]:
    """Return the rows of the references in which a hypothesis has an error."""
    return {
        row
        for pair in texts.pairs
        if pair.left is texts.references
        for row in pair.rows[pair.errors > 0, 0].tolist()
    }


def doubled_blocks(
    keys: Sequence[tuple[str, ...]], text: CheckedText, with_errors: set[int]
) -> Iterator[tuple[int, int, int]]:
    """Yield the first row of a block, the first row of its copy, and the number of rows."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        places[key].append(row)
    runs: dict[int, int] = {}  # the first row of the run with each distance
    for row in range(len(keys) + 1):
        after = places[keys[row]] if row < len(keys) else []
        few = after if len(after) <= MOST_OCCURRENCES else []
        distances = {other - row for other in few if other > row}
        for distance in [d for d in runs if d not in distances]:
            start = runs.pop(distance)
            if _is_block(range(start, row), text, keys, with_errors):
                yield start, start + distance, row - start
        for distance in distances:
            runs.setdefault(distance, row)


def _is_block(
    rows: range, text: CheckedText, keys: Sequence[tuple[str, ...]], with_errors: set[int]
) -> bool:
    if len(rows) < BLOCK or len({text.plain[row] for row in rows}) < SENTENCES:
        return False
    if sum(_is_long(text.words[row]) for row in rows) < SENTENCES:
        return False
    has_hypotheses = len(keys[rows[0]]) > 1
    return not has_hypotheses or sum(row in with_errors for row in rows) >= WITH_ERRORS


def _block(texts: CheckedTexts, first: int, second: int, size: int) -> Finding:
    text = texts.references
    begin, end = text.lines[first], text.lines[first + size - 1]
    return found(
        Doubled.name,
        "warning",
        text,
        f"{size:,} consecutive lines are a copy of lines {begin:,} to {end:,}, with the same "
        "hypotheses",
        rows=list(range(second, second + size)),
        evidence={"lines": size},
        mend=leave_out(texts, text, range(second, second + size)),
    )


def _recurrence(text: CheckedText, groups: Sequence[Sequence[int]]) -> Iterator[Finding]:
    """Yield a note on a text in which many sentences recur."""
    rows = sorted(row for group in groups for row in group[1:])
    if not rows:
        return
    sentences = sum(len(group) > 1 for group in groups)
    yield found(
        Doubled.name,
        "note",
        text,
        f"{sentences:,} sentences are there more than once ({counted(len(rows), 'further line')}): "
        "they are not independent, so test and resample them together (--block)",
        rows=rows,
        evidence={"sentences": sentences, "share of lines": len(rows) / len(text)},
    )


def _scattered(
    texts: CheckedTexts,
    groups: Sequence[Sequence[int]],
    keys: Sequence[tuple[str, ...]],
    with_errors: set[int],
) -> Iterator[Finding]:
    """Yield utterances that are there twice in a text whose sentences do not recur.

    The hypotheses of common sentences are the same because they are right: a sentence must be very
    long, or its hypotheses must have the same errors.
    """
    text = texts.references
    twice: list[int] = []
    again: list[int] = []
    for rows in groups:
        for row in rows[1:]:
            same = any(keys[row] == keys[other] for other in rows if other < row)
            telling = row in with_errors or len(text.words[row]) >= VERY_LONG
            (twice if same and telling and len(keys[row]) > 1 else again).append(row)
    for rows, what in (
        (twice, "as earlier lines, and the same hypotheses"),
        (again, "as earlier lines"),
    ):
        severity: Severity = "note"
        if rows is twice and len(rows) >= WARNED:
            severity = "warning"
        if rows:
            yield found(
                Doubled.name,
                severity,
                text,
                f"{counted(len(rows), 'line')} {'has' if len(rows) == 1 else 'have'} the same "
                f"text of six words or more {what}",
                rows=sorted(rows),
                evidence={"share of lines": len(rows) / len(text)},
                mend=leave_out(texts, text, rows) if severity == "warning" else "",
            )


def _nearly(text: CheckedText) -> Iterator[Finding]:
    """Yield a note on lines that differ from earlier ones in few words."""
    pairs = list(near_doubles(text.words))
    if len(pairs) >= FEWEST_LINES:
        yield found(
            Doubled.name,
            "note",
            text,
            f"{counted(len(pairs), 'line')} are nearly the same as earlier lines",
            rows=sorted(later for _, later in pairs),
            evidence={"share of lines": len(pairs) / len(text)},
            other=text,
            pairs=[(later, earlier) for earlier, later in pairs],
        )
