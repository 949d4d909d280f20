"""`misword.oracle`: tables by hand, published figures, ties, depths, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.core.errors import MiswordError, OptionError
from misword.core.types import Corpus

REFERENCES = ["the cat sat", "on the mat"]
LISTS = [["the cat", "a cat sat", "the cat sat"], ["on a mat", "on the mats"]]
DEMO = Path(misword.__file__).parent / "demo" / "en"


def oracle(*arguments: Any, **options: Any) -> misword.Oracle:
    return misword.oracle(*arguments, **{"bootstrap": 0, **options})


def rate(found: misword.Oracle, metric: str, chosen_by: str) -> float:
    row = found.rates.filter(metric=metric, chosen_by=chosen_by)
    return float(row["rate"].item())


def test_a_table_by_hand() -> None:
    found = oracle(REFERENCES, LISTS, "wer,cer")
    assert rate(found, "wer", "rank 1") == 2 / 6
    assert rate(found, "wer", "wer") == 1 / 6
    assert rate(found, "cer", "wer") == 3 / 21  # `on a mat`, the first of two
    assert rate(found, "cer", "cer") == 1 / 21
    assert rate(found, "wer", "cer") == 1 / 6
    curve = found.curves.filter(metric="wer").select("depth", "rate", "shorter")
    assert curve.rows() == [(1, 2 / 6, 0), (2, 2 / 6, 0), (3, 1 / 6, 1)]
    assert found.texts()["text"].to_list() == ["the cat sat", "on a mat"]
    assert found.texts("cer")["text"].to_list() == ["the cat sat", "on the mats"]


def test_ties_and_what_they_can_change() -> None:
    found = oracle(REFERENCES, LISTS, "wer,cer")
    row = found.ties.row(by_predicate=(pl.col("chosen_by") == "wer") & (pl.col("metric") == "cer"),
                         named=True)  # fmt: skip
    assert (row["lists"], row["tied"], row["differing"]) == (2, 1, 1)
    assert (row["lowest"], row["rate"], row["highest"]) == (1 / 21, 3 / 21, 3 / 21)
    decided = oracle(REFERENCES, LISTS, "wer,cer", ties="cer")
    assert rate(decided, "cer", "wer") == 1 / 21
    assert rate(decided, "wer", "wer") == 1 / 6
    best = found.chosen.filter(chosen_by="wer")
    assert best.select("rank", "best").rows() == [(3, 1), (1, 2)]


def test_each_metric_is_lowest_for_its_own_choice_and_falls_with_depth() -> None:
    corpus, _ = misword.read_corpus(DEMO / "ref.csv", DEMO / "whisper-tiny.nbest.jsonl", nbest=True)
    found = oracle(corpus, metrics="wer,cer,mer,wil")
    for metric in ("wer", "cer", "mer", "wil"):
        rates = found.rates.filter(metric=metric)
        own = rates.filter(chosen_by=metric)["rate"].item()
        assert own == rates["rate"].min()
        curve = found.curves.filter(metric=metric)["rate"].to_numpy()
        assert (np.diff(curve) <= 0).all()
        assert curve[0] == rates.filter(chosen_by="rank 1")["rate"].item()


@pytest.mark.parametrize(
    ("system", "first", "best"), [("pocketsphinx", 34.72, 28.43), ("whisper-tiny", 9.28, 5.42)]
)
def test_the_lists_of_the_demo(system: str, first: float, best: float) -> None:
    corpus, _ = misword.read_corpus(DEMO / "ref.csv", DEMO / f"{system}.nbest.jsonl", nbest=True)
    found = oracle(corpus, metrics="wer")
    assert round(100 * rate(found, "wer", "rank 1"), 2) == first
    assert round(100 * rate(found, "wer", "wer"), 2) == best


@pytest.mark.parametrize(
    ("part", "first", "best"), [("clean", 1.794, 0.894), ("other", 3.668, 2.273)]
)
def test_librispeech(shared: Path, part: str, first: float, best: float) -> None:
    corpus, _ = misword.read_corpus(shared / "nbest" / f"librispeech-{part}.json", nbest=True)
    found = oracle(corpus, metrics="wer")
    assert round(100 * rate(found, "wer", "rank 1"), 3) == first
    assert round(100 * rate(found, "wer", "wer"), 3) == best


def test_scores_of_the_chosen_texts_are_the_rates() -> None:
    corpus, _ = misword.read_corpus(DEMO / "ref.csv", DEMO / "pocketsphinx.nbest.jsonl", nbest=True)
    found = oracle(corpus, metrics="wer,cer,mer,wil", bootstrap=50)
    for chooser in ("wer", "cer", "mer", "wil"):
        texts = found.texts(chooser)
        assert texts["utt"].equals(corpus.references["utt"])
        scores = misword.score(corpus.references["text"], texts["text"], "wer,cer,mer,wil")
        for metric in ("wer", "cer", "mer", "wil"):
            assert rate(found, metric, chooser) == scores[metric]
    summary = misword.score(corpus.references["text"], found.texts()["text"], "wer")
    row = found.rates.filter(metric="wer", chosen_by="wer")
    expected = summary.summary(bootstrap=50)
    for name in ("rate", "low", "high"):
        assert row[name].item() == pytest.approx(expected[name].item())


def test_the_order_of_rows_does_not_matter() -> None:
    corpus, _ = misword.read_corpus(DEMO / "ref.csv", DEMO / "pocketsphinx.nbest.jsonl", nbest=True)
    shuffled = Corpus(corpus.references, corpus.hypotheses.sample(fraction=1, shuffle=True, seed=3))
    one, other = (oracle(rows, metrics="wer,mer", bootstrap=50) for rows in (corpus, shuffled))
    assert one.rates.equals(other.rates)
    assert one.ties.equals(other.ties)
    assert one.texts().sort("utt").equals(other.texts().sort("utt"))


def test_several_systems_scores_and_a_result() -> None:
    found = oracle(REFERENCES, {"a": LISTS, "b": [[text] for text in REFERENCES]}, "wer")
    assert found.rates["system"].to_list() == ["a", "a", "b", "b"]
    assert found.rates["rate"].to_list() == [2 / 6, 1 / 6, 0.0, 0.0]
    again = misword.oracle(found.scores, bootstrap=0)
    assert again.rates.equals(found.rates)
    result = found.result()
    assert result.kind == "oracle"
    assert set(result.tables) == {"rates", "curves", "ties", "chosen", "lists"}


def test_notes() -> None:
    assert oracle(REFERENCES, [["the cat"], ["on"]], "wer").notes == (
        "hypothesis: 2 of 2 lists have one hypothesis",
    )
    assert oracle(REFERENCES, LISTS, "wer", depths=[2, 10]).notes == (
        "hypothesis: 2 of 2 lists have fewer than 10 hypotheses; they are used whole",
    )
    assert oracle(["", ""], [["", "a"], [""]], "wer").notes[-1] == (
        "wer: the rate is undefined, because the references are empty"
    )
    readings = oracle(["{ a / b c } d"], [["a d", "b c d", "e"]], "wil").notes
    assert readings[-1].startswith("wil: the references have readings of different lengths")


def test_depths_are_sorted_and_have_rank_1() -> None:
    found = oracle(REFERENCES, LISTS, "wer", depths=[3, 2])
    assert found.curves["depth"].to_list() == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depths": [0]}, "depths are 0"),
        ({"depths": []}, "depths are missing"),
        ({"ties": "cer"}, "'cer', which is not among the metrics"),
        ({"ties": "luck"}, "'luck', which is not among the metrics"),
        ({"confidence": 95}, "confidence is 95"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(
    options: dict[str, Any], message: str
) -> None:
    def read() -> Corpus:
        raise AssertionError

    with pytest.raises(OptionError, match=message):
        oracle(read, metrics="wer", **options)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([["the cat"], []], "the list of reference 2 is empty"),
        ([["the cat"]], "2 references, 1 hypotheses"),
        ([["the cat"], ["on", None]], "no text"),
    ],
)
def test_wrong_lists(lists: Any, message: str) -> None:
    with pytest.raises(MiswordError, match=message):
        oracle(REFERENCES, lists, "wer")


@pytest.mark.parametrize(
    ("ranks", "message"),
    [([1, 3], "none of rank 2"), ([1, 1], "two hypotheses of rank 1")],
)
def test_wrong_ranks(ranks: list[int], message: str) -> None:
    references = pl.DataFrame({"utt": ["1"], "text": ["a"]})
    hypotheses = pl.DataFrame(
        {"utt": ["1", "1"], "system": ["s", "s"], "rank": ranks, "text": ["a", "b"],
         "score": [None, None]}
    )  # fmt: skip
    with pytest.raises(MiswordError, match=message):
        oracle(Corpus(references, hypotheses), metrics="wer")


def test_texts_of_an_unknown_metric() -> None:
    with pytest.raises(OptionError, match="the metric 'cer' has chosen nothing"):
        oracle(REFERENCES, LISTS, "wer").texts("cer")
