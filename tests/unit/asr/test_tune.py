"""Tuning of weights: held-out rates, notes, ranges of weights, test lists, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.asr.nbest.features import FeatureLists, ListWeights
from misword.asr.nbest.tuning_tables import weight_range
from misword.asr.nbest.weight_search import Changes, draw_lists, fold_numbers
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError
from misword.core.types import Corpus

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]


def lists(count: int = 60, seed: int = 0, informative: float = 1.0) -> dict[str, Any]:
    """References, lists of four, a recogniser's score, and an `lm` that knows the errors.

    The score falls with the rank. Without information, both are noise.
    """
    rng = np.random.default_rng(seed)
    references, hypotheses, score, lm = [], [], [], []
    for _ in range(count):
        words = rng.choice(WORDS, 8).tolist()
        references.append(" ".join(words))
        noise = rng.normal(size=(2, 4))
        errors = rng.integers(0, 4, 4)
        scores = noise[0] - 0.5 * informative * errors
        order = np.argsort(-scores)
        errors = errors[order]
        texts = [" ".join(["x"] * n + words[n:]) for n in errors]
        hypotheses.append(texts)
        score.append(scores[order].tolist())
        lm.append((-informative * errors + noise[1]).tolist())
    return {"references": references, "hypotheses": hypotheses,
            "features": {"score": score, "lm": lm}}  # fmt: skip


def tuned(data: dict[str, Any], **options: Any) -> misword.Tuning:
    settings: dict[str, Any] = {"resamples": 5, "bootstrap": 50, **options}
    return misword.tune(data["references"], data["hypotheses"], features=data["features"],
                        **settings)  # fmt: skip


def rate(found: misword.Tuning, choice: str, data: str = "tuning", metric: str = "wer") -> float:
    return float(found.rates.filter(choice=choice, data=data, metric=metric)["rate"][0])


def test_a_feature_that_knows_the_errors_is_used() -> None:
    found = tuned(lists(), metrics="cer")
    assert rate(found, "oracle") <= rate(found, "tuned") <= rate(found, "held out")
    assert rate(found, "held out") < rate(found, "rank 1") - 0.03
    assert found.list_weights.weights["lm"] > 0.5
    assert found.verdict.startswith("held out, the weights change wer by -")
    assert set(found.rates["metric"]) == {"wer", "cer"}
    assert len(found.folds) == 5
    assert found.stability["resamples"].to_list() == [5]


def test_no_gain_is_invented() -> None:
    """Features without information: the rate on the tuned lists falls, the held-out one does not.

    Over many data sets, a gain is shown in few of them.
    """
    shown = 0
    for seed in range(20):
        found = tuned(lists(40, seed, 0.0), resamples=0, bootstrap=0)
        assert rate(found, "tuned") <= rate(found, "rank 1")
        shown += found.verdict.startswith("held out")
    assert shown <= 2


def test_lists_with_nothing_to_gain() -> None:
    data = {"references": ["a", "b"], "hypotheses": [["a", "x"], ["b", "y"]],
            "features": {"score": [[-1, -2], [-1, -2]]}}  # fmt: skip
    found = tuned(data)
    assert found.verdict == "nothing to gain: held out, wer is that of rank 1; keep rank 1"


def test_held_out_choices_are_made_by_weights_of_other_folds() -> None:
    """New references of one fold change neither its weights nor its choices."""
    data = lists(50)
    found = tuned(data)
    fold = fold_numbers(np.arange(50), 5, 0)
    changed = [
        text if number else "y" for text, number in zip(data["references"], fold, strict=True)
    ]
    again = tuned({**data, "references": changed})
    first = [found.fold_weights.filter(fold=1), again.fold_weights.filter(fold=1)]
    assert first[0].equals(first[1])
    inside = [f"{number + 1}" for number in np.flatnonzero(fold == 0)]
    texts = [result.texts().filter(pl.col("utt").is_in(inside)) for result in (found, again)]
    assert texts[0].equals(texts[1])


def test_blocks_stay_together() -> None:
    blocks = np.array([0, 1, 0, 2, 1, 2, 2])
    fold = fold_numbers(blocks, 3, 1)
    assert all(len(set(fold[blocks == block])) == 1 for block in range(3))
    drawn = draw_lists(blocks, np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=7)
    assert all(len(set(counts[blocks == block])) == 1 for block in range(3))


def test_blocks_of_a_metadata_column() -> None:
    data = lists(30)
    made = misword.asr.nbest.features.corpus_with_features(
        data["references"], data["hypotheses"], data["features"]
    )
    speakers = pl.Series("speaker", [f"s{number % 3}" for number in range(30)])
    corpus = Corpus(made.references.with_columns(speakers), made.hypotheses)
    found = misword.tune(corpus, block="speaker", resamples=3, bootstrap=20)
    assert len(found.folds) == 3
    assert found.settings["blocks"] == 3
    assert "5 folds of 3 blocks: there are 3 folds" in found.notes
    with pytest.raises(OptionError, match="no metadata column 'room'"):
        misword.tune(corpus, block="room")


def test_test_lists() -> None:
    data, other = lists(60), lists(40, 7)
    make = misword.asr.nbest.features.corpus_with_features
    corpora = [make(d["references"], d["hypotheses"], d["features"]) for d in (data, other)]
    found = misword.tune(corpora[0], test=lambda: corpora[1], resamples=0, bootstrap=20)
    assert set(found.rates.filter(data="test")["choice"]) == {"rank 1", "tuned", "oracle"}
    assert rate(found, "tuned", "test") < rate(found, "rank 1", "test")
    assert found.verdict.startswith("on the test lists, the weights change wer by -")
    assert len(found.texts()) == 40
    applied = found.list_weights.choose(corpora[1].hypotheses)
    assert applied.equals(found.texts().drop("system"))


def test_default_features_and_words() -> None:
    data = lists(20)
    made = misword.asr.nbest.features.corpus_with_features(
        data["references"], data["hypotheses"], data["features"]
    )
    assert misword.tune(made, resamples=0, bootstrap=0).settings["features"] == [
        "score", "lm", "words"
    ]  # fmt: skip
    plain = misword.tune(data["references"], data["hypotheses"], resamples=0, bootstrap=0)
    assert plain.settings["features"] == ["rank", "words"]
    assert any("words" in text and "constant" in text for text in plain.notes)


def test_notes_on_lists_and_features() -> None:
    data = {"references": ["a b", "c"], "hypotheses": [["a", "a b"], ["c"]],
            "features": {"score": [[-1, -2], [-1]], "same": [[3, 3], [4]]}}  # fmt: skip
    found = tuned(data, folds=0)
    assert found.notes == (
        "1 of 2 lists have one hypothesis: weights cannot change them",
        "constant within each list, so without a weight: same",
        "the weight of the first feature, score, is not above 0; the weights are divided by the "
        "largest absolute one",
    )
    assert found.list_weights.weights == {"score": -1.0, "same": 0.0}
    assert found.verdict == ""
    assert len(found.texts()) == 2


def test_ranges_of_weights() -> None:
    """At each end of the range, the rate changes; within noise it is not significantly higher."""
    made = misword.asr.nbest.features.corpus_with_features(**lists(80))
    found = misword.tune(made, features="score,lm", resamples=3, bootstrap=0)
    row = found.weights.filter(feature="lm").to_dicts()[0]
    assert row["low"] < row["weight"] < row["high"]
    assert (row["noise_low"] or -np.inf) <= row["low"]
    assert row["high"] <= (row["noise_high"] or np.inf)
    assert row["fold_low"] <= row["fold_high"]
    here = ListWeights({"score": 1.0, "lm": row["weight"]})
    texts = here.choose(made.hypotheses)["text"]

    def errors(weight: float) -> float:
        chosen = ListWeights({"score": 1.0, "lm": weight}).choose(made.hypotheses)["text"]
        return misword.wer(made.references["text"].to_list(), chosen.to_list())

    width = row["high"] - row["low"]
    inside = np.linspace(row["low"] + width / 100, row["high"] - width / 100, 9)
    assert {errors(weight) for weight in inside} == {errors(row["weight"])}
    assert misword.wer(made.references["text"].to_list(), texts.to_list()) == rate(found, "tuned")
    for outside in (row["low"] - width / 1000, row["high"] + width / 1000):
        assert errors(outside) != errors(row["weight"])


def test_noise_agrees_with_a_paired_test() -> None:
    """The end of the range within noise is where a paired test begins to be significant."""
    from misword.asr.metrics.rates import WER
    from misword.stat.paired import paired

    rng = np.random.default_rng(2)
    terms = np.stack([rng.integers(0, 3, 4000), np.full(4000, 10)], axis=1)
    features = np.stack([rng.normal(size=4000), -terms[:, 0] + rng.normal(size=4000)])
    made = FeatureLists(features, np.arange(0, 4001, 10), terms, WER())
    weights = np.array([1.0, 1.0])
    found = weight_range(made, weights, 1, 0.95)
    starts = Changes.along(made, weights, np.array([0.0, 1])).positions + 1
    before, after = (f(starts[starts < 1]) for f in (np.min, np.max))
    assert before < found.low < after
    first = made.terms[made.choice(weights)]
    for weight, significant in ((found.low - 0.05, True), (found.low + 0.05, False)):
        other = made.terms[made.choice(np.array([1.0, weight]))]
        p = paired(first, other, WER().rate).p
        assert (p < 0.05) == significant


def test_curves_have_the_rates_of_the_choice() -> None:
    made = misword.asr.nbest.features.corpus_with_features(**lists(40))
    found = misword.tune(made, features="score,lm", resamples=0, bootstrap=0)
    at = found.list_weights.weights["lm"]
    exact = found.curves.filter(pl.col("weight") == at)
    assert exact["rate"].to_list() == [rate(found, "tuned")]
    assert found.curves["held_out"].null_count() == 0
    for weight, expected in found.curves.select("weight", "rate").rows()[::20]:
        chosen = ListWeights({"score": 1.0, "lm": weight}).choose(made.hypotheses)["text"]
        references = made.references["text"].to_list()
        assert misword.wer(references, chosen.to_list()) == pytest.approx(expected)


def test_other_metrics_can_tune() -> None:
    data = lists(30)
    for by in ("cer", "mer", "wil"):
        found = tuned(data, metric=by, folds=0, resamples=0, bootstrap=0)
        assert found.by == by
        assert rate(found, "tuned", metric=by) < rate(found, "rank 1", metric=by)


def test_given_weights_are_a_start() -> None:
    found = tuned(lists(), start={"lm": 1.0}, starts=1, folds=0, resamples=0)
    assert found.list_weights.weights["lm"] > 0
    with pytest.raises(OptionError, match="'nn', which is not among the features"):
        tuned(lists(), start={"nn": 1.0})


@pytest.mark.parametrize(
    ("change", "error", "problem"),
    [
        ({"features": ["nothing"]}, OptionError, "no feature 'nothing'"),
        ({"features": []}, OptionError, "features are missing"),
        ({"features": ["score", "score"]}, OptionError, "features are score, score"),
        ({"folds": 1}, OptionError, "folds is 1"),
        ({"starts": 0}, OptionError, "starts is 0"),
        ({"resamples": -1}, OptionError, "resamples is -1"),
        ({"metric": "nothing"}, MiswordError, "nothing"),
    ],
)
def test_what_is_refused(change: dict[str, Any], error: type[Exception], problem: str) -> None:
    made = misword.asr.nbest.features.corpus_with_features(**lists(3))
    with pytest.raises(error, match=problem):
        misword.tune(made, **change)


def test_missing_numbers_are_named() -> None:
    data = lists(3)
    data["features"]["lm"][1][2] = None
    data["features"]["lm"][2][0] = float("nan")
    with pytest.raises(InputError, match=r"'lm' has no finite number in 2 rows: utterance '2', "):
        tuned(data)
    data["features"] = {"lm": [[1, 2, 3]] * 3}
    with pytest.raises(MismatchError, match="'lm' does not have a number for each hypothesis"):
        tuned(data)


def test_two_systems_are_refused() -> None:
    outputs = {"a": [["x"]], "b": [["y"]]}
    with pytest.raises(OptionError, match="one system"):
        misword.tune(["x"], outputs)


def test_weights_are_written_and_read(tmp_path: Path) -> None:
    weights = ListWeights({"score": 1.0, "lm": 0.1234567890123}, {"tuned_by": "wer"})
    path = tmp_path / "weights.json"
    path.write_bytes(weights.file())
    assert ListWeights.read(path) == weights
    assert ListWeights.parse(str(weights)) == weights
    for text in ("score", "score=x", "score=1,score=2", "=1", "score=nan", ""):
        with pytest.raises(OptionError, match="is not a weight"):
            ListWeights.parse(text)
    path.write_text("{}")
    with pytest.raises(InputError, match="not a file of weights of misword"):
        ListWeights.read(path)
    with pytest.raises(InputError, match="not a file of weights of misword"):
        ListWeights.read(tmp_path / "none.json")
