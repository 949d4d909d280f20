"""The probability that a pair of a lexicon is a proper noun.

A logistic model over word lists, and gazetteers if they are wanted, gives a first probability.
How names of this lexicon are spelled and capitalised is then learnt from the lexicon itself: the
share of each spelling class and of capitals among probable names and among other pairs changes
the odds (naive Bayes, repeated with the new probabilities). A close language pair keeps the
spelling of names, another script cannot; nothing about a single language is in the model.

Spellings are compared in Latin letters (`misword.text.transliteration`); words of different scripts
by their consonants, because vowels are often not written, or written differently.
"""

from __future__ import annotations

import calendar
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from misword.bli.names.word_lists import ABSENT, Gazetteer, WordLevels, levels_of
from misword.text.scripts import word_script
from misword.text.transliteration import transliterate

# Letters that scripts often leave out or write differently, and those without a Latin reading.
WEAK = re.compile(r"[aeiouyhw'’-]|[^\x00-\x7f]")
# Consonants that stand for each other; `ts` is one letter in Cyrillic.
ALIKE = str.maketrans("cqzj", "kksg")
# The classes of a pair, the most alike first; `None` is for words without letters.
SAME_SCRIPT = ("same spelling", "similar spelling", "somewhat similar spelling", "other spelling")
OTHER_SCRIPT = tuple(f"{name} in another script" for name in SAME_SCRIPT)
SAME_LIMITS, OTHER_LIMITS = (0.8, 0.5), (0.8, 0.6, 0.35)


def spelling_class(source: str, target: str) -> str | None:
    """Return the class of a pair by the similarity of its spellings.

    >>> spelling_class("marcus", "markus"), spelling_class("bradford", "брадфорд")
    ('similar spelling', 'same spelling in another script')
    >>> spelling_class("dog", "Hund"), spelling_class("24", "24")
    ('other spelling', None)
    """
    scripts = word_script(source), word_script(target)
    if "" in scripts:
        return None
    if scripts[0] == scripts[1]:
        if source.lower() == target.lower():
            return SAME_SCRIPT[0]
        ratio = _ratio(transliterate(source), transliterate(target))
        return SAME_SCRIPT[1 + sum(ratio <= limit for limit in SAME_LIMITS)]
    ratio = _ratio(consonants(source), consonants(target))
    return OTHER_SCRIPT[sum(ratio < limit for limit in OTHER_LIMITS)]


def consonants(word: str) -> str:
    """Return the consonants of a word in Latin letters, without `h`, `w` and `y`.

    >>> consonants("брадфорд"), consonants("Bradford"), consonants("لندن"), consonants("London")
    ('brdfrd', 'brdfrd', 'lndn', 'lndn')
    """
    return WEAK.sub("", transliterate(word).replace("ts", "t")).translate(ALIKE)


def _ratio(first: str, second: str) -> float:
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


# The features of the model of proper nouns, from word lists and gazetteers.

Features = dict[str, float]
# Levels of SCOWL up to which a word counts: 35 are common words, 70 a large dictionary.
COMMON, CAPITALISED, NAME = (20, 35, 50, 60, 70), (50, 80), (50, 70, 80)
# Endings of English nationalities, languages and beliefs, which have a capital but are not names.
NATIONALITY = re.compile(r"(ian|ish|ese|ist|ism|ic|an)s?$")
CALENDAR = frozenset(name.lower() for name in (*calendar.day_name, *calendar.month_name) if name)
LARGE_CITY_DIGITS = 6.0  # digits of the population of a large city


def english_features(word: str) -> Features:
    """Return the features of an English word in any case, without those of value 0.

    >>> list(english_features("thursday"))[2:]
    ['capitalised only', 'has plural with capital', 'calendar']
    """
    word = word.lower()
    levels = levels_of(word)
    plural, plurals = levels_of(f"{word}s"), levels_of(f"{word[:-1]}ies")
    singular = levels_of(word[:-1]) if word.endswith("s") else WordLevels()
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
    """Return features of a pair from gazetteers; the populations are logarithms."""
    words = tuple(word.lower() for word in words)
    values = {
        "city": _population_feature(max(places.cities.get(word, 0) for word in words)),
        "other name of a city": _population_feature(
            max(places.other_names.get(word, 0) for word in words)
        ),
        "country": float(any(word in places.countries for word in words)),
        "subdivision": float(any(word in places.subdivisions for word in words)),
    }
    return {name: value for name, value in values.items() if value}


