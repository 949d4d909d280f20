"""MUSE from a lexicon: dictionaries, model selection, refinement, resuming."""

from __future__ import annotations

from inspect import signature
from typing import Any, get_args

import numpy as np
import pytest

from misword.bli.arrays import Float32Array
from misword.bli.methods import METHODS
from misword.bli.methods.muse import BestTargets, Direction, MuseS, best_targets, dictionary_pairs
from misword.bli.methods.procrustes import mapped_units, rotation
from misword.bli.seeds import Validation, from_lexicon, headword_folds
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.lexicons import Lexicon
from recorded_training import RecordedTraining
from spaces_made import turned


def spaces(noise: float = 0.1, steps: str = "none") -> tuple[Space, Space, np.ndarray]:
    source, target, pairs = turned(450, 12, noise=noise)
    first, second = Space.of(source, steps), Space.of(target, steps)
    return first, second, from_lexicon(Lexicon.of(pairs), first, second)[0]


def by_hand(source: Float32Array, target: Float32Array, csls: int) -> np.ndarray:
    """The best target of each source by CSLS, every term of every word computed."""
    cosines = source.astype(float) @ target.astype(float).T
    near_source = np.sort(cosines, axis=1)[:, -csls:].mean(axis=1)
    near_target = np.sort(cosines, axis=0)[-csls:].mean(axis=0)
    return np.asarray((2 * cosines - near_source[:, None] - near_target).argmax(axis=1))


@pytest.mark.parametrize("rank", [60, 450])
def test_dictionaries_are_those_of_the_full_computation(rank: int) -> None:
    source, target, _ = spaces(noise=0.5)
    left, right = mapped_units(source.rows, None), mapped_units(target.rows, None)
    found = [best_targets(*both, rank, 5, 1) for both in ((left, right), (right, left))]
    there, back = by_hand(left, right, 5), by_hand(right, left, 5)
    forth = {(i, int(there[i])) for i in range(rank) if there[i] < rank}
    other = {(int(back[j]), j) for j in range(rank) if back[j] < rank}
    expected = {
        "S2T": forth, "T2S": other, "S2T&T2S": forth & other, "S2T|T2S": forth | other,
    }  # fmt: skip
    assert 0 < len(forth & other) < len(forth) < len(forth | other)
    for name in get_args(Direction):
        pairs = dictionary_pairs(found[0], found[1], rank, name)
        assert sorted(map(tuple, pairs.tolist())) == sorted(expected[name])
    cosines = [float(left[i] @ right[j]) for i, j in sorted(forth)]
    assert found[0].mean_cosine(rank) == pytest.approx(np.mean(cosines), abs=1e-6)


def test_hits_of_best_targets() -> None:
    """Word 0 has two translations, one of them found; that of word 2 is not found."""
    found = BestTargets(np.array([5, 1, 3]), np.zeros(3))
    assert found.hit(np.array([[0, 4], [0, 5], [2, 2]])) == 0.5


def test_words_without_a_vector_have_no_translation() -> None:
    rows = np.eye(4, dtype=np.float32)
    rows[2] = 0
    found = best_targets(rows, rows, 4, 1, 1)
    assert found.best.tolist() == [0, 1, -1, 3]
    assert found.pairs(4).tolist() == [[0, 0], [1, 1], [3, 3]]
    assert found.mean_cosine(4) == 1.0
    assert BestTargets(np.array([-1]), np.array([0.0])).mean_cosine(1) == 0.0


def test_few_pairs_are_refined_to_all() -> None:
    """Twelve dimensions, 8 noisy pairs: the first rotation is poor, refinement makes it good."""
    source, target, pairs = spaces(noise=0.15)
    training = RecordedTraining()
    made = MuseS().train(source, target, pairs[:8], training)
    gold = Validation.of(source, target, pairs)
    first = MuseS(refinements=0).train(source, target, pairs[:8], RecordedTraining())
    assert gold.hit(first.source, first.target) < 0.9 < gold.hit(made.source, made.target)
    close = [record["mean cosine"] for record in training.trace]
    assert [record["refinement"] for record in training.trace] == list(range(6))
    assert training.trace[0]["pairs"] == 8 < training.trace[5]["pairs"]
    assert max(close) > close[0] + 0.02


def test_the_rotation_with_the_best_criterion_is_taken() -> None:
    source, target, pairs = spaces(noise=0.3)
    seen: list[tuple[float, Float32Array]] = []

    class Fickle(RecordedTraining):
        """A training whose validation is best for the second rotation."""

        def report(self, record: Any, source: Float32Array, target: Float32Array) -> float:
            value = (0.3, 0.9, 0.4, 0.4)[len(seen)]
            seen.append((value, source.copy()))
            return value

    chosen = MuseS(refinements=3).train(source, target, pairs[:40], Fickle())
    assert len(seen) == 4
    np.testing.assert_array_equal(chosen.source, seen[1][1])
    np.testing.assert_array_equal(chosen.target, np.eye(12, dtype=np.float32))


