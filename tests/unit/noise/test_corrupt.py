"""Text at a stated word error rate: `score` finds the rate that `corrupt` states."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.core.context import Context
from misword.core.errors import MiswordError, OptionError
from misword.noise.corrupt import build_error_model, corrupt, draw, draw_all
from misword.noise.corruption import text_block
from misword.noise.corruption.result import Corruption
from misword.noise.corruption.targets import read_mix, read_target_wers
from misword.noise.error_model import CandidateTable, ErrorModel, Mix

TEXTS = ["The cat sat on the mat.", "", "So we -- went home, didn't we?", "l'été à Paris"] * 25
WORDS = sum(len(text.split()) for text in TEXTS)
tokens = st.sampled_from(["a", "b", "c,", "Dog", "é", "e\u0301", "--", "EU"])
texts = st.lists(st.lists(tokens, max_size=7).map(" ".join), min_size=1, max_size=8)


def scored(found: Corruption) -> list[tuple[float, int, int, int]]:
    table = misword.score(found.corpus, metrics="wer", alternatives=False).summary(bootstrap=0)
    names = ("rate", "substitutions", "deletions", "insertions")
    return [tuple(row[name] for name in names) for row in table.to_dicts()]


@settings(max_examples=80)
@given(texts, st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.integers(0, 3), st.booleans())
def test_claimed_is_what_score_finds(texts: list[str], rate: float, seed: int, mixed: bool) -> None:
    mix = Mix(0.6, 0.2, 0.2) if mixed else None
    try:
        found = corrupt(texts, rate, channel="uniform", mix=mix, seed=seed)
    except OptionError:  # the target cannot be reached; other tests check this
        return
    (level,) = found.levels.values()
    realised = level.realised
    claimed = (realised.wer, realised.substitutions, realised.deletions, realised.insertions)
    rate_found, *counts = scored(found)[0]
    assert claimed[1:] == tuple(counts)
    if rate == 0:
        assert level.texts == texts
    words = realised.target.capacity.words
    assert realised.wer == (rate_found if words else None)
    assert abs(realised.errors - rate * words) <= max(0.5, 0.005 * words) + 1e-9


@pytest.mark.parametrize("mix", [None, Mix(0.7, 0.2, 0.1)])
def test_rates_are_hit_to_the_word(mix: Mix | None) -> None:
    rates = [0, 0.05, 0.1, 0.3, 0.5]
    found = corrupt(TEXTS, rates, channel="uniform", mix=mix)
    assert list(found.levels) == ["wer-0.00", "wer-0.05", "wer-0.10", "wer-0.30", "wer-0.50"]
    for rate, level in zip(rates, found.levels.values(), strict=True):
        assert level.realised.errors == round(rate * WORDS)
    claimed = found.summary.select("wer", "substitutions", "deletions", "insertions").rows()
    assert claimed == scored(found)


def test_empty_lines_and_lines_of_signs_stay() -> None:
    found = draw(["", "-- ...", "a b", ""], build_error_model(["a b c"], "uniform"), 0.5)
    assert found.texts[:2] == ["", "-- ..."]
    assert found.texts[3] == ""
    assert found.realised.target.capacity.words - found.realised.target.capacity.substitutable == 2


def test_all_words_wrong() -> None:
    found = corrupt(["a b c d", "b c d a"] * 10, 1.0, channel="uniform")
    assert found.levels["wer-1.00"].realised.wer == 1.0
    assert scored(found)[0][0] == 1.0


def test_what_cannot_be_reached_says_what_can() -> None:
    with pytest.raises(OptionError, match=r"0\.8 cannot be reached: 0\.5000 is the most"):
        corrupt(["a b -- ..."] * 10, 0.8, channel="uniform")
    with pytest.raises(OptionError, match="cannot be reached"):
        corrupt(["a b c"], 1.5, channel="uniform")
    more = corrupt(["a b c"] * 10, 1.5, channel="uniform", mix=Mix(0.5, 0, 0.5))
    assert more.summary["wer"].to_list() == [1.5]


def test_one_candidate_may_be_too_few() -> None:
    """`a b` can only become `b a`: two substitutions or none, so one of three is out of reach."""
    table = CandidateTable(
        ["a", "b"], ["a", "b"], np.array([0, 1, 2]), np.array([1, 0], np.int32), np.ones(2),
        np.full(2, np.nan, np.float32), np.full(2, np.nan, np.float32),
    )  # fmt: skip
    found = draw(["a a a b b b"] * 10, ErrorModel.unweighted(table), 1.0)
    assert found.realised.wer == 1.0
    with pytest.raises(OptionError, match="cannot be reached"):
        draw(["a b a b a b"] * 10, ErrorModel.unweighted(table), 1.0)


def test_same_seed_same_texts_on_any_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_block, "BLOCK_ROWS", 7)
    heard = build_error_model(TEXTS, "uniform")
    for mix in (None, Mix(0.6, 0.2, 0.2)):
        one, two, four = (draw(TEXTS, heard, 0.4, mix=mix, seed=3, workers=n) for n in (1, 2, 4))
        assert one.texts == two.texts == four.texts
        assert one.truth.equals(two.truth)
        assert one.texts != draw(TEXTS, heard, 0.4, mix=mix, seed=4).texts
        assert one.realised.errors == round(0.4 * WORDS)


def test_a_level_is_the_same_alone() -> None:
    heard = build_error_model(TEXTS, "uniform")
    several = draw_all(TEXTS, heard, [0.1, 0.3], seed=5)
    assert several[1].texts == draw(TEXTS, heard, 0.3, seed=5).texts


def test_passages_make_up_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block has few words that can be changed, so the errors go into others."""
    monkeypatch.setattr(text_block, "BLOCK_ROWS", 5)
    texts = ["-- -- -- a"] * 5 + ["a b c d"] * 5
    found = draw(texts, build_error_model(["a b c d"], "uniform"), 0.5)
    assert found.realised.wer == 0.5


