"""The first screen of scores and comparisons: heading, tiles, facts on the data."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import misword
from misword.core.types import Result
from misword.report import render
from misword.report.kinds import kind_of
from misword.report.kinds.comparison.kind import comparison_tiles
from misword.report.kinds.scores import scores_tiles
from misword.report.page import data_facts, reference_words
from misword.stat.descriptions.comparison import leaders
from results_made import HOSTILE, comparison, difference, scores, summary


def answer(result: Result) -> str:
    return kind_of(result).answer(result)


@pytest.mark.parametrize(
    ("rows", "heading"),
    [
        (
            [difference("wer", 0.8904, 0.001, baseline_rate=0.042, rate=0.0794)],
            "rescored is worse than base on WER: WER 4.2 → 7.9 %, +89.0 %.",
        ),
        (
            [difference("wer", -0.1, 0.01), difference("cer", -0.01, 0.3)],
            "rescored is better than base on 1 of 2 metrics: WER 20.0 → 18.0 %, -10.0 %.",
        ),
        (
            [difference("wer", -0.001, 0.9)],
            "rescored and base cannot be told apart on WER: WER 20.00 → 19.98 %, -0.1 %.",
        ),
        (
            [difference("wer", -0.1, None)],
            "rescored against base, not tested: WER 20.0 → 18.0 %, -10.0 %.",
        ),
        (
            [difference("wer", -0.1, 0.01, system=name) for name in "bc"],
            "b and c lead on WER (18.0 %); no test tells them apart.",
        ),
        (
            [difference("wer", -0.1, 0.01, system="b"), difference("wer", -0.2, 0.3, system="c")],
            "c has the lowest WER of 3 systems: 20.0 → 16.0 %, -20.0 % against base (no difference "
            "can be shown).",
        ),
        (
            [difference("wer", 0.1, 0.01, system=name) for name in "bc"],
            "base has the lowest WER of 3 systems: 20.0 %.",
        ),
    ],
)
def test_heading_of_a_comparison(rows: list[dict[str, Any]], heading: str) -> None:
    assert answer(comparison(rows)) == heading


@pytest.mark.parametrize(
    ("rows", "heading"),
    [
        ([summary()], "WER 14.2 %: about 14 errors in 100 words."),
        ([summary(rate=0.004)], "WER 0.4 %: about 4 errors in 1,000 words."),
        ([summary(rate=0.0)], "WER 0.0 %: no errors."),
        ([summary(metric="cer")], "CER 14.2 %."),
        ([summary(rate=None)], ""),
        ([summary(), summary(system="b", rate=0.1)], "b has the lowest WER: 10.0 %; a has 14.2 %."),
        (
            [
                summary(system=name, rate=rate)
                for name, rate in (("a", 0.3), ("b", 0.2), ("c", 0.1))
            ],
            "c has the lowest WER: 10.0 %; the 2 others have 20.0 % to 30.0 %.",
        ),
        ([summary(), summary(system="b")], "No system alone has the lowest WER: 14.2 %."),
    ],
)
def test_heading_of_scores(rows: list[dict[str, Any]], heading: str) -> None:
    assert answer(scores(rows)) == heading


def test_tiles_say_the_verdict_in_words_and_with_a_sign() -> None:
    rows = [difference("cer", 0.1, 0.01), difference("wer", -0.1, 0.01), difference("mer", 0.0, 1)]
    result = comparison(rows)
    first, second, third = comparison_tiles(result)
    assert (first.name, first.value, first.change) == ("WER", "20.0 → 18.0 %", "-10.0 %, better")
    assert (second.verdict, second.change) == ("worse", "+10.0 %, worse")
    assert third.change == "0.0 %, no difference can be shown"
    page = render([result])
    assert '<li class="tile better">' in page
    assert '<span aria-hidden="true">▼\u00a0</span><bdi>-10.0\u00a0%, better</bdi>' in page


def test_heading_names_all_leaders_that_no_test_tells_apart() -> None:
    rows = [
        difference("wer", 0.1, 0.4, system="b"),
        difference("wer", 0.05, 0.3, system="c"),
        difference("wer", 0.2, 0.01, system="d"),
    ]
    expected = "base, c and b lead on WER (20.0 to 22.0 %); no test tells them apart."
    assert answer(comparison(rows)) == expected


def test_leaders_of_all_pairs_are_not_told_apart_from_each_other() -> None:
    """b is not told from a, and c not from a, but b and c are: c does not lead."""
    rows = [difference("wer", 0.1, 0.2, system="b"), difference("wer", 0.2, 0.1, system="c")]
    pairs = [*rows, difference("wer", 0.1, 0.01, system="c", baseline="b")]
    result = comparison(rows)
    result.tables["pairs"] = pl.DataFrame(pairs)
    assert leaders(result, "wer") == ["base", "b"]
    best = [difference("wer", -0.2, 0.001, system="b"), difference("wer", -0.1, 0.2, system="c")]
    result = comparison(best)
    assert leaders(result, "wer") == ["b"]
    result.tables["pairs"] = pl.DataFrame(
        [*best, difference("wer", 0.1, 0.5, system="c", baseline="b")]
    )
    assert leaders(result, "wer") == ["b", "c"]


def test_tiles_of_several_systems_name_them_by_verdict() -> None:
    rows = [difference("wer", -0.1, 0.01, system=f"s{k}") for k in range(5)]
    rows += [difference("wer", 0.1, 0.4, system="t")]
    tiles = comparison_tiles(comparison(rows))
    assert [(tile.value, tile.verdict) for tile in tiles] == [
        ("s0\u00a0-10.0 %, s1\u00a0-10.0 %, s2\u00a0-10.0 %, s3\u00a0-10.0 % and 1 more", "better"),
        ("t\u00a0+10.0 %", "unclear"),
    ]
    assert tiles[0].remark == "20.0 % → 18.0 %"


def test_tiles_of_scores_are_metrics_or_systems() -> None:
    one = scores_tiles(scores([summary(metric="cer", rate=0.05), summary()]))
    assert [(tile.name, tile.value) for tile in one] == [("WER", "14.2 %"), ("CER", "5.0 %")]
    many = scores_tiles(scores([summary(system=f"s{k}", rate=0.5 - 0.1 * k) for k in range(5)]))
    assert [tile.name for tile in many] == ["s4", "s3", "s2", "s1"]


def test_facts_on_the_data() -> None:
    scored = misword.score(["a b c", "d"], {"x": ["a b", "d"], "y": ["a", "d"]}, "wer,cer")
    origin = {"date": "2026-05-28", "options": {"reference": f"/data/{HOSTILE[0]}.txt"}}
    facts = data_facts(scored.result(origin, bootstrap=0))
    assert "<bdi>2 utterances</bdi>" in facts
    assert "<bdi>4 words</bdi>" in facts
    assert "<bdi>2 systems</bdi>" in facts
    assert '<time datetime="2026-05-28">28 May 2026</time>' in facts
    assert "<script" not in facts


def test_words_are_counted_once_with_groups() -> None:
    scored = misword.score(["a b c", "d"], ["a b", "d"], "wer", metadata={"by": ["u", "v"]})
    assert reference_words(scored.result(by="by", bootstrap=0)) == 4
    assert reference_words(Result("scores", {"summary": pl.DataFrame()}, {})) is None


def test_titles_of_results_are_used_if_they_agree() -> None:
    june, july = (scores([summary()], options={"title": name}) for name in ("June", "July"))
    assert "<h1><bdi>June</bdi></h1>" in render([june, june])
    assert "<h1><bdi>misword report</bdi></h1>" in render([june, july])
    assert "<h1><bdi>All</bdi></h1>" in render([june, july], title="All")
