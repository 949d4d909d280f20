"""Scores of shards are those of the whole corpus, to the last bit, by any engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import misword
from misword.core.errors import MismatchError, OptionError
from misword.io.shards.files import Shard, ShardTask
from misword.io.shards.running import SMALL, fitting_engine
from misword.stat.paired import SWAPPED_TOGETHER
from misword.stat.tallies.tally import Tally
from shards_made import SYSTEMS, corpus, write_shards, write_vectors

METRICS = "wer,cer,wil,wer-e"


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return corpus()


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(scope="module")
def whole(table: pl.DataFrame, vectors: str) -> misword.Scores:
    return misword.score(
        table["reference"],
        table.select(SYSTEMS),
        METRICS,
        ids=table["id"],
        metadata=table.select("dialect", "level"),
        vectors=vectors,
    )


def engines() -> list[Any]:
    slow = pytest.mark.slow
    return [
        *(pytest.param("serial", number) for number in (1, 3, 40)),
        *(pytest.param(name, 3, marks=slow) for name in ("process", "ray")),
        pytest.param("process", 40, marks=slow),
        pytest.param("ray", 40, marks=slow),
    ]


@pytest.mark.parametrize(("engine", "shards"), engines())
def test_the_numbers_are_those_of_the_whole(
    engine: str,
    shards: int,
    table: pl.DataFrame,
    whole: misword.Scores,
    vectors: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Rates, intervals and p-values, by group and in total, for fractions and counts."""
    if engine == "ray":
        request.getfixturevalue("local_ray")
    folder = write_shards(table, tmp_path, shards)
    comparison = misword.compare(
        misword.shards(
            str(folder / "*.parquet"), hypothesis_column=SYSTEMS, engine=engine, workers=2
        ),
        metrics=METRICS,
        by="dialect",
        vectors=vectors,
    )
    assert comparison.scores.tallied is not None
    check_summary(comparison.scores.tallied, whole)
    expected = misword.compare(whole, by="dialect")
    assert_frame_equal(comparison.differences, expected.differences, check_exact=True)
    assert expected.differences["p_mapsswe"].null_count() < len(expected.differences)
    keys = ["metric", "system", "dialect"]
    assert_frame_equal(comparison.groups.sort(keys), expected.groups.sort(keys), check_exact=True)


def check_summary(tally: misword.Tally, whole: misword.Scores) -> None:
    keys = ["system", "dialect", "metric"]
    expected = whole.summary("dialect").sort(keys)
    assert_frame_equal(tally.summary().sort(keys), expected, check_exact=True)
    assert_frame_equal(tally.summary(total=True), whole.summary(), check_exact=True)
    assert set(tally.notes) == set(whole.notes) & set(tally.notes)
    assert any("empty reference" in note for note in tally.notes)


def test_small_groups(table: pl.DataFrame, whole: misword.Scores, tmp_path: Path) -> None:
    """Groups of few utterances are resampled together, also from tallies."""
    scores = whole.only(["wer", "cer"])
    folder = write_shards(table, tmp_path, 5)
    found = misword.compare(
        misword.shards(str(folder), hypothesis_column=SYSTEMS, engine="serial"), by=["level"]
    )
    keys = ["metric", "system", "level"]
    expected = misword.compare(scores, by="level").groups
    assert_frame_equal(found.groups.sort(keys), expected.sort(keys), check_exact=True)


@pytest.mark.parametrize(("ours", "theirs"), [(".csv", ".jsonl"), (".parquet", ".parquet")])
def test_aligned_files(ours: str, theirs: str, tmp_path: Path, table: pl.DataFrame) -> None:
    """File k of the hypotheses has the utterances of file k of the references, in any order."""
    write_shards(table.select("id", "reference", "dialect"), tmp_path / "ref", 4, suffix=ours)
    for name in SYSTEMS:
        side = table.select("id", hypothesis=name).reverse()
        backwards = pl.concat([side[450:], side[300:450], side[150:300], side[:150]])
        write_shards(backwards, tmp_path / name, 4, suffix=theirs)
    sides = [str(tmp_path / name) for name in SYSTEMS]
    found = misword.score(misword.shards(tmp_path / "ref", sides, by="dialect", engine="serial"))
    scores = misword.score(
        table["reference"], table.select(SYSTEMS), metadata=table.select("dialect")
    )
    keys = ["system", "dialect", "metric"]
    expected = scores.summary("dialect").sort(keys)
    assert_frame_equal(found.summary("dialect").sort(keys), expected, check_exact=True)


