"""Which format an input has: as forced, else by its name, else by its content."""

from __future__ import annotations

from misword.core.errors import InputError
from misword.io.files.sources import UTF16_MARKS, Source
from misword.io.transcripts.formats import FORMATS, Format
from misword.io.transcripts.formats.kaldi import first_token, misfits

CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\x0b\x0c\r\x1b")
SAMPLE = 65536


def find_format(source: Source, forced: str | None = None) -> Format:
    """The format of an input, or an error that says how to name it."""
    if forced is not None:
        return FORMATS.create(forced)
    return by_name(source.name) or by_content(source)


def by_name(name: str) -> Format | None:
    """The format that the file's name settles, if any."""
    lowered = name.lower()
    for spec in FORMATS.entries():
        part = FORMATS.create(spec)
        dotted = tuple(suffix for suffix in part.suffixes if suffix.startswith("."))
        if lowered.endswith(dotted) or name in part.suffixes:
            return part
    return None


def by_content(source: Source) -> Format:
    """The first format that the content looks like."""
    if source.unit == "line":
        refuse_binary(source)
    for spec in FORMATS.entries():
        if spec == "lines":
            refuse_half_kaldi(source)
        part = FORMATS.create(spec)
        if part.looks_like(source):
            return part
    raise _unknown(source, "no format fits")


def refuse_binary(source: Source) -> None:
    """Say that data is not text at all, where a line number would help nobody."""
    head = source.data[:SAMPLE]
    if head.startswith(UTF16_MARKS):
        return
    controls = len(head) - len(head.translate(None, CONTROL))
    try:
        source.data.decode()
        mixed = False
    except UnicodeDecodeError:
        mixed = b"\0" in source.data
    if mixed or controls * 10 > len(head):
        raise _unknown(source, "the format cannot be told: this looks like binary data")


def refuse_half_kaldi(source: Source) -> None:
    """Refuse to guess where at least half the lines, but not all, begin with ids of their own."""
    lines = source.lines
    wrong = list(misfits(lines))
    if not wrong and len(lines) == 1:
        raise InputError(
            f"the format cannot be told from one line: {first_token(lines[0])!r} may be an id",
            where=source.at(1),
            fix="use --input-format kaldi (id, then text) or --input-format lines (text alone)",
        )
    if not wrong or 2 * (len(lines) - len(wrong)) < len(lines):
        return
    line = wrong[0]
    token = first_token(lines[line])
    earlier = next((n for n in range(line) if token and first_token(lines[n]) == token), None)
    found = f"begins with {token!r}" if token else "is empty"
    if earlier is not None:
        found = f"repeats the id {token!r} of line {earlier + 1}"
    raise InputError(
        f"the format cannot be told: {len(lines) - len(wrong)} of {len(lines)} lines begin with "
        f"an id, but line {line + 1} {found}",
        where=source.at(line + 1),
        fix="use --input-format kaldi (id, then text) or --input-format lines (text alone)",
    )


def _unknown(source: Source, what: str) -> InputError:
    return InputError(
        what,
        where=source.at(),
        fix=f"name it with --input-format: {', '.join(FORMATS.names())}",
    )
