"""Detection of the format of an input by its name or its content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from misword.core.errors import InputError, OptionError
from misword.io.files.sources import (
    STDIN,
    UTF16_MARKS,
    PathLike,
    Source,
    inner_name,
    is_utf8,
    shown_path,
)
from misword.io.transcripts.columns import SourceTable
from misword.io.transcripts.formats import FORMATS, TIER_SUFFIXES, Format, format_classes
from misword.io.transcripts.formats.plain import first_token, misfits

CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\x0b\x0c\r\x1b")
SAMPLE = 65536
# Suffixes of plain texts and of SRILM's N-best lists, whose content decides the format.
OTHER_SUFFIXES = {".txt", ".nbest", ".score", *TIER_SUFFIXES}
DIGITS = [b"%d" % digit for digit in range(10)]


def find_format(source: Source, spec: str | None = None) -> Format:
    """Return the format of `spec`, or else the format that the name or the content shows."""
    if spec is not None:
        return FORMATS.create(spec)
    named = by_name(source.name)
    return by_content(source) if named is None else _refined(named, source)


def _refined(named: Format, source: Source) -> Format:
    """Return the format that the name shows, or another whose files may have such names."""
    rivals = (part for part in candidates(source) if part.may_be_named_as == named.name)
    return next((part for part in rivals if part.looks_like(source)), named)


def candidates(source: Source) -> Iterator[Format]:
    """Yield the formats that the content may have: those whose sign it contains."""
    head = source.data[:SAMPLE]
    return (part() for part in format_classes(head=head) if part.sign in head)


def format_table(part: Format | None, source: Source) -> SourceTable:
    """Read a table by its format; None stands for a binary file of an unknown format."""
    if part is not None and part.is_table:
        return part.table(source)
    raise OptionError(
        f"{source.shown} is read as {part.name if part else 'binary data'}, which has no columns",
        fix="use a table: tsv, csv, jsonl or parquet (--input-format)",
    )


def notes_on_guess(part: Format, name: str, shown: str, spec: str | None) -> tuple[str, ...]:
    """Return a note if a file is read as kaldi only because each line begins with an id."""
    if not part.starts_with_id or spec is not None or by_name(name) is not None:
        return ()
    return (
        f"{shown} is read as kaldi, since each line begins with an id; "
        "plain text needs --input-format lines",
    )


def by_name(name: str) -> Format | None:
    """Return the format that the name of a file shows, or None."""
    lowered = name.lower()
    for part in format_classes(name):
        dotted = tuple(suffix for suffix in part.suffixes if suffix.startswith("."))
        if lowered.endswith(dotted) or name in part.suffixes:
            return part()
    return None


def refuse_other_name(path: PathLike, written: str, other_suffix: str = ".txt") -> None:
    """Raise if the name of a file shows another format than `written`, which is to be written.

    `other_suffix` is the suffix to recommend for a format without a suffix of its own.
    """
    name, inner = shown_path(Path(path).name), inner_name(path)
    if name != inner:
        raise OptionError(
            "the file would not be compressed", where=shown_path(path), fix=f"name it {inner}"
        )
    named, part = by_name(name), FORMATS.load(written)
    if named is None or named.name in (written, part.may_be_named_as):
        return
    suffix = next((suffix for suffix in part.suffixes if suffix.startswith(".")), other_suffix)
    raise OptionError(
        f"this is the name of a {named.name} file, and the texts are written as {written}",
        where=shown_path(path),
        fix=f"name it {Path(name).stem}{suffix}",
    )


def by_content(source: Source) -> Format:
    """Return the first format that the content looks like."""
    if source.unit == "line":
        refuse_binary(source)
    for part in candidates(source):
        if part.name == "lines":
            refuse_half_kaldi(source)
        if part.looks_like(source):
            return part
    raise _unknown(source, "no format fits")


def refuse_binary(source: Source) -> None:
    """Raise if the data is binary: an error with a line number would not help."""
    head = source.data[:SAMPLE]
    if head.startswith(UTF16_MARKS):
        return
    controls = len(head) - len(head.translate(None, CONTROL))
    mixed = b"\0" in source.data and not is_utf8(source.data)
    if mixed or controls * 10 > len(head):
        raise _unknown(source, "the format cannot be detected: this looks like binary data")


def refuse_half_kaldi(source: Source) -> None:
    """Raise if at least half of the lines, but not all, begin with an id: a guess may be wrong."""
    if source.data.isascii() and not any(digit in source.data for digit in DIGITS):
        return  # an id has a digit
    lines = source.lines
    # If more than half of the lines have no id, the others need not be examined.
    without_id = list(islice(misfits(lines), len(lines) // 2 + 1))
    if not without_id and len(lines) == 1:
        raise InputError(
            f"the format cannot be detected from one line: {first_token(lines[0])!r} may be an id",
            where=source.at(1),
            fix="use --input-format kaldi (id, then text) or --input-format lines (text alone)",
        )
    if not without_id or 2 * len(without_id) > len(lines):
        return
    line = without_id[0]
    token = first_token(lines[line])
    earlier = next((n for n in range(line) if token and first_token(lines[n]) == token), None)
    problem = f"begins with {token!r}" if token else "is empty"
    if earlier is not None:
        problem = f"repeats the id {token!r} of line {earlier + 1}"
    with_id = len(lines) - len(without_id)
    raise InputError(
        f"the format cannot be detected: {with_id} of {len(lines)} lines begin with "
        f"an id, but line {line + 1} {problem}",
        where=source.at(line + 1),
        fix="use --input-format kaldi (id, then text) or --input-format lines (text alone)",
    )


def _unknown(source: Source, what: str) -> InputError:
    return InputError(
        what,
        where=source.at(),
        fix=f"name it with --input-format: {', '.join(FORMATS.names())}",
    )


def stem_of(path: PathLike) -> str:
    """Return the name of a file or folder without the suffixes of compression and format."""
    if os.fspath(path) == STDIN:
        return "stdin"
    name = inner_name(path) or shown_path(Path(path).absolute().name)
    known = {s for part in format_classes() for s in part.suffixes} | OTHER_SUFFIXES
    suffix = Path(name).suffix
    return name.removesuffix(suffix) if suffix.lower() in known else name
