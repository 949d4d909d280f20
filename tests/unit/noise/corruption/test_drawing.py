"""Errors drawn into a block: their number, their places, and the bytes around them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.context import Context
from misword.noise.channels.uniform import Uniform
from misword.noise.corruption.drawing import (
    BlockCorruption,
    CorruptedBlock,
    PlaceQueue,
    divide,
    uniform_numbers,
)
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.text_block import TextBlock, distinct_cores, is_space
from misword.noise.error_model import CandidateTable, ErrorModel, Mix

SPACES = [" ", "  ", "\t", "\u00a0", "\u3000", "\r"]
words = st.sampled_from(["a", "b", "Cat,", "(DOG)", "été", "l'", "--", "x1"])
rows = st.lists(st.tuples(words, st.sampled_from(SPACES)), max_size=8).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
mixes = st.sampled_from([Mix(), Mix(0, 1, 0), Mix(0, 0, 1), Mix(0.5, 0.3, 0.2), Mix(0.5, 0.5, 0)])


def uniform_model(texts: list[str]) -> ErrorModel:
    return Uniform().error_model(
        [*distinct_cores(" ".join(texts).split()), "other", "word"], Context()
    )


def drawn(
    texts: list[str], count: int, mix: Mix, seed: int = 0, labelled: bool = False
) -> CorruptedBlock:
    block = TextBlock.of("\0".join(texts).encode(), len(texts), labelled)
    return BlockCorruption(block, Sampler(uniform_model(texts)), mix, (seed, 0.3, 0)).run(count)


@given(st.lists(rows, min_size=1, max_size=5), st.integers(0, 12), mixes)
def test_no_more_errors_than_asked_and_rows_stay_rows(
    texts: list[str], count: int, mix: Mix
) -> None:
    found = drawn(texts, count, mix)
    heard = found.text.decode().split("\0")
    assert len(heard) == len(texts)
    assert found.errors <= count
    assert found.counts[:, [0, 1, 3]].sum() == sum(len(text.split()) for text in texts)
    edits = (found.edits.words != -1).sum() + (found.edits.insertions >= 0).sum()
    assert found.errors <= edits
    for text, got, counts in zip(texts, heard, found.counts, strict=True):
        assert len(got.split()) == counts[:3].sum()
        if not counts[1:].any():
            assert (got == text) == (got.split() == text.split())
        if not text.split():
            assert got == text


@pytest.mark.slow
@given(st.lists(rows, min_size=1, max_size=5), mixes)
def test_no_errors_change_nothing(texts: list[str], mix: Mix) -> None:
    assert drawn(texts, 0, mix).text.decode().split("\0") == texts


def test_substitutions_reach_every_number() -> None:
    texts = ["the cat sat on the mat"] * 20
    for count in range(121):
        assert drawn(texts, count, Mix()).errors == count


def test_deleting_everything_leaves_no_words() -> None:
    found = drawn([" a b  c ", "d"], 4, Mix(0, 1, 0))
    assert found.text.decode().split("\0") == ["  ", ""]


def test_a_deleted_word_takes_one_gap_with_it() -> None:
    block = TextBlock.of(b"one two  three", 1)
    draw = BlockCorruption(block, Sampler(uniform_model(["one two three"])), Mix(), (0, 0.1, 0))
    for gone, left in (
        ([0], "two  three"), ([1], "one  three"), ([2], "one two"), ([0, 1], "three"),
        ([1, 2], "one"), ([0, 2], "two"),
    ):  # fmt: skip
        draw.edits.words[:] = -1
        draw.edits.words[gone] = -2
        assert draw._write(np.array([0])).decode() == left


def test_case_and_punctuation_stay() -> None:
    table = CandidateTable(
        ["cat"], ["dog"], np.array([0, 1]), np.zeros(1, np.int32), np.ones(1),
        np.full(1, np.nan, np.float32), np.full(1, np.nan, np.float32),
    )  # fmt: skip
    block = TextBlock.of("cat Cat, (CAT) «cat» cat's".encode(), 1)
    found = BlockCorruption(block, Sampler(ErrorModel.unweighted(table)), Mix(), (0, 1.0, 0)).run(5)
    assert found.text.decode() == "dog Dog, (DOG) «dog» cat's"
    assert found.errors == 4


def test_inserted_words_are_in_capitals_where_their_neighbour_is() -> None:
    found = drawn(["HELLO WORLD"], 3, Mix(0, 0, 1)).text.decode()
    assert found == found.upper()
    assert len(found.split()) == 5
    assert found == " ".join(found.split())


def test_labels_are_no_words() -> None:
    texts = ["id1 a b c", "id2", "id3 d"]
    for mix in (Mix(), Mix(0, 1, 0), Mix(0, 0, 1), Mix(0.4, 0.3, 0.3)):
        found = drawn(texts, 4, mix, labelled=True)
        got = found.text.decode().split("\0")
        assert [row.split()[0] for row in got] == ["id1", "id2", "id3"]
        if mix != Mix(0.4, 0.3, 0.3):
            assert found.errors == 4
        assert found.counts[:, [0, 1, 3]].sum() == 4


@given(
    st.text(st.sampled_from("a é\t\n\r\x1c\x85\u00a0\u1680\u2003\u2028\u202f\u205f\u3000\u200b"))
)
def test_white_space_is_that_of_split(text: str) -> None:
    blank = is_space(text.encode())
    inside = "".join(c if not c.isspace() else " " * len(c.encode()) for c in text)
    wanted = [ord(c) == 32 for c in inside for _ in range(len(c.encode()))]
    assert blank.tolist() == wanted


@given(st.integers(0, 1000), st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_divided_numbers_add_up(count: int, parts: list[float]) -> None:
    if sum(parts) < 1e-6:
        return
    found = divide(count, parts)
    assert sum(found) == count
    for whole, part in zip(found, parts, strict=True):
        assert abs(whole - count * part / sum(parts)) < 1 + 1e-9


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20), st.integers(0, 9))
def test_a_queue_gives_each_place_once_in_order(
    size: int, first: int, count: int, seed: int
) -> None:
    weights = np.where(np.arange(size) % 3 == 0, 0.0, 1.0 + np.arange(size))
    random = uniform_numbers(seed, 0.1, 0, 0, size)
    barred = np.zeros(size, bool)
    queue = PlaceQueue.of(random, weights, first)
    got: list[int] = []
    while not queue.empty:
        got += queue.take(max(count, 1), barred).tolist()
    places = [p for p in range(size) if weights[p]]
    assert got == sorted(places, key=lambda p: -np.log(random[p]) / weights[p])
    assert PlaceQueue.of(random, weights, first).take(size, ~barred).tolist() == []


def test_random_numbers_are_those_of_the_key() -> None:
    same = uniform_numbers(7, 0.3, 2, 1, 5)
    assert np.array_equal(same, uniform_numbers(7, 0.3, 2, 1, 5))
    for other in ((8, 0.3, 2, 1), (7, 0.31, 2, 1), (7, 0.3, 3, 1), (7, 0.3, 2, 2)):
        assert not np.array_equal(same, uniform_numbers(*other, 5))
    many = uniform_numbers(0, 0.5, 0, 0, 100_000)
    assert 0 < many.min() < many.max() < 1
    assert abs(many.mean() - 0.5) < 0.005


def test_substitutes_are_drawn_with_their_probabilities() -> None:
    table = CandidateTable(
        ["a", "b"], ["a", "b", "c", "d"], np.array([0, 2, 3]), np.array([2, 3, 0], np.int32),
        np.array([0.6, 0.2, 0.5]), np.full(3, np.nan, np.float32), np.full(3, np.nan, np.float32),
        np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.2, 0.5]),
    )  # fmt: skip
    sampler = Sampler(ErrorModel.unweighted(table))
    random = uniform_numbers(0, 0.5, 0, 0, 200_000)
    for row in (0, 1):
        rows = np.full(len(random), row)
        heard = sampler.substitutes(rows, random)
        assert not (heard == row).any()
        shares = np.bincount(heard, minlength=4) / len(heard)
        assert shares == pytest.approx(table.distribution(row), abs=0.005)
        chance, _, _ = sampler.details(rows[:4], np.arange(4))
        assert chance[[h for h in range(4) if h != row]] == pytest.approx(
            np.delete(table.distribution(row), row)
        )


def test_words_are_hit_by_their_weight() -> None:
    base = uniform_model(["x y"])
    at = [base.candidates.words.index(word) for word in ("x", "y")]
    weights = np.ones(len(base.candidates.words))
    weights[at[0]] = 3.0
    weighed = ErrorModel(base.candidates, weights, base.deletion_weight, base.insertion_probability)
    block = TextBlock.of("\0".join(["x", "y"] * 20_000).encode(), 40_000)
    found = BlockCorruption(block, Sampler(weighed), Mix(), (0, 0.01, 0)).run(2000)
    hit = np.flatnonzero(found.edits.words >= 0)
    assert found.errors == 2000
    assert (hit % 2 == 0).mean() == pytest.approx(0.75, abs=0.03)
