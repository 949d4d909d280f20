"""The family `numbers` in English: tables of pairs, generated numbers, laws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.text.writing import Reading
from misword.text.writing.numbers import english, tables
from misword.text.writing.numbers.family import Numbers
from number_keys import keys, same

HERE = Path(__file__).parent
NUMBERS = Numbers()


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line.split(" = ") for line in lines if line and not line.startswith("# ")]


SAME = [(first, other) for first, *others in rows("numbers_same.txt") for other in others]
DIFFERENT = rows("numbers_different.txt")


def test_the_same_number_in_two_ways_shares_a_key() -> None:
    apart = [(*pair, *map(keys, pair)) for pair in SAME if not same(*pair)]
    assert apart == []


def test_all_words_of_a_number_are_in_one_run() -> None:
    assert [pair for pair in SAME if not is_one_run(*pair)] == []


def is_one_run(left: str, right: str) -> bool:
    first, second = left.split(), right.split()
    kinds = list(NUMBERS.run_words([*first, *second], "en") or [])
    return 0 not in kinds and 1 in kinds[: len(first)] and 1 in kinds[len(first) :]


def test_different_numbers_share_no_key() -> None:
    shared = [(left, right, keys(left) & keys(right)) for left, right in DIFFERENT]
    assert [case for case in shared if case[2]] == []


def spoken(value: int) -> str:
    """Say a number below a million, by the rules of school grammar."""
    units = ["", *tables.UNITS, *tables.TEENS]
    tens = ["", "", *(word for word in tables.TENS if word != "fourty")]
    if value >= 1000:
        return f"{spoken(value // 1000)} thousand {spoken(value % 1000)}".strip()
    if value >= 100:
        return f"{units[value // 100]} hundred {spoken(value % 100)}".strip()
    return units[value] if value < 20 else f"{tens[value // 10]} {units[value % 10]}".strip()


def test_spoken_is_what_a_person_says() -> None:
    assert spoken(120_045) == "one hundred twenty thousand forty five"


def test_cardinals() -> None:
    wrong = [
        value
        for value in (*range(1, 1200), *range(1200, 100_000, 97))
        if not same(str(value), spoken(value))
        or not same(f"{value:,}", spoken(value).replace("ty ", "ty-"))
    ]
    assert wrong == []


def test_all_small_cardinals_are_told_apart() -> None:
    """No key of a number in words is a key of another number, in words or in digits."""
    owner: dict[str, int] = {}
    for value in range(1, 3000):
        for key in keys(spoken(value)) | keys(str(value)):
            assert owner.setdefault(key, value) == value, key


@given(st.integers(1, 10**6 - 1), st.integers(1, 10**6 - 1))
def test_cardinals_are_told_apart(left: int, right: int) -> None:
    expected = left == right
    assert same(spoken(left), str(right)) == expected
    assert same(spoken(left), spoken(right)) == expected
    assert same(f"{left:,}", str(right)) == expected


@given(st.integers(1, 99), st.integers(1, 99))
def test_years_are_told_apart(left: int, right: int) -> None:
    """`nineteen` and two more digits: 1905, 1999."""

    def year(value: int) -> str:
        return f"nineteen {spoken(value) if value > 9 else f'oh {spoken(value)}'}"

    assert same(year(left), str(1900 + right)) == (left == right)


@given(st.integers(0, 999), st.integers(0, 999), st.sampled_from(["", " million", " billion"]))
def test_decimals_and_money(whole: int, part: int, magnitude: str) -> None:
    digits = " ".join("zero" if digit == "0" else spoken(int(digit)) for digit in f"{part:03d}")
    words = f"{spoken(whole) or 'zero'} point {digits}{magnitude}"
    number = f"{whole}.{part:03d}{magnitude}"
    assert same(number, words)
    assert same(f"${number}", f"{words} dollars")
    assert same(f"{number} percent", f"{words} per cent")
    assert not same(f"${number}", words)
    assert not same(f"{number} percent", words)
    assert not same(f"{number} percent", f"{words} dollars")


@given(st.text("0123456789", min_size=7, max_size=11))
def test_telephone_numbers(digits: str) -> None:
    names = ["oh", *tables.UNITS]
    said = " ".join(names[int(digit)] for digit in digits)
    assert same(digits, said)
    assert same(f"{digits[:3]}-{digits[3:]}", said)
    assert not same(digits, said.rpartition(" ")[0])


WORDS = """
one two five ten fifteen twenty ninety hundred thousand million and a point oh third to dollars
percent half q k june 5 20 1,000 3.5 $5 60% 10-15 covid-19 401(k) 1/2 6/30/2020 10:30 1990s
"""
VOCABULARY = WORDS.split()


@given(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=24))
def test_readings_are_spans_of_the_run(run: list[str]) -> None:
    readings = list(NUMBERS.readings(tuple(run), "en"))
    assert len(readings) == len(set(readings))
    for start, end, key in readings:
        assert 0 <= start < end <= min(start + english.MOST_WORDS, len(run))
        assert key
        assert run[start] != "and"
        assert run[end - 1] not in ("and", "to", "point")


@given(st.lists(st.sampled_from(VOCABULARY), min_size=200, max_size=200))
def test_readings_of_a_long_run_are_few(run: list[str]) -> None:
    assert len(list(NUMBERS.readings(tuple(run), "en"))) < 100 * len(run)


def test_numbers_in_sequence_are_read_one_by_one() -> None:
    readings = set(NUMBERS.readings(("in", "2019", "5", "million"), "en"))
    assert {(1, 2, "n:2019"), (2, 4, "n:5000000")} <= readings


@pytest.mark.parametrize(
    ("text", "word", "day"),
    [
        ("june third", 1, 3),
        ("june 3", 1, 3),
        ("June 3rd,", 1, 3),
        ("3rd of June", 0, 3),
        ("third of june", 0, 3),
        ("3 june", 0, 3),
        ("may thirty-first", 1, 31),
    ],
)
def test_an_ordinal_beside_a_month_is_a_day(text: str, word: int, day: int) -> None:
    assert (word, word + 1, f"day:{day}") in set(NUMBERS.readings(tuple(text.split()), "en"))


@pytest.mark.parametrize(
    "text", ["the third", "3 percent", "third quarter", "june three", "june 32"]
)
def test_a_number_elsewhere_is_no_day(text: str) -> None:
    readings = NUMBERS.readings(tuple(text.split()), "en")
    assert not [reading for reading in readings if reading.key.startswith("day")]


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *[(word, 1) for word in ("five", "2020,", "$5", "Q3", "1st", "Third", "hundred", "III")],
        *[(word, 2) for word in ("dollars", "percent", "June", "oh", "a.m.", "k", "-")],
        *[(word, 3) for word in ("and", "To,", "of")],
        *[
            (word, 0)
            for word in ("house", "won", "too", "for", "ate", "the", "--", "", "e-mail", "via")
        ],
    ],
)
def test_run_words(word: str, kind: int) -> None:
    assert NUMBERS.run_words([word], "en") == [kind]


RUN_WORDS = st.sampled_from(
    [
        *("a", "and", "of", "to", "five", "twenty", "hundred", "million", "dollars", "percent"),
        *("half", "point", "first", "june", "o", "5", "2020", "$5", "1/2", "10:30", "covid-19"),
    ]
)
BETWEEN_WORDS = st.lists(st.sampled_from(["and", "Of", "or", "through", "to"]), max_size=2)


@given(before=BETWEEN_WORDS, run=st.lists(RUN_WORDS, max_size=5), behind=BETWEEN_WORDS)
def test_words_between_numbers_change_nothing_at_the_ends(
    before: list[str], run: list[str], behind: list[str]
) -> None:
    longer = NUMBERS.readings((*before, *run, *behind), "en")
    shift = len(before)
    found = [Reading(start - shift, end - shift, key) for start, end, key in longer]
    assert found == list(NUMBERS.readings(tuple(run), "en"))


def test_a_word_joined_to_a_number_may_be_in_a_run() -> None:
    assert NUMBERS.run_words(["covid"], "en") == [0]
    assert NUMBERS.run_words(["covid", "COVID-19"], "en") == [2, 1]


def test_a_word_that_is_in_every_sentence_is_never_in_a_run() -> None:
    assert NUMBERS.run_words(["the", "one-in-the-world"], "en")[0] == 0  # type: ignore[index]


def test_the_tables_are_large_enough() -> None:
    assert len(SAME) > 350
    assert len(DIFFERENT) > 150
    assert not [pair for pair in SAME if re.search(r"\s{2}", " ".join(pair))]
