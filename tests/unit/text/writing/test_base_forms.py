"""Base forms: what belongs to a word, and what is punctuation at its ends."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.text.writing.words import ASCII_SIGNS, KEPT, base, base_forms, without_outer_signs


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("Hello", "hello"),
        ("“Hello,”", "hello"),
        ("'hello'", "hello"),
        ("'Hello,'", "hello"),
        ("‘hello’", "hello"),
        ("'hello", "hello"),
        ("``hello''", "hello"),
        ("world.'", "world"),
        ("world'", "world"),
        ("'cause", "'cause"),
        ("’em,", "'em"),
        ("'90s", "'90s"),
        ("('til)", "'til"),
        ("'re", "'re"),
        ("'tis", "'tis"),
        ("'tis'", "'tis"),
        ("dogs'", "dogs'"),
        ("'dogs'", "dogs"),
        ("goin'", "goin'"),
        ("l'", "l'"),
        ("dell'", "dell'"),
        ("it’s", "it's"),
        ("U.S.", "u.s"),
        ("60%.", "60%"),
        ("$5.", "$5"),
        (".60,", ".60"),
        ("(-5)", "-5"),
        ("–.5", "-.5"),
        ("--5", "5"),
        ("...5", "5"),
        ("10-15", "10-15"),
        ("10-15.", "10-15"),
        ("(R&D)", "r&d"),
        ("&", "&"),
        ("--", ""),
        ("'", ""),
        ("...", ""),
        ("", ""),
        ("multi‑year", "multi-year"),
        ("ÉTÉ!", "été"),
        ("e\u0301te\u0301", "été"),
        ("«été»", "été"),
        ("¿Qué?", "qué"),
        ("好。", "好"),
        ("°", "°"),
        ("+", "+"),
    ],
)
def test_base(word: str, form: str) -> None:
    assert base(word) == form


def test_signs_of_ascii() -> None:
    """ASCII words are stripped of the same signs as other words."""
    signs = [sign for sign in map(chr, range(128)) if unicodedata.category(sign)[0] == "P"]
    assert set(ASCII_SIGNS) == set(signs) - KEPT


@given(st.text(st.sampled_from("aB'’-.,“”%S5 "), max_size=6))
def test_a_base_form_is_its_own_base_form(word: str) -> None:
    assert base(base(word)) == base(word)
    assert base_forms([word]) == [base(word)]
    assert without_outer_signs(word).lower() == base(word)
