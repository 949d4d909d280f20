"""The function `agree`: how often metrics prefer the transcript that people prefer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.asr.options import Judgements, Metrics, Scoring
from misword.asr.people.ratings import RaterRatings, correlation_with_ratings
from misword.asr.score import score
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.types import Corpus, Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import Source, open_source
from misword.io.judgements import has_raters, shape_ratings, shape_triplets, triplet_table
from misword.io.transcripts.columns import in_memory
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.descriptions.people import AGREEMENT
from misword.stat.measure import metric_provenance, ratio_of_terms
from misword.stat.paired import by_block
from misword.stat.scores import Scores

# Rates that differ by less count as equal. Rates made of counts are exactly equal or differ by far
# more. Sums of costs and cosines are rounded, and the rounding depends on the order of the words.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement(DisplayedResult):
    """How often metrics prefer the hypothesis that most people preferred.

    Attributes:
        agreement: a row for each metric and level of consensus: the `least` share of votes for
            the majority, the number of `triplets`, the share `agreed` where a tie of the metric
            counts as wrong, the share `half` where a tie counts one half, both with intervals,
            and the share of `ties`.
        triplets: the triplets and each metric's two rates.
        scores: the scores of both hypotheses, as systems `a` and `b`.
        settings: levels of consensus and settings of the bootstrap.
        undecided: the number of triplets with equal votes for both hypotheses; they are left out.
        undefined: for each metric the number of triplets in which one hypothesis has no rate (an
            empty reference); they count as ties.
        correlations: of ratings by several raters, each metric's correlation with the mean ratings.
        reliability: of such ratings, one row that says how far the raters agree.
    """

    description: ClassVar[Description] = AGREEMENT

    agreement: pl.DataFrame
    triplets: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    undecided: int
    undefined: Mapping[str, int]
    correlations: pl.DataFrame | None = None
    reliability: pl.DataFrame | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """The numbers of triplets that were left out or count as ties, in sentences."""
        size = len(self.triplets)
        left_out = f"{self.undecided:,} of {size:,} triplets have as many votes for either"
        notes = [f"{left_out} and are left out"] if self.undecided else []
        notes += [
            f"{label}: {count:,} of {size:,} triplets have no rate (an empty reference): they "
            "count as ties"
            for label, count in self.undefined.items()
            if count
        ]
        return tuple(notes)

    def main_table(self) -> pl.DataFrame:
        """Return the table `agreement`."""
        return self.agreement

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance.

        The table `words` has the aligned words; `utt` is the number of the triplet, and the
        hypotheses are the systems `a` and `b`.
        """
        tables = {"agreement": self.agreement, "triplets": self.triplets}
        if self.correlations is not None and self.reliability is not None:
            tables |= {"ratings": self.correlations, "reliability": self.reliability}
        if "words" in self.scores.records:
            tables["words"] = self.scores.words()
        families = self.scores.forgiven.families
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metric_provenance(self.scores.columns),
            **({"forgiven": list(families)} if families else {}),
            "undecided": self.undecided,
            "undefined": dict(self.undefined),
        }
        return Result("agreement", tables, origin)


@takes(Metrics, Judgements)
def agree(
    triplets: Any, metrics: str | Iterable[str] | None = None, **options: Unpack[Judgements]
) -> Agreement:
    """Compare metrics with people's choices: which of two hypotheses is closer to the reference?

    `triplets` is a file, a table (anything that polars reads as a frame), or a function without
    arguments that returns one of these and is called after the options were checked. It has a
    reference, two hypotheses and the votes for each; `columns` names these five columns if their
    names are not those of HATS (`reference,hypA,nbrA,hypB,nbrB`). It may also have ratings: item,
    system, rater, rating, reference and hypothesis. Two hypotheses of an item are then a triplet,
    and each rater votes for the one that he or she rated higher. The other options are those of
    `misword.score`.

    >>> import misword
    >>> rows = {"reference": ["the cat sat"], "hypA": ["the cat sad"], "votesA": [7]}
    >>> rows |= {"hypB": ["the mat"], "votesB": [0]}
    >>> agree(rows, "wer", bootstrap=0).agreement["agreed"].to_list()
    [1.0, 1.0, 1.0]
    """
    resampling, levels = Bootstrap.of(options), name_levels(options["consensus"])
    read: list[JudgedTriplets] = []

    def corpus() -> Corpus:
        format_ = options["input_format"]
        read.append(read_triplets_or_ratings(triplets, options["columns"], format_))
        return corpus_of(read[0].triplets)

    scores = score(corpus, metrics=metrics, **chosen(options, Scoring))
    found = agreement(read[0].triplets, scores, levels, resampling)
    if read[0].ratings is None:
        return found
    means = read[0].ratings.means()
    rated = score(lambda: corpus_of_rated(means), metrics=metrics, **chosen(options, Scoring))
    rates = {column.label: column.rates(column.statistics(rated.table)) for column in rated.columns}
    return replace(
        found,
        correlations=correlation_with_ratings(means, rates, resampling),
        reliability=read[0].ratings.reliability(resampling),
    )


class JudgedTriplets(NamedTuple):
    """Triplets, and the ratings that they were made from, if they were."""

    triplets: pl.DataFrame
    ratings: RaterRatings | None = None