def test_rows_without_ids_are_paired_by_position(tmp_path: Path, table: pl.DataFrame) -> None:
    write_shards(table.select("reference"), tmp_path / "ref", 3, suffix=".csv", shuffled=False)
    side = table.select(hypothesis="base")
    write_shards(side, tmp_path / "hyp", 3, suffix=".jsonl", shuffled=False)
    found = misword.score(misword.shards(tmp_path / "ref", tmp_path / "hyp", engine="serial"))
    expected = misword.score(table["reference"], {"hyp": table["base"]}).summary()
    assert_frame_equal(found.summary(), expected, check_exact=True)


@pytest.mark.parametrize("rule", ["skip", "delete"])
def test_missing_hypotheses(rule: Any, tmp_path: Path, table: pl.DataFrame) -> None:
    gaps = table.with_columns(pl.when(pl.col("level") > 3).then("base").alias("base"))
    write_shards(gaps, tmp_path / "shards", 3)
    gaps.write_parquet(tmp_path / "all.parquet")
    options: dict[str, Any] = {"hypothesis_column": "base", "missing": rule}
    found = misword.score(misword.shards(tmp_path / "shards", **options))
    whole, _ = misword.read_corpus(tmp_path / "all.parquet", **options)
    expected = misword.score(whole).summary().drop("system")
    assert_frame_equal(found.summary().drop("system"), expected, check_exact=True)
    assert any("a hypothesis" in note for note in found.notes)


def test_forgiven_differences(tmp_path: Path) -> None:
    texts = pl.DataFrame(
        {
            "id": list("abcd"),
            "reference": ["we are here", "two cats", "i am", "it is three"],
            "hypothesis": ["we're here", "2 cats", "i was", "it's 3"],
        }
    )
    options = {"forgive": "writing", "lang": "en"}
    folder = write_shards(texts, tmp_path, 2)
    found = misword.score(misword.shards(folder, engine="serial", names=["x"]), **options)  # type: ignore[arg-type]
    whole = misword.score(texts["reference"], {"x": texts["hypothesis"]}, **options)  # type: ignore[arg-type]
    assert_frame_equal(found.summary(), whole.summary(), check_exact=True)


def test_tallies_add_up_in_any_order(whole: misword.Scores) -> None:
    number = pl.col("utt").str.slice(4).cast(pl.Int64)
    parts = [whole.filter(number % 5 == k).tally("dialect", paired=True) for k in range(5)]
    one, other = sum(parts), sum(reversed(parts))
    assert isinstance(one, misword.Tally)
    assert isinstance(other, misword.Tally)
    assert_frame_equal(one.summary(), other.summary(), check_exact=True)
    check_summary(one, whole)
    assert one["wer", "new"] == whole["wer", "new"]
    assert len(one) == len(whole)


def test_tallies_that_do_not_fit(whole: misword.Scores) -> None:
    tally = whole.tally("dialect")
    for other in (
        whole.only(["wer"]).tally("dialect"),
        whole.tally("level"),
        whole.filter(system="new").tally("dialect"),
        whole.tally("dialect", paired=True),
    ):
        with pytest.raises(MismatchError):
            tally + other


@pytest.mark.parametrize("shards", [1, 7])
def test_blocks_and_classes_of_words(shards: int, table: pl.DataFrame, tmp_path: Path) -> None:
    """Utterances of one block may be in several shards; finished shards have the same numbers."""
    folder = write_shards(table, tmp_path / "run", shards)
    options: Any = {"block": "level", "by": "dialect", "keywords": {"ae": "x", "bf cg": "y"}}
    expected = misword.compare(
        table["reference"],
        table.select(SYSTEMS),
        "wer,cer",
        ids=table["id"],
        metadata=table.select("dialect", "level"),
        **options,
    )
    source = misword.shards(folder, hypothesis_column=SYSTEMS, out=tmp_path / "out")
    for _ in range(2):
        found = misword.compare(source, metrics="wer,cer", **options)
        assert (found.block, found.blocks) == ("level", 40)
        assert_frame_equal(found.differences, expected.differences, check_exact=True)
        assert_frame_equal(found.entities, expected.entities, check_exact=True)
        keys = ["metric", "system", "dialect"]
        assert_frame_equal(found.groups.sort(keys), expected.groups.sort(keys), check_exact=True)
        classes = found.scores.entities()
        assert_frame_equal(classes, expected.scores.entities(), check_exact=True)
    assert any(f"{shards} of {shards} shard" in note for note in found.scores.notes)


