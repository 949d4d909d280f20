"""MUSE without a lexicon: the discriminator's gradients, adversarial training, starts, resuming."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from misword.bli.methods import METHODS
from misword.bli.methods.muse_unsupervised import PARAMETERS, Discriminator, MuseU
from misword.bli.methods.starts import Starts
from misword.bli.seeds import Validation
from misword.bli.spaces import Space
from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.embed.vectors.words import WordVectors
from recorded_training import RecordedTraining

if TYPE_CHECKING:
    import torch

NOTHING = np.empty((0, 2), np.int64)
EASY = MuseU(hidden=64, epochs=4, steps=150, starts=1)
SHORT = MuseU(
    hidden=16, epochs=3, steps=10, starts=2, refinements=2, margin=100, fallback="none"
)  # fmt: skip
JUDGE = Starts(1, 0.1, 4_000, 10)


def clusters(words: int = 400, dimension: int = 8) -> NDArray[np.float64]:
    """Uneven clusters: only one rotation maps a rotated copy back onto the points."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((12, dimension)) * rng.uniform(0.5, 2, (12, 1))
    which = rng.choice(12, words, p=rng.dirichlet(np.full(12, 2)))
    return np.asarray(centres[which] + 0.3 * rng.standard_normal((words, dimension)))


def spaces(words: int = 400) -> tuple[Space, Space]:
    """Points and their copy rotated by up to 70 degrees: few words are nearest to themselves."""
    from scipy.linalg import expm

    rows, names = clusters(words), [f"w{i}" for i in range(words)]
    ways = np.random.default_rng(1).standard_normal((8, 8))
    turn = expm(1.2 * (ways - ways.T) / np.linalg.norm(ways - ways.T, 2))
    return (
        Space.of(WordVectors.of(names, rows), "none"),
        Space.of(WordVectors.of(names, rows @ turn), "none"),
    )


def hit(source: Space, target: Space, matrix: NDArray[np.float32]) -> float:
    """The share of words whose nearest is the same word."""
    same = np.column_stack([np.arange(len(source))] * 2)
    return Validation.of(source, target, same).hit(matrix, np.eye(8, dtype=np.float32))


def network(discriminator: Discriminator) -> torch.nn.Sequential:
    """The same network as PyTorch builds it."""
    import torch

    sizes = discriminator.first.shape[1], discriminator.first.shape[0]
    made = torch.nn.Sequential(
        torch.nn.Linear(*sizes), torch.nn.LeakyReLU(discriminator.slope),
        torch.nn.Linear(sizes[1], sizes[1]), torch.nn.LeakyReLU(discriminator.slope),
        torch.nn.Linear(sizes[1], 1),
    )  # fmt: skip
    shown = [getattr(discriminator, name).clone() for name in PARAMETERS]
    shown[4] = shown[4][None]
    with torch.no_grad():
        for mine, theirs in zip(made.parameters(), shown, strict=True):
            mine.copy_(theirs)
    return made


def test_the_gradients_are_those_of_automatic_differentiation() -> None:
    import torch

    generator = torch.Generator().manual_seed(0)
    discriminator = Discriminator.new(6, 20, 0.2, 0.0, generator)
    other = network(discriminator)
    rows = torch.randn(10, 6, generator=generator, requires_grad=True)
    labels = torch.rand(10, generator=generator)
    logits = other(rows)[:, 0]
    torch.nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        assert rows.grad is not None
        torch.testing.assert_close(discriminator.input_gradient(rows.detach(), labels), rows.grad)
        right = discriminator.learn(rows.detach(), labels, 0.5, generator)
        torch.optim.SGD(other.parameters(), lr=0.5).step()
        for name, theirs in zip(PARAMETERS, other.parameters(), strict=True):
            torch.testing.assert_close(
                getattr(discriminator, name),
                theirs.detach().view(-1).view_as(getattr(discriminator, name)),
            )
    assert right == pytest.approx(float(((logits > 0) == (labels > 0.5)).float().mean()))


def test_dropout_hides_its_share_and_keeps_the_mean() -> None:
    """The input is all ones: a weight of the first layer moves if its input was not dropped."""
    import torch

    generator = torch.Generator().manual_seed(0)
    discriminator = Discriminator.new(500, 4, 0.2, 0.4, generator)
    before = discriminator.first.clone()
    discriminator.learn(torch.ones(1, 500), torch.tensor([1.0]), 0.1, generator)
    moved = (discriminator.first - before)[0]
    seen = moved.abs() > 0
    assert float(seen.float().mean()) == pytest.approx(0.6, abs=0.07)
    torch.testing.assert_close(
        moved[seen], torch.full_like(moved[seen], float(moved[seen][0])), rtol=1e-3, atol=1e-7
    )


@pytest.mark.slow
def test_adversarial_training_alone_turns_the_space() -> None:
    both, run = spaces(), RecordedTraining()
    trained = replace(EASY, refinements=0).train(*both, NOTHING, run).source
    assert hit(*both, np.eye(8, dtype=np.float32)) < 0.1
    assert hit(*both, trained) > 0.6
    close = [record["mean cosine"] for record in run.trace if "epoch" in record]
    assert len(close) == 4
    assert close[-1] > close[0]
    np.testing.assert_allclose(trained.T @ trained, np.eye(8), atol=1e-5)


@pytest.mark.slow
def test_a_turned_copy_is_recovered_without_a_lexicon() -> None:
    both, run = spaces(), RecordedTraining()
    found = EASY.train(*both, NOTHING, run)
    np.testing.assert_allclose(both[0].rows @ found.source, both[1].rows, atol=1e-2)
    assert run.trace[-1]["objective"] > 0.99 > run.trace[-1]["chance"] + 0.02


