"""Laws for every mapping method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from misword.bli.map import map_vectors, prepare, state_file_of
from misword.bli.mapping import Mapping, Record
from misword.bli.methods import METHODS
from misword.embed.vectors.words import WordVectors
from spaces_made import turned

# Options for a short training on a small space.
LEARNING = "patience=2,cutoff=400,csls=5"
SPECS = {
    "misword-r": "misword-r:words=400",
    "misword-s": "misword-s",
    "misword-u": f"misword-u:{LEARNING},start=200",
    "muse-i": "muse-i:refinements=2",
    "muse-s": "muse-s:refinements=2",
    "procrustes": "procrustes",
    "rcsls": "rcsls:neighbors=5",
    "vecmap-i": f"vecmap-i:{LEARNING}",
    "vecmap-s": "vecmap-s",
    "vecmap-semi": f"vecmap-semi:{LEARNING}",
    "vecmap-u": f"vecmap-u:{LEARNING},start=200",
}
ELSEWHERE = {"muse-u"}  # it trains networks: tests/unit/bli/methods/muse/test_unsupervised.py
SUPERVISED = [name for name in SPECS if METHODS.load(name).seeding == "lexicon"]
# Methods whose matrices are rotations.
TURNING = ["procrustes", "muse-s", "vecmap-s:whiten=false,source_reweight=0,target_reweight=0"]

Made = tuple[WordVectors, WordVectors, list[tuple[str, str]]]


@pytest.fixture(scope="module")
def noisy() -> Made:
    return turned(450, 12, noise=0.1)


def learn(
    name: str, made: Made, out: Path | None = None, *, seed: int = 0, workers: int = 1
) -> Mapping:
    source, target, pairs = made
    seeding = METHODS.load(name.partition(":")[0]).seeding
    if seeding == "identical":
        target = WordVectors.of([word.replace("v", "w") for word in target.words], target.matrix)
    lexicon = pairs[:100] if seeding == "lexicon" else None
    spec = SPECS.get(name, name)
    return map_vectors(
        source, target, spec, lexicon=lexicon, seed=seed, workers=workers, output=out
    )


def test_every_mapping_is_tested() -> None:
    assert set(SPECS) | ELSEWHERE == set(METHODS.names())


@pytest.mark.parametrize("name", SUPERVISED)
def test_a_turned_copy_is_recovered(name: str) -> None:
    source, target, pairs = turned()
    mapping = learn(name, (source, target, pairs))
    left, right = mapping.mapped("source", source), mapping.mapped("target", target)
    rows = right.find([pair[1] for pair in pairs])
    cosines = left.rows @ right.rows.T
    if name != "rcsls":  # whose loss is not least where all pairs coincide
        assert np.abs(cosines[np.arange(len(pairs)), rows] - 1).max() < 1e-5
    assert (cosines.argmax(axis=1) == rows).all()


@pytest.mark.parametrize("name", TURNING)
def test_matrices_of_rotations_are_orthogonal(name: str, noisy: Made) -> None:
    mapping = learn(name, noisy)
    for side in (mapping.source, mapping.target):
        gram = side.matrix.T @ side.matrix
        assert np.abs(gram - np.eye(len(gram))).max() < 1e-5


@pytest.mark.parametrize("name", SPECS)
def test_the_same_seed_gives_the_same_file_on_any_workers(
    name: str, noisy: Made, tmp_path: Path
) -> None:
    files = [tmp_path / f"{i}.map" for i in range(3)]
    for file, workers in zip(files, (1, 1, 2), strict=True):
        learn(name, noisy, file, workers=workers)
    first, *others = (file.read_bytes() for file in files)
    assert others == [first, first]
    assert not state_file_of(files[0]).exists()


@pytest.mark.parametrize("name", SUPERVISED)
def test_the_trace_has_the_hit_rate_of_the_mapping(name: str, noisy: Made) -> None:
    source, target, pairs = noisy
    mapping = map_vectors(source, target, SPECS[name], lexicon=pairs[:100], valid=pairs[100:300])
    left, right = mapping.mapped("source", source), mapping.mapped("target", target)
    queries, gold = left.rows[100:300], right.find([pair[1] for pair in pairs[100:300]])
    hit = float(((queries @ right.rows.T).argmax(axis=1) == gold).mean())
    assert mapping.trace
    hits = [record["hit@1"] for record in mapping.trace]
    assert any(abs(hit - other) < 1e-6 for other in hits)


@pytest.mark.parametrize("stop", [2, 6])
@pytest.mark.parametrize("name", ["vecmap-semi", "vecmap-u", "muse-s", "rcsls"])
def test_an_interrupted_training_goes_on_to_the_same_file(
    name: str, stop: int, noisy: Made, tmp_path: Path
) -> None:
    source, target, pairs = noisy
    lexicon = pairs[:100] if METHODS.load(name).seeding == "lexicon" else None
    task = prepare(source, target, SPECS[name], lexicon=lexicon)
    whole, broken = tmp_path / "whole.map", tmp_path / "broken.map"
    steps = len(task.train(whole).trace)
    seen: list[Record] = []

    def interrupt(record: Record) -> None:
        seen.append(record)
        if len(seen) == min(stop, steps):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        task.train(broken, on_iteration=interrupt)
    assert not broken.exists()
    kept = state_file_of(broken).exists()
    later: list[Record] = []
    task.train(broken, resume=True, on_iteration=later.append)
    assert broken.read_bytes() == whole.read_bytes()
    assert not state_file_of(broken).exists()
    assert len(later) < steps if kept else len(later) == steps
