"""Choices with the least expected cost: examples by hand, brute force, laws, what is refused."""

from __future__ import annotations

from math import exp, log, nan

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.nbest.choice import RANK_1
from misword.asr.nbest.mbr import HELD_OUT, MBR, ORACLE
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError
from misword.core.types import Corpus

WORDS = st.lists(st.sampled_from("abc"), max_size=4).map(" ".join)
LISTS = st.lists(
    st.lists(st.tuples(WORDS, st.floats(-5, 5)), min_size=1, max_size=5), min_size=1, max_size=4
)


def brute_force(texts: list[str], scores: list[float], scale: float, metric: str) -> list[float]:
    """Expected costs by the definition: all pairs of two texts, texts that repeat included."""
    shares = [exp(scale * score) for score in scores]
    said, heard = texts * len(texts), [text for text in texts for _ in texts]
    counts = misword.score(said, heard, metric)
    errors = counts.columns[0].terms(counts.table)[:, 0].reshape(len(texts), len(texts))
    costs: list[float] = (errors @ shares / sum(shares)).tolist()
    return costs


def test_by_hand() -> None:
    """Posteriors 0.4, 0.3, 0.3; errors between first and second 2, first and third 3, others 1."""
    lists = [["x y z", "a b z", "a b c"]]
    scores = [[log(4 / 3), 0.0, 0.0]]
    row = misword.mbr(lists, scores=scores).chosen.row(0, named=True)
    assert (row["rank"], row["text"], row["hypotheses"]) == (2, "a b z", 3)
    assert row["expected"] == pytest.approx(0.4 * 2 + 0.3 * 1)
    assert row["expected_first"] == pytest.approx(0.3 * 2 + 0.3 * 3)
    assert row["posterior"] == pytest.approx(0.3)
    sure = misword.mbr(lists, scores=scores, scale=10)
    assert sure.chosen["rank"].to_list() == [1]


def test_a_text_that_repeats_has_the_sum_of_its_posteriors() -> None:
    found = misword.mbr([["a", "b", "b"]])
    row = found.chosen.row(0, named=True)
    assert (row["rank"], row["text"]) == (2, "b")
    assert row["posterior"] == pytest.approx(2 / 3)
    assert row["expected"] == pytest.approx(1 / 3)


@given(LISTS, st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from(["wer", "wer:ties=sclite"]))
def test_equals_brute_force(
    lists: list[list[tuple[str, float]]], scale: float, metric: str
) -> None:
    texts = [[text for text, _ in one] for one in lists]
    scores = [[score for _, score in one] for one in lists]
    found = misword.mbr(texts, metric, scores=scores, scale=scale)
    rows = found.chosen.rows(named=True)
    for row, one, values in zip(rows, texts, scores, strict=True):
        costs = brute_force(one, values, scale, metric)
        assert row["expected"] == pytest.approx(min(costs))
        assert row["expected"] == pytest.approx(costs[row["rank"] - 1])
        assert row["expected_first"] == pytest.approx(costs[0])
        first = next(n for n, cost in enumerate(costs, 1) if cost < min(costs) + 1e-9)
        assert row["rank"] == first


@pytest.mark.parametrize("metric", ["cer", "mer"])
def test_other_metrics_equal_brute_force(metric: str) -> None:
    texts, scores = ["the cat sat", "the cats", "a cat sat on", "the cat"], [-1.0, -1.5, -1.1, -3.0]
    found = misword.mbr([texts], metric, scores=[scores])
    costs = brute_force(texts, scores, 1.0, metric)
    assert found.chosen["expected"][0] == pytest.approx(min(costs))


def test_the_expected_rate_may_choose_otherwise() -> None:
    """Two errors in one word are 200 %, in four words 50 %."""
    lists = [["a b c d", "a", "x y z"]]
    assert misword.mbr(lists).settings["cost"] == "errors"
    errors = misword.mbr(lists).chosen["expected_first"][0]
    rates = misword.mbr(lists, cost="rate").chosen["expected_first"][0]
    assert errors == pytest.approx((3 + 4) / 3)
    assert rates == pytest.approx((3 / 1 + 4 / 3) / 3)


def test_metrics_without_errors_expect_a_rate() -> None:
    assert misword.mbr([["a b", "a"]], "wil").settings["cost"] == "rate"
    with pytest.raises(OptionError, match="no number of errors"):
        misword.mbr([["a b", "a"]], "wil", cost="errors")