def test_what_needs_single_utterances_is_refused(table: pl.DataFrame, tmp_path: Path) -> None:
    """In one sentence, which says why."""
    source = misword.shards(write_shards(table, tmp_path, 2), hypothesis_column=SYSTEMS)
    found = misword.compare(source)
    for name in ("worst", "contrast", "slices"):
        with pytest.raises(OptionError, match=f"{name} cannot be used with shards: "):
            getattr(found, name)
    with pytest.raises(OptionError, match="the table of utterances cannot be used with shards: "):
        found.scores.utterances()
    assert "worst" not in found.result().tables


def test_the_engine_is_chosen_by_size(tmp_path: Path) -> None:
    """Starting processes takes longer than the work on small shards."""
    small = [ShardTask(0, (Shard("a", 10, ""),)), ShardTask(1, (Shard("b", 10, ""),))]
    large = [replace(task, files=(Shard("a", SMALL, ""),)) for task in small]
    assert [fitting_engine(tasks).name for tasks in (small, large, large[:1])] == [
        "serial",
        "process",
        "serial",
    ]


def test_finished_shards_of_other_blocks_are_scored_again(
    table: pl.DataFrame, tmp_path: Path
) -> None:
    """The folder of finished shards is that of a run with other blocks."""
    folder = write_shards(table, tmp_path / "shards", 3)
    source = misword.shards(
        folder, hypothesis_column=SYSTEMS, engine="serial", out=tmp_path / "out"
    )
    for block in ("dialect", "level", None):
        found = misword.compare(source, metrics="wer", block=block)
        texts = table["reference"], table.select(SYSTEMS)
        metadata = table.select("dialect", "level")
        expected = misword.compare(*texts, "wer", metadata=metadata, ids=table["id"], block=block)
        assert_frame_equal(found.differences, expected.differences)


def test_a_class_of_keywords_is_absent_if_no_shard_has_it(tmp_path: Path) -> None:
    for name, text in (("a", "the cat sat"), ("b", "the dog sat")):
        row = {"id": [name], "reference": [text], "hypothesis": [text]}
        pl.DataFrame(row).write_parquet(tmp_path / f"{name}.parquet")
    keywords = {"cat": "cats", "dog": "dogs", "bird": "birds"}
    found = misword.score(
        misword.shards(tmp_path, engine="serial"), metrics="wer", keywords=keywords
    )
    assert [note for note in found.notes if "keyword" in note] == ["no text has a keyword of birds"]


def test_classes_of_words_in_fewer_groups(table: pl.DataFrame) -> None:
    """A tally by two columns has the rates of classes by one of them, and of all utterances."""
    scores = misword.score(
        table["reference"],
        table.select(SYSTEMS),
        "wer",
        metadata=table.select("dialect", "level"),
        keywords={"ae": "first", "bf": "second"},
    )
    tally = scores.tally(["dialect", "level"])
    for by in ((), ("dialect",), ("level",)):
        assert_frame_equal(tally.grouped(by).entities(), scores.entities(by), check_row_order=False)


def test_tallies_without_segments_have_no_test_of_segments(table: pl.DataFrame) -> None:
    """Words of all utterances are needed: those of some give no statistic of the whole."""
    halves = [
        misword.score(
            part["reference"], part.select(SYSTEMS), "wer", ids=part["id"], keep_texts=kept
        )
        for part, kept in ((table[:300], True), (table[300:], False))
    ]
    tallies = [half.tally(paired=True) for half in halves]
    first, both = tallies[0].paired, Tally.sum(tallies).paired
    assert first is not None
    assert first.segments is not None
    assert both is not None
    assert both.segments is None


def test_many_utterances_are_not_swapped_together(table: pl.DataFrame) -> None:
    """A tally keeps the utterances of few; the sum of two tallies may have too many."""
    few = SWAPPED_TOGETHER
    parts = [
        misword.score(part["reference"], part.select(SYSTEMS), "wer", ids=part["id"])
        for part in (table[: few // 2], table[few // 2 : few], table[few : 2 * few])
    ]
    tallies = [part.tally(paired=True) for part in parts]
    small, large = (Tally.sum(tallies[:number]).paired for number in (2, 3))
    assert small is not None
    assert small.few is not None
    assert large is not None
    assert large.few is None
