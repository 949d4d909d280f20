r"""Text of users as messages and tables show it: without control characters, and of bounded length.

A terminal obeys control characters: a transcript with an escape sequence could set the title of the
window, fill the clipboard or hide lines. Controls of the writing direction can show a text in
another order than it has. Both are shown as escapes such as `\x1b` and `\u202e`. All other
characters stay as they are, also the joiners that Persian, Indic scripts and emoji need.

Reference: Boucher and Anderson 2023, Trojan Source: Invisible Vulnerabilities.
"""

from __future__ import annotations

import re

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

    >>> shortened("id " + 1000 * "x" + " is doubled")[-40:]
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx is doubled'
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
