"""InferSent with small random weights, beside the equations written out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tiny
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed.encoders import ENCODERS
from misword.embed.vectors.words import WordVectors

WORDS = ["the", "cat", "sat", "<s>", "</s>", "<p>", "dog", "ran"]
VECTORS = WordVectors.of(WORDS, np.random.default_rng(7).normal(size=(8, 5)))
CONTEXT = Context.of("en", VECTORS)
Numbers = NDArray[np.float64]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.infersent(tmp_path_factory.mktemp("weights"), 5, 3)


def sigmoid(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)))


def states(words: list[str], weights: dict[str, Any], end: str) -> list[Numbers]:
    """One direction: gates in the order input, forget, cell, output."""
    taken = {name: weights[f"enc_lstm.{name}_l0{end}"].double().numpy()
             for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}  # fmt: skip
    size = taken["weight_hh"].shape[1]
    hidden, cell, found = np.zeros(size), np.zeros(size), []
    for word in words:
        gates = taken["weight_ih"] @ VECTORS[word] + taken["bias_ih"]
        i, f, g, o = np.split(gates + taken["weight_hh"] @ hidden + taken["bias_hh"], 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        found.append(hidden)
    return found


def plainly(words: list[str], file: Path) -> Numbers:
    import torch

    loaded = torch.load(file, weights_only=True)
    forth, back = states(words, loaded, ""), states(words[::-1], loaded, "_reverse")[::-1]
    return np.asarray(np.concatenate([forth, back], axis=1).max(axis=0))


def encode(spec: str, texts: list[str]) -> NDArray[np.float32]:
    encoder = ENCODERS.create(spec)
    encoder.check(CONTEXT)
    return encoder.fit([], CONTEXT)(texts)


def test_infersent_is_the_equations(weights: Path) -> None:
    texts = ["the cat sat", "dog", "The  dog unheard ran", "unheard", "", "cat the sat"]
    rows = encode(f"infersent:file={weights}", texts)
    assert rows.shape == (6, 6)
    for at, words in ((0, "the cat sat"), (1, "dog"), (2, "the dog ran"), (5, "cat the sat")):
        expected = plainly(["<s>", *words.split(), "</s>"], weights)
        np.testing.assert_allclose(rows[at], expected, atol=1e-6)
    assert not rows[3:5].any()


def test_marks_are_those_of_the_version_where_the_vectors_have_them(weights: Path) -> None:
    rows = encode(f"infersent:file={weights},version=2", ["cat ran"])
    np.testing.assert_allclose(rows[0], plainly(["<p>", "cat", "ran"], weights), atol=1e-6)


def test_batches_make_no_difference(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the cat sat", "dog", "the dog ran", "sat", "cat ran", "the the the the"] * 3
    whole = encode(f"infersent:file={weights}", texts)
    monkeypatch.setattr("misword.embed.encoders.infersent.BATCH", 2)
    np.testing.assert_allclose(encode(f"infersent:file={weights}", texts), whole, atol=1e-6)


def test_weights_are_signed_by_content(weights: Path, tmp_path: Path) -> None:
    copy = tmp_path / "other.pkl"
    copy.write_bytes(weights.read_bytes())
    first, second = (dict(ENCODERS.create(f"infersent:file={f}").settings(CONTEXT))
                     for f in (weights, copy))  # fmt: skip
    assert first == second
    assert len(first["weights"]) == 12


def test_wrong_files_are_refused(weights: Path, tmp_path: Path) -> None:
    import torch

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "run",)

    text, other, foreign, shapes = (tmp_path / name for name in ("a", "b", "c", "d"))
    text.write_text("no weights")
    torch.save({"a": torch.zeros(2)}, other)
    torch.save(Evil(), foreign)
    state = torch.load(weights, weights_only=True)
    torch.save({**state, "enc_lstm.bias_hh_l0": torch.zeros(2)}, shapes)
    for file in (text, other, foreign, shapes):
        with pytest.raises(InputError, match="not the state of an InferSent"):
            encode(f"infersent:file={file}", ["a"])
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="No such file"):
        encode(f"infersent:file={tmp_path}/none.pkl", ["a"])
    with pytest.raises(OptionError, match="needs its weights"):
        encode("infersent", ["a"])
    narrow = tiny.infersent(tmp_path, 4)
    with pytest.raises(OptionError, match="vectors of 4 numbers, these have 5"):
        encode(f"infersent:file={narrow}", ["a"])
