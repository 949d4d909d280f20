"""The families that compare words one by one, without a list: case, punctuation, apostrophes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.text.writing import FAMILIES, WRITING

WORDS = st.lists(st.text(st.sampled_from("aBéÉ'’-.,“%$ß"), min_size=1, max_size=6))


def same(family: str, first: str, second: str, lang: str = "en") -> bool:
    one, other = FAMILIES.create(family).same_words([first, second], lang)
    return one == other


@pytest.mark.parametrize(
    ("family", "first", "second"),
    [
        ("case", "Paris", "paris"),
        ("case", "NATO", "nato"),
        ("case", "ÉTÉ", "été"),
        ("punctuation", "“Yes,”", "Yes"),
        ("punctuation", "it’s", "it's"),
        ("punctuation", "'quoted'", "quoted"),
        ("punctuation", "long–term", "long-term"),
        ("punctuation", "U.S.", "U.S"),
        ("punctuation", "¿Qué?", "Qué"),
        ("apostrophes", "it's", "its"),
        ("apostrophes", "it’s", "its"),
        ("apostrophes", "companies'", "companies"),
        ("apostrophes", "company's", "companys"),
        ("apostrophes", "l'homme", "lhomme"),
    ],
)
def test_the_same(family: str, first: str, second: str) -> None:
    assert same(family, first, second)


@pytest.mark.parametrize(
    ("family", "first", "second"),
    [
        ("case", "Yes,", "yes"),
        ("case", "été", "ete"),
        ("punctuation", "Yes", "yes"),
        ("punctuation", "it's", "its"),
        ("punctuation", "we'll", "well"),
        ("punctuation", "e-mail", "email"),
        ("punctuation", "60%", "60"),
        ("punctuation", "$5", "5"),
        ("punctuation", "#5", "5"),
        ("punctuation", "3.5", "35"),
        ("punctuation", ".5", "5"),
        ("punctuation", "-5", "5"),
        ("apostrophes", "company's", "companies"),
        ("apostrophes", "Its", "it's"),
        ("apostrophes", "can't", "can"),
    ],
)
def test_not_the_same(family: str, first: str, second: str) -> None:
    assert not same(family, first, second)


def test_tokens_of_punctuation_may_be_left_out() -> None:
    words = ["--", "...", ",", "”", "'", "&", "%", "$", "a.", "5"]
    optional = FAMILIES.create("punctuation").optional(words, "en")
    assert optional == [True] * 5 + [False] * 5


def test_apostrophes_are_not_a_part_of_writing() -> None:
    assert "apostrophes" not in WRITING
    assert {*WRITING, "apostrophes", "deletable", "fragments"} == set(FAMILIES.names())


@pytest.mark.parametrize("family", ["case", "punctuation", "apostrophes"])
@given(words=WORDS)
def test_forms_are_their_own_forms(family: str, words: list[str]) -> None:
    part = FAMILIES.create(family)
    forms = part.same_words(words, "en")
    assert len(forms) == len(words)
    assert part.same_words(forms, "en") == forms
