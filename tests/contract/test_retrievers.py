"""Laws for every registered retriever."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from misword.bli.retrievers import (
    RETRIEVERS,
    Neighbors,
    Retriever,
    RowNumbers,
    Scores,
    UnitVectors,
    csls,
    nearest,
)
from misword.bli.search import hubness as bounds
from misword.bli.search import ranking
from misword.bli.search import ranking as backends
from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError

# `reranked` reads words and a reranker beside the vectors: tests/unit/bli/retrievers.
NAMES = [name for name in RETRIEVERS.names() if name != "reranked"]
BACKENDS = [f"{name}:backend={other}" for name in ("nn", "csls") for other in ("faiss", "torch")]
SPECS = [*NAMES, *BACKENDS]


@pytest.fixture(params=["small", "large"], scope="module", autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """The code for small inputs, and that for large ones: in many tiles, by bounds."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "large":
            patch.setattr(csls, "BOUNDS_FROM", 0)
            patch.setattr(csls, "SPARE_CANDIDATES", 0)
            patch.setattr(bounds, "PROBES", 2)
            patch.setattr(ranking, "ROWS", 40)
            patch.setattr(nearest, "BLOCK", 16)
            patch.setattr(nearest, "BLOCK", 16)
        yield


def units(rng: np.random.Generator, rows: int, zeros: int = 0, dimension: int = 8) -> UnitVectors:
    """Random unit vectors in five clusters, since word vectors form clusters."""
    heaps = rng.normal(size=(5, dimension))
    matrix = heaps[rng.integers(5, size=rows)] + 0.7 * rng.normal(size=(rows, dimension))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix[rng.permutation(rows)[:zeros]] = 0
    return matrix.astype(np.float32)


def all_scores(name: str, source: UnitVectors, target: UnitVectors) -> Scores:
    """Every score of every pair, in double precision; minus infinity where there is no vector."""
    words, others = source.any(axis=1), target.any(axis=1)
    cosines = source.astype(np.float64) @ target.astype(np.float64).T
    near, far = cosines[:, others], cosines[words]
    if name == "csls":
        own = np.sort(near, axis=1)[:, ::-1][:, :10].mean(axis=1)
        off = np.sort(far, axis=0)[::-1][:10].mean(axis=0)
        scores = 2 * cosines - own[:, None] - off
    elif name == "inverted-softmax":
        scores = 30 * cosines - np.log(np.exp(30 * far).sum(axis=0))
    elif name == "inverted-nn":
        rank = (far[None] > cosines[:, None]).sum(axis=1)
        scores = cosines / 4 - rank  # ranks first, then cosines
    else:
        scores = cosines
    return np.where(others, scores, -np.inf)


