"""Results in which the strings of a column, or of the provenance, are texts that look like code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from misword.core.types import Result


def string_columns(result: Result) -> list[str]:
    """The names of the columns of strings, and of lists of strings, in all tables."""
    found = {
        name: None
        for frame in result.tables.values()
        for name, kind in frame.schema.items()
        if kind in (pl.String, pl.List(pl.String))
    }
    return list(found)


def with_strange_column(result: Result, column: str, texts: Sequence[str]) -> Result:
    """The result with other strings in the columns of a name; equal strings stay equal."""
    known: dict[str, str] = {}

    def strange(value: Any) -> Any:
        if isinstance(value, pl.Series):
            return [strange(one) for one in value]
        return known.setdefault(value, f"{texts[len(known) % len(texts)]} {len(known)}")

    tables = {}
    for name, frame in result.tables.items():
        kind = frame.schema.get(column)
        if kind in (pl.String, pl.List(pl.String)):
            values = [None if value is None else strange(value) for value in frame[column]]
            frame = frame.with_columns(pl.Series(column, values, kind))
        tables[name] = frame
    return replace(result, tables=tables)


def with_strange_provenance(result: Result, texts: Sequence[str]) -> Iterator[tuple[str, Result]]:
    """The result with each value of its provenance replaced in turn by one of the texts.

    Keys and values of mappings, and items of lists, are replaced by all the texts.
    """
    for key, value in result.provenance.items():
        yield key, replace(result, provenance=result.provenance | {key: _strange(value, texts)})


def _strange(value: Any, texts: Sequence[str]) -> Any:
    if isinstance(value, str):
        return texts[0]
    if isinstance(value, dict):
        return {
            f"{key} {texts[at % len(texts)]}": _strange(inner, texts[at % len(texts) :])
            for at, (key, inner) in enumerate(value.items())
        }
    if isinstance(value, list | tuple):
        return [_strange(inner, texts[at % len(texts) :]) for at, inner in enumerate(value)]
    return value
