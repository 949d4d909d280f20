"""Checks of the order of lines: shifted lines, and files whose lines do not match."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.checking.findings import (
    Finding,
    make_finding,
    quoted_path,
    score_command,
    sed_command,
)
from misword.asr.checking.texts import (
    LOW,
    CheckedText,
    CheckedTexts,
    TextPair,
    mean_similarity,
    sampled,
)
from misword.asr.checks import Check
from misword.asr.checks.language import main_language, main_script
from misword.asr.line_shifts.search import LineShift
from misword.core.formatting import counted

# Shell commands that move shifted lines back.

MOST_LINES = 1_000  # empty lines that a command inserts at most at one place


def mend_command(pair: TextPair, shifts: Sequence[LineShift]) -> str:
    """Return the command that makes the right file of a pair parallel to the left one.

    Lines without a counterpart in the left file are deleted; an empty line is inserted where a line
    is missing. A block that was swapped with its neighbour is moved back. The command is empty if
    the file is neither plain lines nor a Kaldi text file.
    """
    text = pair.right
    if not text.path or text.format not in ("lines", "kaldi") or pair.left.path == text.path:
        return ""
    if text.lines[-1] != len(text):
        return ""  # some lines of the file are not utterances
    if pair.by_id and len(pair.named_rows) != len(text):
        return ""
    swapped = _swapped(shifts)
    if swapped is not None:
        return _swap_command(text, *swapped)
    size = len(pair.named_rows) if pair.by_id else len(pair.left)
    edits = list(_sed_edits(shifts, size, len(text)))
    if any(edit.count("\\n") > MOST_LINES for edit in edits):
        return ""
    missing = size - _new_size(shifts, size, len(text))
    if text.format == "kaldi":
        return _kaldi_command(text, edits)
    command = sed_command(edits, text)
    if missing > 0:
        added = f"printf {shlex.quote(chr(92) + 'n')}"
        if missing > 1:
            added = f"yes '' | head -n {missing}"
        command = " && ".join(filter(None, [command, f"{added} >> {quoted_path(text)}"]))
    return command


def _sed_edits(shifts: Sequence[LineShift], left_size: int, right_size: int) -> Iterator[str]:
    """Yield sed commands; line numbers are those of the file before the edits."""
    kept = right_size
    for line, before, after in offset_changes(shifts, left_size):
        if after > before:
            kept -= after - before
            first, last = line + before, min(line + after - 1, right_size)
            yield f"{first}d" if first == last else f"{first},{last}d"
        elif line + after > right_size:
            continue
        else:
            kept += before - after
            empty = "\\n" * (before - after)
            yield f"{max(line + after, 1)}s/^/{empty}/"
    if kept > left_size:
        yield f"{right_size - (kept - left_size) + 1},$d"


def _new_size(shifts: Sequence[LineShift], left_size: int, right_size: int) -> int:
    """Return the number of lines of the right file after the edits."""
    size = right_size
    for line, before, after in offset_changes(shifts, left_size):
        if after > before or line + after <= right_size:
            size += before - after
    return size


def offset_changes(shifts: Sequence[LineShift], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield each change of the offset: line of the left file, offset before it, offset from it on.

    >>> list(offset_changes([LineShift(5, 8, 1, 9.0, 0.8, 0.1)], 10))
    [(5, 0, 1), (9, 1, 0)]
    """
    offset, next_line = 0, 1
    for shift in shifts:
        if offset and shift.first > next_line:
            yield next_line, offset, 0
            offset = 0
        if shift.offset != offset:
            yield shift.first, offset, shift.offset
        offset, next_line = shift.offset, shift.last + 1
    if offset and next_line <= size:
        yield next_line, offset, 0


def _swapped(shifts: Sequence[LineShift]) -> tuple[int, int, int] | None:
    """Return the first lines of two swapped blocks in the left file, and the line after them."""
    if len(shifts) != 2:
        return None
    first, second = shifts
    sizes = first.last - first.first + 1, second.last - second.first + 1
    if (first.offset, second.offset) != (sizes[1], -sizes[0]) or second.first != first.last + 1:
        return None
    return first.first, second.first, second.last + 1


