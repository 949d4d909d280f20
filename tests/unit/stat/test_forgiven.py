"""Forgiven blocks in tables of words: how many reference words they stand for."""

from __future__ import annotations

import polars as pl
import pytest

import misword
from misword.stat.mapsswe import from_words, segments
from misword.stat.score_tables import forgiven_blocks, reference_sizes, single_reference_words

# kind, reference, hypothesis, family
STEPS = [
    ("hit", "we are", "we're", "contractions"),
    ("hit", None, "uh", "fillers"),
    ("hit", "here", "here", None),
    ("insertion", None, "now", None),
    ("hit", "um", None, "fillers"),
    ("deletion", "then", None, None),
]


def words(steps: list[tuple[str, str | None, str | None, str | None]] = STEPS) -> pl.DataFrame:
    table = pl.DataFrame(
        steps, schema=["kind", "reference", "hypothesis", "family"], orient="row"
    ).with_row_index("place")
    return table.with_columns(utt=pl.lit("1"), system=pl.lit("a"), rank=pl.lit(1))


def test_sizes_of_blocks() -> None:
    assert reference_sizes(words()).tolist() == [2, 0, 1, 1, 1, 1]
    assert reference_sizes(words().drop("family")).tolist() == [1] * 6
    assert reference_sizes(words().head(0)).tolist() == []


def test_a_row_for_each_reference_word() -> None:
    single = single_reference_words(words())
    assert single["reference"].to_list() == ["we", "are", "here", None, "um", "then"]
    kinds = ["hit", "hit", "hit", "insertion", "hit", "deletion"]
    assert single["kind"].to_list() == kinds
    unchanged = words([("hit", "a", "b", "case"), ("deletion", "c", None, None)])
    assert single_reference_words(unchanged) is unchanged


def test_the_list_of_blocks() -> None:
    assert forgiven_blocks(words()).rows() == [
        ("1", "a", 0, "contractions", "we are", "we're"),
        ("1", "a", 1, "fillers", None, "uh"),
        ("1", "a", 4, "fillers", "um", None),
    ]


def test_segments_do_not_depend_on_blocks() -> None:
    """MAPSSWE counts the words of blocks, so that two systems have the same reference words.

    The errors are on `so`, `and` and `gone`, with two right words or more between them.
    """
    reference = "so we are late and then we are gone"
    heard = {"a": "no we're late uh and then we are done", "b": "so we are late an then we're gone"}
    scores = misword.score([reference], heard, "wer", forgive="contractions,fillers")
    found = segments(*from_words(scores.words(), "a", "b"))
    assert found.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("metrics", ["wer,cer", "cer"])
def test_a_summary_has_rates_without_forgiveness(metrics: str) -> None:
    scores = misword.score(["we are late"], ["we're late"], metrics, forgive="writing")
    plain = misword.score(["we are late"], ["we're late"], metrics)
    summary = scores.summary(bootstrap=0)
    assert summary["rate"].to_list() == [0.0] * len(scores.columns)
    assert summary["without"].to_list() == plain.summary(bootstrap=0)["rate"].to_list()
    assert set(summary["forgiven"]) == set(summary["forgiven.contractions"]) == {1}
    assert set(summary["forgiven.numbers"]) == {0}
