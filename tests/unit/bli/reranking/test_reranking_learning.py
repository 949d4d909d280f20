"""Learning a reranker: cross-fitting leaks nothing, probabilities are calibrated, files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from misword.bli.arrays import RowNumbers, RowPairs
from misword.bli.map import map_vectors, prepare
from misword.bli.mapping import Mapping
from misword.bli.methods import MappingMatrices
from misword.bli.reranking.features import CandidateLists
from misword.bli.reranking.learning import Headwords, cross_fit
from misword.bli.reranking.model import ListModel, Reranker, rival_features
from misword.bli.spaces import Space
from misword.core.errors import InputError
from misword.io.lexicons import Lexicon
from misword.stat.calibration import calibration_bins, expected_calibration_error
from misword.stat.regression import sigmoid
from spaces_made import turned

COUNT = 300


@pytest.fixture(scope="module")
def spaces() -> tuple[Space, Space]:
    source, target, _ = turned(COUNT, noise=0.4)
    normalize = "unit+center+unit"
    return Space.of(source, normalize), Space.of(target, normalize)


@pytest.fixture(scope="module")
def headwords(spaces: tuple[Space, Space]) -> Headwords:
    return Headwords.of(lexicon(200), *spaces)


def lexicon(count: int = COUNT, start: int = 0) -> Lexicon:
    """Words and their translations."""
    return Lexicon.of([(f"w{i}", f"v{i}") for i in range(start, start + count)], "train.txt")


class Recorder:
    """A training by least squares that keeps the seeds it was given."""

    def __init__(self, source: Space, target: Space) -> None:
        self.source, self.target = source, target
        self.seeds: list[RowPairs] = []
        self.matrices: list[MappingMatrices] = []

    def train(self, seeds: RowPairs) -> MappingMatrices:
        self.seeds.append(seeds)
        x, z = self.source.rows[seeds[:, 0]], self.target.rows[seeds[:, 1]]
        u, _, v = np.linalg.svd(x.T @ z)
        identity = np.eye(self.target.dimension, dtype=np.float32)
        self.matrices.append(MappingMatrices((u @ v).astype(np.float32), identity))
        return self.matrices[-1]


def test_no_mapping_sees_the_headwords_of_its_fold(
    spaces: tuple[Space, Space], headwords: Headwords
) -> None:
    recorder = Recorder(*spaces)
    cross_fit(headwords, spaces, headwords.pairs, recorder.train)
    folds = list(headwords.folds(2, 0))
    assert sorted(np.concatenate(folds).tolist()) == headwords.rows.tolist()
    for fold, seeds in zip(folds, recorder.seeds, strict=True):
        assert not set(fold.tolist()) & set(seeds[:, 0].tolist())
        assert len(seeds) + len(fold) == len(headwords.rows)


def test_the_gold_of_a_fold_does_not_change_its_candidates(
    spaces: tuple[Space, Space], headwords: Headwords
) -> None:
    """Its translations are exchanged: the mapping that finds its candidates stays the same."""
    fold = next(iter(headwords.folds(2, 0)))
    inside = np.isin(headwords.pairs[:, 0], fold)
    wrong = headwords.pairs.copy()
    wrong[inside, 1] = np.roll(wrong[inside, 1], 1)
    matrices = []
    for pairs in (headwords.pairs, wrong):
        recorder = Recorder(*spaces)
        cross_fit(replace(headwords, pairs=headwords.pairs), spaces, pairs, recorder.train)
        matrices.append(recorder.matrices)
    (first, second), (first_wrong, second_wrong) = matrices
    assert first.source.tolist() == first_wrong.source.tolist()
    assert second.source.tolist() != second_wrong.source.tolist()


def test_which_candidates_are_right() -> None:
    words = Headwords(np.array([0, 2]), np.array([[0, 5], [2, 5], [2, 1]]))
    none = np.zeros((2, 2))
    lists = CandidateLists(
        np.array([0, 2]), np.array([[5, 1], [1, 5]]), none, none, none, none.astype(int), none
    )
    assert words.right(lists).tolist() == [[True, False], [True, True]]


def test_headwords_without_a_known_translation_count(spaces: tuple[Space, Space]) -> None:
    pairs = [*zip(lexicon(100).source, lexicon(100).target, strict=True), ("w150", "unknown")]
    words = Headwords.of(Lexicon.of([*pairs, ("unheard", "v3")]), *spaces)
    assert len(words.rows) == 101
    assert len(words.pairs) == 100
    assert words.note == (
        "memory: the reranker learns from 101 headwords; 100 have a translation with a vector"
    )


def test_small_lexicons_are_refused(spaces: tuple[Space, Space]) -> None:
    with pytest.raises(InputError, match="only 20 of its pairs have vectors: too few") as error:
        Headwords.of(lexicon(20), *spaces)
    assert "--rerank" in str(error.value)


def test_candidates_without_right_ones_are_refused(spaces: tuple[Space, Space]) -> None:
    """A lexicon of wrong pairs: few of them are among the candidates."""
    words = lexicon(200)
    wrong = Lexicon.of(zip(words.source, words.target[100:] + words.target[:100], strict=True))
    headwords = Headwords.of(wrong, *spaces)
    train = Recorder(*spaces).train
    seeds = Headwords.of(words, *spaces).pairs
    with pytest.raises(InputError, match="are among the candidates: too few"):
        cross_fit(headwords, spaces, seeds, train)


def planted(lists: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Lists of 20 candidates with two features, right with a known probability."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((lists, 20, 2))
    return features, rng.random((lists, 20)) < sigmoid(2 * features[..., 0] - 3)


def test_planted_probabilities_are_calibrated() -> None:
    model = ListModel.fit(("a", "b"), *planted(1000, 0), strength=1.0)
    features, right = planted(1000, 1)
    probabilities = model.probabilities(features)
    bins = calibration_bins(probabilities.ravel(), right.ravel())
    assert expected_calibration_error(bins) < 0.01


def test_rivals_make_a_candidate_less_likely() -> None:
    """Each list has one right candidate: of two good ones, each is half as likely."""
    rng = np.random.default_rng(0)
    logits = rng.choice([0.0, 4.0], (3000, 4), p=[0.7, 0.3])
    weights = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    right = np.array([rng.multinomial(1, row) for row in weights]) == 1
    model = ListModel.fit(("logit",), logits[..., None], right, strength=1.0)
    alone, together = model.probabilities(
        np.array([[[4.0], [0.0], [0.0], [0.0]], [[4.0], [4.0], [0.0], [0.0]]])
    )
    assert alone[0] == pytest.approx(0.95, abs=0.05)
    assert together[0] == pytest.approx(0.5, abs=0.07)


def test_huge_logits_have_finite_features() -> None:
    assert np.isfinite(rival_features(np.array([[1e3, -1e3, 0.0]]))).all()


@pytest.fixture(scope="module")
def learnt() -> Mapping:
    source, target, _ = turned(COUNT, noise=0.4)
    return map_vectors(source, target, "procrustes", lexicon=lexicon(200), rerank=lexicon(200))


def test_a_reranker_is_stored_with_the_mapping(learnt: Mapping, tmp_path: Path) -> None:
    learnt.write(tmp_path / "a.map")
    again = Mapping.read(tmp_path / "a.map")
    assert learnt.reranker is not None
    assert again.reranker is not None
    assert again.reranker.digest == learnt.reranker.digest
    assert again.reranker.headwords == 200
    assert again.reranker.lexicon == lexicon(200).digest[:16]
    again.write(tmp_path / "b.map")
    assert (tmp_path / "a.map").read_bytes() == (tmp_path / "b.map").read_bytes()


def test_the_mapping_is_the_same_without_a_reranker(learnt: Mapping) -> None:
    source, target, _ = turned(COUNT, noise=0.4)
    plain = map_vectors(source, target, "procrustes", lexicon=lexicon(200))
    assert plain.reranker is None
    assert plain.signature == learnt.signature
    assert plain.source.matrix.tolist() == learnt.source.matrix.tolist()


def test_the_number_of_workers_changes_nothing() -> None:
    source, target, _ = turned(COUNT, noise=0.4)
    task = prepare(source, target, "procrustes", lexicon=lexicon(200), rerank=lexicon(200))
    one, three = (task.train(workers=workers).reranker for workers in (1, 3))
    assert one is not None
    assert three is not None
    assert one.digest == three.digest


def test_a_method_without_a_lexicon_is_trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has seen no pair, so that all headwords are new to it."""
    from misword.bli.methods.vecmap import VecMapU

    source, target, _ = turned(COUNT, noise=0.0)
    calls: list[RowNumbers] = []
    original = VecMapU.train

    def counted(self: VecMapU, *args: object) -> MappingMatrices:
        calls.append(np.empty(0, np.int64))
        return original(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(VecMapU, "train", counted)
    method = "vecmap-u:cutoff=300,start=300,patience=3"
    mapping = map_vectors(source, target, method, rerank=lexicon(200))
    assert mapping.reranker is not None
    assert len(calls) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"models": {}},
        {"models": {"all": {"features": ["a"], "candidates": {}, "rivals": {}}}},
    ],
)
def test_damaged_rerankers_are_refused(learnt: Mapping, change: dict[str, object]) -> None:
    assert learnt.reranker is not None
    stored = json.loads(json.dumps(learnt.reranker.as_json()))
    with pytest.raises((ValueError, KeyError)):
        Reranker.from_json({**stored, **change})
