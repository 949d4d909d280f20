"""Do metrics choose the transcript that people choose?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.pairs import prepare
from misword.asr.score import DEFAULT_METRICS, choose, score_pairs
from misword.core.context import Context
from misword.core.errors import MismatchError, OptionError
from misword.core.types import Corpus, Result
from misword.core.version import __version__
from misword.io.transcripts.columns import in_memory
from misword.io.triplets import read_triplets, shape_triplets
from misword.stat.resampling import Statistics, interval
from misword.stat.scores import Column, Scores

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

CONSENSUS = (1.0, 0.7, 0.0)
# Rates this near are equal. Counts over one reference are equal exactly or differ by far more, but
# sums of the same prices, and cosines of the same words, round differently in another order.
NEAR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How often metrics prefer the hypothesis that most people chose.

    `agreement` has a row for each metric and consensus: the `least` share of votes that the
    majority has, how many `triplets` there are, the share `agreed` where a metric that cannot tell
    the two apart is wrong, `half` where that counts one half, both with intervals, and the share of
    `ties`. `triplets` has what was judged and each metric's two rates. `undecided` triplets have as
    many votes for either and are left out; in `undefined` ones a metric has no rate for one of the
    two (an empty reference) and counts as unable to tell.
    """

    agreement: pl.DataFrame
    triplets: pl.DataFrame
    columns: tuple[Column, ...]
    settings: Mapping[str, Any]
    undecided: int
    undefined: Mapping[str, int]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, and what was taken for a tie."""
        size = len(self.triplets)
        left_out = f"{self.undecided:,} of {size:,} triplets have as many votes for either"
        notes = [f"{left_out} and are left out"] if self.undecided else []
        notes += [
            f"{label}: {count:,} of {size:,} triplets have no rate (an empty reference): a tie"
            for label, count in self.undefined.items()
            if count
        ]
        return tuple(notes)

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """The tables and where they come from."""
        signed = {
            "metrics": [column.label for column in self.columns],
            "signatures": {column.label: str(column.signature) for column in self.columns},
            "undecided": self.undecided,
            "undefined": dict(self.undefined),
        }
        tables = {"agreement": self.agreement, "triplets": self.triplets}
        known = {"misword": __version__, **(provenance or {})}
        return Result("agreement", tables, {**known, **self.settings, **signed})


def agree(
    triplets: Any,
    metrics: str | Iterable[str] = DEFAULT_METRICS,
    *,
    columns: Sequence[str] | None = None,
    normalize: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    lang: str | None = None,
    vectors: str | os.PathLike[str] | WordVectors | None = None,
    consensus: Sequence[float] = CONSENSUS,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    cache: bool = False,
    workers: int | None = None,
) -> Agreement:
    """Ask metrics what people were asked: which of two hypotheses is closer to the reference?

    `triplets` is a file, or anything that polars makes a frame of, with a reference, two hypotheses
    and the votes for each; `columns` names the five if they are not called as in HATS
    (`reference,hypA,nbrA,hypB,nbrB`). What else decides a metric is as for `score`.

    >>> import misword
    >>> rows = {"reference": ["the cat sat"], "hypA": ["the cat sad"], "votesA": [7]}
    >>> rows |= {"hypB": ["the mat"], "votesB": [0]}
    >>> agree(rows, "wer", bootstrap=0).agreement["agreed"].to_list()
    [1.0, 1.0, 1.0]
    """
    context = Context.of(lang, vectors, cache=cache, workers=workers)
    chosen = choose(metrics, context)
    if isinstance(triplets, str | os.PathLike):
        frame = read_triplets(triplets, columns=columns)
    else:
        frame = shape_triplets(*in_memory(triplets, "triplets"), columns)
    pairs = prepare(
        corpus_of(frame),
        normalize_with=normalize,
        alternatives=alternatives,
        equivalents=equivalents,
        context=context,
    )
    how: dict[str, Any] = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
    return agreement(frame, score_pairs(pairs, chosen), consensus=consensus, **how)


def corpus_of(triplets: pl.DataFrame) -> Corpus:
    """The two hypotheses of each triplet as systems `a` and `b`."""
    import polars as pl

    utt = pl.int_range(1, pl.len() + 1).cast(pl.String).alias("utt")
    references = triplets.select(utt, pl.col("reference").alias("text"))
    return Corpus.of(references, {side: triplets[side] for side in ("a", "b")})


def agreement(
    triplets: pl.DataFrame,
    scores: Scores,
    *,
    consensus: Sequence[float] = CONSENSUS,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Compare people's votes with the scores of `corpus_of(triplets)`."""
    import polars as pl

    levels = _levels(consensus)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence is {confidence}", fix="use a share such as 0.95")
    votes = triplets.select("votes_a", "votes_b").to_numpy()
    decided = votes[:, 0] != votes[:, 1]
    sure = np.where(decided, votes.max(axis=1) / np.maximum(votes.sum(axis=1), 1), -1.0)
    rates = _rates(scores, len(triplets))
    rows, undefined = [], {}
    for label, (a, b) in rates.items():
        known = ~(np.isnan(a) | np.isnan(b))
        undefined[label] = int((~known & decided).sum())
        tied = ~known | np.isclose(a, b, rtol=NEAR, atol=NEAR)
        right = ~tied & ((a < b) == (votes[:, 0] > votes[:, 1]))
        for name, least in levels.items():
            asked = decided & (sure >= least)
            found = _shares(right[asked], tied[asked], bootstrap, confidence, seed)
            rows.append({"metric": label, "consensus": name, "least": least, **found})
    sides = {f"{label}.{s}": rates[label][i] for label in rates for i, s in enumerate("ab")}
    return Agreement(
        pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        triplets.with_row_index("triplet", offset=1).with_columns(**sides).fill_nan(None),
        scores.columns,
        {
            **{"consensus": list(levels.values()), "bootstrap": bootstrap},
            **{"confidence": confidence, "seed": seed},
        },
        int((~decided).sum()),
        undefined,
    )


