"""The judgements of a file or table, scored by metrics and checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.agree import corpus_of
from misword.asr.blending.judgements import Choices, Judgements, Ratings, Vector
from misword.asr.blending.rates import utterance_rates
from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.formatting import counted, listed
from misword.core.types import Corpus
from misword.io.files.sources import open_source
from misword.io.sts import pairs_of, shape_pairs
from misword.io.transcripts.columns import MissingColumnError, in_memory
from misword.io.triplets import NAMES, shape_triplets, triplets_of

if TYPE_CHECKING:
    import polars as pl

# Weights of fewer judgements would be those of the prior.
LEAST = 20


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTexts:
    """A table of judgements, before it is scored.

    `frame` has the columns of `io.triplets` for choices, and of `io.sts` for ratings.
    """

    frame: pl.DataFrame
    are_choices: bool

    @property
    def corpus(self) -> Corpus:
        """The texts as a corpus; of choices, both hypotheses are systems."""
        import polars as pl

        if self.are_choices:
            return corpus_of(self.frame)
        utt = pl.int_range(1, pl.len() + 1).cast(pl.String).alias("utt")
        references = self.frame.select(utt, pl.col("a").alias("text"))
        return Corpus.of(references, {"rated": self.frame["b"]})


def read_judgements(source: Any, columns: Sequence[str] | None, format: str | None) -> JudgedTexts:
    """Read choices or ratings: from a file, a table, or a function that returns one of these.

    Five columns are choices: a reference, two hypotheses and the votes for each. Three are ratings:
    a reference, a hypothesis and a number.
    """
    if callable(source):
        source = source()
    if isinstance(source, JudgedTexts):
        return source
    if columns is not None and len(columns) not in (3, 5):
        raise OptionError(
            f"{len(columns)} columns are named",
            fix=f"five for choices ({','.join(NAMES)}), three for ratings (reference,"
            "hypothesis,score)",
        )
    # Standard input can be read only once.
    opened = open_source(source) if isinstance(source, str | os.PathLike) else None

    def choices() -> pl.DataFrame:
        if opened is not None:
            return triplets_of(opened, columns, format)
        return shape_triplets(*in_memory(source, "choices"), columns)

    def ratings() -> pl.DataFrame:
        if opened is not None:
            return pairs_of(opened, columns, format)
        return shape_pairs(*in_memory(source, "ratings"), columns)

    return _first_that_reads(choices, ratings, columns)


def _first_that_reads(
    choices: Callable[[], pl.DataFrame],
    ratings: Callable[[], pl.DataFrame],
    columns: Sequence[str] | None,
) -> JudgedTexts:
    """Read a table as choices, or as ratings if it has no such columns.

    If it is neither, the error is that of the kind whose columns it has.
    """
    if columns is not None:
        return JudgedTexts((choices if len(columns) == 5 else ratings)(), len(columns) == 5)
    try:
        return JudgedTexts(choices(), True)
    except MiswordError as no_choices:
        try:
            return JudgedTexts(ratings(), False)
        except MiswordError as no_ratings:
            has_ratings = not isinstance(no_ratings, MissingColumnError)
            are_ratings = isinstance(no_choices, MissingColumnError) and has_ratings
            raise (no_ratings if are_ratings else no_choices) from None


def judge(
    texts: JudgedTexts, pairs: Pairs, metrics: dict[str, Metric], *, lower_is_better: bool = False
) -> Judgements:
    """Return the judgements with the features of metrics; raise if nothing can be learnt.

    `lower_is_better` says that good hypotheses have low ratings.
    """
    if lower_is_better and texts.are_choices:
        raise OptionError("votes are not ratings", fix="leave out --lower-is-better")
    rates = utterance_rates(metrics.values(), pairs)
    size, names = len(texts.frame), tuple(metrics)
    first = texts.frame["reference" if texts.are_choices else "a"]
    references = first.rank("dense").to_numpy().astype(np.int64) - 1
    judgements: Judgements
    if texts.are_choices:
        votes = texts.frame.select("votes_a", "votes_b").to_numpy()
        judgements = Choices(names, rates[size:] - rates[:size], references, votes)
        usable = int(np.count_nonzero(judgements.sides))
        _check_votes(usable, size)
    else:
        ratings = texts.frame["score"].to_numpy().astype(np.float64)
        judgements = Ratings(names, -rates, references, -ratings if lower_is_better else ratings)
        usable = size
        _check_ratings(ratings)
    if usable < LEAST:
        raise InputError(
            f"weights cannot be learnt from {counted(usable, 'judgement')}",
            fix=f"collect {LEAST} or more; fifty are enough for four metrics",
        )
    _check_features(judgements)
    return judgements


def _check_votes(decided: int, size: int) -> None:
    if size and not decided:
        raise InputError(
            f"all {size:,} choices have as many votes for either hypothesis",
            fix="weights are learnt from choices with a majority",
        )


def _check_ratings(ratings: Vector) -> None:
    if len(ratings) and not np.ptp(ratings):
        raise InputError(
            f"all {counted(len(ratings), 'rating')} are equal",
            fix="weights are learnt from ratings that differ",
        )


def _check_features(judgements: Judgements) -> None:
    """Raise if a metric says the same of all judgements, or if all have one reference."""
    spread = np.ptp(judgements.features, axis=0)
    if isinstance(judgements, Choices):
        spread = np.abs(judgements.features).max(axis=0)
    constant = [
        metric for metric, width in zip(judgements.metrics, spread, strict=True) if width <= 1e-12
    ]
    if constant:
        one = len(constant) == 1
        says = "says" if one else "say"
        raise InputError(
            f"{listed(constant)} {says} the same of all judgements and can have no weight",
            fix=f"leave {'it' if one else 'them'} out of --metrics",
        )
    if judgements.references.max() == 0:
        raise InputError(
            "all judgements have the same reference",
            fix="folds are made of references: add judgements of other references",
        )
