"""A large corpus that is scored part by part has the scores of the whole corpus."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr import measuring, word_tables
from misword.asr.pairs import Pairs, prepare
from misword.core.errors import InputError
from misword.core.types import Corpus
from misword.stat.tallies import tally
from misword.text import disfluencies

WORDS = st.lists(st.sampled_from(["a", "b", "c", "don't", "été", "colour"]), max_size=6)
TEXTS = WORDS.map(" ".join)


def both(monkeypatch: pytest.MonkeyPatch, *args: Any, **options: Any) -> list[misword.Scores]:
    """Score a corpus as a whole, and in parts of three pairs."""
    whole = misword.score(*args, **options)
    monkeypatch.setattr(measuring, "AT_ONCE", 3)
    return [whole, misword.score(*args, **options)]


def assert_equal(whole: misword.Scores, parts: misword.Scores) -> None:
    assert whole.table.equals(parts.table)
    assert whole.table.schema == parts.table.schema
    assert whole.columns == parts.columns
    assert whole.notes == parts.notes
    assert set(whole.records) == set(parts.records)
    for name in whole.records:
        assert whole.records[name].equals(parts.records[name])


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=4, max_size=12))
def test_parts_give_the_scores_of_the_whole(rows: list[tuple[str, str, str]]) -> None:
    references, *systems = zip(*rows, strict=True)
    hypotheses = {"x": list(systems[0]), "y": list(systems[1])}
    metadata = pl.DataFrame({"speaker": [f"s{n % 2}" for n in range(len(rows))]})
    metrics = "wer,cer,mer,wil,cer:spaces=false,wer:ties=kaldialign"
    with pytest.MonkeyPatch.context() as patch:
        options = {"metadata": metadata, "normalize": "nfc,lower"}
        assert_equal(*both(patch, list(references), hypotheses, metrics, **options))


def test_parts_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def recorded(corpus: Corpus, **options: Any) -> Any:
        sizes.append(len(corpus.hypotheses))
        return prepare(corpus, **options)

    monkeypatch.setattr(measuring, "prepare", recorded)
    monkeypatch.setattr(measuring, "AT_ONCE", 3)
    scores = misword.score(["a b"] * 7, ["a c"] * 7)
    assert sizes == [3, 3, 1, 1]  # the last is the pair from which settings are read
    assert len(scores.words()) == 14
    assert sizes[4:] == [7]


@pytest.mark.parametrize("lengths", [[1] * 6, [3, 1, 2, 5, 1, 1], [2, 9, 2, 9]], ids=str)
@pytest.mark.parametrize("references", [1, 2])
def test_parts_have_whole_lists(
    lengths: list[int], references: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts are as large as allowed, and follow each other without gaps."""
    monkeypatch.setattr(measuring, "AT_ONCE", 4)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    found = list(measuring.part_rows(references, starts))
    theirs = [part for _, part in found]
    assert [part.start for part in theirs] == [0, *(part.stop for part in theirs[:-1])]
    assert theirs[-1].stop == sum(lengths)
    for ours, part in found:
        lists = [at for at, start in enumerate(starts[:-1]) if part.start <= start < part.stop]
        assert {at % references for at in lists} == set(range(ours.start, ours.stop))
        assert part.stop - part.start <= 4 or len(lists) == 1


