"""Scores and resampling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import misword
from misword.core.errors import InputError, MismatchError, OptionError
from misword.stat.resampling import interval, resample

REFS = ["a b c d", "e f", "", "g"]
HYPS = {"one": ["a x c", "e f", "y", ""], "two": ["a b c d", "e", "", "g"]}
META = {"speaker": ["anna", "bo", "bo", "anna"]}


@pytest.fixture
def scores() -> misword.Scores:
    return misword.score(REFS, HYPS, "wer,cer", metadata=META)


def test_summary(scores: misword.Scores) -> None:
    rows = scores.summary(bootstrap=50).rows(named=True)
    assert [(r["system"], r["metric"]) for r in rows] == [
        ("one", "wer"), ("one", "cer"), ("two", "wer"), ("two", "cer"),
    ]  # fmt: skip
    first = rows[0]
    assert first["rate"] == 4 / 7
    assert (first["hits"], first["substitutions"], first["insertions"], first["deletions"]) == (
        4,
        1,
        1,
        2,
    )
    assert first["low"] <= first["rate"] <= first["high"]
    assert first["utterances"] == 4


def test_groups_add_up(scores: misword.Scores) -> None:
    rows = scores.summary(["speaker"], bootstrap=0).filter(metric="wer", system="one")
    assert dict(rows.select("speaker", "rate").rows()) == {"anna": 3 / 5, "bo": 1 / 2}
    with pytest.raises(OptionError, match="no column 'spaeker'"):
        scores.summary(["spaeker"])


def test_filter_and_add_are_inverse(scores: misword.Scores) -> None:
    parts = [part for _, part in scores.group("speaker")]
    assert len(parts) == 2
    whole = parts[0] + parts[1]
    assert (
        whole.summary(bootstrap=0)
        .sort("system", "metric")
        .equals(scores.summary(bootstrap=0).sort("system", "metric"))
    )
    assert scores.filter(speaker="anna", system="one")["wer"] == 3 / 5


def test_adding_different_signatures_is_refused(scores: misword.Scores) -> None:
    other = misword.score(REFS, HYPS, "wer,cer", normalize="lower", metadata=META)
    with pytest.raises(MismatchError, match=r"signatures of wer differ: norm: nfc / lower"):
        scores + other
    with pytest.raises(MismatchError, match="metrics differ"):
        scores + misword.score(REFS, HYPS, "wer", metadata=META)


def test_utterance_rates_are_null_where_undefined(scores: misword.Scores) -> None:
    table = scores.utterances().filter(system="one")
    assert table["wer"].to_list() == [0.5, 0.0, None, 1.0]


def test_save_and_load(scores: misword.Scores, tmp_path: Path) -> None:
    scores.save(tmp_path / "out")
    again = misword.load(tmp_path / "out")
    assert again.table.equals(scores.table)
    assert again.columns == scores.columns
    assert (again + scores)["wer"] == scores["wer"]


def test_unknown_metric(scores: misword.Scores) -> None:
    with pytest.raises(OptionError, match="there are: wer, cer"):
        scores["mer"]


def test_columns_of_any_library() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    truth = misword.score(REFS, HYPS["one"])["wer"]
    for make in (pl.Series, pd.Series, pa.array, np.array, tuple, lambda x: pa.chunked_array([x])):
        assert misword.score(make(REFS), make(HYPS["one"]))["wer"] == truth
    assert misword.score("a b", "a c")["wer"] == 0.5


@pytest.mark.parametrize(
    ("refs", "hyps", "error", "message"),
    [
        (["a", "b"], ["a"], MismatchError, "2 references, 1 hypotheses"),
        (["a", None], ["a", "b"], InputError, "row 2: there is no text"),
        (["a"], ["b\0"], InputError, "NUL"),
        ([["a"]], ["b"], InputError, "references: not a column of strings"),
        (["a"], {}, InputError, "no hypotheses"),
    ],
)
def test_bad_columns(refs: object, hyps: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        misword.score(refs, hyps)


def test_bad_ids_and_metadata() -> None:
    with pytest.raises(InputError, match="id 'x' is there twice"):
        misword.score(["a", "b"], ["a", "b"], ids=["x", "x"])
    with pytest.raises(MismatchError, match="2 references, 1 rows of metadata"):
        misword.score(["a", "b"], ["a", "b"], metadata={"m": [1]})


def rate(terms: np.ndarray) -> np.ndarray:
    return np.asarray(terms[..., 0] / terms[..., 1])


def test_multinomial_and_plain_bootstrap_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of drawing have the bootstrap's mean and spread."""
    rng = np.random.default_rng(1)
    words = rng.integers(5, 9, 2000)
    statistics = np.stack([rng.binomial(words, 0.2), words], axis=1)
    grouped = rate(resample(statistics, 4000, 0))
    monkeypatch.setattr("misword.stat.resampling.DRAW_COST", 10**9)
    plain = rate(resample(statistics, 4000, 0))
    truth = statistics[:, 0].sum() / statistics[:, 1].sum()
    assert abs(grouped.mean() - truth) < 3e-4
    assert abs(plain.mean() - truth) < 3e-4
    assert abs(grouped.std() / plain.std() - 1) < 0.06


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for trial in range(300):
        words = rng.integers(8, 30, 150)
        statistics = np.stack([rng.binomial(words, 0.15), words], axis=1)
        low, high = interval(statistics, rate, times=300, seed=trial)
        covered += low <= 0.15 <= high
    assert 0.90 <= covered / 300 <= 0.985


def test_interval_is_undefined_for_one_utterance_and_repeats_with_its_seed() -> None:
    words = np.arange(5, 45)
    statistics = np.stack([words % 7, words], axis=1)
    assert np.isnan(interval(statistics[:1], rate)).all()
    assert interval(statistics, rate, seed=3) == interval(statistics, rate, seed=3)
    assert interval(statistics, rate, seed=3) != interval(statistics, rate, seed=4)