def _levels(consensus: Sequence[float]) -> dict[str, float]:
    """Least shares of the majority by name: `100 %`, `70 %`, `any`."""
    if not len(consensus):
        raise OptionError("no consensus is named", fix="use shares such as 1,0.7,0")
    for least in consensus:
        if not 0 <= least <= 1:
            raise OptionError(f"consensus is {least}", fix="use shares such as 1,0.7,0")
    return {f"{100 * least:g} %" if least else "any": float(least) for least in consensus}


def _rates(scores: Scores, size: int) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Each metric's rates of both hypotheses; nan where undefined."""
    found = {}
    for column in scores.columns:
        rates = column.measure.rate(column.measure.terms(scores.statistics(column.label)))
        if len(rates) != 2 * size:
            raise MismatchError(f"{len(rates)} scores of {size} triplets")
        found[column.label] = (rates[:size], rates[size:])
    return found


def _shares(
    right: NDArray[np.bool_], tied: NDArray[np.bool_], bootstrap: int, confidence: float, seed: int
) -> dict[str, float]:
    """Agreement without and with half credit for ties, over the triplets that were asked."""
    size = len(right)
    found: dict[str, float] = {"triplets": size}
    for name, credit in (("agreed", right), ("half", right + tied / 2)):
        rows = np.column_stack([credit, np.ones(size)])
        low, high = interval(rows, _share, times=bootstrap, confidence=confidence, seed=seed)
        ends = ("low", "high") if name == "agreed" else ("half_low", "half_high")
        found |= {name: float(credit.mean()) if size else np.nan, ends[0]: low, ends[1]: high}
    return found | {"ties": float(tied.mean()) if size else np.nan}


def _share(sums: Statistics) -> Statistics:
    return np.asarray(sums[..., 0] / sums[..., 1])
