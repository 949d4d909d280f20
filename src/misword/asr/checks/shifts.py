"""Line-parallel files that have slipped, or have different numbers of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.findings import Finding, found
from misword.asr.checking.line_mending import mend_lines
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.asr.line_shifts.search import LineShift
from misword.core.formatting import counted


@dataclass(frozen=True, slots=True)
class Shifts(Check):
    """Lines that have slipped: from some line on, the lines of two files do not belong together.

    Also blocks of lines that were swapped, and files with different numbers of lines. Both sides of
    references and hypotheses are compared, of translations and their references, and of references
    and reference translations.

    Example: `misword check ref.txt hyp.txt --checks shifts`
    """

    name: ClassVar[str] = "shifts"
    title: ClassVar[str] = "slipped lines"
    family: ClassVar[str] = "order"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look for shifts in each pair of texts."""
        blamed: set[int] = set()
        for pairs in _groups(texts):
            common = _common_shifts(pairs)
            if common:
                blamed.add(id(pairs[0].left))
                yield from _slipped(_reversed(pairs[0]), [_seen_from_right(s) for s in common])
            for pair in pairs:
                if not common and pair.shifts:
                    blamed.add(id(pair.right))
                    yield from _slipped(pair, pair.shifts)
                elif not common and not pair.by_id and len(pair.left) != len(pair.right):
                    blamed.add(id(pair.right))
                    yield _line_counts(pair)
        yield from _across_languages(texts, blamed)


def _groups(texts: CheckedTexts) -> Iterator[list[TextPair]]:
    """Yield the pairs that have one left text."""
    for left in (texts.references, texts.translation_references):
        if pairs := [pair for pair in texts.pairs if pair.left is left]:
            yield pairs


def _common_shifts(pairs: Sequence[TextPair]) -> list[LineShift]:
    """Return the shifts of the left text: all right texts are shifted against it in one way."""
    if len(pairs) < 2 or not pairs[0].shifts:
        return []
    offsets = [[shift.offset for shift in pair.shifts] for pair in pairs]
    return pairs[0].shifts if all(one == offsets[0] for one in offsets) else []


def _across_languages(texts: CheckedTexts, blamed: set[int]) -> Iterator[Finding]:
    """Yield shifts between a text and its translation that were not found in one language."""
    for pair in texts.translated_pairs:
        both_checked = texts.translation_references is not None
        if both_checked and pair.left is not texts.references:
            continue  # both texts were compared with references
        if not {id(pair.left), id(pair.right)} & blamed:
            yield from _slipped(pair, pair.shifts)


def _reversed(pair: TextPair) -> TextPair:
    return TextPair(pair.right, pair.left, pair.translated)


def _seen_from_right(shift: LineShift) -> LineShift:
    """Return a shift with the two files exchanged."""
    return LineShift(
        shift.first + shift.offset,
        shift.last + shift.offset,
        -shift.offset,
        shift.evidence,
        shift.similarity,
        shift.unshifted_similarity,
    )


def _slipped(pair: TextPair, shifts: Sequence[LineShift]) -> Iterator[Finding]:
    """Yield a finding for each shifted stretch; the first has the command that mends the file."""
    mend = mend_lines(pair, shifts)
    for number, shift in enumerate(shifts):
        rows = range(shift.first - 1 + shift.offset, shift.last + shift.offset)
        shown = [(row, row - shift.offset) for row in rows[:3]]
        late = f"{counted(abs(shift.offset), 'line')} {'late' if shift.offset > 0 else 'early'}"
        yield found(
            Shifts.name,
            "error",
            pair.right,
            f"{counted(len(rows), 'line')} are {late} beside {pair.left.name}",
            rows=_rows_of(pair, rows, 1),
            other=pair.left,
            pairs=_shown(pair, shown),
            evidence={
                "log-likelihood ratio": shift.evidence,
                "similarity where they belong": shift.similarity,
                "similarity as they are": shift.unshifted_similarity,
            },
            mend=mend if number == 0 else "",
        )


def _rows_of(pair: TextPair, rows: Sequence[int], side: int) -> list[int]:
    """Return rows of a file; shifts of files with ids count the pairs with common ids."""
    return pair.named_rows[rows, side].tolist() if pair.by_id else list(rows)


def _shown(pair: TextPair, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    if not pair.by_id:
        return list(pairs)
    named = pair.named_rows
    return [(int(named[right, 1]), int(named[left, 0])) for right, left in pairs]


def _line_counts(pair: TextPair) -> Finding:
    left, right = len(pair.left), len(pair.right)
    longer = pair.left if left > right else pair.right
    last = min(left, right)
    end = "missing" if left > right else "too long"
    return found(
        Shifts.name,
        "error",
        pair.right,
        f"this has {counted(right, 'line')}, {pair.left.name} has {left:,}; the common lines seem "
        f"to belong together, so that the end of this file is {end}",
        other=pair.left,
        evidence={"lines": right, "on the other side": left, "last common line": last},
        pairs=[(last, -1)] if longer is pair.right else [],
        mend=mend_lines(pair, ()),
    )
