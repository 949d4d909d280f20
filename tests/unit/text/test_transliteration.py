"""Words in Latin letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.text.transliteration import transliterate


@pytest.mark.parametrize(
    ("word", "latin"),
    [
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("cœur", "coeur"),
        ("й", "i"),
        ("България", "balgariya"),
        ("Київ", "kiiv"),
        ("ελλάς", "ellas"),
        ("サッカー", "satukaー"),
        ("ガ", "ga"),
        ("한국", "hangug"),
        ("ﬁn", "fin"),
        ("قطر", "qtr"),
        ("ɓ", "b"),
        ("東京", "東京"),
        ("１２", "12"),
        ("I", "i"),
        ("", ""),
    ],
)
def test_words_of_several_scripts(word: str, latin: str) -> None:
    assert transliterate(word) == latin


@given(st.text())
def test_every_text_has_a_transliteration_without_marks(word: str) -> None:
    latin = transliterate(word)
    assert transliterate(latin) == latin
