"""The errors of a recogniser as counts, with the fitted parameters of their smoothing: noise.json.

Substitutions, deletions and insertions are counted here. `learn.py` fits the parameters
and computes probabilities from both, as follows. For a word s (said, in the reference) and a word h
(heard, in the hypothesis), given that s is substituted,

    P(h | s) = max(c(s, h) - D, 0) / c(s)  +  D t(s) / c(s) B(h | s)

where c are counts, and t(s) is the number of distinct substitutes of s: absolute discounting,
interpolated. The probability that the discount D takes away, and the whole probability of a word
that was never substituted, goes to the backoff distribution

    B(h | s) = m K(h | s) + (1 - m) U(h)

K prefers words that sound like s and are frequent. It is proportional to exp(-d(s, h) / r) p(h)^g
among the nearest words by phonological distance d, where p is the relative frequency of words in
references and hypotheses. Words of a list that are in neither share the frequency of words seen
once (Good-Turing), by Zipf's law. U is how often words substitute others, whatever the reference
word is, smoothed with p (Witten-Bell).

D = n1 / (n1 + 2 n2), from the numbers of pairs seen once and twice. r, g and m are the values under
which the pairs seen once are most likely, each as if it had not been seen (leave-one-out): these
are the pairs for which B is needed. Without a language no pronunciations are known, and m = 0.

The error rate of a word is its own rate, smoothed towards the mean rate of all words by a beta
prior; the strength of the prior is fitted to all words.

Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
language modelling, Computer Speech and Language 8, 1994.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.types import DisplayedResult, Op, Result
from misword.core.version import __version__
from misword.io.files.checksums import KEY, json_checksum, read_index
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import integer, mapping_of, number, record, text
from misword.noise.aligned_corpus import AlignedCorpus
from misword.stat.descriptions.noise import LEARNT_NOISE

FORMAT, VERSION = "misword-noise", 1


@dataclass(frozen=True, slots=True)
class BackoffParameters:
    """The fitted parameters of the formulas above; the field names are those of the file."""

    discount: float  # D
    reach: float = 0.0  # r
    frequency: float = 0.0  # g
    sound: float = 0.0  # m
    substituted: float = 0.0  # strength of the prior of substitution rates
    deleted: float = 0.0  # strength of the prior of deletion rates


PARAMETERS = tuple(BackoffParameters.__dataclass_fields__)
WORD_COUNTS = mapping_of(integer(1, 1 << 40), key=text(r"\S+"))
SCHEMA = record(
    {
        "lang": text(),
        "vocabulary": text(),
        "utterances": integer(0),
        "said": WORD_COUNTS,
        "heard": WORD_COUNTS,
        "confused": mapping_of(WORD_COUNTS, key=text(r"\S+")),
        "deleted": WORD_COUNTS,
        "inserted": WORD_COUNTS,
        "misword": text(),
        "backoff": record(
            {
                **dict.fromkeys(PARAMETERS, number(0)),
                "discount": number(0, 1),
                "sound": number(0, 1),
            }
        ),
    }
)


@dataclass(frozen=True, slots=True, repr=False)
class LearntNoise(DisplayedResult):
    """Counts of words and errors, and the fitted parameters; the field names are those of the file.

    `said` and `heard` count all words of the references and of the hypotheses. `confused` counts
    the substitutions, by reference word and then by hypothesis word, `deleted` the deletions and
    `inserted` the insertions. `vocabulary` names the list of further candidate words
    (`wordlists.py`; empty: none).
    """

    lang: str
    vocabulary: str
    utterances: int
    said: dict[str, int]
    heard: dict[str, int]
    confused: dict[str, dict[str, int]]
    deleted: dict[str, int]
    inserted: dict[str, int]
    backoff: BackoffParameters = field(default_factory=lambda: BackoffParameters(0.5))
    description = LEARNT_NOISE

    def main_table(self) -> pl.DataFrame:
        """Return the substitutions, the most frequent first."""
        return self.result().tables["confusions"]

    def result(
        self, provenance: Mapping[str, Any] | None = None, most: int | None = None
    ) -> Result:
        """Return the `most` frequent substitutions (None: all), and the numbers of all errors."""
        schema = {"said": pl.String, "heard": pl.String, "times": pl.Int64, "share": pl.Float64}
        confusions = pl.DataFrame(self.top_confusions(most), schema)
        kinds = ("substitutions", "deletions", "insertions")
        facts = {"misword": __version__, **(provenance or {}), "utterances": self.utterances}
        facts |= {"words": sum(self.said.values()), **dict(zip(kinds, self.errors, strict=True))}
        return Result("learnt-noise", {"confusions": confusions}, {**facts, "digest": self.digest})

    @property
    def errors(self) -> tuple[int, int, int]:
        """The numbers of substitutions, deletions and insertions."""
        return (
            sum(self.substituted.values()),
            sum(self.deleted.values()),
            sum(self.inserted.values()),
        )

    @property
    def substituted(self) -> dict[str, int]:
        """How often each reference word was substituted."""
        return {word: sum(row.values()) for word, row in self.confused.items()}

    @property
    def digest(self) -> str:
        """A hash of all counts and parameters, for a signature."""
        content = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        return sha256(content.encode()).hexdigest()[:16]

    @classmethod
    def count(cls, corpus: AlignedCorpus, lang: str = "", vocabulary: str = "") -> Self:
        """Count words and errors; the parameters have their defaults."""
        words = corpus.vocabulary
        pairs = corpus.substitutions()
        keys, times = np.unique(pairs.reference * len(words) + pairs.hypothesis, return_counts=True)
        confused: dict[str, dict[str, int]] = {}
        for key, count in zip(keys.tolist(), times.tolist(), strict=True):
            row = confused.setdefault(words[key // len(words)], {})
            row[words[key % len(words)]] = count
        deletions = corpus.reference[corpus.operations == Op.DELETION]
        insertions = corpus.hypothesis[corpus.operations == Op.INSERTION]
        said, heard, deleted, inserted = (
            {words[at]: int(count) for at, count in enumerate(corpus.count_words(column)) if count}
            for column in (corpus.reference, corpus.hypothesis, deletions, insertions)
        )
        utterances = len(np.unique(corpus.utterance))
        return cls(lang, vocabulary, utterances, said, heard, confused, deleted, inserted)

    def top_confusions(self, most: int | None = None) -> list[dict[str, Any]]:
        """Return the `most` frequent substitutions: `said`, `heard`, `times` and `share`.

        `share` is the part that a substitution has of all substitutions of its reference word.
        """
        pairs = [(c, s, h) for s, row in self.confused.items() for h, c in row.items()]
        pairs.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
        totals = self.substituted
        return [
            {"said": s, "heard": h, "times": c, "share": c / totals[s]} for c, s, h in pairs[:most]
        ]

    def to_json(self) -> str:
        """Return the text of a file: words sorted, the most frequent substitutes first."""
        data = asdict(self)
        for name in ("said", "heard", "deleted", "inserted"):
            data[name] = dict(sorted(data[name].items()))
        data["confused"] = {
            said: dict(sorted(row.items(), key=lambda item: (-item[1], item[0])))
            for said, row in sorted(self.confused.items())
        }
        head = {"format": FORMAT, "version": VERSION, "misword": __version__}
        head[KEY] = json_checksum({**head, **data})
        return json.dumps({**head, **data}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def read(cls, path: PathLike) -> Self:
        """Read a file that `misword learn-noise` wrote."""

        def wrong() -> InputError:
            return InputError(
                "this is not learnt noise",
                where=str(path),
                fix="make it: misword learn-noise REF HYP",
            )

        index = read_index(Path(path), FORMAT, VERSION, wrong, SCHEMA)
        if not _belong_together(index):
            raise wrong()
        parameters = {name: index["backoff"][name] for name in PARAMETERS}
        names = [name for name in cls.__dataclass_fields__ if name != "backoff"]
        content = {name: index[name] for name in names}
        return cls(**content, backoff=BackoffParameters(**parameters))


def _belong_together(index: dict[str, Any]) -> bool:
    """Whether there are substitutions, and all words of errors are words that were counted."""
    substituted = index["confused"]
    heard = [substituted[word].keys() for word in substituted]
    if not heard or not all(heard):
        return False
    reference_words = {*substituted, *index["deleted"]}
    hypothesis_words = set(index["inserted"]).union(*heard)
    known = reference_words <= index["said"].keys()
    return bool(known and hypothesis_words <= index["heard"].keys())
