"""Ratings of transcripts by several raters, in `agree` and `fit`."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import misword
from misword.asr.people.ratings import RaterRatings, krippendorff_alpha
from misword.core.errors import MiswordError
from misword.stat.bootstrap import Bootstrap
from misword.stat.correlation import correlation

TEXTS = {
    ("1", "x"): "the cat sat",
    ("1", "y"): "the cat sad",
    ("1", "z"): "a cap sad",
    ("2", "x"): "so he goes",
    ("2", "y"): "so we go",
    ("2", "z"): "so we go",
}
REFERENCES = {"1": "the cat sat", "2": "so we go"}
RATED = {
    "ann": {("1", "x"): 5, ("1", "y"): 3, ("1", "z"): 3, ("2", "x"): 1, ("2", "y"): 5},
    "bob": {("1", "x"): 4, ("1", "y"): 4, ("1", "z"): 2, ("2", "x"): 4, ("2", "y"): 2},
}


def table(rated: dict[str, dict[tuple[str, str], int]] = RATED) -> dict[str, list[Any]]:
    rows = [
        (item, system, rater, value, REFERENCES[item], TEXTS[item, system])
        for rater, values in rated.items()
        for (item, system), value in values.items()
    ]
    names = ("item", "system", "rater", "rating", "reference", "hypothesis")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def test_two_hypotheses_of_an_item_are_a_triplet() -> None:
    found = misword.agree(table(), "wer", bootstrap=0)
    triplets = found.triplets.select("item", "a", "votes_a", "b", "votes_b", "voters").rows()
    assert triplets == [
        ("1", "the cat sat", 1, "the cat sad", 0, 2),  # bob has rated both the same
        ("1", "the cat sat", 2, "a cap sad", 0, 2),
        ("1", "the cat sad", 1, "a cap sad", 0, 2),
        ("2", "so he goes", 1, "so we go", 1, 2),
    ]
    assert found.undecided == 1
    by_level = found.agreement.select("consensus", "triplets", "agreed").rows()
    # A rater who has rated both the same is no part of a majority of all raters.
    assert by_level == [("100 %", 1, 1.0), ("70 %", 1, 1.0), ("any", 3, 1.0)]


def test_correlation_and_reliability_by_hand() -> None:
    found = misword.agree(table(), "wer", bootstrap=0)
    assert found.correlations is not None
    assert found.reliability is not None
    row = found.correlations.row(0, named=True)
    wer = [0, 1 / 3, 1, 2 / 3, 0]
    means = [4.5, 3.5, 2.5, 2.5, 3.5]
    assert row["pearson"] == pytest.approx(-np.corrcoef(wer, means)[0, 1])
    assert row["hypotheses"] == 5
    facts = found.reliability.row(0, named=True)
    assert [facts[name] for name in ("items", "hypotheses", "raters", "ratings")] == [2, 5, 2, 10]


@pytest.mark.parametrize("by_path", [False, True])
def test_files_and_named_columns(tmp_path: Path, by_path: bool) -> None:
    named = dict(zip(("i", "s", "who", "how", "said", "heard"), table().values(), strict=True))
    source: Any = named
    if by_path:
        source = tmp_path / "ratings.csv"
        pl.DataFrame(named).write_csv(source)
    found = misword.agree(source, "wer", columns=["i", "s", "who", "how", "said", "heard"])
    assert found.correlations is not None


@pytest.mark.parametrize(
    ("column", "row", "value", "what"),
    [
        ("reference", 1, "another", "a second reference of item '1'"),
        ("hypothesis", 5, "another", "a second hypothesis of item '1', system 'x'"),
        ("rater", 5, "ann", "a second rating of item '1', system 'x', rater 'ann'"),
        ("rating", 2, "good", "'good' in column 'rating' is no score"),
    ],
)
def test_contradictions_are_errors(column: str, row: int, value: str, what: str) -> None:
    rows = {name: [str(cell) for cell in cells] for name, cells in table().items()}
    rows[column][row] = value
    with pytest.raises(MiswordError, match=what):
        misword.agree(rows, "wer")


def test_one_system_is_an_error() -> None:
    one = {"ann": {("1", "x"): 5, ("2", "x"): 1}}
    with pytest.raises(MiswordError, match="no rater has rated two different hypotheses"):
        misword.agree(table(one), "wer")


def slow_alpha(ratings: np.ndarray[Any, Any]) -> float:
    """Krippendorff's alpha from all pairs of ratings."""
    units = [[v for v in row if not np.isnan(v)] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    flat = [value for unit in units for value in unit]
    observed = sum(
        2 * (a - b) ** 2 / (len(unit) - 1) for unit in units for a, b in combinations(unit, 2)
    )
    expected = sum(2 * (a - b) ** 2 for a, b in combinations(flat, 2)) / (len(flat) - 1)
    return float(1 - observed / expected)


@given(arrays(np.float64, (6, 4), elements=st.sampled_from([0.0, 1, 2, 5, np.nan])))
def test_alpha_is_that_of_all_pairs(ratings: np.ndarray[Any, Any]) -> None:
    found = krippendorff_alpha(ratings)
    if not np.isnan(found):
        assert found == pytest.approx(slow_alpha(ratings))


def test_published_alpha() -> None:
    """The worked example of Krippendorff (interval data): alpha 0.849."""
    nan = np.nan
    ratings = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    )
    assert krippendorff_alpha(ratings.T) == pytest.approx(0.849, abs=5e-4)


def test_blocks_of_one_row_are_rows_and_larger_ones_widen_intervals() -> None:
    rng = np.random.default_rng(3)
    left = np.repeat(rng.normal(size=30), 4) + 0.01 * rng.normal(size=120)
    right = left + np.repeat(rng.normal(size=30), 4)
    bootstrap = Bootstrap(400)
    by_row = correlation(left, right, bootstrap, blocks=np.arange(120)).spearman
    by_block = correlation(left, right, bootstrap, blocks=np.repeat(np.arange(30), 4)).spearman
    assert by_row.value == by_block.value == correlation(left, right, bootstrap).spearman.value
    assert by_block.high - by_block.low > 1.5 * (by_row.high - by_row.low)


def test_reliability_of_raters_who_agree_and_who_do_not() -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(size=40)

    def ratings(noise: float) -> RaterRatings:
        rows = [
            (
                str(unit // 4),
                str(unit % 4),
                str(rater),
                truth[unit] + noise * rng.normal(),
                "r",
                "h",
            )
            for unit, rater in product(range(40), range(6))
        ]
        names = ["item", "system", "rater", "rating", "reference", "hypothesis"]
        return RaterRatings(pl.DataFrame(rows, schema=names, orient="row"))

    alike, apart = (
        ratings(noise).reliability(Bootstrap(50)).row(0, named=True) for noise in (0.1, 5)
    )
    assert alike["alpha"] > 0.95
    assert alike["one_rater"] > 0.95
    assert apart["alpha"] < 0.3
    assert apart["alpha_low"] < apart["alpha"] < apart["alpha_high"]


def test_fit_learns_from_means_and_names_a_better_metric(shared: Path) -> None:
    fitted = misword.fit(shared / "ratings" / "ml.tsv", "wer,cer", repeats=1, bootstrap=50)
    assert len(fitted.judgements) == 200
    assert any("cer alone ranks better than the blend (Spearman 0.76" in n for n in fitted.notes)
