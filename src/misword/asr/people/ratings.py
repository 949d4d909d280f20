"""Ratings of transcripts by several raters: as choices, as means, and how reliable they are.

Two hypotheses of one item that a rater has rated differently are a choice of this rater; so ratings
are compared with metrics as choices are. Metrics are also correlated with the mean ratings.

References: K. Krippendorff, Content Analysis, 2004, chapter 11 (alpha).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.lazy import pl
from misword.stat.bootstrap import Bootstrap, widened
from misword.stat.correlation import COEFFICIENTS, RankedColumn, correlation, three_coefficients

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RaterRatings:
    """Ratings as `io.judgements.ratings_of` reads them: a row for each item, system and rater."""

    frame: pl.DataFrame

    def means(self) -> pl.DataFrame:
        """Return the mean rating of each hypothesis: `item`, `system`, `a`, `b` and `score`.

        `a` is the reference and `b` the hypothesis, as in a table of rated pairs.
        """
        return self.frame.group_by("item", "system", maintain_order=True).agg(
            pl.col("reference").first().alias("a"),
            pl.col("hypothesis").first().alias("b"),
            pl.col("rating").mean().alias("score"),
            pl.len().alias("raters"),
        )

    def choices(self) -> pl.DataFrame:
        """Return a choice for each two different hypotheses of an item: the columns of triplets.

        A rater votes for the hypothesis that he or she rated higher; equal ratings are no vote.
        `item` is the item, and `voters` the number of raters who rated both hypotheses.
        """
        order = pl.col("system").rank("dense").alias("place")
        rated = self.frame.with_columns(order)
        pairs = rated.join(rated, on=["item", "rater"], suffix="_b", maintain_order="left")
        pairs = pairs.filter(
            pl.col("place") < pl.col("place_b"), pl.col("hypothesis") != pl.col("hypothesis_b")
        )
        return (
            pairs.group_by("item", "place", "place_b", maintain_order=True)
            .agg(
                pl.col("reference").first(),
                pl.col("hypothesis").first().alias("a"),
                (pl.col("rating") > pl.col("rating_b")).sum().cast(pl.Int64).alias("votes_a"),
                pl.col("hypothesis_b").first().alias("b"),
                (pl.col("rating") < pl.col("rating_b")).sum().cast(pl.Int64).alias("votes_b"),
                pl.len().cast(pl.Int64).alias("voters"),
            )
            .drop("place", "place_b")
        )

    def _matrix(self) -> tuple[Numbers, NDArray[np.int64]]:
        """Return the ratings of hypotheses (rows) by raters (columns), and the item of each row."""
        wide = self.frame.pivot(
            "rater", index=["item", "system"], values="rating", maintain_order=True
        )
        items = wide["item"].rank("dense").to_numpy().astype(np.int64) - 1
        return wide.drop("item", "system").cast(pl.Float64).fill_null(np.nan).to_numpy(), items

    def reliability(self, bootstrap: Bootstrap) -> pl.DataFrame:
        """Return one row: the size of the ratings, and two measures of how far raters agree.

        `one_rater` is Spearman's coefficient of a rater with the mean of the other raters, the mean
        over raters; `alpha` is Krippendorff's alpha for ratings at equal distances. Their intervals
        are over resamples of the items.
        """
        ratings, items = self._matrix()
        rng = np.random.default_rng(bootstrap.seed)
        size = int(items.max()) + 1
        rows_of = [np.flatnonzero(items == item) for item in range(size)]
        drawn = [
            _reliability(ratings[np.concatenate([rows_of[at] for at in draw])])
            for draw in rng.integers(size, size=(bootstrap.times, size))
        ]
        row: dict[str, Any] = {
            "items": size,
            "hypotheses": len(ratings),
            "raters": ratings.shape[1],
            "ratings": int((~np.isnan(ratings)).sum()),
        }
        resampled = np.array(drawn, np.float64).reshape(-1, 2).T
        for name, value, values in zip(RELIABILITY, _reliability(ratings), resampled, strict=True):
            low, high = widened(values, size, bootstrap.confidence)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        return pl.DataFrame([row]).fill_nan(None)


RELIABILITY = ("one_rater", "alpha")


def _reliability(ratings: Numbers) -> tuple[float, float]:
    return _one_rater(ratings), krippendorff_alpha(ratings)


def _one_rater(ratings: Numbers) -> float:
    """Return the mean of Spearman's coefficients of each rater with the mean of the others."""
    present = ~np.isnan(ratings)
    known = np.where(present, ratings, 0.0)
    others = present.sum(axis=1, keepdims=True) - present
    sums = known.sum(axis=1, keepdims=True) - known
    found = []
    for rater in range(ratings.shape[1]):
        rows = present[:, rater] & (others[:, rater] > 0)
        if rows.sum() > 2:
            own = RankedColumn.of(ratings[rows, rater])
            mean = RankedColumn.of(sums[rows, rater] / others[rows, rater])
            found.append(three_coefficients(own, mean)[1])
    return float(np.nanmean(found)) if np.isfinite(found).any() else np.nan


def krippendorff_alpha(ratings: Numbers) -> float:
    """Return Krippendorff's alpha for ratings at equal distances; nan marks a missing rating.

    It is 1 minus the mean squared difference of two ratings of one hypothesis, divided by that of
    any two ratings; nan if all ratings are equal.

    >>> round(krippendorff_alpha(np.array([[1.0, 1.0], [2.0, 3.0], [4.0, 4.0], [5.0, np.nan]])), 3)
    0.912
    """
    present = ~np.isnan(ratings)
    ratings, present = ratings[present.sum(axis=1) > 1], present[present.sum(axis=1) > 1]
    if not len(ratings):
        return np.nan
    counts = present.sum(axis=1)
    known = np.where(present, ratings, 0.0)
    sums, squares = known.sum(axis=1), (known**2).sum(axis=1)
    total = counts.sum()
    observed = (2 * (counts * squares - sums**2) / (counts - 1)).sum() / total
    expected = 2 * (total * squares.sum() - sums.sum() ** 2) / (total * (total - 1))
    return float(1 - observed / expected) if expected > 0 else np.nan


def correlation_with_ratings(
    means: pl.DataFrame, rates: dict[str, Numbers], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Return a row for each metric: its coefficients with the mean ratings, by items.

    Rates are low where hypotheses are good, so the sign is turned: 1 is best.
    """
    items = means["item"].rank("dense").to_numpy().astype(np.int64) - 1
    people = means["score"].to_numpy()
    rows = []
    for label, values in rates.items():
        found = correlation(-values, people, bootstrap, blocks=items)
        row: dict[str, Any] = {"metric": label}
        for name in COEFFICIENTS:
            coefficient = getattr(found, name)
            row |= {name: coefficient.value, f"{name}_low": coefficient.low}
            row[f"{name}_high"] = coefficient.high
        rows.append(row | {"hypotheses": round(found.rows)})
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)