def _swap_command(text: CheckedText, start: int, middle: int, end: int) -> str:
    """Return the command that writes a new file (`.mended`) in which two blocks are exchanged."""
    if text.format != "lines":
        return ""
    size = end - middle  # lines of the block that comes first in the right file
    file, new = quoted_path(text), shlex.quote(f"{text.path}.mended")
    parts = [(1, start - 1), (start + size, end - 1), (start, start + size - 1)]
    parts = [(lo, hi) for lo, hi in parts if lo <= hi]
    steps = [f"sed -n {lo},{hi}p {file}" for lo, hi in parts]
    if end <= len(text):
        steps.append(f"sed -n '{end},$p' {file}")
    return f"{{ {'; '.join(steps)}; }} > {new}"


def _kaldi_command(text: CheckedText, edits: Sequence[str]) -> str:
    """Return the command that shifts the texts of a Kaldi file against its ids."""
    file, new = quoted_path(text), shlex.quote(f"{text.path}.mended")
    written = " ".join(f"-e {shlex.quote(edit)}" for edit in edits)
    texts = f"sed 's/^[^ ]* *//' {file} | sed {written}"
    return f"cut -d' ' -f1 {file} > {new}.ids && {texts} | paste -d' ' {new}.ids - > {new}"


# Line-parallel files with shifted lines, or with different numbers of lines.


@dataclass(frozen=True, slots=True)
class ShiftsCheck(Check):
    """Shifted lines: from some line on, the lines of two files do not match any more.

    Also blocks of lines that were swapped, and files with different numbers of lines. Both sides of
    references and hypotheses are compared, of translations and their references, and of references
    and reference translations.

    Example: `misword check ref.txt hyp.txt --checks shifts`
    """

    name: ClassVar[str] = "shifts"
    title: ClassVar[str] = "slipped lines"
    family: ClassVar[str] = "order"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Find shifts in each pair of texts."""
        blamed: set[int] = set()
        for pairs in _pairs_by_left_text(texts):
            common = _common_shifts(pairs)
            if common:
                blamed.add(id(pairs[0].left))
                yield from _shift_findings(
                    _reversed(pairs[0]), [_seen_from_right(s) for s in common]
                )
            for pair in pairs:
                if not common and pair.shifts:
                    blamed.add(id(pair.right))
                    yield from _shift_findings(pair, pair.shifts)
                elif not common and not pair.by_id and len(pair.left) != len(pair.right):
                    blamed.add(id(pair.right))
                    yield _line_count_finding(pair)
        yield from _across_languages(texts, blamed)


def _pairs_by_left_text(texts: CheckedTexts) -> Iterator[list[TextPair]]:
    """Yield the pairs with the same left text, as a list for each left text."""
    for left in (texts.references, texts.translation_references):
        if pairs := [pair for pair in texts.pairs if pair.left is left]:
            yield pairs


def _common_shifts(pairs: Sequence[TextPair]) -> list[LineShift]:
    """Return the shifts of the left text: all right texts have the same offsets against it."""
    if len(pairs) < 2 or not pairs[0].shifts:
        return []
    offsets = [[shift.offset for shift in pair.shifts] for pair in pairs]
    return pairs[0].shifts if all(one == offsets[0] for one in offsets) else []


def _across_languages(texts: CheckedTexts, blamed: set[int]) -> Iterator[Finding]:
    """Yield shifts between a text and its translation, if neither text is `blamed` already."""
    for pair in texts.translated_pairs:
        both_checked = texts.translation_references is not None
        if both_checked and pair.left is not texts.references:
            continue  # both texts were compared with references
        if not {id(pair.left), id(pair.right)} & blamed:
            yield from _shift_findings(pair, pair.shifts)


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


def _shift_findings(pair: TextPair, shifts: Sequence[LineShift]) -> Iterator[Finding]:
    """Yield a finding for each shifted stretch; the first has the command that mends the file."""
    mend = mend_command(pair, shifts)
    for number, shift in enumerate(shifts):
        rows = range(shift.first - 1 + shift.offset, shift.last + shift.offset)
        shown = [(row, row - shift.offset) for row in rows[:3]]
        late = f"{counted(abs(shift.offset), 'line')} {'late' if shift.offset > 0 else 'early'}"
        yield make_finding(
            ShiftsCheck.name,
            "error",
            pair.right,
            f"{counted(len(rows), 'line')} are {late} beside {pair.left.name}",
            rows=_rows_of(pair, rows, 1),
            other=pair.left,
            pairs=_example_rows(pair, shown),
            evidence={
                "log-likelihood ratio": shift.evidence,
                "similarity where they belong": shift.similarity,
                "similarity as they are": shift.unshifted_similarity,
            },
            mend=mend if number == 0 else "",
        )


def _rows_of(pair: TextPair, rows: Sequence[int], side: int) -> list[int]:
    """Return row numbers of a file; with ids, `rows` are numbers of pairs with a common id."""
    return pair.named_rows[rows, side].tolist() if pair.by_id else list(rows)


def _example_rows(pair: TextPair, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    if not pair.by_id:
        return list(pairs)
    named = pair.named_rows
    return [(int(named[right, 1]), int(named[left, 0])) for right, left in pairs]


def _line_count_finding(pair: TextPair) -> Finding:
    left, right = len(pair.left), len(pair.right)
    longer = pair.left if left > right else pair.right
    last = min(left, right)
    end = "missing" if left > right else "too long"
    return make_finding(
        ShiftsCheck.name,
        "error",
        pair.right,
        f"this has {counted(right, 'line')}, {pair.left.name} has {left:,}; the common lines seem "
        f"to belong together, so that the end of this file is {end}",
        other=pair.left,
        evidence={"lines": right, "on the other side": left, "last common line": last},
        pairs=[(last, -1)] if longer is pair.right else [],
        mend=mend_command(pair, ()),
    )


# Lines that are paired by id or by position and do not match.

TABLES = ("csv", "tsv", "jsonl", "parquet")
FEW_COMMON_IDS = 0.9  # the least share of common ids of matching files
FACTOR = 2.0  # how many times more similar lines at the same position must be


@dataclass(frozen=True, slots=True)
class PairingCheck(Check):
    """Ids that match by accident, and files whose lines do not match.

    The share of common words of the paired lines is compared with that of lines at the same
    position and with that of lines paired at random. Shifts are corrected before.

    Example: `misword check ref.csv hyp.csv --checks pairing`
    """

    name: ClassVar[str] = "pairing"
    title: ClassVar[str] = "pairing of lines"
    family: ClassVar[str] = "order"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare the ids and the texts of each pair."""
        for pair in texts.pairs:
            if pair.by_id:
                yield from _different_ids(pair)
            yield from _unrelated_lines(pair)


