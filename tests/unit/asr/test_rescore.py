"""`misword.rescore`: columns and their order, distinct texts, the cache, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import misword
from arpa import write_arpa
from extras import needs
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError
from misword.embed.language_models import Features, LanguageModel

LISTS = [["the cat sat", "The cat", ""], ["the cat sat"], ["a dog", "the cat"]]


@dataclass(frozen=True)
class Length(LanguageModel):
    """A model whose log-probability is minus the number of characters; it records its texts."""

    name: ClassVar[str] = "length"
    counts: ClassVar[tuple[str, ...]] = ("tokens",)
    stored: ClassVar[bool] = True

    column: str = "length"
    scale: float = 1.0
    seen: list[str] = field(default_factory=list, compare=False)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        return (("scale", str(self.scale)),)

    def features(self, texts: Sequence[str], context: Context) -> Features:
        self.seen.extend(texts)
        rows = [(-self.scale * len(text), len(text.split())) for text in texts]
        return np.array(rows, np.float32).reshape(-1, 2)


def test_each_distinct_text_is_scored_once_and_rows_keep_their_order() -> None:
    model = Length()
    found = misword.rescore(LISTS, model, cache=False)
    assert model.seen == ["the cat sat", "The cat", "", "a dog", "the cat"]
    assert found.hypotheses.rows(named=True) == [
        {"utt": utt, "rank": rank, "text": text, "length": -float(len(text)),
         "length_tokens": len(text.split()), "words": len(text.split())}
        for utt, texts in zip("123", LISTS, strict=True)
        for rank, text in enumerate(texts, start=1)
    ]  # fmt: skip
    assert found.summary.row(0, named=True) == {
        "column": "length", "model": "length", "texts": 5, "words": 9, "tokens": 9, "oov": None,
        "per_word": pytest.approx(-30 / 9),
    }  # fmt: skip


def test_the_models_see_normalized_text() -> None:
    model = Length()
    found = misword.rescore(LISTS, model, normalize="lower", cache=False)
    assert model.seen == ["the cat sat", "the cat", "", "a dog"]
    assert found.hypotheses["text"].to_list() == [text for texts in LISTS for text in texts]
    assert "norm:lower" in found.signatures["length"]


def test_numbers_of_slow_models_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path))
    first, second, other = Length(), Length(), Length(scale=2.0)
    one = misword.rescore(LISTS, first)
    two = misword.rescore([*LISTS, ["new"]], second)
    assert second.seen == ["new"]
    assert two.hypotheses[:6].equals(one.hypotheses)
    misword.rescore(LISTS, other)
    assert len(other.seen) == 5
    assert misword.rescore(LISTS, Length(column="x")).hypotheses["x"].to_list() == (
        one.hypotheses["length"].to_list()
    )


def test_a_corpus_gets_features() -> None:
    table = pl.DataFrame({"utt": ["a"], "text": ["the cat sat"], "speaker": ["s"]})
    rows = pl.DataFrame(
        {"utt": ["a", "a"], "system": ["x", "x"], "rank": [1, 2], "text": ["the", "cat"],
         "score": [-1.0, -2.0], "ac": [3, 4]}
    )  # fmt: skip
    corpus = misword.Corpus(table, rows)
    found = misword.rescore(corpus, Length(), cache=False)
    rescored = found.corpus()
    assert rescored.references.equals(table)
    assert rescored.features == ["score", "ac", "length", "length_tokens", "words"]
    assert rescored.hypotheses.select(rows.columns).equals(rows)
    with pytest.raises(OptionError, match="there are no references"):
        misword.rescore(LISTS, Length(), cache=False).corpus()


def test_a_table_keeps_its_columns_and_its_own_number_of_words() -> None:
    rows = pl.DataFrame({"utt": ["b", "a"], "rank": [1, 1], "text": ["x y", "z"], "words": [9, 9]})
    found = misword.rescore(lambda: rows, [Length(), Length("two")], cache=False).hypotheses
    assert found.columns == [
        "utt", "rank", "text", "words", "length", "length_tokens", "two", "two_tokens"
    ]  # fmt: skip
    assert found.select(rows.columns).equals(rows)


def test_columns_that_clash() -> None:
    with pytest.raises(OptionError, match="two language models have the column 'length'") as error:
        misword.rescore(LISTS, [Length(), Length(scale=2.0)])
    assert "column=" in error.value.fix
    rows = pl.DataFrame({"utt": ["a"], "rank": [1], "text": ["x"], "length_tokens": [1]})
    with pytest.raises(MismatchError, match="have a column 'length_tokens' already"):
        misword.rescore(rows, Length(), cache=False)


def test_numbers_that_are_not_finite() -> None:
    with pytest.raises(InputError, match="not a finite number") as error:
        misword.rescore([["a", "bb"]], Length(scale=float("inf")), cache=False)
    assert error.value.where == "text 'a'"


@pytest.mark.parametrize(
    ("hypotheses", "options", "message"),
    [
        (LISTS, {"lm": []}, "no language model"),
        (LISTS, {"lm": "nothing"}, "unknown language model 'nothing'"),
        ([["a", None]], {}, "no text"),
        ([[]], {}, "empty"),
        (pl.DataFrame({"text": ["a"]}), {}, "no column 'utt'"),
        (pl.DataFrame({"utt": ["a"], "rank": [1], "text": ["a"]}), {"ids": ["x"]}, "own"),
        (LISTS, {"ids": ["x"]}, "3 references, 1 ids"),
    ],
)
def test_what_is_refused(hypotheses: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MiswordError, match=message):
        misword.rescore(hypotheses, **{"lm": Length(), "cache": False, **options})


def test_no_hypotheses() -> None:
    rows = pl.DataFrame(schema={"utt": pl.String, "rank": pl.Int64, "text": pl.String})
    found = misword.rescore(rows, Length(), cache=False)
    assert found.hypotheses.height == 0
    assert found.summary["per_word"].to_list() == [None]


@needs("kenlm")
def test_an_n_gram_model_by_its_spec(tmp_path: Path) -> None:
    file = write_arpa(tmp_path / "small.arpa")
    found = misword.rescore(LISTS, f"ngram:{file},column=lm")
    assert found.hypotheses.columns == ["utt", "rank", "text", "lm", "lm_oov", "words"]
    assert found.hypotheses["lm"][0] == pytest.approx(-np.log(10), abs=1e-4)
    assert found.hypotheses["lm_oov"].to_list() == [0, 1, 0, 0, 2, 0]
    assert found.notes == ("lm: 33.3 % of 9 words are unknown to the model",)
    result = found.result()
    assert list(result.tables) == ["summary", "hypotheses"]
    assert result.provenance["signatures"]["lm"].startswith("ngram|file:")
    assert "Rescored: lm prefers another hypothesis than rank 1 in" in repr(found)
