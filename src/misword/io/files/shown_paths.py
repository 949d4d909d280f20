"""Paths as text, for messages, ids and results.

A file's name is a sequence of bytes on most systems. Python reads bytes that are not UTF-8 as
halves of surrogate pairs, which cannot be printed or stored; here they are written `\\xNN`.
"""

from __future__ import annotations

import os


def shown_path(path: str | os.PathLike[str]) -> str:
    r"""Return a path as text that can be printed and stored.

    >>> shown_path("r\udce9f.txt"), shown_path("réf.txt")
    ('r\\xe9f.txt', 'réf.txt')
    """
    text = os.fspath(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "surrogatepass")
        return data.decode("utf-8", "backslashreplace")
    return text


def _is_escaped(text: str) -> bool:
    """Whether all halves of surrogate pairs stand for bytes, as in paths."""
    halves = (character for character in text if "\ud800" <= character <= "\udfff")
    return all("\udc80" <= half <= "\udcff" for half in halves)
