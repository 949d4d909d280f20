"""Draws headwords in chosen shares, by a seed.

The draw of a word is a hash of the seed and the word. It does not depend on the other words or on
their order: a dictionary with some more words gives nearly the same set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

Stratum = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """The drawn words, and for each stratum with too few words how many it has and should have."""

    words: tuple[str, ...]
    short: dict[Stratum, tuple[int, int]]


def draw(
    words: Sequence[str], strata: Sequence[Stratum], shares: Mapping[Stratum, float], size: int,
    seed: int,
) -> Sample:  # fmt: skip
    """Draw `size` words so that each stratum has its share, as far as it has words.

    `strata` has the stratum of each word. A stratum with too few words gives all of them; the other
    strata give no more for it, so that their numbers are those of the shares.

    >>> draw(["a", "b", "c", "d"], [("n",), ("n",), ("v",), ("v",)], {("n",): 0.5, ("v",): 0.5}, 2,
    ...      seed=1).short
    {}
    """
    wanted = quotas(shares, size)
    by_stratum: dict[Stratum, list[str]] = {stratum: [] for stratum in shares}
    for word, stratum in zip(words, strata, strict=True):
        if stratum in by_stratum:
            by_stratum[stratum].append(word)
    drawn: list[str] = []
    short = {}
    for stratum, members in by_stratum.items():
        if len(members) < wanted[stratum]:
            short[stratum] = (len(members), wanted[stratum])
        drawn += sorted(members, key=lambda word: _draw_of(word, seed))[: wanted[stratum]]
    return Sample(tuple(drawn), short)


def quotas(shares: Mapping[Stratum, float], size: int) -> dict[Stratum, int]:
    """Return how many words each stratum gives: rounded shares that sum to the size.

    The rounding is that of the largest remainders; each number differs from its share by less
    than 1.

    >>> quotas({("a",): 1 / 3, ("b",): 2 / 3}, 100)
    {('a',): 33, ('b',): 67}
    """
    exact = {stratum: share * size for stratum, share in shares.items()}
    rounded = {stratum: int(value) for stratum, value in exact.items()}
    missing = size - sum(rounded.values())
    by_remainder = sorted(exact, key=lambda stratum: (rounded[stratum] - exact[stratum], stratum))
    for stratum in by_remainder[:missing]:
        rounded[stratum] += 1
    return rounded


def _draw_of(word: str, seed: int) -> tuple[bytes, str]:
    data = f"{seed}\0{word}".encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).digest(), word