def test_sentence_metrics_and_prices() -> None:
    vectors = misword.WordVectors.of(["a", "b", "c"], [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    lists, scores = [["a c", "b c", "c"], ["c", "a"]], [[0.0, 0.0, 0.0], [1.0, 0.0]]
    for metric in ("wer-s", "wer-e", "semdist:encoder=sif"):
        found = misword.mbr(lists, metric, scores=scores, vectors=vectors)
        assert found.chosen["rank"].to_list() == [1, 1]


def test_empty_hypotheses() -> None:
    found = misword.mbr([["", "a"], ["", ""], ["a", ""]], scale=0, cost="rate")
    assert found.chosen["rank"].to_list() == [1, 1, 1]


def test_groups_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [[f"a b {n % 3} {m}" for m in range(4)] for n in range(20)]
    scores = [[float(-m * n % 7) for m in range(4)] for n in range(20)]
    whole = misword.mbr(lists, scores=scores).chosen
    monkeypatch.setattr("misword.asr.nbest.risk.PAIRS", 1)
    assert misword.mbr(lists, scores=scores).chosen.equals(whole)


def test_references_and_the_choice_of_the_scale() -> None:
    lists = [["a b", "a c", "a c d"]] * 6 + [["x", "y", "y z"]] * 6
    references = ["a c"] * 6 + ["y"] * 6
    scores = [[2.0, 1.0, 0.0]] * 12
    found = misword.mbr(lists, scores=scores, references=references, scale="auto", folds=3)
    assert found.rates is not None
    assert found.scales is not None
    rates = dict(found.rates.select("choice", "rate").rows())
    assert rates == {RANK_1: 12 / 18, MBR: 0, HELD_OUT: 0, ORACLE: 0}
    assert found.scales["folds"].sum() == 3
    best = found.scales.filter(pl.col("rate") == 0)["scale"].max()
    assert found.settings["scale"] == best
    assert not any("gained" in note for note in found.notes)


def test_nothing_gained_is_said() -> None:
    lists = [["a b", "a c"]] * 8
    found = misword.mbr(lists, references=["a b"] * 8, scores=[[1.0, 0.0]] * 8)
    assert found.notes[-1].startswith("nothing is gained")


def test_features_and_weights() -> None:
    corpus = Corpus(
        pl.DataFrame({"utt": ["u"], "text": [""]}),
        pl.DataFrame(
            {"utt": "u", "system": "s", "rank": [1, 2], "text": ["a", "b"], "score": [0.0, 0.0],
             "lm": [-9.0, 0.0]}
        ),
    )  # fmt: skip
    assert misword.mbr(corpus).chosen["rank"].to_list() == [1]
    found = misword.mbr(corpus, features="score,lm", weights=[1, 0.5])
    assert found.chosen["rank"].to_list() == [2]
    with pytest.raises(OptionError, match="no column 'am'"):
        misword.mbr(corpus, features="am")
    with pytest.raises(OptionError, match="2 weights for 1 feature"):
        misword.mbr(corpus, weights=[1, 2])


def test_depth() -> None:
    assert misword.mbr([["a", "b", "b"]], depth=2).chosen["rank"].to_list() == [1]


@pytest.mark.parametrize(
    ("scores", "note"),
    [
        (None, "no scores"),
        ([[1.0, 1.0, 1.0]], "the same for all"),
        ([[0.0, 1.0, 2.0]], "does not have the highest score"),
        ([[0.0, -0.001, -0.002]], "nearly uniform"),
        ([[0.0, -100.0, -200.0]], "nearly the whole posterior"),
    ],
)
def test_notes_on_scores(scores: list[list[float]] | None, note: str) -> None:
    found = misword.mbr([["a", "b", "c"]], scores=scores)
    assert any(note in text for text in found.notes)


def test_lists_of_one_need_no_scores() -> None:
    found = misword.mbr([["a"], ["b"]], scores=[[nan], [1.0]])
    assert "nothing to choose" in found.notes[0]
    assert found.chosen["expected"].to_list() == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"scores": [[nan, 1.0]]}, InputError, "score is not finite in 1 row.*rank 1"),
        (
            {"scores": [[1.0]]},
            MismatchError,
            "scores and hypotheses differ in number: the list of utterance 1",
        ),
        ({"scale": "auto"}, OptionError, "only with references"),
        ({"scale": nan}, OptionError, "scale is nan"),
        ({"metric": "wer,cer"}, OptionError, "the choice needs one metric"),
        ({"depth": 0}, OptionError, "depth is 0"),
        ({"cost": "words"}, OptionError, "cost is 'words'"),
        ({"references": True}, OptionError, "references=True needs a Corpus"),
        ({"references": ["a"], "scale": "auto", "folds": 2}, OptionError, "2 folds of 1 lists"),
        (
            {"preset": "open-asr-leaderboard"},
            OptionError,
            "changes pairs of reference and hypothesis",
        ),
    ],
)
def test_what_is_refused(
    arguments: dict[str, object], error: type[MiswordError], message: str
) -> None:
    with pytest.raises(error, match=message):
        misword.mbr([["a", "b"]], **arguments)  # type: ignore[arg-type]


def test_empty_lists_are_refused() -> None:
    with pytest.raises(InputError, match="list of reference 2 is empty"):
        misword.mbr([["a"], []])
    with pytest.raises(InputError, match="no lists"):
        misword.mbr([])
