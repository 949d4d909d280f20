"""Features of candidates, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from misword.bli.reranking.features import (
    FEATURES,
    NO_SPELLING,
    SPELLING,
    CandidateLists,
    TransliteratedWords,
    features_of,
)

SOURCE_WORDS = ["the", "nation", "Москва"]
TARGET_WORDS = ["la", "nationale", "nation", "moscou", "national"]


@pytest.fixture
def columns() -> dict[str, list[float]]:
    """The features of three candidates of `nation`, by name."""
    lists = CandidateLists(
        queries=np.array([1]),
        ids=np.array([[1, 0, 2]]),
        scores=np.array([[0.5, 0.25, 0.125]]),
        source_hubness=np.array([[0.3]]),
        target_hubness=np.array([[0.1, 0.2, 0.4]]),
        back_ranks=np.array([[1, 11, 2]]),
        back_best=np.array([[0.5, 0.75, 0.25]]),
    )
    features = features_of(lists, SOURCE_WORDS, TARGET_WORDS)
    return {name: features[0, :, at].round(6).tolist() for at, name in enumerate(FEATURES)}


def test_features_of_vectors(columns: dict[str, list[float]]) -> None:
    assert columns["csls"] == [0.5, 0.25, 0.125]
    assert columns["csls_squared"] == [0.25, 0.0625, 0.015625]
    assert columns["source_hubness"] == [0.3, 0.3, 0.3]
    assert columns["target_hubness"] == [0.1, 0.2, 0.4]
    assert columns["log_rank"] == pytest.approx(np.log([1, 2, 3]), abs=1e-6)
    assert columns["below_first"] == [0.0, -0.25, -0.375]
    assert columns["log_back_rank"] == pytest.approx(np.log([1, 11, 2]), abs=1e-6)
    assert columns["below_back_first"] == [0.0, -0.5, -0.125]
    assert columns["mutual"] == [1, 0, 0]


def test_features_of_frequency(columns: dict[str, list[float]]) -> None:
    """`nation` is the second word of its file; the candidates are number 2, 1 and 3."""
    assert columns["log_source_rank"] == pytest.approx([np.log(12)] * 3, abs=1e-6)
    assert columns["log_target_rank"] == pytest.approx(np.log([12, 11, 13]), abs=1e-6)
    differences = [0, np.log(12 / 11), np.log(13 / 12)]
    assert columns["rank_difference"] == pytest.approx(differences, abs=1e-6)


def test_features_of_forms(columns: dict[str, list[float]]) -> None:
    """`nationale` and `nation` begin with the same six letters: two thirds of the longer word."""
    assert columns["forms"] == pytest.approx(np.log([2, 1, 2]), abs=1e-6)
    assert columns["below_best_form"] == [0.0, 0.0, -0.375]
    assert columns["rarer_form"] == pytest.approx([0, 0, np.log(13 / 12)], abs=1e-6)
    assert columns["source_length"] == [6, 6, 6]
    assert columns["target_length"] == [9, 2, 6]


def test_features_of_spelling(columns: dict[str, list[float]]) -> None:
    """From `nation` to `nationale` are three edits, to `la` five."""
    similarities = [1 - 3 / 9, 1 - 5 / 6, 1.0]
    assert columns["similarity"] == pytest.approx(similarities, abs=1e-6)
    assert columns["prefix"] == pytest.approx([6 / 9, 0, 1], abs=1e-6)
    assert columns["identical"] == [0, 0, 1]
    assert columns["length_difference"] == [3, 4, 0]
    assert columns["greatest_similarity"] == [1, 1, 1]
    assert columns["similarity_if_greatest"] == [0, 0, 1]


def test_words_are_compared_after_transliteration() -> None:
    """`Москва` is written moskva: three edits from moscou."""
    spellings = TransliteratedWords.of(SOURCE_WORDS, TARGET_WORDS, np.array([2]), np.array([[3]]))
    assert spellings.similarities()[0, 0] == pytest.approx(1 - 3 / 6)
    assert spellings.prefixes()[0, 0] == pytest.approx(3 / 6)


def test_the_model_without_spelling_has_no_feature_of_two_languages() -> None:
    assert set(FEATURES) - set(SPELLING) == set(NO_SPELLING)
    assert len(set(FEATURES)) == len(FEATURES)


def test_lists_by_csls_in_both_directions() -> None:
    """Against the formula: 2 cos - r(source) - r(target), with all neighbours as there are few."""
    rng = np.random.default_rng(0)
    source, target = (rng.standard_normal((size, 5)).astype(np.float32) for size in (8, 7))
    for rows in (source, target):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = source @ target.T
    scores = 2 * cosines - cosines.mean(axis=1, keepdims=True) - cosines.mean(axis=0)
    queries = np.array([2, 5])
    lists = CandidateLists.find(queries, source, target, 4)
    order = np.argsort(-scores[queries], axis=1)[:, :4]
    assert lists.ids.tolist() == order.tolist()
    np.testing.assert_allclose(lists.scores, scores[queries[:, None], order], atol=1e-5)
    np.testing.assert_allclose(lists.source_hubness[:, 0], cosines.mean(axis=1)[queries], atol=1e-5)
    np.testing.assert_allclose(lists.target_hubness, cosines.mean(axis=0)[order], atol=1e-5)
    ranks = 1 + (scores[:, order] > scores[queries[:, None], order]).sum(axis=0)
    assert lists.back_ranks.tolist() == ranks.tolist()
    np.testing.assert_allclose(lists.back_best, scores.max(axis=0)[order], atol=1e-5)
