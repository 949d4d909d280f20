"""Sentences as subspaces, and means without stop words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.embed import frequencies
from misword.embed.encoders import ENCODERS, create_encoder
from misword.embed.encoders import subspace as module
from misword.embed.encoders.transformer import Transformer
from misword.embed.vectors.words import WordVectors

WORDS = ["the", "cat", "dog", "sat", "ran", "mat", "far"]
VECTORS = WordVectors.of(WORDS, np.random.default_rng(5).normal(size=(7, 9)))
CONTEXT = Context.of("en", VECTORS)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


def alike(left: str, right: str, spec: str = "subspace") -> float:
    encoder = ENCODERS.create(spec)
    rows = encoder.fit([], CONTEXT)([left, right])
    return float(encoder.similarity(rows[:1], rows[1:])[0])


def plainly(left: str, right: str, n: int) -> tuple[float, int, int]:
    """Eq. 3 of Voleti 2019 by numpy's own decomposition, and the two ranks."""
    bases = []
    for text in (left, right):
        matrix = np.array([VECTORS[word] for word in text.split()], np.float64)
        _, values, rows = np.linalg.svd(matrix, full_matrices=False)
        bases.append(rows[:n][values[:n] > 1e-6 * values[0]])
    angles = np.linalg.svd(bases[0] @ bases[1].T, compute_uv=False)
    return float(np.sqrt((angles**2).sum())), len(bases[0]), len(bases[1])


@given(texts, texts, st.integers(1, 5))
def test_subspace_is_what_the_paper_says(left: str, right: str, n: int) -> None:
    shared, first, second = plainly(left, right, n)
    assert alike(left, right, f"subspace:n={n},scale=n") * n**0.5 == pytest.approx(shared, abs=1e-5)
    expected = shared / (first * second) ** 0.25
    assert alike(left, right, f"subspace:n={n}") == pytest.approx(expected, abs=1e-5)


def test_rank_is_the_number_of_distinct_words() -> None:
    assert alike("cat dog", "dog cat cat") == pytest.approx(1)
    assert alike("cat dog", "cat dog", "subspace:scale=n") == pytest.approx(0.5**0.5)
    rows = ENCODERS.create("subspace").fit([], CONTEXT)(
        ["cat dog cat", "unheard", "cat far ran sat the"]
    )
    ranks = np.count_nonzero(rows.reshape(3, 4, 9).any(axis=2), axis=1)
    assert ranks.tolist() == [2, 0, 4]


def test_a_word_within_a_sentence_by_hand() -> None:
    """One direction of four that hold it: the angle is 0, the ranks 1 and 4."""
    vectors = WordVectors.of(list("abcd"), np.eye(4))
    label = "semdist:encoder=subspace"
    scores = misword.score(["a b c d"], ["a"], label, vectors=vectors)
    assert scores[label] == pytest.approx(1 - 4**-0.25)


def test_long_texts_go_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    many = ["cat dog sat", "the mat ran", "far cat the", "dog " * 40 + "cat mat sat ran"]
    encode = ENCODERS.create("subspace").fit([], CONTEXT)
    whole = encode(many)
    monkeypatch.setattr(module, "CELLS", 1)
    np.testing.assert_array_equal(encode(many), whole)


def test_stop_words_are_left_out() -> None:
    encode = ENCODERS.create("mean-stop").fit([], CONTEXT)
    rows = encode(["The cat the dog", "the"])
    np.testing.assert_allclose(rows[0], (VECTORS["cat"] + VECTORS["dog"]) / 2, atol=1e-6)
    assert not rows[1].any()
    assert alike("the cat", "cat", "subspace:stop=wordfreq") == pytest.approx(1)
    assert alike("the cat", "cat") < 0.99


def test_stop_words_are_signed() -> None:
    signed = [
        dict(ENCODERS.create(spec).settings(CONTEXT))["stopwords"].split("-")[0]
        for spec in (
            "mean-stop",
            "mean-stop:words=stopwordsiso",
            "subspace",
            "subspace:stop=wordfreq",
        )
    ]
    assert signed == ["wordfreq", "stopwordsiso", "none", "wordfreq"]
    assert dict(ENCODERS.create("mean-stop:number=7").settings(CONTEXT))["stopwords"].endswith(
        "/en/7"
    )


@pytest.mark.parametrize(
    ("spec", "lang", "message"),
    [
        ("mean-stop", None, "language is needed"),
        ("mean-stop:words=stopwordsiso", "xx", "no list for 'xx'"),
        ("mean-stop:number=0", "en", "number is 0"),
        ("subspace:n=0", "en", "n is 0"),
        ("subspace:stop=wordfreq", "xx", "no list for 'xx'"),
    ],
)
def test_what_cannot_be_is_refused(spec: str, lang: str | None, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ENCODERS.create(spec).check(Context.of(lang, VECTORS))


def test_lists_of_stop_words() -> None:
    assert frequencies.load_stopwords("wordfreq", 3, "en") == {"the", "to", "and"}
    assert "man" in frequencies.load_stopwords("stopwordsiso", 100, "en")


def test_a_path_is_a_model() -> None:
    assert create_encoder("", "./here/model") == Transformer("./here/model")
    assert create_encoder("", "org/name:dtype=int8") != Transformer("org/name")
