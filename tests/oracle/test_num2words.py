"""Numbers in English against num2words, which says a number in words."""

from __future__ import annotations

import pytest

from extras import needs
from number_keys import keys, same

pytestmark = needs("num2words")
SAMPLE = [*range(0, 130), *range(130, 3000, 23), *range(3000, 10**6, 9973), 10**6, 1_250_000, 10**9]


def say(value: float, to: str = "cardinal") -> str:
    from num2words import num2words

    return str(num2words(value, to=to))


def test_cardinals() -> None:
    """Plain, negative, in per cent and in dollars."""
    forms = (("{:,}", "{}"), ("-{}", "minus {}"), ("{}%", "{} percent"), ("${}", "{} dollars"))
    wrong = [
        (digits.format(value), words.format(say(value)))
        for value in SAMPLE
        for digits, words in forms
        if not same(digits.format(value), words.format(say(value)))
    ]
    assert wrong == []


def test_ordinals() -> None:
    ordinals = {value: say(value, "ordinal") for value in SAMPLE[1:]}
    assert [n for n, words in ordinals.items() if not same(say(n, "ordinal_num"), words)] == []
    assert [n for n, words in ordinals.items() if same(str(n), words)] == []


def test_years() -> None:
    years = {value: say(value, "year") for value in range(1001, 2100)}
    assert [year for year, words in years.items() if not same(str(year), words)] == []
    assert [year for year, words in years.items() if same(str(year + 1), words)] == []


@pytest.mark.parametrize("value", [0.1, 0.05, 0.25, 2.5, 3.14, 19.99, 100.75, 1234.5])
def test_decimals(value: float) -> None:
    assert same(str(value), say(value))


def test_no_cardinal_is_another_ordinal_or_cardinal() -> None:
    owner: dict[str, int] = {}
    for value in SAMPLE[1:]:
        for key in keys(say(value)) | keys(say(value, "ordinal")) | keys(str(value)):
            assert owner.setdefault(key, value) == value, key