@pytest.mark.parametrize(("margin", "starts"), [(0.0, 1), (100.0, 2)])
def test_a_bad_start_is_followed_by_another(margin: float, starts: int) -> None:
    run = RecordedTraining({"start": 0, "chance": -1.0, "greatest": -1.0, **kept()})
    made = replace(SHORT, margin=margin).train(*spaces(150), NOTHING, run)
    ends = [record for record in run.trace if "chance" in record]
    assert [record["start"] for record in ends] == list(range(starts))
    best = max(record["objective"] for record in ends)
    left, right = (space.normalized("unit+center+unit") for space in spaces(150))
    assert JUDGE.objective(left, right, made.source, 1) == pytest.approx(best, abs=1e-6)


def kept() -> dict[str, NDArray[np.float32]]:
    """The matrices that a training has before its first start."""
    return {name: np.eye(8, dtype=np.float32) for name in ("kept_source", "kept_target")}


@pytest.mark.parametrize("state", [None, "turn", "refinement"])
def test_after_failed_starts_self_learning_is_the_start(state: str | None) -> None:
    """The starts fail by an impossible margin; the last start is resumed from its own states."""
    both, run = spaces(150), RecordedTraining()
    method = replace(SHORT, starts=1, epochs=1, fallback="self-learning")
    whole = method.train(*both, NOTHING, run)
    records = [record for record in run.trace if record["start"] == 1]
    assert "keep" in records[0]
    assert {"refinement", "pairs"} <= set(records[-2])
    assert whole.source.shape == (8, 8)
    if state is not None:
        saved = next(one for one in run.states if one["start"] == 1 and state in one)
        resumed = method.train(*both, NOTHING, RecordedTraining(saved))
        np.testing.assert_array_equal(resumed.source, whole.source)


def test_the_same_seed_the_same_matrix_on_any_workers() -> None:
    both = spaces(150)
    first, second, third, other = (
        SHORT.train(*both, NOTHING, RecordedTraining(seed=seed, workers=workers)).source
        for seed, workers in ((3, 1), (3, 1), (3, 2), (4, 1))
    )
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)
    assert np.abs(first - other).max() > 1e-3


@pytest.mark.slow
def test_training_resumed_from_any_state_gives_the_same_matrix() -> None:
    both = spaces(150)
    run = RecordedTraining()
    whole = SHORT.train(*both, NOTHING, run)
    phases = {
        (state["start"], name)
        for state in run.states
        for name in ("epoch", "refinement")
        if name in state
    }
    assert phases == {(0, "epoch"), (0, "refinement"), (1, "epoch"), (1, "refinement")}
    for state in run.states:
        resumed = RecordedTraining(state)
        again = SHORT.train(*both, NOTHING, resumed)
        np.testing.assert_array_equal(again.source, whole.source)
        assert resumed.trace == run.trace[len(run.trace) - len(resumed.trace) :]


def test_training_without_improvement_ends_early_at_a_smaller_rate() -> None:
    class Unmoved(RecordedTraining):
        """A validation that never gets better."""

        def report(self, record: dict[str, float | int], *matrices: object) -> float:
            self.trace.append(record)
            return 0.5

    run = Unmoved()
    options = {"hidden": 8, "epochs": 9, "steps": 2, "patience": 3, "starts": 1, "refinements": 0}
    MuseU(**options, fallback="none").train(*spaces(60), NOTHING, run)  # type: ignore[arg-type]
    epochs = [state for state in run.states if "epoch" in state]
    assert [state["epoch"] for state in epochs] == [1, 2, 3, 4]
    # Decayed each time; halved from the second time on that it did not get better.
    rates = [0.1 * 0.98, 0.1 * 0.98**2, 0.1 * 0.98**3 / 2, 0.1 * 0.98**4 / 4]
    assert [state["rate"] for state in epochs] == pytest.approx(rates)


def test_the_right_rotation_is_above_chance() -> None:
    source, target = spaces()
    turn = np.linalg.lstsq(source.rows, target.rows, rcond=None)[0].astype(np.float32)
    by_chance = JUDGE.chance(source, target, 0, 1)
    assert JUDGE.objective(source, target, turn, 1) > 0.99 > by_chance > 0
    assert by_chance == JUDGE.chance(source, target, 0, 2)


@pytest.mark.parametrize(
    "spec", ["epochs=-1", "steps=0", "batch=0", "hidden=0", "dropout=1", "smoothing=0.5", "rate=0",
             "rate=nan", "decay=2", "starts=0", "rank=0", "patience=0", "normalize=x"],
)  # fmt: skip
def test_wrong_values_of_options_are_refused(spec: str) -> None:
    assert spec.partition("=")[0] in signature(METHODS.load("muse-u")).parameters
    with pytest.raises(OptionError):
        METHODS.create(f"muse-u:{spec}").check(Context())


def test_without_pytorch_it_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match="torch") as caught:
        MuseU().check(Context())
    assert "misword[neural]" in str(caught.value)


def test_failed_starts_are_noted() -> None:
    failed: list[dict[str, float | int]] = [
        {"epoch": 1},
        {"start": 0, "objective": 0.55, "chance": 0.54},
        {"start": 1, "objective": 0.56, "chance": 0.54},
    ]
    (note,) = MuseU().notes(failed)
    assert note.startswith("the training failed in all its starts (2), do not use the mapping")
    assert "nearest translation is 0.560, by chance 0.540; use vecmap-i" in note
    good: dict[str, float | int] = {"start": 1, "objective": 0.59, "chance": 0.54}
    assert MuseU().notes([failed[1], good]) == ()
    (note,) = MuseU().notes([*failed, {**good, "start": 2}])
    assert note.startswith("adversarial training failed in all its starts (2): the mapping is")
