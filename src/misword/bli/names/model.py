"""The probability that a pair of a lexicon is a proper noun.

A logistic model over word lists, and gazetteers if they are wanted, gives a first probability. How
names of this lexicon are spelled and capitalised is then learnt from the lexicon itself: the share
of each spelling class and of capitals among probable names and among other pairs changes the odds
(naive Bayes, repeated with the new probabilities). A close language pair keeps the spelling of
names, another script cannot; nothing about a single language is in the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from misword.bli.names.english_words import levels_of
from misword.bli.names.features import (
    Features,
    english_features,
    foreign_features,
    least_common_word,
    place_features,
)
from misword.bli.names.places import Gazetteer
from misword.bli.names.spelling import spelling_class

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
    """The probability that each pair is a proper noun, and what it rests on, in words."""

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
    """Change log odds by what the pairs themselves show about each trait (naive Bayes).

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
    """Return whether each word has a capital; None everywhere if the column cannot tell."""
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
    """Return what a probability rests on."""
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
