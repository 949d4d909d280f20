"""Differences within groups: by hand, beside plain comparisons, refusals, the command, the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import misword
from misword.asr.comparison.groups import group_differences
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.report import render
from misword.stat.bootstrap import Bootstrap

REFS = ["a b c d", "e f g h", "i j k l", "m n o p", "q r", ""]
SYSTEMS = {
    "base": ["a b c d", "e x x h", "i j k l", "m n o p", "q r", ""],
    "new": ["a b c x", "e f g h", "i j k x", "m n o x", "q r", ""],
}
META = {"noise": ["no", "no", "yes", "yes", "no", "yes"], "age": [1, 2, 1, 2, None, 1]}


def wrong_words(seed: int, rates: NDArray[np.float64]) -> list[str]:
    """Hypotheses for references of ten words `w`, with these rates of substitutions."""
    rng = np.random.default_rng(seed)
    wrong = rng.random((len(rates), 10)) < rates[:, None]
    return [" ".join(np.where(row, "x", "w")) for row in wrong]


def test_groups_by_hand() -> None:
    found = misword.compare(REFS, SYSTEMS, "wer", metadata=META, by="noise")
    columns = ["noise", "utterances", "baseline_rate", "rate", "difference"]
    assert found.groups.select(columns).rows() == [
        ("yes", 3, 0.0, 0.25, 0.25),
        ("no", 3, 0.2, 0.1, pytest.approx(-0.1)),
    ]
    assert found.groups["relative"].to_list() == [None, pytest.approx(-0.5)]
    row = found.groups.row(0, named=True)
    # In two utterances the systems differ: both favour one system once in two times.
    assert row["p"] == 0.5
    assert row["p_holm"] == 1.0
    assert row["low"] <= row["difference"] <= row["high"]


def test_groups_of_two_columns_keep_missing_values_and_types() -> None:
    found = misword.compare(REFS, SYSTEMS, "wer", metadata=META, by=["noise", "age"])
    assert found.by == ("noise", "age")
    keys = set(found.groups.select("noise", "age").rows())
    assert keys == {("no", 1), ("no", 2), ("yes", 1), ("yes", 2), ("no", None)}
    alone = found.groups.filter(noise="no", age=1).row(0, named=True)
    assert (alone["low"], alone["high"], alone["p"]) == (None, None, None)  # one utterance


def test_each_group_is_what_a_comparison_of_it_gives() -> None:
    rates = np.linspace(0, 0.4, 300)
    systems = {"base": wrong_words(1, rates), "new": wrong_words(2, rates / 2)}
    refs, meta = [" ".join("w" * 10)] * 300, {"set": ["a", "b", "c"] * 100}
    scores = misword.score(refs, systems, "wer,cer", metadata=meta)
    groups = misword.compare(scores, by="set").groups
    for value in "abc":
        alone = misword.compare(scores.filter(set=value)).differences
        ours = groups.filter(set=value)
        for name in ("baseline_rate", "rate", "difference", "relative"):
            assert ours[name].to_list() == alone[name].to_list()
        for name in ("low", "high", "relative_low", "relative_high"):
            assert ours[name].to_numpy() == pytest.approx(alone[name].to_numpy(), rel=0.15)
        assert ours["p"].to_list() == alone["p"].to_list()


def test_blocks_are_resampled_within_groups() -> None:
    rng = np.random.default_rng(0)
    base, new = (np.repeat(rng.random(40) * 0.4, 10) for _ in range(2))
    systems = {"base": wrong_words(1, base), "new": wrong_words(2, new)}
    meta = {"speaker": np.repeat(np.arange(40), 10), "set": ["a", "b"] * 200}
    scores = misword.score([" ".join("w" * 10)] * 400, systems, "wer", metadata=meta)
    plain, blocks = (
        misword.compare(scores, by="set", block=block).groups.sort("set")
        for block in (None, "speaker")
    )
    assert plain["difference"].to_list() == blocks["difference"].to_list()
    assert ((blocks["high"] - blocks["low"]) > (plain["high"] - plain["low"])).all()


def test_false_alarms_over_groups_are_rare() -> None:
    """Two systems of the same quality in 20 groups: at most 5 % of comparisons show a group."""
    refs, meta = [" ".join("w" * 10)] * 600, {"set": np.arange(600) % 20}
    rates = np.full(600, 0.15)
    alarms = 0
    for seed in range(60):
        systems = {"a": wrong_words(2 * seed, rates), "b": wrong_words(2 * seed + 1, rates)}
        scores = misword.score(refs, systems, "wer", metadata=meta)
        groups = group_differences(scores.tally("set", paired=True), Bootstrap(100))
        alarms += bool((groups["p_holm"] < 0.05).any())
    assert alarms <= 7  # binomial: 8 of 60 or more have probability 0.01 at 5 %


def test_a_large_difference_in_one_of_many_groups_is_shown() -> None:
    sets = np.arange(2000) % 100
    better = {"a": np.full(2000, 0.1), "b": np.where(sets == 7, 0.5, 0.1)}
    systems = {name: wrong_words(seed, rates) for seed, (name, rates) in enumerate(better.items())}
    refs = [" ".join("w" * 10)] * 2000
    groups = misword.compare(refs, systems, "wer", metadata={"set": sets}, by="set").groups
    assert groups["set"][0] == 7
    assert groups["p_holm"][0] < 0.01
    assert groups.filter(pl.col("p_holm") < 0.05)["set"].to_list() == [7]


def test_equal_systems_have_p_1() -> None:
    same = {"a": SYSTEMS["new"], "b": SYSTEMS["new"]}
    groups = misword.compare(REFS, same, "wer", metadata=META, by="noise").groups
    assert groups["p"].to_list() == [1.0, 1.0]
    assert groups["low"].to_list() == groups["high"].to_list() == [0.0, 0.0]


def test_without_resamples_there_are_no_intervals() -> None:
    groups = misword.compare(REFS, SYSTEMS, "wer", metadata=META, by="noise", bootstrap=0).groups
    assert groups["difference"].null_count() == 0
    assert groups.select("low", "high", "p", "p_holm").null_count().row(0) == (2, 2, 0, 0)


def test_refusals() -> None:
    with pytest.raises(
        OptionError, match=r"there is no metadata column 'nose'\n.*columns: noise, age"
    ):
        misword.compare(REFS, SYSTEMS, "wer", metadata=META, by="nose")
    with pytest.raises(OptionError, match="has a column 'rate'"):
        misword.compare(REFS, SYSTEMS, "wer", metadata={"rate": [1] * 6}, by="rate")


def test_without_groups_there_is_no_table() -> None:
    found = misword.compare(REFS, SYSTEMS, "wer", metadata=META)
    assert found.groups.is_empty()
    assert "groups" not in found.result().tables


def test_the_page_shows_the_groups() -> None:
    meta = {**META, "rows": ["<b>", "</script>", "x", "y", "z", "x"]}
    found = misword.compare(REFS, SYSTEMS, "wer", metadata=meta, by=["noise", "rows"])
    page = render([found.result()])
    assert "Where it is better or worse" in page
    assert "WER by noise, rows: change with 95 % intervals" in page
    assert "Where it is better" not in render([misword.compare(REFS, SYSTEMS, "wer").result()])


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    utts = [f"u{number}" for number in range(len(REFS))]
    pl.DataFrame({"id": utts, "text": REFS, "noise": META["noise"]}).write_csv("ref.csv")
    for name, texts in SYSTEMS.items():
        pl.DataFrame({"id": utts, "text": texts}).write_csv(f"{name}.csv")
    command = ["compare", "ref.csv", "base.csv", "new.csv", "--metrics", "wer", "--by", "noise"]
    assert main([*command, "--brief", "--format", "table"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["wer", "new", "yes", "0.00", "25.00", "+25.00"] in [line[:6] for line in lines]
    assert main([*command, "--brief", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["noise"] for row in shown["groups"]] == ["yes", "no"]
    assert "worst" not in shown
