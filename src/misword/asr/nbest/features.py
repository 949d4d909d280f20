"""Features of hypotheses, the choice that weights make, and the file of weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.nbest.choice import in_list_order
from misword.asr.nbest.lists import HypothesisLists, make_list_corpus
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import OWN_COLUMNS, Corpus, Statistics, join_ranges
from misword.io.files.checksums import read_index
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import anything, mapping_of, number, record
from misword.native.library import INTEGER, array, kernel
from misword.stat.measure import Measure
from misword.stat.score_tables import KEYS

# Which hypothesis of each list has the highest score along a line, by a compiled kernel.

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]

_upper_envelopes = kernel(
    "misword_upper_envelopes", array(np.float64), array(np.float64), array(np.int64), INTEGER,
    array(np.int64, out=True), array(np.float64, out=True), array(np.int64, out=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Envelopes:
    """The hypotheses of each list that have the highest score somewhere on a line, in order.

    List `k` has the rows `rows[at[k]:at[k + 1]]`; each is the highest from its number in `starts`
    to that of the next one. The first of each list has minus infinity.
    """

    rows: Rows
    starts: Numbers
    at: Rows


def upper_envelopes(intercepts: Numbers, slopes: Numbers, offsets: Rows) -> Envelopes:
    """Return the envelopes of lists of lines `intercept + t * slope`.

    List `k` has the lines `offsets[k]` to `offsets[k + 1] - 1`. Of equal lines the first counts.

    >>> found = upper_envelopes(np.array([0.0, 1, 0]), np.array([0.0, 1, 2]), np.array([0, 3]))
    >>> found.rows.tolist(), found.starts.tolist()
    ([0, 1, 2], [-inf, -1.0, 1.0])
    """
    if not (len(intercepts) == len(slopes) == (offsets[-1] if len(offsets) else -1)):
        raise ValueError(f"{len(intercepts)} intercepts, {len(slopes)} slopes, offsets {offsets}")
    if offsets[0] or (np.diff(offsets) < 1).any():
        raise ValueError("each list must have at least one line")
    if not (np.isfinite(intercepts).all() and np.isfinite(slopes).all()):
        raise ValueError("lines must be finite")
    count = len(intercepts)
    rows, starts = np.empty(count, np.int64), np.empty(count, np.float64)
    at = np.empty(len(offsets), np.int64)
    _upper_envelopes(intercepts, slopes, offsets, len(offsets) - 1, rows, starts, at)
    return Envelopes(rows[: at[-1]], starts[: at[-1]], at)


# The features of hypotheses as columns of numbers, checked.

# Features that need no column in the lists.
RANK, WORDS = "rank", "words"
# Rows without a value that an error names.
ROWS_NAMED = 3


def default_features(columns: Sequence[str]) -> tuple[str, ...]:
    """Return all columns of numbers, or the rank if there are none, and the number of words.

    >>> default_features(["score", "lm"]), default_features([])
    (('score', 'lm', 'words'), ('rank', 'words'))
    """
    named = columns or [RANK]
    return *(name for name in named if name != WORDS), WORDS


def feature_values(
    table: pl.DataFrame, names: Sequence[str], columns: Sequence[str], texts: pl.DataFrame | None
) -> Numbers:
    """Return the features of hypotheses: a row for each name, a column for each row of the table.

    `table` has `utt`, `system`, `rank` and the `columns` of numbers. `texts` has the same keys and
    the `hypothesis`, whose words are counted if no column has their number; it is None if the texts
    are not known. Raises if a name is not known, or if a hypothesis has no finite number.
    """
    _check_names(names, columns)
    values = []
    for name in names:
        if name == WORDS and name not in columns:
            table = _with_words(table, texts)
        _check_column(table, name)
        values.append(table[name].cast(pl.Float64).to_numpy())
    return np.array(values, np.float64).reshape(len(names), len(table))


def _check_names(names: Sequence[str], columns: Sequence[str]) -> None:
    """Raise if a feature is named twice or unknown, or if there is none."""
    known = list(dict.fromkeys([*columns, WORDS, RANK]))
    for name in names:
        if name not in known:
            raise OptionError(
                f"the lists have no feature {name!r}", fix=f"there are: {', '.join(known)}"
            )
    if not names or len(set(names)) < len(names):
        raise OptionError(
            f"features are {', '.join(names) or 'missing'}",
            fix=f"name each once, some of: {', '.join(known)}",
        )


def _with_words(table: pl.DataFrame, texts: pl.DataFrame | None) -> pl.DataFrame:
    """Add the number of words of each hypothesis, as white space separates them."""

    if texts is None:
        raise OptionError(
            "the words of the hypotheses cannot be counted, because these scores have no texts",
            fix="leave the feature words out, or give the texts",
        )
    words = pl.col("hypothesis").str.count_matches(r"\S+").alias(WORDS)
    return table.join(texts.select(*KEYS, words), on=KEYS, how="left", maintain_order="left")


def _check_column(table: pl.DataFrame, name: str) -> None:
    """Raise if a hypothesis has no finite number; the message names the first of these rows."""
    wrong = table.filter(~table[name].cast(pl.Float64).is_finite().fill_null(False))
    if not len(wrong):
        return
    rows = wrong.head(ROWS_NAMED).select("utt", "rank", name).rows()
    named = "; ".join(
        f"utterance {utt!r}, rank {rank}: {'nothing' if value is None else value}"
        for utt, rank, value in rows
    )
    raise InputError(
        f"the feature {name!r} has no finite number in {counted(len(wrong), 'row')}: {named}",
        fix="give each hypothesis a number, or name other features: --features score,words",
    )


# Lists with features, and the choice that weights make.


def weighted_sum(features: Numbers, weights: Numbers) -> Numbers:
    """Return the sum of the rows of `features` times their weights.

    The features are added one after the other, so that hypotheses with the same features have the
    same score to the last bit.
    """
    total = np.zeros(features.shape[1])
    for weight, values in zip(weights.tolist(), features, strict=True):
        if weight:
            total += weight * values
    return total


def highest(scores: Numbers, offsets: Rows) -> Rows:
    """Return the row of each list with the highest score; the first one if several have it.

    >>> highest(np.array([1.0, 2, 2, 5]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    most = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), np.diff(offsets))
    places = np.flatnonzero(scores == most)
    return np.asarray(places[np.searchsorted(places, offsets[:-1])], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureLists:
    """The features of the hypotheses of N-best lists, and their terms by a metric.

    List `k` has the rows `offsets[k]` to `offsets[k + 1] - 1`, in the order of the ranks.
    `features` has a row for each feature and a column for each hypothesis. `terms` are the terms
    of the metric, a row for each hypothesis.
    """

    features: Numbers
    offsets: Rows
    terms: Statistics
    measure: Measure

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, lists: Rows) -> FeatureLists:
        """Return some of the lists, in the given order; a list may occur several times."""
        lengths = np.diff(self.offsets)[lists]
        rows = join_ranges(self.offsets[lists], lengths)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        features = np.ascontiguousarray(self.features[:, rows])
        return FeatureLists(features, offsets, self.terms[rows], self.measure)

    def spreads(self) -> Numbers:
        """Return the standard deviation of each feature within the lists; 0 if it is constant.

        Differences between lists do not count, because they change no choice.
        """
        return np.array([self._spread(values) for values in self.features])

    def _spread(self, values: Numbers) -> float:
        starts, lengths = self.offsets[:-1], np.diff(self.offsets)
        highest, lowest = (f.reduceat(values, starts) for f in (np.maximum, np.minimum))
        if not (highest > lowest).any():
            return 0.0
        means = np.add.reduceat(values, starts) / lengths
        return float(np.sqrt(np.mean(np.square(values - np.repeat(means, lengths)))))

    def scaled(self, spreads: Numbers) -> FeatureLists:
        """Return the lists with each feature divided by its spread."""
        return FeatureLists(
            self.features / spreads[:, None], self.offsets, self.terms, self.measure
        )

    def scores(self, weights: Numbers) -> Numbers:
        """Return the score of each hypothesis: the sum of its features times their weights."""
        return weighted_sum(self.features, weights)

    def choice(self, weights: Numbers) -> Rows:
        """Return the row of each list with the highest score; the first one if several have it."""
        return highest(self.scores(weights), self.offsets)

    def rate(self, weights: Numbers) -> float:
        """Return the rate of the hypotheses that weights choose; nan if it is undefined."""
        return float(self.measure.rate(self.terms[self.choice(weights)].sum(axis=0)))


