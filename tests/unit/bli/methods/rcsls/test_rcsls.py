"""RCSLS: its loss by hand, its gradient by finite differences, its steps."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from numpy.typing import NDArray

from misword.bli.methods import METHODS
from misword.bli.methods.rcsls import RCSLS, RelaxedCSLS, clip_singular_values
from misword.bli.seeds import from_lexicon
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.io.lexicons import Lexicon
from recorded_training import RecordedTraining
from spaces_made import turned

Square = NDArray[np.float64]


def spaces(noise: float = 0.3) -> tuple[Space, Space, NDArray[np.int64]]:
    source, target, pairs = turned(300, 12, noise=noise)
    first, second = Space.of(source, "unit"), Space.of(target, "unit")
    return first, second, from_lexicon(Lexicon.of(pairs), first, second)[0]


def by_definition(
    x: Square, y: Square, pairs: NDArray[np.int64], matrix: Square, k: int, negatives: int
) -> float:
    """The loss, pair by pair, in double precision."""
    images, total = x @ matrix, 0.0
    for i, j in pairs:
        near_target = np.sort(y[:negatives] @ images[i])[-k:].mean()
        near_source = np.sort(images[:negatives] @ y[j])[-k:].mean()
        total += -2 * images[i] @ y[j] + near_target + near_source
    return float(total / len(pairs))


def test_a_loss_worked_by_hand() -> None:
    """Two words in the plane, one neighbour, the identity.

    Pair (e1, e1): 2 * 1; nearest target of e1 is e1 (1), nearest source of e1 is e1 (1): loss 0.
    Pair (e1, f), f = (0.6, 0.8): 2 * 0.6; e1's nearest is e1 (1), f's nearest e2 (0.8): loss 0.6.
    """
    source = np.array([[1, 0], [0, 1]], np.float32)
    target = np.array([[1, 0], [0.6, 0.8]], np.float32)
    pairs = np.array([[0, 0], [0, 1]])
    result = RelaxedCSLS(source, target, pairs, 1, 10, 1).at(np.eye(2))
    assert result.value == pytest.approx(0.3, abs=1e-6)
    # By W: -2 (e1 e1' + e1 f') + 2 e1 e1' + (e1 e1' + e2 f'), over two pairs
    expected = np.array([[-2 - 1.2 + 2 + 1, -1.6], [0.6, 0.8]]) / 2
    np.testing.assert_allclose(result.gradient, expected, atol=1e-6)


@pytest.mark.parametrize("negatives", [40, 1000])
def test_the_loss_is_that_of_the_definition(negatives: int) -> None:
    source, target, pairs = spaces()
    some = np.concatenate(
        [pairs[:50], pairs[:5] + np.array([0, 1]), pairs[5:9]]
    )  # several translations
    some[:, 1] %= len(target)
    matrix = np.random.default_rng(1).standard_normal((12, 12)) / 3
    x, y = source.rows.astype(float), target.rows.astype(float)
    result = RelaxedCSLS(source.rows, target.rows, some, 4, negatives, 1).at(matrix)
    assert result.value == pytest.approx(by_definition(x, y, some, matrix, 4, negatives), abs=1e-6)


def test_the_gradient_is_that_of_finite_differences() -> None:
    source, target, pairs = spaces()
    rng = np.random.default_rng(2)
    matrix = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    x, y = source.rows.astype(float), target.rows.astype(float)
    result = RelaxedCSLS(source.rows, target.rows, pairs[:40], 5, 300, 1).at(matrix)
    step = 1e-6
    for _ in range(20):
        way = rng.standard_normal((12, 12))
        ahead, behind = (
            by_definition(x, y, pairs[:40], matrix + sign * step * way, 5, 300) for sign in (1, -1)
        )
        assert np.vdot(result.gradient, way) == pytest.approx(
            (ahead - behind) / (2 * step), abs=1e-5
        )


def test_words_without_a_vector_are_no_neighbours() -> None:
    source, target, pairs = spaces()
    rows = source.rows.copy(), target.rows.copy()
    whole = RelaxedCSLS(*rows, pairs[:20], 300, 300, 1).at(np.eye(12))  # all are neighbours
    padded = [np.concatenate([side, np.zeros((7, 12), np.float32)]) for side in rows]
    again = RelaxedCSLS(padded[0], padded[1], pairs[:20], 300, 307, 1).at(np.eye(12))
    assert again.value == pytest.approx(whole.value, abs=1e-7)


@pytest.mark.parametrize("learning_rate", [1.0, 1000.0])
@pytest.mark.parametrize("spectral", [False, True])
def test_the_loss_never_grows_and_a_step_too_far_is_taken_back(
    learning_rate: float, spectral: bool
) -> None:
    source, target, pairs = spaces()
    run = RecordedTraining()
    made = RCSLS(rate=learning_rate, spectral=spectral, updates=12).train(
        source, target, pairs[:60], run
    )
    values = [record["objective"] for record in run.trace]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]
    assert len(run.trace) == 13
    for before, after in zip(run.trace, run.trace[1:], strict=False):
        worse = after["tried"] > before["objective"]
        assert after["rate"] == (before["rate"] / 2 if worse else before["rate"])
        assert (after["objective"] == before["objective"]) == worse
    assert (run.trace[-1]["rate"] < learning_rate) == (learning_rate == 1000.0)
    loss = RelaxedCSLS(source.rows, target.rows, pairs[:60], 10, 200_000, 1)
    assert loss.at(made.source.astype(float)).value == pytest.approx(values[-1], abs=1e-6)
    largest = np.linalg.svd(made.source)[1].max()
    assert (largest <= 1 + 1e-6) == spectral


def test_clipping_keeps_what_is_within() -> None:
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.standard_normal((5, 5)))[0] for _ in range(2))
    made = clip_singular_values(u @ np.diag([3, 1, 0.5, 0.2, 0]) @ v)
    np.testing.assert_allclose(made, u @ np.diag([1, 1, 0.5, 0.2, 0]) @ v, atol=1e-12)


def test_training_resumed_from_any_state_gives_the_same_matrix() -> None:
    source, target, pairs = spaces()
    method, run = RCSLS(updates=6, rate=30.0), RecordedTraining()
    whole = method.train(source, target, pairs[:60], run)
    assert run.states
    for state in run.states:
        resumed = RecordedTraining(state)
        again = method.train(source, target, pairs[:60], resumed)
        np.testing.assert_array_equal(again.source, whole.source)
        assert resumed.trace == run.trace[state["update"] + 1 :]


@pytest.mark.parametrize(
    "spec", ["updates=-1", "rate=0", "rate=nan", "neighbors=0", "negatives=0", "normalize=length"]
)
def test_wrong_values_of_options_are_refused(spec: str) -> None:
    assert spec.partition("=")[0] in signature(METHODS.load("rcsls")).parameters
    with pytest.raises(OptionError):
        METHODS.create(f"rcsls:{spec}").check(Context())