def test_held_out_pairs_select_the_rotation() -> None:
    """600 pairs: a fifth is held out; the first rotation, if chosen, is learnt from all."""
    source, target, pairs = turned(600, 12, noise=0.3)
    first, second = Space.of(source), Space.of(target)
    rows = from_lexicon(Lexicon.of(pairs), first, second)[0]
    run = RecordedTraining()
    made = MuseS(refinements=2).train(first, second, rows, run)
    assert run.trace[0]["pairs"] == 480
    hits = [record["hit@1 held out"] for record in run.trace]
    held_out = headword_folds(rows, 5, 0) == 0
    start = rotation(first, second, rows[~held_out])
    found = by_hand(mapped_units(first.rows, start), mapped_units(second.rows, None), 10)
    assert hits[0] == pytest.approx((found[rows[held_out, 0]] == rows[held_out, 1]).mean())
    if hits.index(max(hits)) == 0:
        np.testing.assert_array_equal(made.source, rotation(first, second, rows))


def test_the_best_first_rotation_is_learnt_again_from_all_pairs() -> None:
    source, target, pairs = turned(600, 12, noise=0.3)
    first, second = Space.of(source), Space.of(target)
    rows = from_lexicon(Lexicon.of(pairs), first, second)[0]
    made = MuseS(refinements=0).train(first, second, rows, RecordedTraining())
    np.testing.assert_array_equal(made.source, rotation(first, second, rows))


@pytest.mark.parametrize(("count", "options", "valid"), [
    (499, {}, False), (600, {"holdout": 0.0}, False), (600, {"holdout": 0.1}, False),
    (600, {}, True), (600, {"selection": 400}, False),
])  # fmt: skip
def test_when_no_pairs_are_held_out(count: int, options: dict[str, Any], valid: bool) -> None:
    source, target, pairs = turned(600, 12, noise=0.3)
    first, second = Space.of(source), Space.of(target)
    rows = from_lexicon(Lexicon.of(pairs[:count]), first, second)[0]
    run = RecordedTraining()
    run.validation = Validation.of(first, second, rows) if valid else None
    MuseS(refinements=0, **options).train(first, second, rows, run)
    assert run.trace[0]["pairs"] == count
    assert "hit@1 held out" not in run.trace[0]


def test_a_rotation_is_that_of_the_vectors_as_the_space_has_them() -> None:
    """Training does not normalize: long vectors of a space have more weight."""
    source, target, pairs = spaces(noise=0.5)
    made = MuseS(refinements=0).train(source, target, pairs, RecordedTraining())
    u, _, vt = np.linalg.svd(
        source.rows[pairs[:, 0]].astype(float).T @ target.rows[pairs[:, 1]].astype(float)
    )
    np.testing.assert_allclose(made.source, u @ vt, atol=1e-5)


def test_training_resumed_from_any_state_gives_the_same_matrix() -> None:
    source, target, pairs = spaces(noise=0.3)
    run = RecordedTraining()
    whole = MuseS().train(source, target, pairs[:30], run)
    assert len(run.states) == 5
    for state in run.states:
        resumed = RecordedTraining(state)
        again = MuseS().train(source, target, pairs[:30], resumed)
        np.testing.assert_array_equal(again.source, whole.source)
        assert resumed.trace == run.trace[state["refinement"] :]


def test_identical_words_are_the_seed() -> None:
    from misword.bli.map import map_vectors

    source, target, pairs = turned(300, 12)
    names = {there: here for here, there in pairs[:200]}
    alike = WordVectors.of([names.get(word, word) for word in target.words], target.matrix)
    mapping = map_vectors(source, alike, "muse-i", workers=1)
    assert mapping.trace[0]["pairs"] == 200
    left, right = mapping.mapped("source", source), mapping.mapped("target", alike)
    np.testing.assert_allclose(left.rows[0], right.rows[right.find(["w0"])[0]], atol=1e-5)
    rows = right.find([there for _, there in pairs[200:]])
    assert ((left.rows[200:] @ right.rows.T).argmax(axis=1) == rows).all()


@pytest.mark.parametrize(
    "spec", ["refinements=-1", "rank=0", "csls=0", "selection=0", "holdout=0.6", "normalize=whiten"]
)
def test_wrong_values_of_options_are_refused(spec: str) -> None:
    assert spec.partition("=")[0] in signature(METHODS.load("muse-s")).parameters
    with pytest.raises(OptionError):
        METHODS.create(f"muse-s:{spec}").check(Context())
    with pytest.raises(OptionError, match="S2T"):
        METHODS.create("muse-s:dictionary=both")


def test_a_dictionary_of_nothing_ends_the_refinement() -> None:
    """Of the two most frequent words none has its translation among the two."""
    source, target, pairs = spaces(noise=0.0)
    training = RecordedTraining()
    MuseS(rank=1, refinements=3).train(source, target, pairs, training)
    assert [record["refinement"] for record in training.trace] == [0]
