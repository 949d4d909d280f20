"""Encoders under noise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from extras import needs
from misword.cli.main import main
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.signature import Signature
from misword.embed.encoders import Encode, Encoder
from misword.embed.vectors.words import WordVectors
from misword.io.results import read_result
from misword.noise.corrupt import build_error_model, draw_all
from misword.noise.error_model import Mix
from misword.noise.robust import (
    Robustness,
    Trials,
    draw_trials,
    noisy_similarities,
    robust,
    trial_seed,
)

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "man",
    "woman",
    "sat",
    "ran",
    "plays",
    "guitar",
    "flute",
    "hat",
    "mat",
    "red",
    "blue",
    "house",
]
VECTORS = WordVectors.of(WORDS, np.random.default_rng(11).normal(size=(len(WORDS), 12)))
RNG = np.random.default_rng(2)


def sentence() -> str:
    return " ".join(RNG.choice(WORDS, size=RNG.integers(4, 9)).tolist())


FIRST = [sentence() for _ in range(60)]
SECOND = [FIRST[i] if i % 5 == 0 else sentence() for i in range(60)]
SHARED = [len({*a.split()} & {*b.split()}) for a, b in zip(FIRST, SECOND, strict=True)]
SCORES = [shared / 2 for shared in SHARED]
PAIRS = {"s1": FIRST, "s2": SECOND, "score": SCORES}


def run(encoders: str = "mean,sif,usif,subspace", **how: Any) -> Robustness:
    usual: dict[str, Any] = {"wer": [0, 0.2, 0.5], "channel": "uniform", "trials": 3}
    return robust(PAIRS, encoders, **usual | {"vectors": VECTORS, "lang": "en"} | how)


def trials_of(texts: list[str], rates: Sequence[float] = (0, 0.3), trials: int = 2) -> Trials:
    how: dict[str, Any] = {"mix": None, "seed": 3, "workers": 1}
    return draw_trials(texts, build_error_model(texts, "uniform"), rates, trials, **how)


# Similarities and correlations


def test_without_noise_a_sentence_is_itself() -> None:
    odd = {
        "s1": ["unheard", "", "the cat"],
        "s2": ["nobody", "the", "a cat"],
        "score": [1, 2, 3],
    }
    found = robust(odd, "mean,mean-stop,sif,usif,subspace", [0], channel="uniform",
                   vectors=VECTORS, lang="en")  # fmt: skip
    assert found.levels["similarity"].to_list() == [1.0] * 5
    assert run().levels.filter(wer=0.0)["similarity"].to_list() == [1.0] * 4


def test_similarities_and_correlations_by_hand() -> None:
    """Draw the same noise and compute every number directly."""
    from scipy import stats

    found = run("mean", seed=4, normalize="nfc,lower,nopunct")
    said = FIRST + SECOND
    hearing = build_error_model(said, "uniform", Context.of("en", VECTORS))
    for trial in (0, 1, 2):
        for drawn in draw_all(said, hearing, [0.2, 0.5], seed=trial_seed(4, trial)):
            rows = np.array([np.mean([VECTORS[w] for w in t.split()], axis=0) for t in drawn.texts])
            clean = np.array([np.mean([VECTORS[w] for w in t.split()], axis=0) for t in said])
            wer = drawn.realised.target.wer
            row = found.trials.filter(wer=wer, trial=trial + 1).row(0, named=True)
            assert row["realised"] == drawn.realised.wer
            assert row["similarity"] == pytest.approx(cosines(rows, clean).mean(), abs=1e-6)
            pairs = cosines(*np.split(rows, 2))
            assert row["pearson"] == pytest.approx(stats.pearsonr(pairs, SCORES)[0], abs=1e-6)
            assert row["spearman"] == pytest.approx(stats.spearmanr(pairs, SCORES)[0], abs=1e-6)


def cosines(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.asarray((left * right).sum(axis=1) / norms)


def test_means_intervals_ratios_and_lines_follow_from_the_trials() -> None:
    from scipy import stats

    found = run(confidence=0.9)
    for label in ("mean", "sif", "usif", "subspace"):
        clean = found.trials.filter(encoder=label, wer=0.0)["pearson"][0]
        for rate in (0.2, 0.5):
            values = found.trials.filter(encoder=label, wer=rate)
            row = found.levels.filter(encoder=label, wer=rate).row(0, named=True)
            for name in ("similarity", "pearson", "spearman"):
                mean = values[name].mean()
                assert row[name] == pytest.approx(mean)
                low, high = stats.t.interval(0.9, 2, mean, stats.sem(values[name]))
                assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx((low, high))
            assert row["ratio"] == pytest.approx(row["pearson"] / clean)
            assert row["ratio_low"] == pytest.approx(row["pearson_low"] / clean)
            assert row["pearson_pairs_low"] < row["pearson"] < row["pearson_pairs_high"]
        means = found.levels.filter(encoder=label)
        line = stats.linregress(means["realised"], means["similarity"])
        row = found.lines.filter(encoder=label).row(0, named=True)
        assert row["slope"] == pytest.approx(line.slope)
        assert row["r2"] == pytest.approx(line.rvalue**2)
        assert row["slope_low"] < row["slope"] < row["slope_high"]


def test_pairs_are_heard_independently() -> None:
    trials = trials_of(["the cat sat on the mat"] * 60)
    left, right = np.split(trials.sentences[1, 0], 2)
    assert (left != right).any()
    assert (trials.sentences[1, 0] != trials.sentences[1, 1]).any()
    assert trials.realised[1] == pytest.approx([0.3, 0.3], abs=0.005)


def test_noise_lowers_what_it_should() -> None:
    found = run("mean,subspace")
    for label in ("mean", "subspace"):
        similarity = found.levels.filter(encoder=label)["similarity"].to_list()
        assert similarity == sorted(similarity, reverse=True)
    assert (found.lines["slope"] < 0).all()


# Fitting and encoding


class Recorder(Encoder):
    """An encoder that records its input."""

    name: ClassVar[str] = "recorder"
    slow: ClassVar[bool] = True

    def __init__(self, fitted: bool) -> None:
        self.learns = fitted
        self.learnt: list[list[str]] = []
        self.seen: list[str] = []

    @property
    def fitted(self) -> bool:
        return self.learns

    def check(self, context: Context) -> None: ...

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        return ()

    def fit(self, corpus: Sequence[str], context: Context) -> Encode:
        self.learnt.append(list(corpus))
        number = len(self.learnt)

        def encode(texts: Sequence[str]) -> NDArray[np.float32]:
            self.seen += texts
            return np.array([[len(text), number] for text in texts], np.float32)

        return encode

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        return np.array([text.startswith("dog") for text in texts], np.bool_)


def test_each_distinct_sentence_is_encoded_once_by_a_clean_fit() -> None:
    texts = ["the cat sat", "dog ran", "the cat sat", "the  dog ran"]
    trials = trials_of(texts, (0, 0.3, 0.6), 3)
    encoder = Recorder(fitted=True)
    found = noisy_similarities(encoder, trials, Context(), refit=False)
    assert len(encoder.seen) == len(set(encoder.seen))
    assert encoder.learnt == [["the cat sat", "dog ran", "the cat sat", "the dog ran"]]
    assert found.with_clean.shape == (3, 3)
    assert found.partial == 1
    assert (found.with_clean[0] == 1).all()


def test_refit_learns_from_each_noisy_corpus() -> None:
    texts = ["the cat sat", "dog ran", "the mat", "the dog ran"]
    trials = trials_of(texts, (0, 0.5), 2)
    encoder = Recorder(fitted=True)
    found = noisy_similarities(encoder, trials, Context(), refit=True)
    noisy = [trials.texts_of(trials.sentences[1, trial]) for trial in range(2)]
    assert encoder.learnt == [texts, *noisy]
    assert (found.with_clean[0] == 1).all()
    # An unchanged sentence has another vector by another fit, so its similarity is computed too.
    assert (found.with_clean[1] < 1).all()
    plain = Recorder(fitted=False)
    noisy_similarities(plain, trials, Context(), refit=True)
    assert len(plain.learnt) == 1


def test_vectors_of_slow_encoders_are_cached() -> None:
    trials = trials_of(["the cat sat", "dog ran", "the mat", "the dog ran"])
    first, second = Recorder(fitted=False), Recorder(fitted=False)
    context = Context(cache=True)
    made = [
        noisy_similarities(encoder, trials, context, refit=False) for encoder in (first, second)
    ]
    assert first.seen
    assert not second.seen
    np.testing.assert_array_equal(made[0].within_pairs, made[1].within_pairs)


def test_refit_moves_only_what_is_fitted() -> None:
    clean, noisy = run("mean,sif"), run("mean,sif", refit=True)
    for label, same in (("mean", True), ("sif", False)):
        tables = [found.trials.filter(encoder=label) for found in (clean, noisy)]
        assert tables[0].equals(tables[1]) is same
        without = [table.filter(wer=0.0) for table in tables]
        assert without[0].equals(without[1])
    signed = [dict(found.signatures["sif"].settings)["fitted"] for found in (clean, noisy)]
    assert signed[0].startswith("clean-")
    assert signed[1] == "noisy"


# Seeds, settings, signatures


def test_the_seed_decides() -> None:
    one, two, other = run(workers=1), run(workers=2), run(seed=1)
    assert one.levels.equals(two.levels)
    assert one.trials.equals(two.trials)
    assert not one.trials.equals(other.trials)


def test_punctuation_is_taken_off_by_default() -> None:
    marked = {**PAIRS, "s1": [f"{text.capitalize()}." for text in FIRST]}
    how: dict[str, Any] = {"channel": "uniform", "vectors": VECTORS, "trials": 1}
    plain, found = (robust(pairs, "mean", [0], **how) for pairs in (PAIRS, marked))
    assert found.levels["pearson"][0] == pytest.approx(plain.levels["pearson"][0])
    assert not found.notes
    kept = robust(marked, "mean", [0], normalize="none", **how)
    assert "60 of 120 clean sentences: only partly encoded" in kept.notes[0]
    signed = dict(kept.signatures["mean"].settings)
    assert signed["normalize"] == "none"


def test_the_result_describes_its_channel() -> None:
    parts = run("mean", channel="voleti:n=5", wer=[0.1]).result().provenance["parts"]
    assert parts["voleti:n=5"]["title"] == "Voleti substitutions"
    assert "voleti2019" in parts["voleti:n=5"]["cites"][0]


def test_rows_are_signed() -> None:
    found = run("mean,subspace:n=2", mix=Mix(0.5, 0.25, 0.25))
    signature = Signature.parse(found.levels["signature"][-1])
    settings = dict(signature.settings)
    assert signature.metric == "robust"
    expected = {"encoder": "subspace", "n": "2", "channel": "uniform", "trials": "3", "seed": "0"}
    assert expected.items() <= settings.items()
    assert settings["mix"] == "s=0.5,d=0.25,i=0.25"
    assert len(settings) == len(signature.settings)


def test_vectors_of_the_channel_may_be_others() -> None:
    others = WordVectors.of(WORDS[::-1], np.eye(len(WORDS)))
    how: dict[str, Any] = {"channel": "voleti:n=5", "channel_vectors": others, "wer": [0.1]}
    signed = dict(run("mean", **how).signatures["mean"].settings)
    assert signed["vectors"] == VECTORS.digest[:16]
    assert signed["channel.vectors"] == others.digest[:16]


def test_words_that_the_channel_leaves_alone_are_counted() -> None:
    some = WordVectors.of(WORDS[2:], np.eye(len(WORDS))[2:])
    found = run("mean", channel="voleti", channel_vectors=some, wer=[0.1])
    alone = sum(text.split().count(word) for text in FIRST + SECOND for word in WORDS[:2])
    words = sum(len(text.split()) for text in FIRST + SECOND)
    assert found.settings["left_alone"] == alone
    reason = "the channel has no substitute for them"
    assert found.notes == (f"{alone:,} of {words:,} words are not changed: {reason}",)


def test_one_trial_has_no_interval_over_trials() -> None:
    row = run("mean", trials=1, bootstrap=0).levels.filter(wer=0.5).row(0, named=True)
    for name in ("pearson_low", "similarity_high", "ratio_low", "pearson_pairs_low"):
        assert row[name] is None
    assert row["pearson"] is not None


def test_constant_scores_have_no_correlation() -> None:
    pairs = {**PAIRS, "score": [1.0] * 60}
    found = robust(pairs, "mean", [0, 0.5], channel="uniform", vectors=VECTORS, trials=2)
    assert found.levels["pearson"].to_list() == [None, None]
    assert found.levels["ratio"].to_list() == [None, None]
    assert found.lines["slope"][0] < 0


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"trials": 0}, "0 trials"),
        ({"wer": [-0.1]}, "not a word error rate"),
        ({"confidence": 1.0}, "confidence is 1"),
        ({"bootstrap": -1}, "bootstrap is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"mix": Mix(0.5, 0, 0)}, "not a mix"),
        ({"encoders": ""}, "no encoder is named"),
        ({"encoders": "means"}, "did you mean 'mean'"),
        ({"vectors": None}, "word vectors are needed"),
        ({"channel": "unifrom"}, "did you mean 'uniform'"),
        ({"normalize": "lowr"}, "did you mean 'lower'"),
        ({"channel": "uniform:vocabulary=none.txt"}, "none.txt"),
    ],
)
def test_what_cannot_be_is_refused_before_reading(how: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"channel": "uniform", "vectors": VECTORS, **how}
    with pytest.raises((OptionError, InputError), match=message):
        robust("no such file.csv", **options)


# The command


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(PAIRS).write_csv("sts.csv")
    rows = [f"{w} {' '.join(f'{x:.6f}' for x in VECTORS[w])}" for w in WORDS]
    Path("v.vec").write_text("\n".join([f"{len(WORDS)} 12", *rows]) + "\n", "utf-8")
    return tmp_path


COMMAND = [
    "robust",
    "sts.csv",
    "--vectors",
    "v.vec",
    "--channel",
    "uniform",
    "--trials",
    "2",
    "--wer",
    "0:0.4:0.2",
]


def test_command_writes_tables_result_and_page(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--out", "out", "--report", "page.html", "--format", "json"]
    assert main([*COMMAND, "--encoders", "mean,sif", *more]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [(row["encoder"], row["wer"]) for row in printed["rows"]] == [
        (label, rate) for label in ("mean", "sif") for rate in (0.0, 0.2, 0.4)
    ]
    result = read_result("out")
    assert result.kind == "robustness"
    assert result.provenance["sha256"].keys() == {"sts.csv"}
    stored = result.tables["levels"].drop("signature").to_dicts()
    assert stored == printed["rows"]
    assert "Similarity with the clean sentence" in Path("page.html").read_text("utf-8")


@needs("stopwordsiso")
@pytest.mark.parametrize("form", ["table", "md", "csv"])
def test_command_prints_every_row(
    desk: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert main([*COMMAND, "--encoders", "mean,mean-stop", "--lang", "en", "--format", form]) == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if line.strip("| ").startswith("mean-stop")]
    assert len(rows) == (3 if form == "csv" else 4)  # one more with the line through them
    assert "robust|encoder:mean-stop" in out


def test_command_refuses_in_one_line(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["--wer", "x"], "not a word error rate"),
        (["--mix", "s=2"], "not a mix"),
        (["--encoders", "infersent"], "needs its weights"),
        (["--columns", "s1,s2"], "2 columns named"),
        (["--report", "sts.csv"], "this is an input"),
        (["--channel", "voleti"], "the language is needed"),
        (["--vectors", "nothing.vec"], "no such file"),
    ):
        assert main([*COMMAND, "--out", "out", *words]) == 2
        assert message in capsys.readouterr().err
    assert not Path("out").exists()
