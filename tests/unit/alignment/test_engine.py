"""The aligners against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute import backtrace, matrix, tokens, weighted
from misword.alignment import TIES, UNIT_TIES, Costs, align, kernels
from misword.alignment.engine import Ties
from misword.core.errors import OptionError
from misword.core.types import Alignment, Op

rows = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=4)
pairs = rows.flatmap(
    lambda refs: st.tuples(
        st.just(refs),
        st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=len(refs), max_size=len(refs)),
    )
)


def check_consistent(alignment: Alignment, refs: list[list[int]], hyps: list[list[int]]) -> None:
    for p, (ref, hyp) in enumerate(zip(refs, hyps, strict=True)):
        ops = alignment.operations(p).tolist()
        assert sum(op != Op.INSERTION for op in ops) == len(ref)
        assert sum(op != Op.DELETION for op in ops) == len(hyp)
        assert np.bincount(ops, minlength=4).tolist() == alignment.counts[p].tolist()
        i = j = 0
        for op in ops:
            if op in (Op.HIT, Op.SUBSTITUTION):
                assert (ref[i] == hyp[j]) == (op == Op.HIT)
            i += op != Op.INSERTION
            j += op != Op.DELETION


@pytest.mark.slow
@given(pairs)
def test_unit_costs_follow_the_tie_rule(pair: tuple[list[list[int]], list[list[int]]]) -> None:
    refs, hyps = pair
    alignment = align(*tokens(refs, hyps))
    for p, (ref, hyp) in enumerate(zip(refs, hyps, strict=True)):
        assert alignment.operations(p).tolist() == backtrace(ref, hyp)
        assert alignment.costs[p] == matrix(ref, hyp)[-1][-1]


@pytest.mark.slow
@pytest.mark.parametrize("ties", UNIT_TIES)
@given(pair=pairs)
def test_every_tie_rule_is_optimal(
    ties: Ties, pair: tuple[list[list[int]], list[list[int]]]
) -> None:
    refs, hyps = pair
    alignment = align(*tokens(refs, hyps), ties=ties)
    check_consistent(alignment, refs, hyps)
    for p, (ref, hyp) in enumerate(zip(refs, hyps, strict=True)):
        assert alignment.costs[p] == matrix(ref, hyp)[-1][-1]
    counted = align(*tokens(refs, hyps), ties=ties, operations=False)
    assert counted.ops is None
    assert (counted.counts == alignment.counts).all()


def padded(prices: list[float]) -> list[float]:
    """Prices for the whole vocabulary."""
    return prices + [1.0] * (100 - len(prices))


prices = st.integers(0, 8).map(lambda eighths: eighths / 4)


@pytest.mark.slow
@given(
    pair=pairs,
    table=st.lists(prices, min_size=25, max_size=25),
    insertion=st.lists(prices, min_size=5, max_size=5),
    deletion=st.lists(prices, min_size=5, max_size=5),
    listed=st.booleans(),
)
def test_any_costs(
    pair: tuple[list[list[int]], list[list[int]]],
    table: list[float],
    insertion: list[float],
    deletion: list[float],
    listed: bool,
) -> None:
    refs, hyps = pair
    grid = np.array(table).reshape(5, 5)
    if listed:
        some = np.argwhere(grid > 0.5)
        grid = np.where(grid > 0.5, grid, 0.75)
        costs = Costs.pairs(
            some[:, 0], some[:, 1], grid[some[:, 0], some[:, 1]],
            size=100, default=0.75, insertion=padded(insertion), deletion=padded(deletion),
        )  # fmt: skip
    else:
        table_of_all = np.ones((100, 100))
        table_of_all[:5, :5] = grid
        costs = Costs.table(table_of_all, padded(insertion), padded(deletion))
    alignment = align(*tokens(refs, hyps), costs=costs)
    check_consistent(alignment, refs, hyps)
    for p, (ref, hyp) in enumerate(zip(refs, hyps, strict=True)):
        truth = matrix(
            ref, hyp, lambda a, b: float(grid[a, b]), lambda b: insertion[b], lambda a: deletion[a]
        )
        assert alignment.costs[p] == truth[-1][-1]
        assert _price(alignment, p, ref, hyp, grid, insertion, deletion) == truth[-1][-1]


def _price(
    alignment: Alignment,
    p: int,
    ref: list[int],
    hyp: list[int],
    grid: np.ndarray,
    insertion: list[float],
    deletion: list[float],
) -> float:
    i = j = 0
    total = 0.0
    for op in alignment.operations(p):
        if op == Op.SUBSTITUTION:
            total += grid[ref[i], hyp[j]]
        elif op == Op.INSERTION:
            total += insertion[hyp[j]]
        elif op == Op.DELETION:
            total += deletion[ref[i]]
        i += op != Op.INSERTION
        j += op != Op.DELETION
    return total


@pytest.mark.slow
@given(pair=pairs)
def test_unit_prices_give_the_unit_alignment(pair: tuple[list[list[int]], list[list[int]]]) -> None:
    unit = align(*tokens(*pair))
    weighted = align(*tokens(*pair), costs=Costs.table(np.ones((100, 100))))
    assert (unit.all_operations == weighted.all_operations).all()


def random_texts(rng: np.random.Generator, size: int, words: int) -> tuple[list[int], list[int]]:
    ref = rng.integers(0, words, size)
    keep = rng.random(size)
    hyp = [
        int(rng.integers(words)) if k < 0.1 else int(r)
        for r, k in zip(ref, keep, strict=True)
        if k > 0.03
    ]
    return ref.tolist(), hyp


def test_segments_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting long pairs into segments changes no result, also with a common start and end."""
    rng = np.random.default_rng(6)
    texts = [random_texts(rng, size, 7) for size in (1, 2, 90, 130, 200)]
    for _ in range(40):
        head, tail = (rng.integers(0, 3, rng.integers(0, 120)).tolist() for _ in range(2))
        ref, hyp = (rng.integers(0, 7, rng.integers(0, 140)).tolist() for _ in range(2))
        texts.append((head + ref + tail, head + hyp + tail))
    costs = Costs.table(rng.integers(0, 8, (100, 100)) / 4)
    for ref, hyp in texts:
        sides = tokens([ref], [hyp])
        whole = [align(*sides, ties=ties) for ties in TIES] + [align(*sides, costs=costs)]
        with monkeypatch.context() as cut:
            cut.setattr(kernels, "MATRIX_WORDS", int(rng.integers(8, 200)))
            cut.setattr(kernels, "DIRECTION_CELLS", int(rng.integers(0, 2000)))
            parts = [align(*sides, ties=ties, workers=1) for ties in TIES]
            parts.append(align(*sides, costs=costs, workers=1))
        for one, other in zip(whole, parts, strict=True):
            assert (one.all_operations == other.all_operations).all()
            assert (one.costs == other.costs).all()


