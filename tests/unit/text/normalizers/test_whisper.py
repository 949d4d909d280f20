"""Whisper's normalizer is that of the package, and keeps rows apart."""

from __future__ import annotations

import pytest

from extras import needs
from misword.text.normalizers import normalize, normalizers, spell_chain
from misword.text.texts import Texts

pytestmark = needs("whisper_normalizer")


def applied(lang: str, *rows: str) -> list[str]:
    return normalize(Texts.of(rows), normalizers("whisper", lang)).split()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mr. O'Neil paid twenty-one dollars.", "mister 0 neil paid $21"),
        ("Mario's colour", "mario is color"),
        ("oh no", "0 no"),
        ("one third", "13rd"),
        ("Elm Dr.", "elm doctor"),
    ],
)
def test_english(before: str, after: str) -> None:
    """Errors of Whisper's rules included."""
    assert [text.strip() for text in applied("", before)] == [after]
    assert applied("en-US", before) == applied("", before)


def test_other_languages_have_the_basic_normalizer() -> None:
    assert applied("fr", "L'Été (bruit), œuf!", "Mr. 21") == ["l été œuf ", "mr 21"]


def test_a_language_of_its_own() -> None:
    assert spell_chain(normalizers("whisper:lang=de", "en")).startswith("whisper[lang=de,")
