"""Control characters are shown as escapes; all other text stays as it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import (
    LONGEST_MESSAGE,
    InputError,
    MiswordError,
    shortened,
    visible,
    visible_lines,
)

DIRECTION = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("a\rb\tc\nd", "a\\rb\\tc\\nd"),
        ("\x7f\x00", "\\x7f\\x00"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\udcff.txt", "\\udcff.txt"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "déjà vu naïve e\u0301",
        "می\u200cخواهم",  # a non-joiner of Persian
        "क\u094d\u200dष",  # a joiner of Hindi
        "👩\u200d💻 ❤\ufe0f 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "שלום עליكم العالم",
        "\\x1b [link=a]b[/link] \u00a0\u3000",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert visible(text) == text


def test_lines_keep_line_ends_and_tabs() -> None:
    assert visible_lines("a\tb\nc\rd\x1b") == "a\tb\nc\\rd\\x1b"


@given(st.text(st.characters()))
def test_nothing_hidden_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in shown)
    assert not set(shown) & {*DIRECTION, "\u2028", "\u2029"}
    assert visible(shown) == shown
    shown.encode()


def test_short_text_stays() -> None:
    assert shortened("line 3, id 'x' is duplicate") == "line 3, id 'x' is duplicate"


def test_long_word_is_cut_in_the_middle() -> None:
    text = shortened(f"id {'x' * 200_000} is in line 7 and {'y' * 200_000} in line 8")
    assert len(text) < 1000
    assert "is in line 7 and" in text
    assert text.endswith("in line 8")
    assert "199,700 characters" in text


def test_long_text_is_cut_in_the_middle() -> None:
    text = shortened(f"ref.txt, line 3: {'a word ' * 30_000} has no end (id 12)")
    assert len(text) < LONGEST_MESSAGE + 50
    assert text.startswith("ref.txt, line 3:")
    assert text.endswith("(id 12)")


def test_message_of_an_error() -> None:
    error = MiswordError("a\x1b[2J", where="f\u202e.txt", fix="do\nthis")
    assert str(error) == "f\\u202e.txt: a\\x1b[2J\n  do\\nthis"
    assert (error.what, error.where, error.fix) == ("a\x1b[2J", "f\u202e.txt", "do\nthis")


def test_message_of_an_error_is_short() -> None:
    error = InputError("no text", where=f"ref.txt:3, id {'x' * 200_000}", fix="y" * 200_000)
    assert len(str(error)) < 2000
    assert "ref.txt:3, id xxx" in str(error)
