"""Commands of the shell that mend files; they are for GNU sed and a POSIX shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair

MOST_LINES = 40  # numbers of lines in one command


def quoted(text: CheckedText) -> str:
    """Return the file for a command; a name must not look like an option."""
    return shlex.quote(f"./{text.path}" if text.path.startswith("-") else text.path)


def sed(expressions: Iterable[str], *files: CheckedText) -> str:
    """Return the command that edits files in place; empty if one of them is not a file."""
    listed = list(expressions)
    if not listed or not all(file.path for file in files):
        return ""
    written = " ".join(f"-e {shlex.quote(expression)}" for expression in listed)
    if len(listed) == 1:
        written = shlex.quote(listed[0])
    return f"sed -i {written} {' '.join(quoted(file) for file in files)}"


def substitute(changes: Mapping[str, str], *files: CheckedText) -> str:
    """Return the command that replaces strings in files, in the order of the mapping."""
    steps = (f"s/{_pattern(old)}/{_replacement(new)}/g" for old, new in changes.items())
    return sed(steps, *files)


def leave_out(texts: CheckedTexts, text: CheckedText, rows: Iterable[int]) -> str:
    """Return the command that deletes rows of a text from all files.

    The command is empty if the files are not line-parallel, if one of them has a format other than
    plain lines, or if there are too many lines for one command.
    """
    files = texts.files
    ranges = list(_ranges(sorted({text.lines[row] for row in rows})))
    if len(ranges) > MOST_LINES or not all(file.is_lines for file in files):
        return ""
    if len({len(file) for file in files}) > 1 or any(pair.shifts for pair in texts.pairs):
        return ""
    written = ";".join(f"{lo}d" if lo == hi else f"{lo},{hi}d" for lo, hi in ranges)
    return sed([written], *files)


def score_with(pair: TextPair, options: str) -> str:
    """Return the command that scores a pair with options."""
    if not (pair.left.path and pair.right.path):
        return ""
    paths = dict.fromkeys([quoted(pair.left), quoted(pair.right)])  # a table has both sides
    return f"misword score {' '.join(paths)} {options}"


def _ranges(lines: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield the runs of consecutive numbers.

    >>> list(_ranges([1, 2, 3, 7]))
    [(1, 3), (7, 7)]
    """
    start = previous = None
    for line in lines:
        if start is None or previous is None:
            start = line
        elif line != previous + 1:
            yield start, previous
            start = line
        previous = line
    if start is not None and previous is not None:
        yield start, previous


def _pattern(text: str) -> str:
    """Return text as a basic regular expression of sed."""
    return "".join(f"\\{c}" if c in "\\/.*[]^$" else c for c in text)


def _replacement(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\/&" else c for c in text)
