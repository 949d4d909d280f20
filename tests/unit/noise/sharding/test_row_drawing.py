"""Errors of rows: they do not depend on other rows, and are as many as the rates say."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.noise.corrupt import build_error_model
from misword.noise.corrupt_shards import TextFacts
from misword.noise.corruption.levels import make_targets
from misword.noise.corruption.row_keys import id_keys, number_keys, row_random_numbers, seeded_rows
from misword.noise.corruption.sampler import Sampler
from misword.noise.corruption.targets import ErrorCapacity
from misword.noise.corruption.text_block import TextBlock
from misword.noise.error_model import ErrorModel, Mix
from misword.noise.row_noise import KindRates, PlaceCounts, RowNoise, calibrate

WORDS = [f"w{number}" for number in range(40)]
MODEL = build_error_model(WORDS, "uniform")
assert isinstance(MODEL, ErrorModel)
SAMPLER = Sampler(MODEL)
ROWS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=8)


def block_of(rows: list[str]) -> TextBlock:
    return TextBlock.of("\0".join(rows).encode(), len(rows))


@given(ROWS, st.integers(0, 7), st.tuples(*[st.sampled_from([0.0, 0.2, 2.0])] * 3))
def test_a_row_does_not_depend_on_the_others(
    rows: list[str], cut: int, rates: tuple[float, float, float]
) -> None:
    noise = RowNoise(SAMPLER, KindRates(*rates), 3, 0.2)
    keys = number_keys(0, len(rows))
    whole = noise.draw(block_of(rows), keys)
    parts = [(rows[:cut], keys[:cut]), (rows[cut:], keys[cut:])]
    apart = [noise.draw(block_of(some), own) for some, own in parts if some]
    assert b"\0".join(part.text for part in apart) == whole.text
    assert np.concatenate([part.counts for part in apart]).tolist() == whole.counts.tolist()


def test_counts_are_those_of_score() -> None:
    import misword

    rng = np.random.default_rng(0)
    rows = [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(300)]
    noise = RowNoise(SAMPLER, KindRates(0.2, 0.1, 0.1), 0, 0.3)
    drawn = noise.draw(block_of(rows), number_keys(0, len(rows)))
    scored = misword.score(rows, drawn.text.decode().split("\0"), "wer").statistics("wer")
    assert scored.tolist() == drawn.counts.tolist()


def test_numbers_are_uniform_and_differ_by_purpose_position_and_seed() -> None:
    keys, positions = number_keys(0, 4000), np.arange(4000) % 5
    columns = [
        row_random_numbers(keys, positions, 0),
        row_random_numbers(keys, positions, 1),
        row_random_numbers(keys, positions + 1, 0),
        row_random_numbers(seeded_rows(keys, 1, 0.1), positions, 0),
        row_random_numbers(seeded_rows(keys, 1, 0.2), positions, 0),
    ]
    correlations = np.corrcoef(columns)
    assert np.abs(correlations - np.eye(len(columns))).max() < 0.06
    for column in columns:
        assert abs(column.mean() - 0.5) < 0.02
        assert abs(column.var() - 1 / 12) < 0.004


def test_keys_of_ids_differ() -> None:
    ids = pl.Series([f"utt-{number}" for number in range(5000)])
    assert len(set(id_keys(ids).tolist())) == 5000


@pytest.mark.parametrize("mix", [Mix(), Mix(0.7, 0.2, 0.1), Mix(0.0, 1.0, 0.0), Mix(0, 0, 1)])
@pytest.mark.parametrize("wer", [0.0, 0.05, 0.3])
def test_the_target_is_met_on_the_sample(mix: Mix, wer: float) -> None:
    """A corpus that is no larger than the sample has the target WER to a few errors."""
    rng = np.random.default_rng(1)
    rows = [" ".join(rng.choice(WORDS, rng.integers(0, 20))) for _ in range(2000)]
    facts = TextFacts()
    facts.add_rows(pl.Series(rows), number_keys(0, len(rows)))
    places = PlaceCounts.of(facts.words, facts.rows, SAMPLER)
    capacity = ErrorCapacity.of(list(places.tokens), places.counts, SAMPLER)
    (target,) = make_targets([wer], mix, 5, capacity)
    noise = calibrate(target, places, facts.block(), facts.keys)
    _, subs, ins, dels = noise.draw(facts.block(), facts.keys).counts.sum(axis=0).tolist()
    assert abs((subs + ins + dels) / capacity.words - wer) < 5e-4
    shares = np.array([subs, dels, ins]) / max(subs + dels + ins, 1)
    assert wer == 0 or np.abs(shares - mix.shares).max() < 0.03


@given(st.lists(st.integers(0, 200), min_size=1, max_size=30), st.integers(1, 29))
def test_facts_add_up_in_any_order(numbers: list[int], cut: int) -> None:
    rows = pl.Series([f"{number} x" for number in numbers])
    keys = id_keys(rows)
    whole, first, second = TextFacts(), TextFacts(), TextFacts()
    whole.add_rows(rows, keys)
    for facts, part in ((first, slice(cut, None)), (second, slice(0, cut))):
        if len(rows[part]):
            facts.add_rows(rows[part], keys[part])
    first.add(second)
    assert (first.rows, first.words, first.sample) == (whole.rows, whole.words, whole.sample)
    assert first.keys.tolist() == whole.keys.tolist()


def test_the_sample_has_the_smallest_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    from misword.noise import corrupt_shards

    monkeypatch.setattr(corrupt_shards, "SAMPLE_ROWS", 10)
    rows = pl.Series([f"row {number}" for number in range(100)])
    keys = id_keys(rows)
    facts = TextFacts()
    for lo in range(0, 100, 30):
        facts.add_rows(rows[lo : lo + 30], keys[lo : lo + 30])
    assert facts.keys.tolist() == sorted(keys.tolist())[:10]
    assert facts.sample == [rows[int(at)] for at in np.argsort(keys)[:10]]
