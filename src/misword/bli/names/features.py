"""The features of the model of proper nouns: what word lists and gazetteers tell about a pair."""

from __future__ import annotations

import calendar
import math
import re

from misword.bli.names.english_words import ABSENT, Levels, levels_of
from misword.bli.names.places import Gazetteer
from misword.text.transliteration import transliterate

Features = dict[str, float]
# Levels of SCOWL up to which a word counts: 35 are common words, 70 a large dictionary.
COMMON, CAPITALISED, NAME = (20, 35, 50, 60, 70), (50, 80), (50, 70, 80)
# Endings of English nationalities, languages and beliefs, which have a capital but are no names.
NATIONALITY = re.compile(r"(ian|ish|ese|ist|ism|ic|an)s?$")
CALENDAR = frozenset(name.lower() for name in (*calendar.day_name, *calendar.month_name) if name)
PEOPLE = 6.0  # digits of the population of a large city


def english_features(word: str) -> Features:
    """Return the features of an English word in any case, without those of value 0.

    >>> list(english_features("thursday"))[2:]
    ['capitalised only', 'has plural with capital', 'calendar']
    """
    word = word.lower()
    levels = levels_of(word)
    plural, plurals = levels_of(f"{word}s"), levels_of(f"{word[:-1]}ies")
    singular = levels_of(word[:-1]) if word.endswith("s") else Levels()
    has_capital = levels.capitalised < ABSENT
    values = {
        **_steps("common", levels.common, COMMON),
        **_steps("capitalised", levels.capitalised, CAPITALISED),
        **_steps("name", levels.name, NAME),
        "common<=35 and name<=50": levels.common <= 35 and levels.name <= 50,
        "common<=35 and capitalised<=50": levels.common <= 35 and levels.capitalised <= 50,
        "common>50 and name<=50": 50 < levels.common < ABSENT and levels.name <= 50,
        "abbreviation": levels.abbreviation < ABSENT,
        "has plural": min(plural.common, plurals.common) < ABSENT,
        "is plural": singular.common < ABSENT,
        "capitalised only": has_capital and min(levels.common, levels.name) == ABSENT,
        "nationality": has_capital and NATIONALITY.search(word) is not None,
        "has plural with capital": plural.capitalised < ABSENT,
        "is plural with capital": singular.capitalised < ABSENT,
        "calendar": word in CALENDAR,
    }
    return {name: 1.0 for name, value in values.items() if value}


def foreign_features(*words: str) -> Features:
    """Return the features of words of other languages, which may be spelled as in English.

    >>> sorted(foreign_features("london", "лондон"))
    ['name<=50', 'name<=80']
    """
    spelled = [transliterate(word) for word in words]
    levels = [levels_of(word) for word in spelled if word not in CALENDAR]
    values = {
        "name<=50": any(one.with_capital <= 50 < one.common for one in levels),
        "name<=80": any(one.with_capital <= 80 < one.common for one in levels),
        "also common": any(one.with_capital <= 80 and one.common <= 50 for one in levels),
    }
    return {name: 1.0 for name, value in values.items() if value}


def place_features(places: Gazetteer, *words: str) -> Features:
    """Return what gazetteers tell about the words of a pair; the populations are logarithms."""
    words = tuple(word.lower() for word in words)
    values = {
        "city": _people(max(places.cities.get(word, 0) for word in words)),
        "other name of a city": _people(max(places.other_names.get(word, 0) for word in words)),
        "country": float(any(word in places.countries for word in words)),
        "subdivision": float(any(word in places.subdivisions for word in words)),
    }
    return {name: value for name, value in values.items() if value}


def least_common_word(entry: str) -> str:
    """Return the word of an English entry that says most about it: `york` of `new york`."""
    return max(entry.split() or [""], key=lambda word: levels_of(word).common)


def _steps(name: str, level: int, limits: tuple[int, ...]) -> dict[str, bool]:
    return {f"{name}<={limit}": level <= limit for limit in limits}


def _people(number: int) -> float:
    return math.log10(1 + number) / PEOPLE
