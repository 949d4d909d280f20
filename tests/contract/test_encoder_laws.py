"""Laws for every registered encoder. A new encoder is tested as soon as it is listed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
import tiny
from misword.core.context import Context
from misword.embed.encoders import ENCODERS, Encoder
from misword.embed.vectors.words import WordVectors

pytestmark = pytest.mark.slow  # models are loaded

NAMES = ENCODERS.names()
WORDS = ["the", "cat", "dog", "sat", "ran", "été", "mat"]
VECTORS = WordVectors.of(WORDS, np.random.default_rng(3).normal(size=(len(WORDS), 6)))
CONTEXT = Context.of("en", VECTORS)
CORPUS = ["the cat sat", "the dog ran", "été mat ran cat", "dog sat the mat"]
# The rounding of a network depends on its batch; that of 8-bit networks more.
SLACK = 2e-3

sentence = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=8).map(" ".join)
sentences = st.lists(sentence, min_size=1, max_size=5)


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The specs of encoders that need a file."""
    weights = tiny.infersent(tmp_path_factory.mktemp("weights"), 6)
    model = tiny.bert(tmp_path_factory.mktemp("bert"), hidden_dropout_prob=0.0)
    return {"infersent": f"infersent:file={weights}", "transformer": f"transformer:model={model}"}


def build(name: str, specs: dict[str, str]) -> Encoder:
    encoder = ENCODERS.create(specs.get(name, name))
    encoder.check(CONTEXT)
    return encoder


def some(encoder: Encoder, check: Any, *examples: Any) -> None:
    """Run a law on generated texts, with fewer examples for slow encoders."""

    @settings(max_examples=10 if encoder.slow else 60)
    @given(st.tuples(*examples))
    def run(found: tuple[Any, ...]) -> None:
        check(*found)

    run()


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_has_similarity_one_with_itself(name: str, specs: dict[str, str]) -> None:
    encoder = build(name, specs)
    encode = encoder.fit(CORPUS, CONTEXT)

    def check(texts: Sequence[str]) -> None:
        rows = encode(texts)
        alike = encoder.similarity(rows, rows)
        np.testing.assert_allclose(alike, rows.any(axis=1), atol=1e-6)

    some(encoder, check, sentences)


@pytest.mark.parametrize("name", NAMES)
def test_similarity_is_symmetric_and_in_range(name: str, specs: dict[str, str]) -> None:
    encoder = build(name, specs)
    encode = encoder.fit(CORPUS, CONTEXT)

    def check(texts: Sequence[str]) -> None:
        rows = encode(texts)
        there = encoder.similarity(rows, rows[::-1])
        np.testing.assert_allclose(there, encoder.similarity(rows[::-1], rows), atol=1e-9)
        assert there.dtype == np.float64
        assert (np.abs(there) <= 1 + 1e-6).all()

    some(encoder, check, sentences)


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_does_not_depend_on_other_sentences(name: str, specs: dict[str, str]) -> None:
    """Neither on their order nor on their number: an encoder is fitted before."""
    encoder = build(name, specs)
    encode = encoder.fit(CORPUS, CONTEXT)

    def check(texts: Sequence[str], others: Sequence[str]) -> None:
        alone = np.concatenate([encode([text]) for text in texts])
        beside = encode([*others, *texts[::-1]])[len(others) :][::-1]
        assert alone.shape == beside.shape
        there = encoder.similarity(alone, beside)
        np.testing.assert_allclose(there, alone.any(axis=1), atol=SLACK)

    some(encoder, check, sentences, sentences)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_fit_gives_the_same_bits(name: str, specs: dict[str, str]) -> None:
    encoder = build(name, specs)
    texts = ["the cat ran", "dog", "mat été"]
    first, second = (encoder.fit(CORPUS, CONTEXT)(texts) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.dtype == np.float32
    assert dict(encoder.settings(CONTEXT))["encoder"].startswith(name)


@pytest.mark.parametrize("name", NAMES)
def test_empty_texts_and_unknown_words_are_no_error(name: str, specs: dict[str, str]) -> None:
    encoder = build(name, specs)
    for corpus in ([], [""], CORPUS):
        encode = encoder.fit(corpus, CONTEXT)
        assert len(encode([])) == 0
        rows = encode(["", "   ", "unknown", "the cat"])
        assert np.isfinite(rows).all()
        assert np.isfinite(encoder.similarity(rows, rows[::-1])).all()
    assert len(encoder.partial(["", "unknown"], CONTEXT)) == 2


@pytest.mark.parametrize("name", NAMES)
def test_semdist_works_with_every_encoder(name: str, specs: dict[str, str], tmp_path: Path) -> None:
    label = f"semdist:encoder={specs.get(name, name).replace(',', '+')}"
    said = ["the cat sat", "the dog ran", "mat ran cat sat", ""]
    heard = ["the cat sat", "the dog", "mat cat sat", "dog"]
    scores = misword.score(said, heard, label, lang="en", vectors=VECTORS)
    rates = scores.utterances()[f"{label}.rate"].to_list()
    assert (rates[0], rates[3]) == (0, 1)
    assert all(0 < rate <= 2 for rate in rates[1:3])
    kept = misword.score(said, heard, label, lang="en", vectors=VECTORS, cache=True)
    np.testing.assert_allclose(kept.utterances()[f"{label}.rate"].to_list(), rates, atol=SLACK)
