"""Scores and resampling."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

import misword
from misword.core.errors import InputError, MismatchError, OptionError
from misword.stat.bootstrap import Bootstrap, distinct, interval, resample
from own_files import rewrite

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


@pytest.mark.parametrize(
    ("option", "value", "fix"),
    [
        ("confidence", 95, "use a share such as 0.95"),
        ("confidence", 2, "use a share such as 0.95"),
        ("bootstrap", -5, "use 0 or more resamples"),
        ("seed", -1, "use 0 or more"),
    ],
)
def test_impossible_intervals_are_refused(
    scores: misword.Scores, option: str, value: int, fix: str
) -> None:
    for method in (scores.summary, scores.result):
        with pytest.raises(OptionError, match=f"{option} is {value}\n.*{fix}"):
            method(**{option: value})  # type: ignore[arg-type]


def test_groups_add_up(scores: misword.Scores) -> None:
    rows = scores.summary(["speaker"], bootstrap=0).filter(metric="wer", system="one")
    assert dict(rows.select("speaker", "rate").rows()) == {"anna": 3 / 5, "bo": 1 / 2}
    with pytest.raises(OptionError, match="no column 'spaeker'"):
        scores.summary(["spaeker"])


def test_a_result_by_group_ends_with_totals(scores: misword.Scores) -> None:
    summary = scores.result(by="speaker", bootstrap=50).tables["summary"]
    totals = summary.filter(pl.col("total"))
    assert totals.drop("speaker", "total").equals(scores.summary(bootstrap=50))
    assert totals["speaker"].to_list() == [None] * 4
    groups = summary.filter(~pl.col("total"))
    assert groups.drop("total").equals(scores.summary("speaker", bootstrap=50))
    assert summary["total"].to_list() == [False] * 8 + [True] * 4
    assert "total" not in scores.result(by="system", bootstrap=0).tables["summary"].columns


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
    assert table["wer.rate"].to_list() == [0.5, 0.0, None, 1.0]


def test_save_and_load(scores: misword.Scores, tmp_path: Path) -> None:
    scores.save(tmp_path / "out")
    again = misword.load(tmp_path / "out")
    assert again.table.equals(scores.table)
    assert again.columns == scores.columns
    with pytest.raises(MismatchError, match="utterance '1' of 'one' is in both"):
        again + scores


@pytest.mark.parametrize("revision", ["0.5.0", "1", "2"])
def test_scores_of_another_version_can_be_added_unless_numbers_moved(
    revision: str, scores: misword.Scores, tmp_path: Path
) -> None:
    scores.save(tmp_path / "run")
    index = tmp_path / "run" / "result.json"
    text = index.read_text("utf-8").replace("|v:1", f"|v:{revision}")
    index.write_text(text.replace(f'"{misword.__version__}"', '"0.9.9"'), "utf-8")
    rewrite(index, lambda content: None)
    older = misword.load(tmp_path / "run").rename({"one": "three", "two": "four"})
    if revision == "2":
        with pytest.raises(MismatchError, match="v: 1 / 2"):
            scores + older
    else:
        assert (scores + older).systems == ["one", "two", "three", "four"]


def test_pickle_keeps_the_numbers(scores: misword.Scores) -> None:
    again = pickle.loads(pickle.dumps(scores))
    assert again.summary().equals(scores.summary())
    with pytest.raises(OptionError, match="no word records"):
        again.words()


def test_unknown_metric(scores: misword.Scores) -> None:
    with pytest.raises(OptionError, match="there are: wer, cer"):
        scores["mer"]


def test_the_rate_of_several_systems_needs_a_name(scores: misword.Scores) -> None:
    by_system = scores.summary(bootstrap=0).filter(metric="wer").select("system", "rate").rows()
    assert [(name, scores["wer", name]) for name in scores.systems] == by_system
    with pytest.raises(OptionError, match=r"one and two\s+name it: scores\['wer', 'one'\]"):
        scores["wer"]
    with pytest.raises(OptionError, match="no system 'three'"):
        scores["wer", "three"]
    assert scores.filter(system="two")["wer"] == scores["wer", "two"]


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
        (["a", None], ["a", "b"], InputError, "references: no text .* for the id '2', row 2"),
        (["a"], ["b\0"], InputError, "NUL"),
        ([["a"]], ["b"], InputError, "references: not a column of strings"),
        (["a"], {}, InputError, "no hypotheses"),
        (["a"], None, InputError, "no hypotheses"),
    ],
)
def test_bad_columns(refs: object, hyps: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        misword.score(refs, hyps)


def test_frames_and_views_as_columns() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    systems = misword.score(REFS, pl.DataFrame(HYPS)).systems
    assert systems == ["one", "two"]
    assert misword.score(REFS, pd.DataFrame(HYPS)).systems == systems
    assert misword.score(REFS, pa.table(HYPS)).systems == systems
    by_text = dict.fromkeys(["a b", "c"])
    assert misword.score(by_text.keys(), (text for text in by_text))["wer"] == 0.0


def test_nbest_lists_are_summarised_by_their_best() -> None:
    import polars as pl

    one = misword.Corpus.of(
        pl.DataFrame({"utt": ["u"], "text": ["a b"]}), {"s": pl.Series(["a b"])}
    )
    second = one.hypotheses.with_columns(text=pl.lit("x"), rank=pl.lit(2, pl.Int64))
    nbest = misword.Corpus(one.references, pl.concat([one.hypotheses, second]))
    scores = misword.score(nbest, metrics="wer")
    assert len(scores) == 2
    assert scores.summary(bootstrap=0)["rate"].to_list() == [0.0]
    assert scores["wer"] == 0.0
    with pytest.raises(OptionError, match="its own references, hypotheses"):
        misword.score(nbest, ["a b"])
    with pytest.raises(MismatchError, match="1 references, 0 hypotheses of 's'"):
        misword.score(misword.Corpus(one.references, second))


def test_adding_needs_distinct_utterances() -> None:
    left = misword.score(["a"], ["a"], ids=["x"], metadata={"age": [3]})
    right = misword.score(["a"], ["b"], ids=["y"], metadata={"age": ["old"]})
    assert (left + right)["wer"] == 0.5
    with pytest.raises(MismatchError, match="utterance 'x'"):
        left + left


def test_signatures_name_all_options() -> None:
    def sign(**options: object) -> str:
        return str(misword.score(["a"], ["a"], "wer", **options).columns[0].signature)  # type: ignore[arg-type]

    assert sign(normalize="nopunct") == sign(normalize="nopunct:keep='\u2019-")
    different = [
        sign(), sign(normalize="none"), sign(normalize="lower"), sign(normalize="nopunct"),
        sign(normalize="nopunct:keep=|"), sign(alternatives=False), sign(equivalents=[["b", "c"]]),
    ]  # fmt: skip
    assert len(set(different)) == len(different)


def test_save_and_load_with_odd_options(tmp_path: Path) -> None:
    scores = misword.score(["a|b"], ["a b"], normalize="nopunct:keep=|")
    scores.save(tmp_path / "out")
    assert misword.load(tmp_path / "out").columns == scores.columns


def test_load_of_an_incomplete_result(scores: misword.Scores, tmp_path: Path) -> None:
    from misword.core.types import Result
    from misword.io.results import write_result

    result = scores.result(bootstrap=0)
    write_result(Result("scores", result.tables, {}), tmp_path / "a")
    write_result(Result("scores", {}, result.provenance), tmp_path / "b")
    for name in "ab":
        with pytest.raises(InputError, match="incomplete"):
            misword.load(tmp_path / name)


def test_steps_of_no_pair() -> None:
    with pytest.raises(IndexError):
        misword.align(["a"], ["a"]).steps(-1)


def test_bad_ids_and_metadata() -> None:
    with pytest.raises(MismatchError, match="2 references, 1 ids"):
        misword.score(["a", "b"], ["a", "b"], ids=["x", None])
    with pytest.raises(InputError, match="metadata: not a table"):
        misword.score(["a"], ["a"], metadata=3)
    with pytest.raises(InputError, match="two systems have the same name"):
        misword.score(["a"], {1: ["a"], "1": ["a"]})
    with pytest.raises(OptionError, match=r"metadata has a column 'wer\.hits'"):
        misword.score(["a"], ["a"], metadata={"wer.hits": [1]})
    with pytest.raises(InputError, match="id 'x' occurs twice"):
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
    grouped = rate(resample(distinct(statistics), Bootstrap(4000)))
    monkeypatch.setattr("misword.stat.bootstrap.DRAW_COST", 10**9)
    plain = rate(resample(distinct(statistics), Bootstrap(4000)))
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
        low, high = interval(statistics, rate, Bootstrap(300, seed=trial))
        covered += low <= 0.15 <= high
    assert 0.90 <= covered / 300 <= 0.985


def test_interval_is_undefined_for_one_utterance_and_repeats_with_its_seed() -> None:
    words = np.arange(5, 45)
    statistics = np.stack([words % 7, words], axis=1)
    assert np.isnan(interval(statistics[:1], rate)).all()
    intervals = [interval(statistics, rate, Bootstrap(seed=seed)) for seed in (3, 3, 4)]
    assert intervals[0] == intervals[1] != intervals[2]


@given(
    hnp.arrays(
        np.int64, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=st.integers(-3, 9)
    )
)
def test_distinct_rows_are_those_of_numpy(rows: NDArray[np.int64]) -> None:
    expected = np.unique(rows, axis=0, return_counts=True)
    for factor in (1, 1 << 40):  # the second does not fit one number
        found = distinct(rows * factor)
        np.testing.assert_array_equal(found.rows, expected[0] * factor)
        np.testing.assert_array_equal(found.counts, expected[1])