def read_triplets_or_ratings(
    source: Any, columns: Sequence[str] | None, input_format: str | None, name: str = "triplets"
) -> JudgedTriplets:
    """Return the triplets of a file, an open input, a table, or a function that returns one.

    Columns are those of ratings if six are named, or if one has a usual name of raters. `name` is
    the name of a table in errors.
    """
    if callable(source):
        source = source()
    if isinstance(source, str | os.PathLike):
        source = open_source(source)
    if isinstance(source, Source):
        table, where = triplet_table(source, input_format), source
    else:
        table, where = in_memory(source, name)
    named = has_raters(table.frame.columns) if columns is None else len(columns) == 6
    if not named:
        return JudgedTriplets(shape_triplets(table, where, columns))
    ratings = RaterRatings(shape_ratings(table, where, columns))
    choices = ratings.choices()
    if not len(choices):
        raise InputError(
            "no rater has rated two different hypotheses of one item",
            where=where.at(),
            fix="give the hypotheses of several systems for the same items",
        )
    return JudgedTriplets(choices, ratings)


def corpus_of(triplets: pl.DataFrame) -> Corpus:
    """Return a corpus with the two hypotheses of each triplet as systems `a` and `b`."""

    utt = pl.int_range(1, pl.len() + 1).cast(pl.String).alias("utt")
    references = triplets.select(utt, pl.col("reference").alias("text"))
    return Corpus.of(references, {side: triplets[side] for side in ("a", "b")})


def corpus_of_rated(pairs: pl.DataFrame) -> Corpus:
    """Return a corpus of references `a` and hypotheses `b`, which are those of one system."""
    utt = pl.int_range(1, pl.len() + 1).cast(pl.String).alias("utt")
    return Corpus.of(pairs.select(utt, pl.col("a").alias("text")), {"rated": pairs["b"]})


def agreement(
    triplets: pl.DataFrame, scores: Scores, levels: Mapping[str, float], bootstrap: Bootstrap
) -> Agreement:
    """Compare people's votes with the scores of `corpus_of(triplets)`.

    `levels` has the least share of the majority for each level of consensus. Triplets with a column
    `item` are resampled by items; `voters` is the number of people who could vote.
    """

    votes = triplets.select("votes_a", "votes_b").to_numpy()
    decided = votes[:, 0] != votes[:, 1]
    given = triplets["voters"].to_numpy() if "voters" in triplets.columns else votes.sum(axis=1)
    majority = np.where(decided, votes.max(axis=1) / np.maximum(given, 1), -1.0)
    items = np.arange(len(triplets))
    if "item" in triplets.columns:
        items = triplets["item"].rank("dense").to_numpy().astype(np.int64) - 1
    rates = _rates(scores, len(triplets))
    rows, undefined = [], {}
    for label, (a, b) in rates.items():
        defined = ~(np.isnan(a) | np.isnan(b))
        undefined[label] = int((~defined & decided).sum())
        tied = ~defined | np.isclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
        right = ~tied & ((a < b) == (votes[:, 0] > votes[:, 1]))
        for name, least in levels.items():
            included = decided & (majority >= least)
            shares = _shares(right[included], tied[included], items[included], bootstrap)
            rows.append({"metric": label, "consensus": name, "least": least, **shares})
    sides = {f"{label}.{s}": rates[label][i] for label in rates for i, s in enumerate("ab")}
    return Agreement(
        pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        triplets.with_row_index("triplet", offset=1).with_columns(**sides).fill_nan(None),
        scores,
        {"consensus": list(levels.values()), **bootstrap.settings},
        int((~decided).sum()),
        undefined,
    )


def name_levels(consensus: Sequence[float]) -> dict[str, float]:
    """Return the levels of consensus by name; raise if one of them is not a share.

    >>> name_levels([1, 0.7, 0])
    {'100 %': 1.0, '70 %': 0.7, 'any': 0.0}
    """
    if not len(consensus):
        raise OptionError("no consensus is named", fix="use shares such as 1,0.7,0")
    for least in consensus:
        if not 0 <= least <= 1:
            raise OptionError(f"consensus is {least}", fix="use shares such as 1,0.7,0")
    return {f"{100 * least:g} %" if least else "any": float(least) for least in consensus}


def _rates(scores: Scores, size: int) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Return each metric's rates of both hypotheses; nan where undefined."""
    rates_by_label = {}
    for column in scores.columns:
        rates = column.rates(column.statistics(scores.table))
        if len(rates) != 2 * size:
            raise MismatchError(f"{len(rates)} scores of {size} triplets")
        rates_by_label[column.label] = (rates[:size], rates[size:])
    return rates_by_label


def _shares(
    right: NDArray[np.bool_],
    tied: NDArray[np.bool_],
    items: NDArray[np.int64],
    bootstrap: Bootstrap,
) -> dict[str, float]:
    """Return the shares of agreement, without and with half credit for ties, and of ties."""
    size = len(right)
    shares: dict[str, float] = {"triplets": size}
    for name, credit in (("agreed", right), ("half", right + tied / 2)):
        rows = by_block(
            np.column_stack([credit, np.ones(size)]), np.unique(items, return_inverse=True)[1]
        )
        low, high = interval(rows, ratio_of_terms, bootstrap)
        ends = ("low", "high") if name == "agreed" else ("half_low", "half_high")
        shares |= {name: float(credit.mean()) if size else np.nan, ends[0]: low, ends[1]: high}
    return shares | {"ties": float(tied.mean()) if size else np.nan}