def _different_ids(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding about ids that only one side has."""
    common, sizes = len(pair.named_rows), (len(pair.left), len(pair.right))
    if common == max(sizes):
        return
    with_id = set(pair.named_rows[:, 1].tolist())
    rows = [row for row in range(sizes[1]) if row not in with_id]
    few = common < FEW_COMMON_IDS * min(sizes)
    left_only = sizes[0] - common
    yield make_finding(
        PairingCheck.name,
        "error" if few else "warning",
        pair.right,
        f"{counted(common, 'id')} are in both files; {left_only:,} are only in {pair.left.name}, "
        f"{len(rows):,} only here",
        rows=rows,
        other=pair.left,
        evidence={"share of common ids": common / max(sizes)},
    )


def _unrelated_lines(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding if the paired lines are not more similar than random pairs."""
    paired = pair.likeness.paired
    if paired >= LOW:
        return
    if pair.by_id:
        places = np.stack([np.arange(min(len(pair.left), len(pair.right)))] * 2, axis=1)
        in_place = mean_similarity(pair.left.words, pair.right.words, places)
        if in_place > max(LOW, FACTOR * paired):
            yield _accidental_ids(pair, paired, in_place)
            return
    if pair.likeness.is_random and not _in_two_languages(pair):
        yield make_finding(
            PairingCheck.name,
            "error",
            pair.right,
            f"the lines are no more like those of {pair.left.name} than lines paired at random: "
            "the files do not belong together, or their order differs",
            other=pair.left,
            pairs=[(row, mate) for mate, row in sampled(pair.rows).tolist()],
            evidence={"common words": paired, "at random": pair.likeness.at_random},
        )


def _accidental_ids(pair: TextPair, paired: float, in_place: float) -> Finding:
    is_table = pair.left.format in TABLES and pair.right.format in TABLES
    return make_finding(
        PairingCheck.name,
        "error",
        pair.right,
        f"the ids match by accident: lines with the same id share {100 * paired:.0f} % of their "
        f"words with {pair.left.name}, lines in the same place {100 * in_place:.0f} %",
        other=pair.left,
        pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
        evidence={"common words by id": paired, "by place": in_place},
        mend=score_command(pair, "--id-column none") if is_table else "",
    )


def _in_two_languages(pair: TextPair) -> bool:
    """Return whether the two texts differ in language or script, which other checks report."""
    languages = {main_language(text) for text in (pair.left, pair.right)} - {""}
    scripts = {main_script(text) for text in (pair.left, pair.right)} - {""}
    return len(languages) > 1 or len(scripts) > 1
