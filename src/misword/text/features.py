"""Distances between phonemes over articulatory features.

A feature of a phoneme is +, - or unspecified. A feature with + in one phoneme and - in the other
costs 1; a feature that only one of them specifies costs 0.25. Inserting or deleting a phoneme costs
0.25 for each feature that it specifies.

ARPABET phonemes have the features of Hayes (2009). His chart has no diphthongs, so two features are
added as in Phonological CorpusTools: [diphthong], specified for all vowels, and [front diphthong],
the direction of a diphthong. IPA phonemes have the features of panphon; a diphthong, or any token
of several sounds, is compared with another token piece by piece.

Known problems: all features have the same weight, though [voice] is heard more easily than
[distributed]. Stress and tone are not compared.

Reference: Hayes 2009, Introductory Phonology; Voleti et al. 2019; Mortensen et al. 2016, PanPhon
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.parts import Requirement, package_folder

Alphabet = Literal["arpabet", "ipa"]
Features = NDArray[np.int8]  # +1, -1, and 0 for unspecified

MISMATCH, HALF_SPECIFIED = 1.0, 0.25
VALUES = {"+": 1, "-": -1, "0": 0}
HAYES = Requirement(("hayes2009",), "pip install hayes2009", "Apache-2.0")
PANPHON = Requirement(("panphon",), "pip install 'misword[features]'", "MIT")

# The symbol of each ARPABET phoneme in the chart of Hayes. Diphthongs: that of their first vowel.
IPA_OF = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "a", "AY": "a", "B": "b", "CH": "t͡ʃ",
    "D": "d", "DH": "ð", "EH": "ɛ", "ER": "ɚ", "EY": "e", "F": "f", "G": "ɡ", "HH": "h",
    "IH": "ɪ", "IY": "i", "JH": "d͡ʒ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "OW": "o", "OY": "ɔ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ",
    "UH": "ʊ", "UW": "u", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
DIPHTHONGS = {"AW": "-", "AY": "+", "EY": "+", "OW": "-", "OY": "+"}  # +: ends in a front vowel
TIE = "\u0361"
# Symbols, mostly of eSpeak, that panphon's table spells in another way.
PANPHON_SPELLING = str.maketrans({"g": "ɡ", "ᵻ": "ɨ", "ɚ": "ə˞", "ɝ": "ɜ˞"})
MODIFIERS = frozenset({"Lm", "Mn", "Nd", "Sk"})  # Unicode categories of diacritics and tones
PIECES = 6  # divisible by 1, 2 and 3: a token has one to three sounds


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """The features of some phonemes; `known` is False for symbols without recorded features."""

    symbols: tuple[str, ...]
    pieces: NDArray[np.int8]  # axes: symbol, piece, feature
    known: NDArray[np.bool_]

    @property
    def unknown(self) -> tuple[str, ...]:
        """Symbols without recorded features; their distance to all others is the maximum."""
        return tuple(s for s, known in zip(self.symbols, self.known, strict=True) if not known)

    @property
    def features(self) -> int:
        """The number of features."""
        return int(self.pieces.shape[2])

    def substitutions(self, half: float = HALF_SPECIFIED) -> NDArray[np.float64]:
        """Return the cost of each substitution in features: a symmetric table, diagonal 0.

        `half` is the cost of a feature that only one of the two phonemes specifies.

        >>> costs = feature_table(["S", "Z", "N"], "arpabet").substitutions()
        >>> costs[0].tolist()  # S and Z differ only in [voice]
        [0.0, 1.0, 5.25]
        """
        costs = np.zeros((len(self.symbols), len(self.symbols)))
        for piece in range(PIECES):
            values = self.pieces[:, piece].astype(np.float64)
            plus, minus, none = values > 0, values < 0, values == 0
            costs += MISMATCH * _count_pairs(plus, minus) + half * _count_pairs(~none, none)
        costs /= PIECES
        costs[~self.known] = costs[:, ~self.known] = self.features
        np.fill_diagonal(costs, 0.0)
        return costs

    def insertions(self, half: float = HALF_SPECIFIED) -> NDArray[np.float64]:
        """Return the cost of inserting or deleting each symbol; all features if it is unknown."""
        specified = np.count_nonzero(self.pieces, axis=2).mean(axis=1)
        costs: NDArray[np.float64] = np.where(self.known, half * specified, float(self.features))
        return costs


def phoneme_distances(symbols: Sequence[str], alphabet: Alphabet) -> NDArray[np.float64]:
    """Return the distance of each symbol to each other symbol, between 0 and 1.

    It is the cost of the substitution divided by the cost of an insertion (the mean of the two
    symbols), at most 1: a sound that is wrong in all features is as bad as a missing sound. If the
    divisor were the number of features, any substitution would be cheaper than a deletion.

    >>> distances = phoneme_distances(["S", "Z"], "arpabet")  # one feature, 5.75 to insert
    >>> round(float(distances[0, 1]), 4)
    0.1739
    """
    table = feature_table(symbols, alphabet)
    inserted = table.insertions()
    mean = (inserted[:, None] + inserted[None, :]) / 2
    return np.minimum(table.substitutions() / np.where(mean > 0, mean, 1.0), 1.0)


def feature_table(symbols: Sequence[str], alphabet: Alphabet) -> FeatureTable:
    """Return the features of phonemes."""
    sounds = [_arpabet(s) if alphabet == "arpabet" else _ipa(s) for s in symbols]
    width = len(hayes()["AA"] if alphabet == "arpabet" else panphon()["a"])
    pieces = np.zeros((len(sounds), PIECES, width), np.int8)
    for row, features in zip(pieces, sounds, strict=True):
        if features:
            row[:] = [features[i * len(features) // PIECES] for i in range(PIECES)]
    return FeatureTable(tuple(symbols), pieces, np.array([bool(s) for s in sounds], np.bool_))


def _count_pairs(left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return, for all pairs, in how many features one symbol is `left` and the other `right`."""
    one: NDArray[np.float64] = left.astype(np.float64) @ right.T.astype(np.float64)
    return one + one.T


