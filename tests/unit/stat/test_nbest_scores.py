"""Scores of N-best lists: features, all ranks on request; sums of many scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import misword
from misword.core.errors import MismatchError, OptionError
from misword.stat import scores as scores_module

REFERENCES = pl.DataFrame({"utt": ["u", "v"], "text": ["a b", "c d"], "speaker": ["x", "y"]})
LISTS = pl.DataFrame(
    [("u", 1, "a x", -1.0, 3.0), ("u", 2, "a b", -2.0, 4.0), ("v", 1, "c d", -0.5, 1.0)],
    schema=["utt", "rank", "text", "score", "lm"],
    orient="row",
).with_columns(system=pl.lit("s"), translation=pl.lit("t"))


def scored(
    hypotheses: pl.DataFrame = LISTS, references: pl.DataFrame = REFERENCES
) -> misword.Scores:
    """Return the scores of lists."""
    return misword.score(misword.Corpus(references, hypotheses), metrics="wer")


def test_features_are_kept() -> None:
    scores = scored()
    assert scores.features == ("score", "lm")
    assert scores.metadata == ["speaker"]
    assert scores.table["lm"].to_list() == [3.0, 4.0, 1.0]
    assert scores.only(["wer"]).table["score"].to_list() == [-1.0, -2.0, -0.5]
    with pytest.raises(OptionError, match="no column 'lm'"):
        scores.summary(by="lm")


def test_all_ranks_on_request() -> None:
    scores = scored()
    assert scores["wer"] == 0.25
    assert scores.summary(bootstrap=0)["rate"].to_list() == [0.25]
    by_rank = scores.summary(by="rank", bootstrap=0).select("rank", "rate", "utterances")
    assert by_rank.rows() == [(1, 0.25, 2), (2, 0.0, 1)]
    assert scores.texts()["hypothesis"].to_list() == ["a x", "c d"]
    assert scores.texts(all_ranks=True)["hypothesis"].to_list() == ["a x", "a b", "c d"]
    assert scores.utterances()["wer.rate"].to_list() == [0.5, 0.0, 0.0]
    assert scores.words()["rank"].unique().to_list() == [1]
    assert not scores.result(by="rank", bootstrap=0).tables["summary"]["total"].any()


def test_saved_features(tmp_path: Path) -> None:
    scores = scored()
    scores.save(tmp_path / "out")
    loaded = misword.load(tmp_path / "out")
    assert loaded.features == scores.features
    assert loaded.metadata == ["speaker"]
    assert loaded.texts(all_ranks=True).equals(scores.texts(all_ranks=True))


@pytest.mark.parametrize(
    ("rename", "error", "message"),
    [
        ({"lm": "speaker"}, MismatchError, "both have a column 'speaker'"),
        ({"lm": "wer.hits"}, OptionError, "a feature has a column 'wer.hits'"),
        ({"lm": "wer.rate"}, OptionError, "a feature has a column 'wer.rate'"),
    ],
)
def test_names_of_features_that_clash(
    rename: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        scored(LISTS.rename(rename))


def test_features_that_are_metadata_elsewhere() -> None:
    other = REFERENCES.select(pl.col("utt") + "2", "text", lm=pl.lit(1))
    one_best = misword.Corpus.of(other, {"s": pl.Series(["a", "b"])})
    with pytest.raises(MismatchError, match="'lm' is a feature of one and metadata"):
        scored() + misword.score(one_best, metrics="wer")


def shard(number: int) -> misword.Scores:
    """Return the scores of two utterances of their own."""
    return misword.score(["a b", "c"], ["a", "c"], "wer", ids=[f"{number}-1", f"{number}-2"])


def test_sum() -> None:
    parts = [shard(number) for number in range(5)]
    whole = sum(parts)
    assert isinstance(whole, misword.Scores)
    assert whole["wer"] == 1 / 3
    assert len(whole) == 10
    assert whole.table["utt"].to_list() == [f"{n}-{k}" for n in range(5) for k in (1, 2)]
    with pytest.raises(MismatchError, match="utterance '3-1' of 'hypothesis' is in both"):
        sum([*parts, shard(3)])
    with pytest.raises(MismatchError, match="utterance '0-1'"):
        whole + parts[0]
    with pytest.raises(TypeError):
        1 + parts[0]


def test_sums_are_checked_after_other_operations() -> None:
    whole = shard(0) + shard(1)
    renamed = whole.rename({"hypothesis": "other"})
    assert len(whole + renamed) == 8
    with pytest.raises(MismatchError, match="is in both"):
        renamed + renamed
    assert len(whole.filter(utt="0-1") + shard(1)) == 3


def test_a_sum_does_not_compare_all_rows_at_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    monkeypatch.setattr(scores_module, "refuse_duplicates", calls.append)
    one = shard(0)
    many = [
        misword.Scores(one.table.with_columns(utt=pl.col("utt") + str(n)), one.columns, one.records)
        for n in range(400)
    ]
    whole = sum(many)
    assert isinstance(whole, misword.Scores)
    assert not calls
    assert len(whole.words()) == 400 * len(one.words())  # not nested: Python limits depth


def test_intervals_do_not_depend_on_the_order_of_rows() -> None:
    generator = np.random.default_rng(0)
    words = generator.choice(list("abcdef"), (60, 5))
    heard = np.where(generator.random((60, 5)) < 0.3, "x", words)
    texts, others = ([" ".join(row) for row in side] for side in (words, heard))
    ids = [f"u{n}" for n in range(60)]
    scores = misword.score(texts, others, "wer", ids=ids)
    order = generator.permutation(60)
    turned = misword.Scores(scores.table[order], scores.columns)
    assert turned.summary().equals(scores.summary())
