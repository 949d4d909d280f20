"""Commands that put slipped lines back in their places."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from misword.asr.checking.commands import quoted, sed
from misword.asr.checking.texts import CheckedText, TextPair
from misword.asr.line_shifts.search import LineShift

MOST_LINES = 1_000  # empty lines that a command inserts


def mend_lines(pair: TextPair, shifts: Sequence[LineShift]) -> str:
    """Return the command that makes the right file of a pair parallel to the left one.

    Lines that belong to no line of the left file are deleted; an empty line is inserted where one
    is missing. A block that was swapped with its neighbour is moved back. The command is empty if
    the file has another format than plain lines or Kaldi's.
    """
    text = pair.right
    if not text.path or text.format not in ("lines", "kaldi") or pair.left.path == text.path:
        return ""
    if text.lines[-1] != len(text):
        return ""  # there are lines that are not utterances
    if pair.by_id and len(pair.named_rows) != len(text):
        return ""
    swapped = _swapped(shifts)
    if swapped is not None:
        return _exchange(text, *swapped)
    size = len(pair.named_rows) if pair.by_id else len(pair.left)
    edits = list(_edits(shifts, size, len(text)))
    if any(edit.count("\\n") > MOST_LINES for edit in edits):
        return ""
    missing = size - _new_size(shifts, size, len(text))
    if text.format == "kaldi":
        return _kaldi(text, edits)
    command = sed(edits, text)
    if missing > 0:
        added = f"printf {shlex.quote(chr(92) + 'n')}"
        if missing > 1:
            added = f"yes '' | head -n {missing}"
        command = " && ".join(filter(None, [command, f"{added} >> {quoted(text)}"]))
    return command


def _edits(shifts: Sequence[LineShift], left_size: int, right_size: int) -> Iterator[str]:
    """Yield commands of sed; all count lines as they are before the edits."""
    kept = right_size
    for line, before, after in changes(shifts, left_size):
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
    """Return the number of lines after the edits."""
    size = right_size
    for line, before, after in changes(shifts, left_size):
        if after > before or line + after <= right_size:
            size += before - after
    return size


def changes(shifts: Sequence[LineShift], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield where offsets change: the line of the left file, the offset before and after it.

    >>> list(changes([LineShift(5, 8, 1, 9.0, 0.8, 0.1)], 10))
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


def _exchange(text: CheckedText, start: int, middle: int, end: int) -> str:
    """Return the command that writes a file with two blocks exchanged, beside the old one."""
    if text.format != "lines":
        return ""
    size = end - middle  # of the block that comes first in the right file
    file, new = quoted(text), shlex.quote(f"{text.path}.mended")
    parts = [(1, start - 1), (start + size, end - 1), (start, start + size - 1)]
    parts = [(lo, hi) for lo, hi in parts if lo <= hi]
    steps = [f"sed -n {lo},{hi}p {file}" for lo, hi in parts]
    if end <= len(text):
        steps.append(f"sed -n '{end},$p' {file}")
    return f"{{ {'; '.join(steps)}; }} > {new}"


def _kaldi(text: CheckedText, edits: Sequence[str]) -> str:
    """Return the command that moves the texts of a Kaldi file beside its ids."""
    file, new = quoted(text), shlex.quote(f"{text.path}.mended")
    written = " ".join(f"-e {shlex.quote(edit)}" for edit in edits)
    texts = f"sed 's/^[^ ]* *//' {file} | sed {written}"
    return f"cut -d' ' -f1 {file} > {new}.ids && {texts} | paste -d' ' {new}.ids - > {new}"
