"""How far apart two phonemes are in the mouth: distances over articulatory features.

A feature is +, - or unspecified. Where one phoneme has + and the other - costs 1, where only one is
specified 0.25; inserting or deleting a phoneme costs 0.25 for each feature it specifies.

ARPABET has the features of Hayes 2009. His chart has no diphthongs; as Phonological CorpusTools
does, two features are added: [diphthong], which all vowels have, and [front diphthong], where a
diphthong goes. IPA has the features of panphon; there, a diphthong or any token of several sounds
is compared with another piece by piece.

Known problems: all features weigh the same, though [voice] is heard more easily than [distributed].
Stress and tone are not compared.

Reference: Hayes 2009, Introductory Phonology; Voleti et al. 2019; Mortensen et al. 2016, PanPhon
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.requirements import Requirement

Alphabet = Literal["arpabet", "ipa"]
Features = NDArray[np.int8]  # +1, -1, and 0 for unspecified

MISMATCH, HALF_SPECIFIED = 1.0, 0.25
VALUES = {"+": 1, "-": -1, "0": 0}
HAYES = Requirement(("hayes2009",), "pip install hayes2009", "Apache-2.0")
PANPHON = Requirement(("panphon",), "pip install 'misword[phonemes]'", "MIT")

# Each ARPABET phoneme in Hayes' chart. A diphthong has the features of its first part.
IPA_OF = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "a", "AY": "a", "B": "b", "CH": "t͡ʃ",
    "D": "d", "DH": "ð", "EH": "ɛ", "ER": "ɚ", "EY": "e", "F": "f", "G": "ɡ", "HH": "h",
    "IH": "ɪ", "IY": "i", "JH": "d͡ʒ", "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ",
    "OW": "o", "OY": "ɔ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ",
    "UH": "ʊ", "UW": "u", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
DIPHTHONGS = {"AW": "-", "AY": "+", "EY": "+", "OW": "-", "OY": "+"}  # + ends in front
TIE = "\u0361"
# Signs that panphon's table spells otherwise, most of them eSpeak's.
SAME = str.maketrans({"g": "ɡ", "ᵻ": "ɨ", "ɚ": "ə˞", "ɝ": "ɜ˞"})
MARKS = frozenset({"Lm", "Mn", "Nd", "Sk"})  # Unicode categories of what changes a sound
PIECES = 6  # divisible by one, two and three, the sounds that a token has


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """The features of some phonemes; `known` is False for those that have none on record."""

    symbols: tuple[str, ...]
    pieces: NDArray[np.int8]  # symbol, piece, feature
    known: NDArray[np.bool_]

    @property
    def unknown(self) -> tuple[str, ...]:
        """Symbols without features: as far from all others as can be."""
        return tuple(s for s, known in zip(self.symbols, self.known, strict=True) if not known)

    @property
    def features(self) -> int:
        """How many features there are."""
        return int(self.pieces.shape[2])

    def substitutions(self, half: float = HALF_SPECIFIED) -> NDArray[np.float64]:
        """Price of each substitution, in features: symmetric, 0 on the diagonal.

        `half` is the price of a feature that only one of the two specifies.

        >>> prices = feature_table(["S", "Z", "N"], "arpabet").substitutions()
        >>> prices[0].tolist()  # S and Z differ in voice alone
        [0.0, 1.0, 5.25]
        """
        prices = np.zeros((len(self.symbols), len(self.symbols)))
        for piece in range(PIECES):
            values = self.pieces[:, piece].astype(np.float64)
            plus, minus, none = values > 0, values < 0, values == 0
            prices += MISMATCH * _pairs(plus, minus) + half * _pairs(~none, none)
        prices /= PIECES
        prices[~self.known] = prices[:, ~self.known] = self.features
        np.fill_diagonal(prices, 0.0)
        return prices

    def insertions(self, half: float = HALF_SPECIFIED) -> NDArray[np.float64]:
        """Price of inserting or deleting each symbol, in features; an unknown one costs all."""
        specified = np.count_nonzero(self.pieces, axis=2).mean(axis=1)
        prices: NDArray[np.float64] = np.where(self.known, half * specified, float(self.features))
        return prices


def distances(symbols: Sequence[str], alphabet: Alphabet) -> NDArray[np.float64]:
    """How wrong each symbol is for each other, between 0 and 1.

    The price of the substitution relative to that of an insertion (the mean of the two symbols'),
    at most 1: to be wrong in all features is as bad as to be missing. Relative to the number of
    features instead, any two sounds would seem closer than a sound that is left out.

    >>> round(float(distances(["S", "Z"], "arpabet")[0, 1]), 4)  # one feature, 5.75 to insert
    0.1739
    """
    table = feature_table(symbols, alphabet)
    inserted = table.insertions()
    dropped = (inserted[:, None] + inserted[None, :]) / 2
    return np.minimum(table.substitutions() / np.where(dropped > 0, dropped, 1.0), 1.0)


def feature_table(symbols: Sequence[str], alphabet: Alphabet) -> FeatureTable:
    """Look up the features of phonemes."""
    rows = [_arpabet(s) if alphabet == "arpabet" else _ipa(s) for s in symbols]
    width = len(hayes()["AA"] if alphabet == "arpabet" else panphon()["a"])
    pieces = np.zeros((len(rows), PIECES, width), np.int8)
    for row, found in zip(pieces, rows, strict=True):
        if found:
            row[:] = [found[i * len(found) // PIECES] for i in range(PIECES)]
    return FeatureTable(tuple(symbols), pieces, np.array([bool(row) for row in rows], np.bool_))


def _pairs(left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """In how many features one symbol is `left` and the other `right`, for all pairs."""
    one: NDArray[np.float64] = left.astype(np.float64) @ right.T.astype(np.float64)
    return one + one.T


def _arpabet(symbol: str) -> list[Features]:
    found = hayes().get(symbol.rstrip("012"))
    return [] if found is None else [found]


def _ipa(symbol: str) -> list[Features]:
    """The sounds of a token, the longest known first; none if any of it is unknown.

    A diacritic or tone that the table does not have on this sound is left out.
    """
    table, rest = panphon(), unicodedata.normalize("NFD", symbol.translate(SAME))
    tied = f"{rest[:1]}{TIE}{rest[1:]}"
    if tied in table:  # an affricate is one sound
        return [table[tied]]
    found: list[Features] = []
    while rest:
        size = next((n for n in range(len(rest), 0, -1) if rest[:n] in table), 0)
        if size:
            found.append(table[rest[:size]])
        elif not found or unicodedata.category(rest[0]) not in MARKS:
            return []
        rest = rest[size or 1 :]
    return found


@cache
def hayes() -> dict[str, Features]:
    """Features of the 39 ARPABET phonemes."""
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
    """Features of IPA sounds, read from panphon's table; importing panphon would load pandas."""
    PANPHON.check("ipa features")
    package = find_spec("panphon")
    folder = Path(str(package.origin)).parent if package else Path()
    with (folder / "data" / "ipa_all.csv").open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines)
        next(rows)
        return {
            unicodedata.normalize("NFD", symbol): np.array([VALUES[v] for v in values], np.int8)
            for symbol, *values in rows
        }
