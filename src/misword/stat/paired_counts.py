"""Distinct rows of the terms of several systems on the same utterances, for paired tests.

A test of two systems needs the distinct rows of both systems' terms by one metric. Within groups,
all metrics and systems are resampled together (`asr/comparison/groups.py`), so that a row has the
terms of all of them.

Known problems: rows of many metrics and systems are rarely equal. With groups, such a table can
have as many rows as there are utterances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from misword.core.errors import MismatchError, OptionError
from misword.core.types import Statistics
from misword.stat.bootstrap import DistinctRows
from misword.stat.count_tables import (
    add_counts,
    count_rows,
    key_columns,
    project,
    sample_of,
    without_keys,
)
from misword.stat.measure import MetricColumn

if TYPE_CHECKING:
    import polars as pl

# The columns of a metric and a system in a row of terms.
Places = dict[tuple[str, str], slice]


@dataclass(frozen=True, slots=True, eq=False)
class PairedCounts:
    """Tables of distinct rows, each with the places of its metrics and systems.

    Without groups, there is a table for each metric and each system but the first, the baseline.
    With groups, there is one table for all of them.
    """

    systems: tuple[str, ...]
    tables: tuple[pl.DataFrame, ...]
    places: tuple[Places, ...]

    @classmethod
    def of(
        cls,
        table: pl.DataFrame,
        columns: Sequence[MetricColumn],
        systems: Sequence[str],
        by: Sequence[str],
    ) -> PairedCounts:
        """Count the rows of a table of scores; raise if systems have different utterances."""
        if len(systems) < 2:
            raise OptionError("one system has nothing to be compared with", fix="name two or more")
        by_system = dict(_matched(table, systems))
        keys = [by_system[systems[0]][name] for name in by]
        tables, all_places = [], []
        for chosen, names in _layout(columns, systems, joint=bool(by)):
            terms, places = _side_by_side(chosen, {name: by_system[name] for name in names})
            tables.append(count_rows(key_columns(keys), terms))
            all_places.append(places)
        return cls(tuple(systems), tuple(tables), tuple(all_places))

    @classmethod
    def sum(cls, parts: Iterable[PairedCounts]) -> PairedCounts:
        """Add up the counts of several sets of utterances."""
        listed = list(parts)
        tables = zip(*(part.tables for part in listed), strict=True)
        return replace(listed[0], tables=tuple(map(add_counts, tables)))

    def sample(self, label: str, system: str) -> DistinctRows:
        """Return the distinct rows of a metric: terms of the baseline, then those of a system."""
        for table, places in zip(self.tables, self.places, strict=True):
            if (label, system) in places:
                sides = (places[label, name] for name in (self.systems[0], system))
                wanted = [at for side in sides for at in range(side.start, side.stop)]
                return sample_of(project(without_keys(table), wanted))
        raise KeyError((label, system))


def _layout(
    columns: Sequence[MetricColumn], systems: Sequence[str], *, joint: bool
) -> Iterator[tuple[Sequence[MetricColumn], Sequence[str]]]:
    """Yield the metrics and systems of each table."""
    if joint:
        yield columns, systems
        return
    for column in columns:
        for name in systems[1:]:
            yield [column], [systems[0], name]


def _side_by_side(
    columns: Sequence[MetricColumn], tables: Mapping[str, pl.DataFrame]
) -> tuple[Statistics, Places]:
    """Return the terms of all metrics and systems in one row per utterance, and their places."""
    parts: list[Statistics] = []
    places: Places = {}
    start = 0
    for column in columns:
        for name, table in tables.items():
            parts.append(column.terms(table))
            places[column.label, name] = slice(start, start := start + parts[-1].shape[1])
    return np.hstack(parts), places


def _matched(table: pl.DataFrame, systems: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each system, in the order of the first one's utterances."""
    first = table.filter(system=systems[0])
    for name in systems:
        own = table.filter(system=name)
        if not own["utt"].equals(first["utt"]):
            own = first.select("utt").join(own, on="utt", how="inner", maintain_order="left")
            if len(own) != len(first):
                raise MismatchError(
                    f"{systems[0]!r} and {name!r} have different utterances",
                    fix="compare systems on the same utterances",
                )
        yield name, own