# N-best lists in memory together with lists of their features.


def corpus_with_features(
    references: Any, hypotheses: Any, features: Mapping[str, Any], ids: Any = None
) -> Corpus:
    """Make a corpus of lists of hypotheses, with a number of each feature for each hypothesis.

    >>> corpus = corpus_with_features(["a"], [["a", "b"]], {"score": [[-1, -2]], "lm": [[5, 7]]})
    >>> corpus.hypotheses.select("text", "score", "lm").rows()
    [('a', -1.0, 5.0), ('b', -2.0, 7.0)]
    """

    if hypotheses is None or isinstance(hypotheses, Mapping):
        raise OptionError(
            "features in lists need the lists of one system",
            fix="give a list of texts for each reference",
        )
    texts = [[entry] if isinstance(entry, str) else list(entry) for entry in hypotheses]
    corpus = make_list_corpus(references, texts, ids=ids)
    sizes = [len(entry) for entry in texts]
    columns = []
    for name, values in features.items():
        if name in OWN_COLUMNS and name != "score":
            raise OptionError(f"a feature is named {name!r}", fix="use another name")
        rows = [list(entry) for entry in values]
        if [len(entry) for entry in rows] != sizes:
            raise MismatchError(
                f"the feature {name!r} does not have a number for each hypothesis",
                fix="give a list of numbers for each list of texts, of the same length",
            )
        columns.append(pl.Series(name, list(chain.from_iterable(rows)), pl.Float64, strict=False))
    return Corpus(corpus.references, corpus.hypotheses.with_columns(columns), corpus.words)


