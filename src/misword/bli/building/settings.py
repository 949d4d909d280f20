"""The criteria of a gold set, and the defaults of each purpose.

Reference: Denisová and Rychlý 2023, section 4
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Literal, get_args

from misword.core.errors import OptionError, did_you_mean
from misword.io.dictionaries.entries import UNIVERSAL, universal_tag

Purpose = Literal["lexicography", "learners"]
Forms = Literal["as-is", "lemmas", "expand"]
Disjoint = Literal["headwords", "both"]
Exclude = Literal["identical", "names"]

# Parts of speech that have a meaning of their own. Denisová and Rychlý prefer them over pronouns,
# proper nouns, articles, prepositions and conjunctions.
CONTENT_WORDS = "NOUN,VERB,ADJ,ADV,NUM"
BASIC_VOCABULARY = 10_000  # ranks of the words that learners meet first
UNLIMITED = 2**31 - 1
ALL = "all"  # of a criterion without any limit, in the datasheet


@dataclass(frozen=True, slots=True)
class Shares:
    """Names of classes and the share of each; without shares, they are as in the dictionary."""

    weights: tuple[tuple[str, float | None], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The classes, in the order in which they were named."""
        return tuple(name for name, _ in self.weights)

    @property
    def fixed(self) -> dict[str, float]:
        """The share of each class, which sum to 1; empty if no shares were named."""
        total = sum(weight or 0 for _, weight in self.weights)
        return {name: weight / total for name, weight in self.weights if weight is not None}

    def __str__(self) -> str:
        return ",".join(
            name if weight is None else f"{name}:{weight:g}" for name, weight in self.weights
        )


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """The criteria that decide which words are in a gold set.

    `size` and `train_size` count headwords. `bands` are the highest ranks of frequency bands.
    `senses` are the fewest and the most senses of a headword. `Criteria` explains the others.
    """

    purpose: Purpose
    size: int
    train_size: int
    max_words: int
    pos: Shares
    bands: Shares
    senses: tuple[int, int]
    exclude: tuple[str, ...]
    forms: Forms
    disjoint: Disjoint
    seed: int
    multiword: bool = False

    @classmethod
    def of(cls, purpose: str, chosen: Mapping[str, Any]) -> BuildSettings:
        """Return the settings of a purpose, with the criteria that are not None in their place.

        >>> BuildSettings.of("learners", {"size": 100}).senses
        (1, 3)
        """
        _check_choice("purpose", purpose, get_args(Purpose))
        options = {**COMMON, **PURPOSES[purpose]}
        options |= {name: value for name, value in chosen.items() if value is not None}
        for name, least in (("size", 1), ("train_size", 0), ("max_words", 1), ("seed", 0)):
            if options[name] < least:
                raise OptionError(f"{name} is {options[name]}", fix=f"use {least} or more")
        _check_choice("forms", options["forms"], get_args(Forms))
        _check_choice("disjoint", options["disjoint"], get_args(Disjoint))
        exclude = _listed(options["exclude"])
        for name in exclude:
            _check_choice("exclude", name, get_args(Exclude))
        options["exclude"] = exclude
        options["pos"] = parse_pos(options["pos"])
        options["bands"] = parse_bands(options["bands"])
        options["senses"] = parse_senses(options["senses"])
        return cls(purpose=purpose, **options)  # type: ignore[arg-type]

    def listed(self) -> dict[str, Any]:
        """Return the settings as values that JSON has."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: (str(value) or ALL) if isinstance(value, Shares) else value
            for name, value in values.items()
        } | {"exclude": list(self.exclude), "senses": senses_text(self.senses)}


COMMON: dict[str, Any] = {
    "size": 1500,
    "train_size": 5000,
    "max_words": 200_000,
    "pos": CONTENT_WORDS,
    "exclude": (),
    "forms": "as-is",
    "disjoint": "headwords",
    "seed": 0,
}
# Lexicographers want all equivalents of all words (recall). Learners want frequent words that have
# few senses and one clear equivalent (precision).
PURPOSES: dict[str, dict[str, Any]] = {
    "lexicography": {"bands": "", "senses": "1-"},
    "learners": {"bands": str(BASIC_VOCABULARY), "senses": "1-3"},
}
# The numbers of candidates by which an evaluation for each purpose is usually read.
CANDIDATES = {"lexicography": 10, "learners": 1}


def parse_pos(text: str) -> Shares:
    """Return parts of speech with their shares: `NOUN:50,VERB:50`, or `noun,verb` without shares.

    >>> parse_pos("noun:3,verb:1").fixed
    {'NOUN': 0.75, 'VERB': 0.25}
    """
    named = _parse_shares("--pos", text, "NOUN:50,VERB:50")
    known = []
    for name, weight in named:
        tag = name.upper() if name.upper() in UNIVERSAL else universal_tag(name)
        if tag in ("", "X") and name.upper() != "X":
            hint = did_you_mean(name.upper(), UNIVERSAL)
            raise OptionError(
                f"no part of speech {name!r}", fix=f"{hint}known: {', '.join(UNIVERSAL)}"
            )
        known.append((tag, weight))
    return _distinct("--pos", known)


def parse_bands(text: str) -> Shares:
    """Return frequency bands by their highest rank, with their shares: `5000:60,50000:40`.

    >>> parse_bands("5000:1,50000:1").names
    ('1-5000', '5001-50000')
    """
    named = _parse_shares("--bands", text, "5000:60,50000:40")
    highest = [name for name, _ in named]
    if not all(rank.isdecimal() and rank.isascii() and len(rank) < 10 for rank in highest):
        raise OptionError(
            f"{text!r} are not ranks", fix="name the last rank of each band: 5000,50000"
        )
    ranks = [0, *map(int, highest)]
    if any(lower >= upper for lower, upper in pairwise(ranks)):
        raise OptionError(f"the ranks {text!r} do not grow", fix="name the frequent words first")
    names = (f"{lower + 1}-{upper}" for lower, upper in pairwise(ranks))
    return Shares(tuple((name, weight) for name, (_, weight) in zip(names, named, strict=True)))


def parse_senses(text: str | tuple[int, int]) -> tuple[int, int]:
    """Return the fewest and the most senses: `2-5`, `1-` (no limit), `3`.

    >>> parse_senses("2-5"), parse_senses("1"), parse_senses("2-")
    ((2, 5), (1, 1), (2, 2147483647))
    """
    if isinstance(text, str):
        low, dash, high = text.partition("-")
        if not low.isdecimal() or not (high.isdecimal() or not high) or len(text) > 18:
            raise OptionError(f"{text!r} is not a number of senses", fix="write 2-5, 1- or 1")
        fewest = int(low)
        most = int(high) if high else UNLIMITED if dash else fewest
    else:
        fewest, most = text
    if not 1 <= fewest <= most:
        raise OptionError(f"from {fewest} to {most} senses", fix="write 2-5, 1- or 1")
    return fewest, most


def senses_text(senses: tuple[int, int]) -> str:
    """Return a range of numbers of senses as `parse_senses` reads it."""
    return f"{senses[0]}-{'' if senses[1] == UNLIMITED else senses[1]}"


def _parse_shares(option: str, text: str, example: str) -> list[tuple[str, float | None]]:
    """Return the names in a list and their weights, which all of them have or none."""
    named: list[tuple[str, float | None]] = []
    for item in _listed(text):
        name, colon, number = item.partition(":")
        try:
            weight = float(number) if colon else None
        except ValueError:
            weight = -1.0
        if weight is not None and not 0 < weight < float("inf"):
            raise OptionError(
                f"{option}: {number!r} is not a share", fix=f"write positive numbers: {example}"
            )
        named.append((name.strip(), weight))
    if len({weight is None for _, weight in named}) > 1:
        raise OptionError(
            f"{option}: some have a share and some have none", fix=f"write all or none: {example}"
        )
    return named


def _distinct(option: str, named: Sequence[tuple[str, float | None]]) -> Shares:
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        raise OptionError(f"{option}: duplicate name in {', '.join(names)}", fix="name each once")
    return Shares(tuple(named))


def _listed(text: str | Iterable[str]) -> tuple[str, ...]:
    parts = text.split(",") if isinstance(text, str) else text
    return tuple(part.strip() for part in parts if part.strip())


def _check_choice(option: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        hint = did_you_mean(value, choices)
        raise OptionError(f"{option} is {value!r}", fix=f"{hint}use {', '.join(choices)}")
