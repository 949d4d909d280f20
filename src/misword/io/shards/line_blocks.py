"""Blocks of whole lines of a text file, so that a file of any size can be read in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from misword.core.errors import InputError
from misword.io.files.sources import Source, place

LONGEST = 1 << 26  # bytes of a line, or of a row with line ends in quotes


@dataclass(frozen=True)
class BlockSource(Source):
    """A part of a file as an input of its own; `before` is the number of lines or rows before it.

    Places in errors are those in the whole file.

    >>> BlockSource("a.csv", "a.csv", b"", before=10).at(3)
    'a.csv:13'
    """

    before: int = 0

    def at(self, line: int | None = None) -> str:
        """Return the place of a line of this part in the file, for an error."""
        return place(self.shown, None if line is None else line + self.before, self.unit)


def line_blocks(
    read: Callable[[int], bytes], shown: str, *, quoted: bool = False, size: int
) -> Iterator[tuple[int, bytes]]:
    r"""Yield the number of lines before each block, and the block.

    `read` returns the next bytes of the file, none at its end. With `quoted`, a line end within
    double quotes does not end a block.

    >>> from io import BytesIO
    >>> list(line_blocks(BytesIO(b'a\n"b\nc"\nd').read, "x", quoted=True, size=5))
    [(0, b'a\n'), (1, b'"b\nc"\n'), (3, b'd')]
    """
    before, rest = 0, b""
    while data := read(size):
        rest += data
        end = _end(rest, quoted)
        if end:
            yield before, rest[:end]
            before += rest.count(b"\n", 0, end)
            rest = rest[end:]
        if len(rest) > LONGEST:
            raise InputError(
                f"a line or row of more than {LONGEST >> 20} MB",
                where=place(shown, before + 1),
                fix="check that this is the right file, and that no quote in it is left open",
            )
    if rest:
        yield before, rest


def _end(data: bytes, quoted: bool) -> int:
    """Return where the last whole line ends; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    if not quoted:
        return end
    is_open = data.count(b'"', 0, end) % 2 == 1
    while is_open and end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        is_open = (data.count(b'"', start, end) % 2 == 1) != is_open
        end = start
    return end