def test_wide_sieve() -> None:
    """Many priced partners per token."""
    rng = np.random.default_rng(10)
    key = np.unique(rng.integers(0, 100 * 100, 4000))
    costs = Costs.pairs(key // 100, key % 100, rng.integers(0, 8, len(key)) / 4, size=100)
    assert costs.sieve.shape[1] > 1
    texts = [random_texts(rng, 40, 100) for _ in range(20)]
    alignment = align(*tokens([ref for ref, _ in texts], [hyp for _, hyp in texts]), costs=costs)
    for p, (ref, hyp) in enumerate(texts):
        cost, ops = weighted(ref, hyp, costs)
        assert alignment.operations(p).tolist() == ops
        assert alignment.costs[p] == cost


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_number_of_workers_does_not_matter(workers: int) -> None:
    rng = np.random.default_rng(7)
    texts = [random_texts(rng, int(size), 9) for size in rng.integers(0, 40, 60)]
    sides = tokens([ref for ref, _ in texts], [hyp for _, hyp in texts])
    one, many = align(*sides, workers=1), align(*sides, workers=workers)
    assert (one.all_operations == many.all_operations).all()
    assert (one.counts == many.counts).all()
    costs = Costs.table(rng.integers(0, 8, (100, 100)) / 4)
    one, many = (align(*sides, costs=costs, workers=number) for number in (1, workers))
    assert (one.all_operations == many.all_operations).all()
    assert (one.costs == many.costs).all()


def test_pairs_choose_rows() -> None:
    ref, hyp = tokens([[1, 2], [3]], [[3], [1, 2], [1]])
    chosen = np.array([[0, 1], [1, 0], [0, 2], [0, 1]])
    assert align(ref, hyp, pairs=chosen).costs.tolist() == [0, 0, 1, 0]


def test_no_pairs_at_all() -> None:
    nothing = align(*tokens([], []))
    assert len(nothing) == 0
    assert nothing.all_operations.shape == (0,)


def test_costs_refuse_what_is_not_a_price() -> None:
    with pytest.raises(ValueError, match="from 0 to"):
        Costs.table([[0.0, -1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="from 0 to"):
        Costs.table([[0.0, float("nan")], [1.0, 0.0]])
    with pytest.raises(ValueError, match="duplicate pair"):
        Costs.pairs([1, 1], [2, 2], [0.5, 0.6], size=3)
    with pytest.raises(ValueError, match="two dimensions"):
        Costs.table([1.0])
    with pytest.raises(ValueError, match="from 0 to 2"):
        Costs.pairs([1], [3], [0.5], size=3)
    with pytest.raises(ValueError, match="from 0 to"):
        Costs.pairs([1], [2], [0.5], size=3, default=-1)
    with pytest.raises(ValueError, match="do not cover all 100 tokens"):
        align(*tokens([[1]], [[2]]), costs=Costs.table(np.ones((5, 5))))


def test_unknown_tie_rule() -> None:
    with pytest.raises(OptionError, match="unknown tie rule 'foo'"):
        align(*tokens([[1]], [[2]]), ties="foo")  # type: ignore[arg-type]


@pytest.mark.slow
def test_two_long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 words against 20,000: one real pair, in a fraction of the full matrix' memory."""
    import tracemalloc

    from misword.core.types import Tokens

    rng = np.random.default_rng(8)
    ref, hyp = random_texts(rng, 20_000, 3000)
    sides = [
        Tokens(np.array(side, np.int32), np.array([0, len(side)]), [str(i) for i in range(3000)])
        for side in (ref, hyp)
    ]
    tracemalloc.start()
    unit = align(*sides)
    listed = np.arange(2999)
    costs = Costs.pairs(listed, listed + 1, np.full(2999, 0.5), size=3000)
    weighted = align(*sides, costs=costs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6
    assert unit.counts[0, 1:].sum() == unit.costs[0]
    assert weighted.costs[0] <= unit.costs[0]
    assert 1500 < unit.costs[0] < 3000


@pytest.mark.parametrize(
    ("reference", "hypothesis", "counts"),
    [
        # 4S + 3I + 3D, worked out by hand; hits, substitutions, insertions, deletions.
        ("abcde", "xyzab", [2, 0, 3, 3]),  # 18 < 20: more errors than the five substitutions
        ("abc", "xay", [1, 1, 1, 1]),  # 10 < 12
        ("ab", "ba", [1, 0, 1, 1]),  # 6 < 8
        ("abc", "dea", [0, 3, 0, 0]),  # 12 = 12: a substitution before a gap
        ("a", "bc", [0, 1, 1, 0]),
        ("", "ab", [0, 0, 2, 0]),
        ("ab", "", [0, 0, 0, 2]),
    ],
)
def test_costs_of_sclite(reference: str, hypothesis: str, counts: list[int]) -> None:
    sides = tokens([[ord(c) % 100 for c in reference]], [[ord(c) % 100 for c in hypothesis]])
    alignment = align(*sides, ties="sclite")
    assert alignment.counts[0].tolist() == counts
    assert alignment.costs[0] == 4 * counts[1] + 3 * (counts[2] + counts[3])
