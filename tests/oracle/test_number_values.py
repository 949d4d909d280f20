"""Numbers of another value are errors, numbers of the same value are not, in seven languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from extras import needs
from number_keys import forgiven

if TYPE_CHECKING:
    from number_pairs import Pair

pytestmark = needs("num2words")
LANGUAGES = ("en", "fr", "es", "pt", "it", "de", "nl")
DIFFERENT, EQUAL = 2600, 1400  # pairs of each language; bench/number_values.py takes 100,000
LEAST_FORGIVEN = 0.98
ALONE = 60  # pairs that are also judged one by one

# Pairs of different numbers that were once forgiven, most of them in real calls.
ONCE_FORGIVEN = {
    "en": """
seven thousand and ninety five = 7090 5
eight thousand two hundred forty nine = 8200 49
40 44 billion = 4044 billion
20 10 20% = 2010 20%
a fourth point = 1/4 point
the first three quarters of 2020 = the first 3/4 of 2020
the 10-K = the 10,000
a 401k = a 401,000
No. 1 = no one
version 3.10 = version 3.1
5M = five meters
10 mm = ten million
5MW = 5mW
5G = five grams
1:23 = 123
10:30 = 1030
at - 5 degrees = at 5 degrees
1/2 = one two
a glass of rosé = a glass of rose
""",
    "fr": "huit mille deux cent quarante neuf = 8002 149",
    "es": "dos mil doscientos veintidós = 2 1222\n308 1151 = 308151",
    "pt": "quarenta e um a cinquenta e cinco = 41 55",
    "nl": "17 400 000 000 = 17 400 000",
}
# Pairs that look like those, and are the same words in another writing.
SAME_WORDS = """
twenty ten = 2010
twenty ten = 20 10
one twenty three = 123
eight two four nine = 8249
forty forty four = 4044
three quarters of it = 3/4 of it
ten thirty = 10:30
the four oh one k = the 401k
version three point ten = version 3.10
minus five degrees = -5 degrees
$10 mm = ten million dollars
"""


def pairs_of_lines(text: str) -> list[tuple[str, str]]:
    """Return the two sides of each line."""
    sides = [line.partition(" = ") for line in text.strip().splitlines()]
    return [(left, right) for left, _, right in sides]


def wrong(
    draw: Callable[[str], Iterator[Pair]], lang: str, size: int, wanted: bool
) -> dict[str, list[tuple[str, str]]]:
    """Return the pairs that are not judged as wanted, by kind."""
    pairs = list(islice(draw(lang), size))
    judged = forgiven([(pair.left, pair.right) for pair in pairs], lang)
    found: dict[str, list[tuple[str, str]]] = {}
    for pair, same in zip(pairs, judged, strict=True):
        if same is not wanted:
            found.setdefault(pair.kind, []).append((pair.left, pair.right))
    return found


@pytest.mark.parametrize("lang", ONCE_FORGIVEN)
def test_pairs_that_were_once_forgiven(lang: str) -> None:
    pairs = pairs_of_lines(ONCE_FORGIVEN[lang])
    found = forgiven(pairs, lang)
    assert [pair for pair, same in zip(pairs, found, strict=True) if same] == []


def test_the_same_words_in_another_writing() -> None:
    pairs = pairs_of_lines(SAME_WORDS)
    found = forgiven(pairs, "en")
    assert [pair for pair, same in zip(pairs, found, strict=True) if not same] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_numbers_of_another_value_are_errors(lang: str) -> None:
    from number_pairs import different

    assert wrong(different, lang, DIFFERENT, wanted=False) == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_numbers_of_the_same_value_are_forgiven(lang: str) -> None:
    from number_pairs import equal

    found = wrong(equal, lang, EQUAL, wanted=True)
    assert sum(map(len, found.values())) <= (1 - LEAST_FORGIVEN) * EQUAL, found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_pair_is_judged_alone_as_among_others(lang: str) -> None:
    """What other texts have must not decide whether two texts are the same."""
    from number_pairs import different, equal

    drawn = [*islice(different(lang, 2), ALONE), *islice(equal(lang, 2), ALONE)]
    pairs = [(pair.left, pair.right) for pair in drawn]
    alone = [forgiven([pair], lang)[0] for pair in pairs]
    together = forgiven(pairs, lang)
    assert [
        pair for pair, *both in zip(pairs, alone, together, strict=True) if len({*both}) > 1
    ] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_pair_is_both_different_and_equal(lang: str) -> None:
    """A law of the generator, which must not contradict itself."""
    from number_pairs import different, equal

    sides = [
        {frozenset((pair.left.lower(), pair.right.lower())) for pair in islice(draw(lang), 3000)}
        for draw in (different, equal)
    ]
    assert sides[0] & sides[1] == set()