# Weights of features that are applied to other N-best lists, and the file that holds them.

MARK = "misword-weights"
VERSION = 1
SCHEMA = record({"weights": mapping_of(number()), "about": mapping_of(anything)})
EXAMPLE = "score=1,lm=0.5"


@dataclass(frozen=True, slots=True)
class ListWeights:
    """The weight of each feature; `about` says how they were tuned, for people who read the file.

    >>> str(ListWeights.parse("score=1, lm=0.25"))
    'score=1,lm=0.25'
    """

    weights: Mapping[str, float]
    about: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return ",".join(f"{name}={_shortest(value)}" for name, value in self.weights.items())

    @classmethod
    def parse(cls, text: str) -> ListWeights:
        """Read weights such as `score=1,lm=0.5`."""
        weights: dict[str, float] = {}
        for piece in text.split(","):
            name, sign, value = piece.strip().rpartition("=")
            try:
                weight = float(value)
            except ValueError:
                weight = np.nan
            if not sign or not name or not isfinite(weight) or name in weights:
                raise OptionError(f"{piece.strip()!r} is not a weight", fix=f"use {EXAMPLE}")
            weights[name] = weight
        return cls(weights)

    @classmethod
    def read(cls, path: PathLike) -> ListWeights:
        """Read the file that `misword tune --write-weights` wrote."""
        wrong = InputError(
            "this is not a file of weights of misword",
            where=str(path),
            fix=f"name a file that `misword tune --write-weights` wrote, or weights: {EXAMPLE}",
        )
        content = read_index(Path(path), MARK, VERSION, lambda: wrong, SCHEMA)
        return cls(content["weights"], content["about"])

    def file(self) -> bytes:
        """Return the content of a file of weights."""
        content = {"format": MARK, "version": VERSION, "weights": dict(self.weights),
                   "about": dict(self.about)}  # fmt: skip
        return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()

    def choose(self, hypotheses: pl.DataFrame) -> pl.DataFrame:
        """Return the `utt`, `rank` and `text` that the weights choose from each list.

        `hypotheses` has a row for each hypothesis: `utt`, `rank`, `text` and the features, as
        `Corpus.hypotheses` has for one system.
        """

        columns = [name for name, kind in hypotheses.schema.items() if kind.is_numeric()]
        table = in_list_order(hypotheses).with_columns(system=pl.lit(""))
        texts = table.select("utt", "system", "rank", pl.col("text").alias("hypothesis"))
        known = [name for name in columns if name != "rank"]
        features = feature_values(table, list(self.weights), known, texts)
        weights = np.array(list(self.weights.values()), np.float64)
        offsets = HypothesisLists.of(table["rank"].to_numpy()).offsets
        return table[highest(weighted_sum(features, weights), offsets)].select(
            "utt", "rank", "text"
        )


def _shortest(value: float) -> str:
    """Return the shortest text that is read back as the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
