"""The page of rescored lists: what each model prefers, and results without hypotheses."""

from __future__ import annotations

import polars as pl
import pytest

from misword.core.types import Result
from misword.report import render
from misword.report.kinds import headline
from misword.report.kinds.hypotheses import nbest as rescored_lists
from misword.stat.descriptions.hypotheses import RescoredLists
from results_made import HOSTILE, rescored


def lists_of(result: Result) -> RescoredLists:
    lists = RescoredLists.of(result)
    assert lists is not None
    return lists


def test_preferred_hypotheses() -> None:
    """Lists keep their order; hypotheses are by rank; of equally probable ones the first counts."""
    lists = lists_of(rescored())
    assert len(lists) == 3
    assert lists.hypotheses["utt"].to_list() == ["u2", "u2", "u2", "u1", "u1", "u3"]
    assert lists.hypotheses["rank"].to_list() == [1, 2, 3, 1, 2, 1]
    assert lists.preferred["small"].tolist() == [1, 0, 0]
    assert lists.ranks("big").tolist() == [3, 2, 1]
    assert lists.agreements() == {("small", "big"): pytest.approx(1 / 3)}


def test_lists_of_several_systems_are_apart() -> None:
    made = rescored()
    frame = made.tables["hypotheses"]
    both = pl.concat(frame.with_columns(system=pl.lit(name)) for name in "ab")
    lists = lists_of(Result("rescored", {**made.tables, "hypotheses": both}, {}))
    assert len(lists) == 6
    data = rescored_lists.list_data(lists, 6)
    assert data["systems"] == ["a"] * 3 + ["b"] * 3


def test_headline_and_tables() -> None:
    assert headline(rescored()) == (
        "small prefers another hypothesis than rank 1 in 33.3 % and big in 66.7 % of 3 lists."
    )
    assert headline(rescored(models=("small",))).endswith("rank 1 in 33.3 % of 3 lists.")
    page = render([rescored()])
    assert "prefer the same, % of lists" in page
    assert "tokens</th>" not in page
    assert HOSTILE[0] not in page
    assert "prefer the same" not in render([rescored(models=("small",))])


def test_lists_beyond_the_limit_are_left_out_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescored_lists, "MAXIMAL_HYPOTHESES", 4)
    assert "The last 2 lists are left out." in render([rescored()])


def test_result_without_hypotheses() -> None:
    made = rescored()
    empty = Result("rescored", {**made.tables, "hypotheses": made.tables["hypotheses"].clear()}, {})
    assert "A result of kind rescored" in render([empty])
