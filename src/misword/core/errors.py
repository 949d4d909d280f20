r"""Errors that a user can correct, and text of users that is safe to show in messages and tables.

The command line prints a `MiswordError` (what is wrong, where it is, what to do about it) as one
message and exits with code 2. Any other exception is a bug of misword; the command line prints it
as one line and exits with code 70.

Text from files is shown without control characters and with a bounded length. A terminal obeys
control characters: a transcript with an escape sequence could set the title of the window, fill the
clipboard or hide lines. Controls of the writing direction can show a text in another order than it
has. Both are shown as escapes such as `\x1b` and `\u202e`. All other characters stay as they are,
also the joiners that Persian, Indic scripts and emoji need.

Reference: Boucher and Anderson 2023, Trojan Source: Invisible Vulnerabilities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

# The control characters (C0, DEL, C1) except tab and line end, the separators of lines and
# paragraphs, the controls of the writing direction, and halves of surrogate pairs, which no
# encoding can write.
_CONTROLS = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    r"\ud800-\udfff"
)
_HIDDEN = re.compile(rf"[\t\n{_CONTROLS}]")
HIDDEN_IN_LINES = re.compile(f"[{_CONTROLS}]")
_NAMED = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}

# Longest word, and longest text, of a message.
LONGEST_WORD = 300
LONGEST_MESSAGE = 1500


def visible(text: str) -> str:
    r"""Return a text in one line, with control characters as escapes.

    >>> print(visible("a\x1b[2Jb\tc\u202ed"))
    a\x1b[2Jb\tc\u202ed
    """
    return _HIDDEN.sub(_escape, text)


def visible_lines(text: str) -> str:
    """Return a text as `visible` does, but with its line ends and tabs."""
    return HIDDEN_IN_LINES.sub(_escape, text)


def shortened(text: str, most: int = LONGEST_MESSAGE) -> str:
    """Return a text for a message; long words, and then a long text, are cut in the middle.

    >>> shortened("id " + 1000 * "x" + " is duplicate")[-42:]
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx is duplicate'
    """
    if len(text) > LONGEST_WORD:
        text = _LONG_WORD.sub(lambda found: _cut(found[0], LONGEST_WORD), text)
    return _cut(text, most)


_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def _cut(text: str, most: int) -> str:
    """Return both ends of a text that is longer than `most`, and the number of characters left out.

    The end is kept because it often has the line or the id.
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters ...] {text[-half:]}"


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known name, and a space; empty if none is similar.

    >>> did_you_mean("scroe", ["score", "compare"])
    "did you mean 'score'? "
    >>> did_you_mean("xyz", ["score", "compare"])
    ''
    """
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), list(known), 1)
    return f"did you mean {near[0]!r}? " if near else ""


class MiswordError(Exception):
    """Base class of all errors that the user can correct.

    `what` is the problem, `where` is the file, line or id that has it, and `fix` is what the user
    can do. Catch this class to handle every error that misword raises on purpose. In the message,
    control characters are shown as escapes and long values are shortened; the attributes keep them.

    >>> print(MiswordError("no such file", where="ref.txt", fix="check the path"))
    ref.txt: no such file
      check the path
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        place, problem, advice = (shortened(visible(text)) for text in (where, what, fix))
        message = f"{place}: {problem}" if place else problem
        super().__init__(f"{message}\n  {advice}" if advice else message)

    @property
    def whole(self) -> str:
        """The problem, with a line for each of its parts if there are several."""
        return self.what

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the three texts, so that an error of another process is the same here."""
        return partial(type(self), where=self.where, fix=self.fix), (self.what,)


class InputError(MiswordError):
    """The data cannot be read in the format that was named or detected."""


class OptionError(MiswordError):
    """An option, the name of a part or a setting of a part does not exist or has a wrong value."""


class MismatchError(MiswordError):
    """Two inputs that must agree do not: their utterances or their signatures differ."""


class KernelError(MiswordError):
    """The library of compiled kernels is missing, cannot be loaded or is of another version."""


class MissingExtraError(MiswordError):
    """A part needs a package or a library that is not installed."""
