"""Word vectors: looking words up, finding neighbours."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError, OptionError
from misword.embed.vectors import vocabulary
from misword.embed.vectors.neighbors import blocks, nearest, unit_rows
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.native.byte_ranges import hash_words

words = st.text(st.characters(codec="utf-8"), max_size=20)


def test_looking_up() -> None:
    matrix = np.array([[3, 4], [0, 2], [0, 0], [5, 0], [1, np.nan]])
    vectors = WordVectors.of(["The", "cat", "zero", "Zero", "nan"], matrix)
    assert (len(vectors), vectors.dimension, vectors.name) == (5, 2, "memory")
    assert "The" in vectors
    assert "the" not in vectors
    assert 7 not in vectors
    assert vectors["The"].tolist() == [3, 4]
    with pytest.raises(KeyError):
        _ = vectors["the"]
    asked = ["Cat", "The", "the", "zero", "Zero", "nan", "", "\ud800"]
    known = {
        "auto": [True, True, False, False, True, False, False, False],
        "exact": [False, True, False, False, True, False, False, False],
        "lower": [True, False, False, False, False, False, False, False],
    }
    for case, expected in known.items():
        units, has = vectors.units(asked, case)  # type: ignore[arg-type]
        assert has.tolist() == expected
        assert units.dtype == np.float32
        assert np.allclose(np.linalg.norm(units, axis=1), expected)
    assert np.allclose(vectors.units(["The"])[0], [[0.6, 0.8]])
    with pytest.raises(ValueError, match="read-only"):
        vectors.matrix[0, 0] = 1
    assert [units.shape for units in vectors.units([])] == [(0, 2), (0,)]
    assert vectors.words[-1] == "nan"
    with pytest.raises(IndexError):
        _ = vectors.words[5]


def test_made_in_memory() -> None:
    matrix = np.eye(3)
    vectors = WordVectors.of(["a", "b", "a"], matrix)
    matrix[0, 0] = 9
    assert vectors.matrix.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert vectors.notes == ("1 duplicate word: the first counts (word 3)",)
    same = WordVectors.of(["a", "b", "a"], np.eye(3))
    assert vectors.digest == same.digest
    assert vectors.digest != WordVectors.of(["ab", "", "a"], np.eye(3)).digest
    assert vectors.digest != WordVectors.of(["a", "b", "a"], 2 * np.eye(3)).digest
    settings = (("vectors", vectors.digest[:16]), ("duplicates", "first"), ("oov", "one"))
    assert vectors.settings == settings
    for wrong in (np.eye(2), np.ones(3)):
        with pytest.raises(InputError, match="3 words, but numbers of shape"):
            WordVectors.of(["a", "b", "c"], wrong)
    with pytest.raises(InputError, match="UTF-8"):
        WordVectors.of(["\ud800"], [[1.0]])


def test_norms_are_taken_in_double_precision() -> None:
    huge, tiny = np.full(300, 1e30, np.float32), np.full(300, 1e-40, np.float32)
    units, has = WordVectors.of(["h", "t"], [huge, tiny]).units(["h", "t"])
    assert has.all()
    assert np.allclose(units, 1 / np.sqrt(300))


@pytest.mark.parametrize("bits", [64, 1])  # with one bit, half of all words have the same hash
@given(listed=st.lists(words, max_size=40), others=st.lists(words, max_size=10))
def test_vocabulary_is_a_dictionary(bits: int, listed: list[str], others: list[str]) -> None:
    encoded = [word.encode() for word in listed]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    asked = [*others, *listed]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "hash_words", lambda *a: hash_words(*a) >> np.uint64(64 - bits))
        found, duplicates = Vocabulary.of(b"".join(encoded), offsets)
        rows = found.find(asked).tolist()
    first = {word: i for i, word in enumerate(dict.fromkeys(listed))}
    assert list(found) == list(first)
    assert duplicates.tolist() == [i for i, word in enumerate(listed) if word in listed[:i]]
    assert rows == [first.get(word, -1) for word in asked]


def test_hashes_are_the_same_everywhere() -> None:
    """They are on disk: a change here needs a new version of the store."""
    hashes = hash_words("catété-longer-word".encode(), np.array([0, 0, 3, 8, 20]))
    assert [f"{int(h):016x}" for h in hashes] == HASHES


HASHES = ["0000000000000000", "bad638acab4a5fef", "fb5d301c184e9198", "72729068f58bfbb2"]


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 12), st.integers(1, 9))
def test_nearest_is_brute_force(seed: int, rows: int, k: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    targets = rng.integers(-2, 3, (rows, 3)).astype(np.float32)  # many ties
    queries = rng.integers(-2, 3, (5, 3)).astype(np.float32)
    ids, scores = nearest(queries, blocks(targets, size), k)
    products = queries @ targets.T
    order = np.argsort(-products, axis=1, kind="stable")[:, :k]
    assert ids.tolist() == order.tolist()
    assert np.array_equal(scores, np.take_along_axis(products, order, 1))


def test_neighbors(shared: Path) -> None:
    vectors = WordVectors.open(shared / "bli" / "concept-fasttext" / "en.vec", keep=False)
    found = vectors.neighbors("Statue", 5)
    units, _ = vectors.units(list(vectors.words))
    cosines = units @ vectors.units(["statue"])[0][0]
    best = [int(i) for i in np.argsort(-cosines) if vectors.words[int(i)] != "statue"][:5]
    assert [word for word, _ in found] == [vectors.words[i] for i in best]
    assert [score for _, score in found] == pytest.approx(cosines[best].tolist(), abs=1e-6)
    assert len(vectors.neighbors("statue", 10_000)) == len(vectors) - 1
    with pytest.raises(KeyError):
        vectors.neighbors("not there")
    few = WordVectors.of(["a", "none", "b"], [[1, 0], [0, 0], [-1, 0]])
    assert few.neighbors("a") == [("b", -1.0)]


def test_missing_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "french.vec").write_text("a 1\n")
    with pytest.raises(InputError, match=r"no such file\n  did you mean .*french\.vec"):
        WordVectors.open(tmp_path / "frensh.vec")
    with pytest.raises(InputError, match="there is no folder"):
        WordVectors.open(tmp_path / "no" / "v.vec")
    with pytest.raises(InputError, match="holds no word vectors"):
        WordVectors.open(tmp_path)


@pytest.mark.parametrize(
    ("words", "rows"),
    [(["a", "b"], [[1.0], [1.0, 2.0]]), (["a"], [["x"]]), ([1], [[1.0]]), (["a"], [[]])],
)
def test_what_is_no_words_and_numbers(words: list[str], rows: list[list[float]]) -> None:
    with pytest.raises(InputError):
        WordVectors.of(words, rows)


def test_neighbors_are_counted_from_one() -> None:
    with pytest.raises(OptionError, match="0 neighbours"):
        WordVectors.of(["a", "b"], [[1.0], [2.0]]).neighbors("a", 0)


def test_units_are_scaled_in_double_precision() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 77)) * 10.0 ** rng.integers(-20, 18, (300, 1))
    rows[[3, 5, 7]] = [[0.0], [np.nan], [np.inf]]
    vectors = WordVectors.of([str(i) for i in range(300)], rows)
    units, known = vectors.units([str(i) for i in range(-5, 300)])
    assert np.flatnonzero(~known).tolist() == [0, 1, 2, 3, 4, 8, 10, 12]
    assert not units[~known].any()
    for row in np.flatnonzero(known).tolist():
        wide = vectors.matrix[row - 5].astype(np.float64).tolist()
        norm = math.sqrt(functools.reduce(lambda total, x: total + x * x, wide, 0.0))
        assert units[row].tolist() == (np.array(wide) / norm).astype(np.float32).tolist()


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17])
def test_units_of_any_number_of_rows(count: int) -> None:
    matrix = np.random.default_rng(count).normal(size=(3, 5)).astype(np.float32)
    numbers = np.arange(count) % 4 - 1
    units, known = unit_rows(matrix, numbers)
    assert known.tolist() == (numbers >= 0).tolist()
    whole = unit_rows(matrix)[0]
    for unit, number in zip(units, numbers.tolist(), strict=True):
        assert unit.tolist() == (whole[number] if number >= 0 else np.zeros(5)).tolist()


def test_units_of_rows_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="row numbers must be below 2"):
        unit_rows(np.ones((2, 3), np.float32), np.array([2]))
    units, known = unit_rows(np.zeros((0, 3), np.float32), np.array([-1]))
    assert units.tolist() == [[0.0] * 3]
    assert known.tolist() == [False]
