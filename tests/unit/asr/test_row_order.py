"""Intervals and p-values do not depend on the order of the utterances."""

from __future__ import annotations

import numpy as np
import pytest

import misword

WORDS = ["the", "cat", "sat", "on", "a", "mat", "so", "we", "go", "two", "by", "in", "rain"]
RNG = np.random.default_rng(0)
SIZE = 60
REFS = [" ".join(RNG.choice(WORDS, RNG.integers(1, 9))) for _ in range(SIZE)]
SYSTEMS = {
    name: [
        " ".join(word if RNG.random() > 0.2 else "dog" for word in text.split()) for text in REFS
    ]
    for name in ("base", "new")
}
METADATA = {
    "speaker": RNG.choice(["anna", "bo", "cem", "dan", "eve", "fay", "gil"], SIZE).tolist(),
    "seconds": RNG.gamma(3, 2, SIZE).tolist(),
}
IDS = [f"utterance {at}" for at in range(SIZE)]


def corpus(order: list[int]) -> misword.Scores:
    """Score the utterances in an order."""
    return misword.score(
        [REFS[at] for at in order],
        {name: [texts[at] for at in order] for name, texts in SYSTEMS.items()},
        ["wer", "cer", "wil"],
        ids=[IDS[at] for at in order],
        metadata={name: [values[at] for at in order] for name, values in METADATA.items()},
    )


ORDERS = [RNG.permutation(SIZE).tolist() for _ in range(2)]


@pytest.mark.parametrize("order", ORDERS, ids=["one", "two"])
def test_score(order: list[int]) -> None:
    sides = [corpus(at).summary("speaker", bootstrap=100) for at in (list(range(SIZE)), order)]
    keys = ["system", "speaker", "metric"]
    assert sides[0].sort(keys).equals(sides[1].sort(keys))


@pytest.mark.parametrize("block", [None, "speaker"])
@pytest.mark.parametrize("order", ORDERS, ids=["one", "two"])
def test_compare(order: list[int], block: str | None) -> None:
    results = [
        misword.compare(corpus(at), bootstrap=100, block=block or "", by="speaker").result()
        for at in (list(range(SIZE)), order)
    ]
    for name, keys in (
        ("differences", ["metric", "system"]),
        ("groups", ["metric", "system", "speaker"]),
        ("contrast", ["metric", "system", "column", "value"]),
    ):
        first, second = (result.tables[name].sort(keys) for result in results)
        assert first.equals(second), name


@pytest.mark.parametrize("order", ORDERS, ids=["one", "two"])
def test_gate_and_correlate(order: list[int]) -> None:
    scores = [corpus(at) for at in (list(range(SIZE)), order)]
    first, second = (
        misword.gate(part, max={"wer": 0.1}, no_worse="wer,cer", bootstrap=100) for part in scores
    )
    assert first.conditions == second.conditions
    tables = [misword.correlate(part, bootstrap=50).metrics for part in scores]
    assert tables[0].equals(tables[1])
