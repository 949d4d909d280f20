"""The family `numbers` in languages other than English, where num2words spells digits out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extras import needs
from misword.core.context import Context
from misword.core.errors import MissingExtraError
from misword.text.writing.numbers.family import Numbers
from misword.text.writing.numbers.language_tables import CODES
from misword.text.writing.numbers.spelled import spoken_forms
from number_keys import keys, same

NUMBERS = Numbers()
SAME = [
    ("de", "21", "einundzwanzig"),
    ("de", "1", "ein"),
    ("de", "1.000", "tausend"),
    ("de", "1.000", "eintausend"),
    ("de", "1.000", "1000"),
    ("de", "2,5", "zwei Komma fünf"),
    ("de", "60%", "sechzig Prozent"),
    ("de", "60 %", "sechzig Prozent"),
    ("de", "5 €", "fünf Euro"),
    ("de", "3.", "dritten"),
    ("de", "2 Millionen", "zwei Millionen"),
    ("de", "2.000.000", "zwei Millionen"),
    ("de", "1999", "neunzehnhundertneunundneunzig"),
    ("fr", "21", "vingt-et-un"),
    ("fr", "21,", "vingt et un"),
    ("fr", "1", "une"),
    ("fr", "99", "quatre-vingt-dix-neuf"),
    ("fr", "10 000", "dix mille"),
    ("fr", "10 000", "10000"),
    ("fr", "3,25", "trois virgule vingt-cinq"),
    ("fr", "1er", "premier"),
    ("fr", "60 %", "soixante pour cent"),
    ("fr", "5€", "cinq euros"),
    ("es", "21", "veintiuno"),
    ("es", "2,5", "dos coma cinco"),
    ("es", "$5", "cinco dólares"),
    ("es", "3º", "tercero"),
    ("it", "21", "ventuno"),
    ("it", "1.500", "millecinquecento"),
    ("pt", "16", "dezesseis"),
    ("pt", "101", "cento e um"),
    ("nl", "21", "eenentwintig"),
    ("nl", "1999", "negentienhonderd negenennegentig"),
    ("sv", "1999", "etttusen niohundranittionio"),
    ("pl", "21", "dwadzieścia jeden"),
    ("nb", "21", "tjueen"),
]
DIFFERENT = [
    ("de", "15", "fünfzig"),
    ("de", "21", "zwölf"),
    ("de", "60%", "sechzig"),
    ("de", "3", "dritte"),
    ("de", "1,5", "15"),
    ("fr", "4 20", "quatre-vingts"),
    ("fr", "1", "deux"),
    ("fr", "5€", "cinq"),
    ("es", "$5", "5"),
    ("it", "1.500", "15"),
    ("nl", "12", "twintig"),
]


@needs("num2words")
@pytest.mark.parametrize(("lang", "left", "right"), SAME)
def test_digits_and_words_share_a_key(lang: str, left: str, right: str) -> None:
    assert same(left, right, lang), (keys(left, lang), keys(right, lang))
    kinds = list(NUMBERS.run_words([*left.split(), *right.split()], lang) or [])
    assert 0 not in kinds


@needs("num2words")
@pytest.mark.parametrize(("lang", "left", "right"), DIFFERENT)
def test_other_numbers_share_no_key(lang: str, left: str, right: str) -> None:
    assert not same(left, right, lang)


@needs("num2words")
@pytest.mark.parametrize("lang", ["de", "es", "fr", "it", "nl", "pt"])
@given(left=st.integers(2, 99_999), right=st.integers(2, 99_999))
def test_numbers_are_told_apart(lang: str, left: int, right: int) -> None:
    from num2words import num2words

    assert same(str(left), num2words(right, lang=lang), lang) == (left == right)
    assert same(str(left), num2words(left, lang=lang), lang)


@needs("num2words")
def test_every_language_can_be_spelt() -> None:
    for lang in CODES:
        assert spoken_forms("21", lang), lang


def test_a_language_without_num2words_has_digits() -> None:
    assert same("1.000", "1000", "xx")
    assert not same("1,5", "15", "xx")
    assert NUMBERS.run_words(["1.000", "eins"], "xx") == [1, 0]
    NUMBERS.check(Context(lang="xx"))


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    NUMBERS.check(Context(lang="en"))
    with pytest.raises(MissingExtraError, match="num2words") as error:
        NUMBERS.check(Context(lang="fr"))
    assert "misword[numbers]" in error.value.fix


def test_any_digits_have_spoken_forms_or_none() -> None:
    words = ["1,234", "1.234", "0,5", "12.345.678,9", "1,5,6", "00,00"]
    forms = {(word, lang): spoken_forms(word, lang) for word in words for lang in sorted(CODES)}
    assert len(forms) > 6 * 20
    assert [key for key, found in forms.items() if not all(isinstance(f, str) for f in found)] == []


@needs("num2words")
def test_a_decimal_number_of_three_digits() -> None:
    assert same("1,234", "un virgule deux trois quatre", "fr")