def least_common_word(entry: str) -> str:
    """Return the word of an English entry that says most about it: `york` of `new york`."""
    return max(entry.split() or [""], key=lambda word: levels_of(word).common)


def _steps(name: str, level: int, limits: tuple[int, ...]) -> dict[str, bool]:
    return {f"{name}<={limit}": level <= limit for limit in limits}


def _population_feature(number: int) -> float:
    return math.log10(1 + number) / LARGE_CITY_DIGITS


# Probabilities.

Probabilities = NDArray[np.float64]
WEIGHTS = "weights.json"
INTERCEPT = "intercept"
ROUNDS = 2
# Pairs that have a characteristic, below which nothing is learnt from it; and the weight of the
# share among all pairs in the estimated shares, in pairs.
FEWEST_PAIRS, PRIOR_PAIRS = 50, 20.0
LIMIT = 1e-3  # of probabilities before the lexicon's own evidence
# Languages that write all nouns with a capital.
CAPITAL_NOUNS = frozenset({"de", "lb"})
CAPITAL_SHARES = (0.02, 0.6)  # of a column in which capitals can tell names from other words


@dataclass(frozen=True, slots=True, eq=False)
class NameEvidence:
    """The probability that each pair is a proper noun, and the evidence for it as text."""

    probabilities: Probabilities
    evidence: tuple[str, ...]


def name_probabilities(
    pairs: Sequence[tuple[str, str]],
    languages: tuple[str, str],
    *,
    places: bool = False,
    weights: Mapping[str, Features] | None = None,
) -> NameEvidence:
    """Return the probability that each pair of words of two languages is a proper noun.

    With `places`, gazetteers are used as well; they need `misword[names]`. `weights` are others
    than those of misword: by the name of the set, the weight of each feature.

    >>> pairs = [("london", "londres"), ("dog", "chien"), ("october", "octobre")]
    >>> name_probabilities(pairs, ("en", "fr")).probabilities.round(1).tolist()
    [0.9, 0.0, 0.3]
    """
    gazetteer = Gazetteer.of(*languages) if places else None
    features = [pair_features(pair, languages, gazetteer) for pair in pairs]
    chosen = (weights or _weights())[weight_set(languages, places)]
    odds = np.array([_log_odds(each, chosen) for each in features])
    limit = float(np.log((1 - LIMIT) / LIMIT))
    odds = np.clip(odds, -limit, limit)
    traits = [trait for trait in _traits(pairs, languages) if _can_be_learnt(trait)]
    learnt = learn_odds(odds, traits)
    texts = tuple(
        _evidence(pair, each, languages, [trait[number] for trait in traits])
        for number, (pair, each) in enumerate(zip(pairs, features, strict=True))
    )
    return NameEvidence(_probability(learnt), texts)


def weight_set(languages: tuple[str, str], places: bool) -> str:
    """Return the name of the set of weights for two languages."""
    return f"{'english' if 'en' in languages else 'other'}{' and places' if places else ''}"


def pair_features(
    pair: tuple[str, str], languages: tuple[str, str], places: Gazetteer | None
) -> Features:
    """Return the features of a pair."""
    if "en" in languages:
        features = english_features(least_common_word(pair[languages.index("en")]))
    else:
        features = foreign_features(*pair)
    return features | (place_features(places, *pair) if places is not None else {})