def _arpabet(symbol: str) -> list[Features]:
    features = hayes().get(symbol.rstrip("012"))
    return [] if features is None else [features]


def _ipa(symbol: str) -> list[Features]:
    """Return the features of each sound of a token; an empty list if a sound is unknown.

    The longest prefix that the table has is taken as a sound, then the longest prefix of the rest,
    and so on. A diacritic or tone that the table does not have for a sound is ignored.
    """
    table, rest = panphon(), unicodedata.normalize("NFD", symbol.translate(PANPHON_SPELLING))
    tied = f"{rest[:1]}{TIE}{rest[1:]}"
    if tied in table:  # an affricate is one sound
        return [table[tied]]
    sounds: list[Features] = []
    while rest:
        size = next((n for n in range(len(rest), 0, -1) if rest[:n] in table), 0)
        if size:
            sounds.append(table[rest[:size]])
        elif not sounds or unicodedata.category(rest[0]) not in MODIFIERS:
            return []
        rest = rest[size or 1 :]
    return sounds


@cache
def hayes() -> dict[str, Features]:
    """Return the features of the 39 ARPABET phonemes, read once per process."""
    HAYES.check("arpabet features")
    import hayes2009

    chart = {**hayes2009.universal, **hayes2009.english}
    names = list(dict.fromkeys(feature[1:] for spec in chart.values() for feature in spec))
    table = {}
    for symbol, ipa in IPA_OF.items():
        values = {feature[1:]: VALUES[feature[0]] for feature in chart[ipa]}
        diphthong = DIPHTHONGS.get(symbol, "0")
        vowel = values["syllabic"] > 0
        extra = [0 if not vowel else 1 if symbol in DIPHTHONGS else -1, VALUES[diphthong]]
        table[symbol] = np.array([*(values.get(name, 0) for name in names), *extra], np.int8)
    return table


@cache
def panphon() -> dict[str, Features]:
    """Return the features of IPA sounds, read once per process from panphon's table.

    The file is read directly, because importing panphon would import pandas.
    """
    PANPHON.check("ipa features")
    file = package_folder("panphon") / "data" / "ipa_all.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines)
        next(rows)
        return {
            unicodedata.normalize("NFD", symbol): np.array([VALUES[v] for v in values], np.int8)
            for symbol, *values in rows
        }