def test_small_systems_share_a_part() -> None:
    half = measuring.AT_ONCE // 2
    found = list(measuring.part_rows(half, np.arange(3 * half + 1)))
    assert [theirs for _, theirs in found] == [slice(0, 2 * half), slice(2 * half, 3 * half)]


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": "wer", "forgive": "writing", "lang": "en"},
        {"metrics": "wer:compounds=merge"},
        {"metrics": "lcer,per", "lang": "en"},
        {"metrics": "wer", "preset": "kaldi"},
        {"metrics": "wer", "equivalents": [["a", "b c"]]},
    ],
    ids=str,
)
def test_what_depends_on_more_than_a_pair_is_scored_as_a_whole(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    references = ["a b c", "it's ok", "e mail", "x", "", "a"]
    hypotheses = ["b c c", "it is okay", "email", "x y", "b", "b c"]
    assert_equal(*both(monkeypatch, references, hypotheses, **options))


def test_alternatives_and_rows_in_another_order_are_scored_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_equal(*both(monkeypatch, ["{ a / b } c"] * 5, ["b c"] * 5))
    references = pl.DataFrame({"utt": ["1", "2", "3"], "text": ["a", "b", "c"]})
    one = Corpus.of(references, {"x": references["text"]}).hypotheses
    nbest = pl.concat([one, one.with_columns(rank=pl.lit(2, pl.Int64))])
    assert_equal(*both(monkeypatch, Corpus(references, nbest)))
    assert_equal(*both(monkeypatch, Corpus(references, one.reverse())))


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=5)), min_size=2, max_size=6))
def test_nbest_lists_are_never_cut(rows: list[tuple[str, list[str]]]) -> None:
    """The hypotheses of a list follow each other, so that the end of a part may be within one."""
    utts = [str(number) for number in range(len(rows))]
    references = pl.DataFrame(
        {"utt": utts, "text": [text for text, _ in rows], "speaker": [f"s{u}" for u in utts]}
    )
    hypotheses = pl.DataFrame(
        [
            {"utt": utt, "system": system, "rank": rank, "text": text, "score": None}
            for system in ("x", "y")
            for utt, (_, texts) in zip(utts, rows, strict=True)
            for rank, text in enumerate(texts, 1)
        ],
        schema_overrides={"score": pl.Float64},
    )
    with pytest.MonkeyPatch.context() as patch:
        assert_equal(*both(patch, Corpus(references, hypotheses), metrics="wer,cer"))


def test_an_error_names_the_row_of_the_whole_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "AT_ONCE", 3)
    with pytest.raises(InputError, match="row 6"):
        misword.score(["a"] * 7, ["a"] * 5 + ["a\0b", "a"])


def test_scores_without_texts_have_no_tables_of_words() -> None:
    scores = misword.score(["a b"], ["a c"], keep_texts=False)
    assert not scores.records
    assert scores["wer"] == 0.5
    assert np.array_equal(scores.statistics("wer"), [[1, 1, 0, 0]])


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=4, max_size=12))
def test_systems_compared_in_parts_have_the_tables_of_the_whole(
    rows: list[tuple[str, str, str]],
) -> None:
    references, *systems = (list(column) for column in zip(*rows, strict=True))
    speakers = pl.DataFrame({"speaker": [f"s{n % 3}" for n in range(len(rows))]})
    for block in ("", "speaker"):
        options: Any = {"metadata": speakers, "block": block, "by": "speaker", "bootstrap": 20}
        arguments = (references, dict(zip("xy", systems, strict=True)), "wer,cer,wer:ties=jiwer")
        whole = misword.compare(*arguments, **options)
        with pytest.MonkeyPatch.context() as patch:
            for module in (measuring, tally, disfluencies):
                patch.setattr(module, "AT_ONCE", 3)
            patch.setattr(measuring, "WORDS_AT_ONCE", 4)
            parts = misword.compare(*arguments, **options)
        assert whole.tables.keys() == parts.tables.keys()
        for name, table in whole.tables.items():
            assert table.equals(parts.tables[name]), name
        assert whole.notes == parts.notes


def test_a_comparison_never_has_all_words_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part has all systems, no part is larger than allowed, and each is aligned once."""
    sizes: list[tuple[int, int]] = []

    def recorded(pairs: Pairs, *arguments: Any) -> pl.DataFrame:
        sizes.append((len(pairs), pairs.source.hypotheses["system"].n_unique()))
        return word_table(pairs, *arguments)

    word_table = word_tables._table
    monkeypatch.setattr(word_tables, "_table", recorded)
    monkeypatch.setattr(measuring, "AT_ONCE", 3)
    monkeypatch.setattr(measuring, "WORDS_AT_ONCE", 4)
    texts = ["a b c"] * 7
    misword.compare(texts, {"x": ["a c"] * 7, "y": texts})
    probe, *parts = sizes  # the first part is also made to see which columns there are
    assert probe == (4, 2)
    assert parts == [(4, 2)] * 3 + [(2, 2)]
