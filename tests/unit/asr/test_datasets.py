"""Columns and tables of Hugging Face's `datasets` as input."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import misword
from extras import needs

TEXTS = {"id": ["x", "y"], "text": ["a b", "c"], "hyp": ["a", "c"], "speaker": ["p", "q"]}


class Column(Sequence[str]):
    """The interface of a column of `datasets`: rows are slow one by one, a slice is a list."""

    def __init__(self, values: list[str]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, slice):
            raise AssertionError("rows must not be read one by one")
        return self.values[key]


class Dataset:
    """The interface of a `Dataset`, as far as misword reads it."""

    def __init__(self, columns: dict[str, list[str]]) -> None:
        self.of_name = columns
        self.column_names = list(columns)

    def __getitem__(self, name: str) -> Column:
        return Column(self.of_name[name])

    def to_polars(self) -> pl.DataFrame:
        return pl.DataFrame(self.of_name)

    def select_columns(self, names: list[str]) -> Dataset:
        return Dataset({name: self.of_name[name] for name in names})


def made(library: str) -> Any:
    if library == "own":
        return Dataset(TEXTS)
    import datasets

    return datasets.Dataset.from_dict(TEXTS)


@pytest.mark.parametrize("library", ["own", pytest.param("datasets", marks=needs("datasets"))])
def test_columns_and_tables_of_a_dataset(library: str) -> None:
    data = made(library)
    assert misword.wer(data["text"], data["hyp"]) == 1 / 3
    scores = misword.score(
        data["text"],
        data.select_columns(["hyp"]),
        ids=data["id"],
        metadata=data.select_columns(["speaker"]),
    )
    assert scores["wer", "hyp"] == 1 / 3
    assert scores.table.select("utt", "system", "speaker").rows() == [
        ("x", "hyp", "p"),
        ("y", "hyp", "q"),
    ]
    assert len(misword.align(data["text"], data["hyp"])) == 2


@needs("datasets")
@pytest.mark.parametrize("form", ["numpy", "polars", "arrow"])
def test_columns_in_the_formats_of_a_dataset(form: str) -> None:
    data = made("datasets").with_format(form)
    assert misword.wer(data["text"], data["hyp"]) == 1 / 3


@needs("datasets")
def test_columns_of_an_iterable_dataset() -> None:
    data = made("datasets").to_iterable_dataset()
    assert misword.wer(data["text"], data["hyp"]) == 1 / 3


def test_sequences_without_slices() -> None:
    assert misword.wer(deque(["a b", "c"]), ("a", "c")) == 1 / 3
