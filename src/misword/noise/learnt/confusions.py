"""What a recogniser confuses, learnt from its real errors.

For a said word s and a heard word h, given that s is substituted,

    P(h | s) = max(c(s, h) - D, 0) / c(s)  +  D t(s) / c(s) B(h | s)

where c counts, and t(s) is how many different words s was heard as: absolute discounting,
interpolated. What the discount D sets free, and all of a word that was never substituted, goes to

    B(h | s) = m K(h | s) + (1 - m) U(h)

K prefers words that sound like s and are frequent: in proportion to exp(-d(s, h) / r) p(h)^g among
the nearest by phonological distance d, p being how frequent words are in references and hypotheses
(words of a list that are in neither share what words seen once have: Good-Turing, Zipf).
U is how often words are heard in place of others, whatever was said (Witten-Bell with p).

D = n1 / (n1 + 2 n2), from how many pairs were seen once and twice. r, g and m are those under which
the pairs seen once are most likely, each as if it had not been seen (leaving one out): the pairs
for which B is needed. Without a language no sounds are known, and m = 0.

How likely a word is to be hit at all is its own rate, drawn to the rate of all words as if it had
been seen so many times more (the strength of a beta distribution, fitted to all words).

Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
language modelling, Computer Speech and Language 8, 1994.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np

from misword.core.errors import InputError
from misword.core.types import Op
from misword.core.version import __version__
from misword.io.files.folders import read_index
from misword.io.files.sources import PathLike
from misword.noise.learnt.observed import Observed

MARK, VERSION = "misword-noise", 1


@dataclass(frozen=True, slots=True)
class Backoff:
    """What was fitted: see the formulas above."""

    discount: float
    reach: float = 0.0  # r
    frequency: float = 0.0  # g
    sound: float = 0.0  # m
    substituted: float = 0.0  # how many times more a word counts as seen
    deleted: float = 0.0


@dataclass(frozen=True, slots=True)
class Confusions:
    """Counts of what was said and heard.

    `said` and `heard` have all words of references and hypotheses; `confused` the substitutions by
    what was said, `deleted` and `inserted` the rest. `vocabulary` names the list of words that may
    be heard beside them (`noise/wordlists.py`; empty: none).
    """

    lang: str
    vocabulary: str
    utterances: int
    said: dict[str, int]
    heard: dict[str, int]
    confused: dict[str, dict[str, int]]
    deleted: dict[str, int]
    inserted: dict[str, int]
    backoff: Backoff = field(default_factory=lambda: Backoff(0.5))

    @property
    def errors(self) -> tuple[int, int, int]:
        """Substitutions, deletions, insertions."""
        swapped = sum(sum(row.values()) for row in self.confused.values())
        return swapped, sum(self.deleted.values()), sum(self.inserted.values())

    @property
    def digest(self) -> str:
        """A hash of all that was learnt, for a signature."""
        text = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        return sha256(text.encode()).hexdigest()[:16]

    @classmethod
    def count(cls, observed: Observed, lang: str = "", vocabulary: str = "") -> Self:
        """Count; nothing is fitted yet."""
        words = observed.vocabulary
        gone = observed.said[observed.ops == Op.DELETION]
        added = observed.heard[observed.ops == Op.INSERTION]
        _, said, heard = observed.substitutions()
        pairs, times = np.unique(said * len(words) + heard, return_counts=True)
        confused: dict[str, dict[str, int]] = {}
        for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
            row = confused.setdefault(words[pair // len(words)], {})
            row[words[pair % len(words)]] = count
        columns = (observed.said, observed.heard, gone, added)
        every, got, deleted, inserted = (
            {words[at]: int(count) for at, count in enumerate(observed.tally(c)) if count}
            for c in columns
        )
        size = len(np.unique(observed.utt))
        return cls(lang, vocabulary, size, every, got, confused, deleted, inserted)

    def to_json(self) -> str:
        """As text that can be read: words sorted, the most frequent confusions first."""
        data = asdict(self)
        for name in ("said", "heard", "deleted", "inserted"):
            data[name] = dict(sorted(data[name].items()))
        data["confused"] = {
            said: dict(sorted(row.items(), key=lambda one: (-one[1], one[0])))
            for said, row in sorted(self.confused.items())
        }
        head = {"format": MARK, "version": VERSION, "misword": __version__}
        return json.dumps({**head, **data}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read what `misword learn-noise` wrote."""
        wrong = InputError(
            "this is not learnt noise", where=str(path), fix="make it: misword learn-noise REF HYP"
        )
        index = read_index(Path(path), MARK, VERSION, wrong)
        names = [name for name in cls.__dataclass_fields__ if name != "backoff"]
        try:
            found = cls(**{n: index[n] for n in names}, backoff=Backoff(**index["backoff"]))
            _check(found)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise wrong from None
        return found


def _check(found: Confusions) -> None:
    """Words are words and counts are counts, or a ValueError."""
    rows: list[dict[Any, Any]] = [found.said, found.heard, found.deleted, found.inserted]
    rows += found.confused.values()
    for row in rows:
        for word, count in row.items():
            if word != "".join(word.split()) or not word or type(count) is not int or count < 1:
                raise ValueError(word)
    if not all(np.isfinite(v) and v >= 0 for v in asdict(found.backoff).values()):
        raise ValueError("backoff")