def agrees(name: str, found: Neighbors, scores: Scores, queries: RowNumbers, k: int) -> None:
    """The `k` best in order, except for differences by rounding."""
    assert found.ids.shape == found.scores.shape == (len(queries), k)
    best = -np.sort(-scores[queries], axis=1)[:, :k]
    ours = np.take_along_axis(scores[queries], found.ids, 1)
    np.testing.assert_allclose(ours, best, atol=1e-4)
    if name == "inverted-nn":
        np.testing.assert_allclose(1 / found.scores, 1 - np.round(ours), rtol=1e-5)
    else:
        np.testing.assert_allclose(found.scores, ours, atol=1e-4)
    assert all(len(set(row)) == len(row) for row in found.ids.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
@settings(max_examples=40)
@given(
    st.integers(0, 2**32), st.integers(3, 150), st.integers(3, 150), st.integers(1, 12),
    st.booleans(),
)  # fmt: skip
def test_equals_brute_force(name: str, seed: int, rows: int, size: int, k: int, zero: bool) -> None:
    rng = np.random.default_rng(seed)
    source, target = units(rng, rows, rows // 4 * zero), units(rng, size, size // 4 * zero)
    queries = rng.permutation(rows)[: rng.integers(1, rows)]
    k = min(k, int(np.count_nonzero(target.any(axis=1))))
    found = RETRIEVERS.create(name).retrieve(queries, source, target, k)
    kind = name.partition(":")[0]
    agrees(kind, found, all_scores(kind, source, target), queries, k)


@pytest.fixture(params=SPECS)
def retriever(request: pytest.FixtureRequest) -> Retriever:
    return RETRIEVERS.create(request.param)


def test_permuted_targets_give_permuted_results(retriever: Retriever) -> None:
    rng = np.random.default_rng(1)
    source, target, queries = units(rng, 200), units(rng, 300), np.arange(0, 200, 3)
    order = rng.permutation(300)
    found = retriever.retrieve(queries, source, target, 5)
    moved = retriever.retrieve(queries, source, target[order], 5)
    assert order[moved.ids].tolist() == found.ids.tolist()
    np.testing.assert_allclose(moved.scores, found.scores, atol=1e-5)


def test_a_space_is_its_own_translation(retriever: Retriever) -> None:
    source, queries = units(np.random.default_rng(2), 300, dimension=30), np.arange(300)
    assert retriever.retrieve(queries, source, source, 1).ids[:, 0].tolist() == queries.tolist()


def test_fewer_targets_than_requested(retriever: Retriever) -> None:
    rng = np.random.default_rng(3)
    target = units(rng, 9, zeros=2)
    found = retriever.retrieve(np.array([4, 0]), units(rng, 20), target, 50)
    assert found.ids.shape == found.scores.shape == (2, 7)
    for row in found.ids.tolist():
        assert sorted(row) == np.flatnonzero(target.any(axis=1)).tolist()


def test_no_queries_and_no_target_vectors(retriever: Retriever) -> None:
    some = units(np.random.default_rng(4), 20)
    none = np.array([], np.int64)
    assert retriever.retrieve(none, some, some, 3).ids.shape == (0, 3)
    assert retriever.retrieve(np.arange(2), some, np.zeros_like(some), 3).ids.shape == (2, 0)


def test_words_without_a_vector(retriever: Retriever) -> None:
    """They are no neighbour of any word, count for no hubness, and get finite scores."""
    rng = np.random.default_rng(5)
    source, target = units(rng, 60), -units(rng, 60)
    gaps = np.insert(source, 7, 0, axis=0), np.insert(target, 0, 0, axis=0)
    plain = retriever.retrieve(np.arange(7), source, target, 60)
    found = retriever.retrieve(np.arange(8), *gaps, 60)
    assert (found.ids[:7] - 1).tolist() == plain.ids.tolist()
    assert np.isfinite(found.scores).all()


@pytest.mark.parametrize("name", NAMES)
def test_workers_change_no_bit(name: str) -> None:
    retriever = RETRIEVERS.create(name)
    rng = np.random.default_rng(6)
    source, target, queries = units(rng, 900), units(rng, 1100), rng.permutation(900)[:600]
    one, two = (retriever.retrieve(queries, source, target, 7, workers=n) for n in (1, 3))
    assert one.ids.tolist() == two.ids.tolist()
    assert one.scores.tobytes() == two.scores.tobytes()


@pytest.mark.parametrize(
    "spec", ["csls:neighbors=0", "inverted-softmax:beta=0", "inverted-softmax:beta=nan"]
)
def test_wrong_values_of_options_are_refused(spec: str) -> None:
    with pytest.raises(OptionError, match=r"^0 neighbours|^beta is"):
        RETRIEVERS.create(spec)


def test_settings_name_every_option_but_the_backend(retriever: Retriever) -> None:
    """Every backend gives the same results."""
    settings = retriever.settings(Context())
    options = [field.name for field in fields(retriever) if field.name != "backend"]  # type: ignore[arg-type]
    assert [name for name, _ in settings] == options
    for name, value in settings:
        spec = f"{retriever.name}:{name}={value}"
        assert getattr(RETRIEVERS.create(spec), name) == getattr(retriever, name)


def test_a_backend_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="faiss-cpu"):
        RETRIEVERS.create("nn:backend=faiss")
    RETRIEVERS.create("nn")
