"""The power of de-whitening: how it is chosen, and the presets that choose it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from misword.bli.map import map_vectors
from misword.bli.methods import misword_presets
from misword.bli.methods.misword_presets import PowerChoice, held_out_hits, not_worse
from misword.bli.methods.vecmap import VecMapS
from misword.bli.retrievers.csls import CSLS
from misword.bli.spaces import Space, scale_to_unit
from misword.core.errors import OptionError
from spaces_made import turned


def spaces(count: int, noise: float = 0.3) -> tuple[Space, Space, NDArray[np.int64]]:
    source, target, pairs = turned(count, 12, noise)
    left, right = Space.of(source), Space.of(target)
    rows = np.column_stack([left.find([a for a, _ in pairs]), right.find([b for _, b in pairs])])
    return left, right, rows


def test_one_standard_error() -> None:
    best = np.array([True] * 9 + [False])
    assert not_worse(best, best)
    assert not_worse(np.array([False] + [True] * 8 + [False]), best)  # 1 <= sqrt(1)
    assert not not_worse(np.array([False] * 2 + [True] * 7 + [False]), best)  # 2 > sqrt(2)
    assert not_worse(np.array([False] * 2 + [True] * 8), best)  # 2 - 1 <= sqrt(3)


def test_held_out_words_are_translated_by_the_other_folds() -> None:
    """Against the same computation over whole matrices of cosines."""
    source, target, pairs = spaces(200)
    method = VecMapS(dewhiten=0.5)
    folds = np.random.default_rng(3).permutation(200) % 2
    correct = 0
    for fold in range(2):
        made = method.fit(source, target, pairs[folds != fold])
        x, z = source.rows @ made.source, target.rows @ made.target
        scale_to_unit(x)
        scale_to_unit(z)
        queries = np.flatnonzero(folds == fold)
        best = CSLS().retrieve(queries, x, z, 1, 1).ids[:, 0]
        correct += int((best == pairs[queries, 1]).sum())
    assert 0 < correct < 200
    fit = partial(method.fit, source, target)
    assert held_out_hits(fit, source, target, pairs, 2, seed=3, workers=1).sum() == correct


@pytest.mark.parametrize(("least", "folds", "count", "power"), [
    (0.5, 2, 999, 1.0), (0.5, 0, 1999, 1.0), (0.5, 0, 2000, 0.5), (0.2, 0, 2500, 0.2),
    (1.0, 2, 1500, 1.0),
])  # fmt: skip
def test_few_words_have_the_power_one(least: float, folds: int, count: int, power: float) -> None:
    source, target, _ = spaces(20)
    pairs = np.column_stack([np.arange(count), np.zeros(count, np.int64)])
    assert PowerChoice(least, folds).choose(VecMapS(), source, target, pairs) == power


@pytest.mark.parametrize(("hits", "power"), [
    ((90, 90, 90), 0.5), ((80, 90, 90), 0.75), ((50, 60, 90), 1.0), ((90, 80, 70), 0.5),
])  # fmt: skip
def test_the_smallest_power_that_is_not_worse(
    hits: tuple[int, ...], power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(misword_presets, "FEWEST_FOR_CHOICE", 0)
    found = dict(zip((0.5, 0.75, 1.0), hits, strict=True))
    monkeypatch.setattr(
        PowerChoice, "_correct", lambda self, method, *_: np.arange(100) < found[method.dewhiten]
    )
    source, target, pairs = spaces(20)
    assert PowerChoice(0.5, 2).choose(VecMapS(), source, target, pairs) == power


def test_the_preset_maps_with_the_chosen_power(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misword_presets, "FEWEST_FOR_CHOICE", 50)
    source, target, pairs = turned(200, 12, noise=0.3)
    mapping = map_vectors(source, target, "misword-s", lexicon=pairs, workers=1)
    power = mapping.trace[-1]["dewhiten"]
    other = map_vectors(source, target, replace(VecMapS(), dewhiten=power), lexicon=pairs)
    np.testing.assert_array_equal(mapping.source.matrix, other.source.matrix)


def test_the_unsupervised_preset_has_the_dictionary_of_vecmap() -> None:
    source, target, _ = turned(2_100, 6, noise=0.05)
    options = "patience=1,cutoff=2100,csls=3,start=500"
    specs = (f"misword-u:{options}", f"vecmap-u:{options},dewhiten=0.5")
    own, other = (map_vectors(source, target, spec, workers=1) for spec in specs)
    np.testing.assert_array_equal(own.source.matrix, other.source.matrix)
    assert own.signature.metric == "misword-u"


@pytest.mark.parametrize("options", ["folds=1", "folds=0", "dewhiten=-1"])
def test_wrong_values_of_options_are_refused_by_the_presets(options: str) -> None:
    source, target, pairs = turned(20, 3)
    with pytest.raises(OptionError):
        map_vectors(source, target, f"misword-s:{options}", lexicon=pairs)
