"""Long pairs are aligned in a band of the edit matrix, with the result of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.alignment import engine, kernels
from misword.alignment.costs import Costs
from misword.alignment.engine import UNIT_TIES, align
from misword.core.errors import InputError, OptionError
from misword.core.types import Alignment, Tokens

SIZE = 40


def side(row: list[int]) -> Tokens:
    return Tokens(np.array(row, np.int32), np.array([0, len(row)]), list(map(str, range(SIZE))))


def aligned(reference: list[int], hypothesis: list[int], words: int) -> list[Alignment]:
    """Align by each tie rule, with bit matrices of so many words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "MATRIX_WORDS", words)
        sides = side(reference), side(hypothesis)
        return [align(*sides, ties=ties, workers=1) for ties in UNIT_TIES]


def edited(rng: np.random.Generator, text: list[int], share: float, words: int) -> list[int]:
    """Return a text with errors in a share of its words, and perhaps a part that is left out."""
    kinds = rng.random(len(text))
    new: list[int] = []
    for word, kind in zip(text, kinds.tolist(), strict=True):
        if kind < share / 2:
            new.append(int(rng.integers(words)))
        elif kind < share * 3 / 4:
            new += [word, int(rng.integers(words))]
        elif kind > share:
            new.append(word)
    lo, size = int(rng.integers(len(new) + 1)), int(rng.choice([0, 0, 90]))
    return new[:lo] + new[lo + size :]


@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, 255),
    words=st.sampled_from([1, 2, 3, 10, SIZE]),
    share=st.sampled_from([0.0, 0.02, 0.2, 0.6, 2.0]),
    budget=st.sampled_from([1, 4, 17, 60, 300]),
)
def test_a_band_gives_the_alignment_of_the_whole_matrix(
    seed: int, length: int, words: int, share: float, budget: int
) -> None:
    """A pair of up to 255 words is aligned as a whole, or as a long one if memory is short."""
    rng = np.random.default_rng(seed)
    reference = rng.integers(0, words, length).tolist()
    hypothesis = edited(rng, reference, share, words)
    if share > 1:
        hypothesis = rng.integers(0, words, int(rng.integers(1, 900))).tolist()
    whole = aligned(reference, hypothesis, kernels.MATRIX_WORDS)
    for one, other in zip(whole, aligned(reference, hypothesis, budget), strict=True):
        assert one.all_operations.tolist() == other.all_operations.tolist()
        assert one.costs.tolist() == other.costs.tolist()


def distance(reference: list[int], hypothesis: list[int]) -> int:
    """Return the edit distance, from all cells of the matrix."""
    numbers = np.arange(len(hypothesis) + 1)
    row = numbers.copy()
    for word in reference:
        best = np.minimum(row[1:] + 1, row[:-1] + (np.array(hypothesis) != word))
        row = np.minimum.accumulate(np.r_[row[0] + 1, best] - numbers) + numbers
    return int(row[-1])


@pytest.mark.parametrize("share", [0.003, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("words", [3, SIZE])
def test_long_pairs(share: float, words: int) -> None:
    rng = np.random.default_rng(int(100 * share) + words)
    reference = rng.integers(0, words, 3000).tolist()
    hypothesis = edited(rng, reference, share, words) or [0]
    if share > 1:
        hypothesis = rng.integers(0, words, 2500).tolist()
    errors = distance(reference, hypothesis)
    for budget in (100, kernels.MATRIX_WORDS):
        for found in aligned(reference, hypothesis, budget):
            assert found.costs[0] == errors == (found.all_operations > 0).sum()
            counts = np.bincount(found.all_operations, minlength=4)
            assert counts.tolist() == found.counts[0].tolist()
            assert counts[[0, 1, 3]].sum() == len(reference)
            assert counts[[0, 1, 2]].sum() == len(hypothesis)


def test_long_equal_texts_need_few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole matrix would have 1e12 cells."""
    monkeypatch.setenv(engine.CELLS_VARIABLE, "1e9")
    word = "abcdefghij" * 100_000
    other = word[:500_000] + "x" + word[500_003:]
    assert misword.score([word], [other], "cer").statistics("cer").tolist() == [[999_997, 1, 0, 2]]


@pytest.mark.parametrize("metrics", ["wer", "cer"])
def test_texts_that_need_too_many_cells_are_refused(
    metrics: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(map(chr, rng.integers(97, 123, 3000).tolist())) for _ in range(2)]
    monkeypatch.setenv(engine.CELLS_VARIABLE, "1e6")
    with pytest.raises(InputError, match="too long to be aligned") as found:
        misword.score(texts[:1], texts[1:], metrics)
    assert engine.CELLS_VARIABLE in found.value.fix
    monkeypatch.delenv(engine.CELLS_VARIABLE)
    assert misword.score(texts[:1], texts[1:], metrics)[metrics] > 0


def test_costs_need_cells_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    sides = [side(rng.integers(0, SIZE, 1000).tolist()) for _ in range(2)]
    costs = Costs.table(np.full((SIZE, SIZE), 0.5))
    monkeypatch.setenv(engine.CELLS_VARIABLE, "1e7")
    with pytest.raises(InputError, match="1,000 and 1,000 tokens"):
        align(*sides, costs=costs)
    near = side([*sides[0].ids.tolist()[:-1], 0])
    assert align(sides[0], near, costs=costs).costs[0] <= 1


@pytest.mark.parametrize("text", ["many", "nan", "0", "-1"])
def test_the_limit_must_be_a_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine.CELLS_VARIABLE, text)
    with pytest.raises(OptionError, match=engine.CELLS_VARIABLE):
        engine.cell_limit()


def test_unrelated_texts_are_refused_before_most_of_the_work() -> None:
    """The cells that a pair will need are estimated from the first of them; all take minutes."""
    rng = np.random.default_rng(0)
    sides = [side(rng.integers(0, 20, 1_000_000).tolist()) for _ in range(2)]
    with pytest.raises(InputError, match=r"too long to be aligned.*more than 4e\+11 cells"):
        align(*sides)
    near = side([*sides[0].ids[:-1].tolist(), 0])
    assert align(sides[0], near).costs[0] <= 1