def learn_odds(odds: Probabilities, traits: Sequence[Sequence[str | None]]) -> Probabilities:
    """Change log odds by the shares of each trait among names and among other pairs (naive Bayes).

    The trait of a pair is a value such as its spelling class; None if the pair has none.

    >>> odds = np.array([4.0] * 30 + [-4.0] * 30 + [0.0])
    >>> changed = learn_odds(odds, [["same"] * 30 + ["other"] * 30 + ["same"]])
    >>> bool(changed[-1] > 1)
    True
    """
    current = odds
    numbers = [np.unique(list(map(str, trait)), return_inverse=True)[1] for trait in traits]
    known = [np.array([value is not None for value in trait]) for trait in traits]
    for _ in range(ROUNDS if traits else 0):
        names = _probability(current)
        changes = [
            np.where(here, _log_ratios(names, values, here)[values], 0.0)
            for values, here in zip(numbers, known, strict=True)
        ]
        current = odds + np.sum(changes, axis=0)
    return current


def _log_ratios(
    names: Probabilities, values: NDArray[np.int64], known: NDArray[np.bool_]
) -> Probabilities:
    """Return for each value the log of its share among names over its share among other pairs."""
    size = int(values.max()) + 1
    among_names = np.bincount(values[known], names[known], size)
    among_others = np.bincount(values[known], 1 - names[known], size)
    shares = np.maximum((among_names + among_others) / known.sum(), 1e-9)
    logs = [
        np.log((counts + PRIOR_PAIRS * shares) / (counts.sum() + PRIOR_PAIRS))
        for counts in (among_names, among_others)
    ]
    ratios: Probabilities = logs[0] - logs[1]
    return ratios


def _traits(pairs: Sequence[tuple[str, str]], languages: tuple[str, str]) -> list[list[str | None]]:
    """Return the spelling class of each pair, by kind of class, and the case of each word."""
    spelling = [spelling_class(*pair) for pair in pairs]
    is_other = [bool(value and value.endswith("another script")) for value in spelling]
    traits = [
        [value if other == kind else None for value, other in zip(spelling, is_other, strict=True)]
        for kind in (False, True)
    ]
    for side, language in enumerate(languages):
        if language not in CAPITAL_NOUNS:
            traits.append(_cases([pair[side] for pair in pairs]))
    return traits


def _cases(words: Sequence[str]) -> list[str | None]:
    """Return whether each word has a capital; None if capitals do not mark names in the column."""
    capitals = [word[:1].isupper() and not word.isupper() for word in words]
    lowest, highest = CAPITAL_SHARES
    if not lowest <= sum(capitals) / max(1, len(words)) <= highest:
        return [None] * len(words)
    return ["capital letter" if capital else "no capital letter" for capital in capitals]


def _can_be_learnt(trait: Sequence[str | None]) -> bool:
    return sum(value is not None for value in trait) >= FEWEST_PAIRS


def _evidence(
    pair: tuple[str, str],
    features: Features,
    languages: tuple[str, str],
    traits: Sequence[str | None],
) -> str:
    """Return the evidence for a probability as text."""
    texts = []
    if "en" in languages:
        levels = levels_of(least_common_word(pair[languages.index("en")]))
        if not levels.is_listed:
            texts.append("in no English word list")
        elif levels.common <= 70:
            also = ", also with a capital" if levels.with_capital <= 80 else ""
            texts.append(f"English word in lower case (level {levels.common}){also}")
        else:
            texts.append(f"only with a capital in English (level {levels.with_capital})")
    elif "name<=80" in features:
        texts.append("spelled like an English name")
    texts += [name for name in ("city", "country", "subdivision") if name in features]
    return "; ".join([*texts, *(trait for trait in traits if trait)])


def _log_odds(features: Features, weights: Mapping[str, float]) -> float:
    total = sum(weights.get(name, 0.0) * value for name, value in features.items())
    return weights[INTERCEPT] + total


def _probability(odds: Probabilities) -> Probabilities:
    probability: Probabilities = 1 / (1 + np.exp(-odds))
    return probability


@cache
def _weights() -> dict[str, Features]:
    """Return the weights of misword (tools/make_names.py)."""
    weights: dict[str, Features] = json.loads(
        (files("misword.bli.names") / WEIGHTS).read_text("utf-8")
    )["weights"]
    return weights