def test_shares_of_the_mix_come_out() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefghijklmnopqrst"), 12)) for _ in range(400)]
    found = corrupt(texts, 0.2, channel="uniform", mix=Mix(0.6, 0.25, 0.15)).summary.row(
        0, named=True
    )
    errors = sum(found[name] for name in ("substitutions", "deletions", "insertions"))
    assert found["wer"] == 0.2
    for name, share in (("substitutions", 0.6), ("deletions", 0.25), ("insertions", 0.15)):
        assert found[name] / errors == pytest.approx(share, abs=0.02)


def test_truth_rebuilds_the_noisy_text() -> None:
    found = corrupt(TEXTS, 0.4, channel="uniform", mix=Mix(0.6, 0.2, 0.2), seed=2)
    level = found.levels["wer-0.40"]
    rows = [[[word] for word in text.split()] for text in TEXTS]
    fronts: list[list[str]] = [[] for _ in TEXTS]
    for error in level.truth.to_dicts():
        row, place = rows[error["utt"] - 1], error["position"]
        if error["kind"] == "insertion":
            assert error["old"] is None
            target = row[place - 1] if place else fronts[error["utt"] - 1]
            target.append(error["new"])
        else:
            assert row[place - 1][0] == error["old"]
            row[place - 1][0] = error["new"] or ""
        assert error["kind"] == "deletion" or 0 < error["probability"] <= 1
    for noisy, row, front in zip(level.texts, rows, fronts, strict=True):
        rebuilt = [word for word in [*front, *(w for cell in row for w in cell)] if word]
        assert len(rebuilt) == len(noisy.split())
        for made, got in zip(rebuilt, noisy.split(), strict=True):
            assert made.strip(".,-?").lower() in got.lower()


def test_ids_and_tables() -> None:
    found = corrupt(["a b", "c d"], [0, 0.5], channel="uniform", ids=["x", "y"])
    assert found.references["utt"].to_list() == ["x", "y"]
    assert set(found.truth["utt"].to_list()) in ({"x"}, {"y"}, {"x", "y"})
    assert found.corpus.systems == ["wer-0.00", "wer-0.50"]
    result = found.result({"command": "corrupt"})
    assert result.kind == "corruption"
    assert set(result.tables) == {"summary", "truth", "references", "hypotheses"}
    assert result.provenance["signature"].startswith("corrupt|channel:uniform|")
    with pytest.raises(MiswordError, match="2 texts, 1 ids"):
        corrupt(["a", "b"], 0, channel="uniform", ids=["x"])


def test_columns_of_polars_and_nothing_at_all() -> None:
    assert corrupt(pl.Series(["a b"]), 0.5, channel="uniform").summary["wer"][0] == 0.5
    empty = corrupt([], 0.5, channel="uniform")
    assert empty.summary["wer"][0] is None
    assert empty.levels["wer-0.50"].texts == []


def test_channels_are_checked_first() -> None:
    with pytest.raises(OptionError, match="language"):
        build_error_model(["a"], "phonetic", Context())
    with pytest.raises(OptionError, match="seed is -1"):
        corrupt(["a b"], 0.5, channel="uniform", seed=-1)
    with pytest.raises(OptionError, match="needs a file"):
        corrupt(["a"], 0.1, channel="confusion")


@pytest.mark.parametrize("text", ["", "x", "-0.1", "0.1,0.1", "0:0.5", "0.5:0:0.1", "0:1:0", "nan"])
def test_rates_that_are_none(text: str) -> None:
    with pytest.raises(OptionError):
        read_target_wers(text)


@pytest.mark.parametrize(
    ("text", "shares"), [("30", "0.3"), ("5", "0.05"), ("2.5", "0.025"), ("0,10,30", "0,0.1,0.3")]
)
def test_percentages_are_suspected(text: str, shares: str) -> None:
    with pytest.raises(OptionError, match="a word error rate of") as caught:
        read_target_wers(text)
    assert f"did you mean {shares}?" in caught.value.fix


def test_rates_above_one_are_possible() -> None:
    assert read_target_wers("1,1.9") == [1, 1.9]


@pytest.mark.parametrize("text", ["s=0.5", "s=1,x=0", "s", "s=2,d=-1", "s=a", ""])
def test_mixes_that_are_none(text: str) -> None:
    with pytest.raises(OptionError, match="not a mix"):
        read_mix(text)


def test_rates_on_real_sentences(shared: Path) -> None:
    with (shared / "sts" / "stsb-en-dev.csv").open(encoding="utf-8") as file:
        texts = [text for row in csv.reader(file) for text in row[:2]]
    found = corrupt(texts, [0.05, 0.1, 0.3, 0.5], channel="uniform", seed=7)
    words = sum(len(text.split()) for text in texts)
    for asked, wer in found.summary.select("asked", "wer").iter_rows():
        assert round(wer * words) == round(asked * words)
