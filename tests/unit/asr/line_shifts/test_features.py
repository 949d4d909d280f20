"""Features of lines: what counts as the same, and what two lines share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.asr.line_shifts.features import FeaturePair, extract_features, shared_weights
from misword.asr.line_shifts.similarity import Similarity

LINES = st.lists(st.text("ab cé日本.", max_size=12), min_size=1, max_size=8)


def slow_shared(features: FeaturePair, left: int, right: int) -> float:
    """The sum of the weights of common features, by sets."""
    sets = [
        set(side.ids[side.offsets[line] : side.offsets[line + 1]].tolist())
        for side, line in ((features.left, left), (features.right, right))
    ]
    return sum(float(features.weights[k]) for k in sets[0] & sets[1])


@given(LINES, LINES)
def test_shared_weights_are_those_of_sets(left: list[str], right: list[str]) -> None:
    features = extract_features(left, right)
    pairs = np.array([(i, j) for i in range(len(left)) for j in range(len(right))], np.int64)
    lefts, rights = np.ascontiguousarray(pairs.T)
    expected = [slow_shared(features, i, j) for i, j in pairs.tolist()]
    assert shared_weights(features, lefts, rights) == pytest.approx(expected, rel=1e-5)


@given(LINES)
def test_features_of_a_line_are_distinct_and_ascending(lines: list[str]) -> None:
    side = extract_features(lines, lines[::-1]).left
    assert len(side) == len(lines)
    for start, stop in zip(side.offsets, side.offsets[1:], strict=False):
        assert (np.diff(side.ids[start:stop]) > 0).all()


@given(LINES, LINES)
def test_cosines_are_at_most_one(left: list[str], right: list[str]) -> None:
    similarity = Similarity(extract_features(left, right), None)
    for line in range(len(left)):
        rights = np.arange(len(right))
        cosines = similarity.cosine(np.full(len(right), line), rights)
        assert ((cosines >= 0) & (cosines <= 1.0001)).all()


def cosine(left: str, right: str) -> float:
    """The similarity of two lines among lines of other words."""
    others = [f"word{k} and number{k * 7}" for k in range(30)]
    similarity = Similarity(extract_features([left, *others], [right, *others]), None)
    return float(similarity.cosine(np.zeros(1, np.int64), np.zeros(1, np.int64))[0])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Bonjour, Monsieur !", "bonjour monsieur"),
        ("ÉTÉ", "e\u0301te\u0301"),
        ("ｆｕｌｌ width", "full width"),
        ("今日はいい天気。", "今日はいい天気"),
        ("room 5", "room 5."),
    ],
)
def test_writing_does_not_count(left: str, right: str) -> None:
    assert cosine(left, right) == pytest.approx(1, abs=1e-4)


def test_similar_words_share_features() -> None:
    assert cosine("international conference", "conférence internationale") > 0.2
    assert cosine("今日はいい天気ですね", "昨日はいい天気でした") > 0.2
    assert cosine("spoken words", "nothing alike") == 0


def test_one_letter_and_anagrams() -> None:
    assert cosine("7", "7") == pytest.approx(1, abs=1e-4)
    assert cosine("7", "8") == 0
    assert cosine("ab", "ba") == 0


def test_frequent_words_have_no_weight() -> None:
    lines = [f"merci nom{k}" for k in range(1000)]
    features = extract_features(["merci"], lines)
    assert features.left.offsets[1] == 0


def test_large_files_use_fewer_features(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    lines = ["".join(map(chr, rng.integers(97, 123, 20))) for _ in range(50)]
    every = extract_features(lines, lines)
    monkeypatch.setattr("misword.asr.line_shifts.features.MANY", 10)
    monkeypatch.setattr("misword.asr.line_shifts.features.BLOCK", 7)
    some = extract_features(lines, lines)
    assert len(some.left.ids) < len(every.left.ids) / 2
    same = np.arange(50)
    cosines = Similarity(some, None).cosine(same, same)
    assert cosines == pytest.approx(1, abs=1e-4)


def test_line_numbers_are_checked() -> None:
    features = extract_features(["a"], ["a"])
    with pytest.raises(IndexError, match="out of range"):
        shared_weights(features, np.array([0]), np.array([1]))
    with pytest.raises(ValueError, match="two lines"):
        shared_weights(features, np.array([0]), np.array([0, 0]))
