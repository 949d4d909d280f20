"""misword-r: ridge, weights of pairs, confident pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from misword.bli.map import map_vectors
from misword.bli.methods import MappingMatrices
from misword.bli.methods.procrustes import cross_product, rotation
from misword.bli.methods.regularized import Dictionary, MiswordR
from misword.bli.methods.vecmap import VecMapS
from misword.bli.spaces import Space, scale_to_unit
from misword.core.errors import OptionError
from misword.embed.vectors.words import WordVectors
from spaces_made import turned

FEW = MiswordR(ridge=0.3, words=400)


def spaces(count: int, noise: float = 0.3) -> tuple[Space, Space, NDArray[np.int64]]:
    source, target, pairs = turned(count, 12, noise)
    left, right = Space.of(source), Space.of(target)
    rows = np.column_stack([left.find([a for a, _ in pairs]), right.find([b for _, b in pairs])])
    return left, right, rows


def cosines(source: Space, target: Space, made: MappingMatrices) -> NDArray[np.float32]:
    x, z = source.rows @ made.source, target.rows @ made.target
    scale_to_unit(x)
    scale_to_unit(z)
    return np.asarray(x @ z.T)


def test_without_ridge_and_weights_the_steps_are_those_of_vecmap() -> None:
    source, target, pairs = spaces(200)
    ours = replace(FEW, ridge=1e-9, dewhiten=1.0).steps(source, target, Dictionary.of(pairs))
    theirs = VecMapS().fit(source, target, pairs)
    np.testing.assert_allclose(
        cosines(source, target, ours), cosines(source, target, theirs), atol=1e-4
    )


def test_a_great_ridge_leaves_a_rotation_of_each_side() -> None:
    """Whitening does nothing then: only the re-weighting by singular values remains."""
    source, target, pairs = spaces(200)
    method = replace(FEW, ridge=1e3, reweight=0.0, dewhiten=1.0)
    made = method.steps(source, target, Dictionary.of(pairs))
    turn = made.source @ np.linalg.inv(made.target)
    np.testing.assert_allclose(turn, rotation(source, target, pairs), atol=5e-3)


def test_weights_are_repetitions() -> None:
    source, target, pairs = spaces(60)
    twice = np.concatenate([pairs, pairs[:20]])
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    made = FEW.steps(source, target, Dictionary(pairs, weights))
    repeated = FEW.steps(source, target, Dictionary(twice, np.ones(80)))
    np.testing.assert_allclose(
        cosines(source, target, made), cosines(source, target, repeated), atol=1e-5
    )


def test_weighted_cross_product_by_hand() -> None:
    left, right = np.array([[1, 2], [3, 4]], np.float32), np.array([[1, 0], [0, 1]], np.float32)
    pairs = np.array([[0, 0], [1, 1], [1, 0]])
    product = cross_product(left, right, pairs, np.array([1.0, 2.0, 0.5]))
    assert product.tolist() == [[1 + 1.5, 6], [2 + 2.0, 8]]


def test_a_wrong_pair_counts_less_than_a_right_one() -> None:
    """With one lexicon pair in ten exchanged at random, weights by cosines find more words."""
    source, target, pairs = spaces(600, noise=0.2)
    rng, learnt = np.random.default_rng(0), pairs[:200].copy()
    wrong = rng.choice(200, 60, replace=False)
    learnt[wrong, 1] = rng.permutation(learnt[wrong, 1])
    right = pairs[200:]

    def hits(made: MappingMatrices) -> int:
        best = cosines(source, target, made)[right[:, 0]].argmax(axis=1)
        return int((best == right[:, 1]).sum())

    plain = FEW.steps(source, target, Dictionary.of(learnt))
    assert hits(FEW.fit(source, target, learnt)) > hits(plain)


def test_confident_pairs_are_new_and_mutually_nearest() -> None:
    source, target, pairs = spaces(300)
    made = FEW.fit(source, target, pairs[:100])
    found = FEW._confident_pairs(source, target, made, pairs[:100], 1)
    assert len(found) > 50
    assert not np.isin(found[:, 0], pairs[:100, 0]).any()
    assert not np.isin(found[:, 1], pairs[:100, 1]).any()
    assert len(np.unique(found[:, 0])) == len(np.unique(found[:, 1])) == len(found)


def test_words_of_similar_spelling_are_taken_from_the_best_candidates() -> None:
    source, target, _ = turned(300, 12, noise=0.3)
    spelled = WordVectors.of(
        [f"mot{'abcdefghij'[int(word[1:]) % 10]}{word[1:]}" for word in source.words], source.matrix
    )
    other = WordVectors.of(
        [f"mot{'abcdefghij'[int(word[1:]) % 10]}{word[1:]}" for word in target.words], target.matrix
    )
    left, right = Space.of(spelled), Space.of(other)
    rows = [left.find(spelled.words), right.find(spelled.words)]
    pairs = np.column_stack(rows)
    made = FEW.fit(left, right, pairs[:100])
    found = FEW._spelled_alike(left, right, made, pairs[:100], 1)
    assert not np.isin(found[:, 0], pairs[:100, 0]).any()
    assert not np.isin(found[:, 1], pairs[:100, 1]).any()
    wrong = [pair for pair in found.tolist() if spelled.words[pair[0]] != other.words[pair[1]]]
    exact = replace(FEW, alike=1.0)._spelled_alike(left, right, made, pairs[:100], 1)
    assert len(exact) > 100
    assert len(exact) == len(found) - len(wrong)


def test_without_similar_spellings_the_option_changes_nothing() -> None:
    source, target, pairs = turned(400, 12, noise=0.3)
    other = WordVectors.of([f"{'αβγδε'[i % 5]}" * 3 + f"{i}" for i in range(400)], target.matrix)
    named = dict(zip(target.words, other.words, strict=True))
    lexicon = [(a, named[b]) for a, b in pairs[:150]]
    made = [
        map_vectors(source, other, f"misword-r:words=400,spelling={value}", lexicon=lexicon)
        for value in ("true", "false")
    ]
    np.testing.assert_array_equal(made[0].source.matrix, made[1].source.matrix)


def test_the_trace_has_the_ridge_and_the_pairs_of_each_round() -> None:
    source, target, pairs = turned(400, 12, noise=0.3)
    made = map_vectors(source, target, "misword-r:words=400,rounds=2", lexicon=pairs[:150])
    assert [record["iteration"] for record in made.trace] == [0, 1, 2]
    assert made.trace[0]["pairs"] == 150 < made.trace[1]["pairs"]
    assert {record["ridge"] for record in made.trace} <= {0.1, 0.3, 1.0, 3.0}
    few = map_vectors(source, target, "misword-r:words=400", lexicon=pairs[:50])
    assert few.trace[0]["ridge"] == 1.0  # too few words for a choice


@pytest.mark.parametrize("option", ["ridge=0", "words=0", "folds=1", "trust=2", "dewhiten=-1"])
def test_options_out_of_range_are_refused(option: str) -> None:
    source, target, pairs = turned(60)
    with pytest.raises(OptionError):
        map_vectors(source, target, f"misword-r:{option}", lexicon=pairs)
