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


@pytest.mark.parametrize("value", SAMPLE)
def test_cardinals(value: int) -> None:
    assert same(f"{value:,}", say(value))
    assert same(f"-{value}", f"minus {say(value)}")
    assert same(f"{value}%", f"{say(value)} percent")
    assert same(f"${value}", f"{say(value)} dollars")


@pytest.mark.parametrize("value", SAMPLE[1:])
def test_ordinals(value: int) -> None:
    assert same(say(value, "ordinal_num"), say(value, "ordinal"))
    assert not same(str(value), say(value, "ordinal"))


@pytest.mark.parametrize("value", range(1001, 2100))
def test_years(value: int) -> None:
    assert same(str(value), say(value, "year"))
    assert not same(str(value + 1), say(value, "year"))


@pytest.mark.parametrize("value", [0.1, 0.05, 0.25, 2.5, 3.14, 19.99, 100.75, 1234.5])
def test_decimals(value: float) -> None:
    assert same(str(value), say(value))


def test_no_cardinal_is_another_ordinal_or_cardinal() -> None:
    owner: dict[str, int] = {}
    for value in SAMPLE[1:]:
        for key in keys(say(value)) | keys(say(value, "ordinal")) | keys(str(value)):
            assert owner.setdefault(key, value) == value, key
