"""The cells of a benchmark: statistics of one metric, system and test set, from scores or history.

A cell has the statistics of each utterance (or block) by group. The matrix, the tests and the
history are made of cells alone, so that the runs of a history can be shown as new ones are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import METRICS
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.signature import Signature
from misword.core.types import Statistics
from misword.core.version import __version__
from misword.io.history import Run, digest, group_key, packed, table_of, unpacked
from misword.stat.benchmarks.changes import RunRows
from misword.stat.benchmarks.matrix import SetRows
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import best_rows, by_value
from misword.stat.scores import Scores

NO_GROUP = group_key({})


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The utterances of a cell with the same values of some columns of metadata.

    Attributes:
        key: the values, as `io.history` writes them.
        ids: a hash of the ids of the rows, in their order.
        utterances: the number of utterances.
        statistics: a row for each utterance, or for each block, in the order of the ids.
    """

    key: str
    ids: str
    utterances: int
    statistics: Statistics


@dataclass(frozen=True, slots=True, eq=False)
class BenchCell:
    """The statistics of one metric, system and test set, by group."""

    set: str
    system: str
    column: MetricColumn
    groups: tuple[Group, ...]

    @property
    def ids(self) -> str:
        """A hash of the ids of all rows."""
        return " ".join(group.ids for group in self.groups)

    @property
    def utterances(self) -> int:
        """The number of utterances."""
        return sum(group.utterances for group in self.groups)

    @property
    def statistics(self) -> Statistics:
        """The statistics of all rows, group by group."""
        return np.concatenate([group.statistics for group in self.groups])

    @property
    def totals(self) -> Statistics:
        """The sums of the statistics, without rounding."""
        return totals_of(self.statistics)

    def effects(self) -> RunRows:
        """Return what each row adds to the rate of the cell."""
        terms = self.column.measure.terms(self.statistics)
        rows = SetRows(self.set, self.column, (self.system,), terms[:, None], np.zeros(1))
        return RunRows(self.ids, rows.effects(rows.sums())[:, 0])


def totals_of(statistics: Statistics) -> Statistics:
    """Return the sums of columns, without rounding."""
    if statistics.dtype.kind != "f":
        return np.asarray(statistics.sum(axis=0))
    return np.array([fsum(column) for column in statistics.T])


def cells_of(
    name: str, scores: Scores, by: Sequence[str] = (), block: str = ""
) -> Iterator[BenchCell]:
    """Yield the cells of the scores of a test set."""
    table = best_rows(scores.table)
    for column in (*by, *([block] if block else ())):
        if column not in scores.metadata:
            known = ", ".join(scores.metadata) or "there are none"
            raise OptionError(
                f"the test set {name!r} has no column {column!r}", fix=f"columns: {known}"
            )
    if block and table[block].null_count():
        raise InputError(f"an utterance of {name!r} has no {block}", fix="give it one")
    for system, own in by_value(table, "system").items():
        ordered = own.sort("utt")
        parts = [(NO_GROUP, ordered)]
        if by:
            grouped = ordered.sort(*by, "utt", nulls_last=True).group_by(by, maintain_order=True)
            parts = [(group_key(dict(zip(by, key, strict=True))), rows) for key, rows in grouped]
        for column in scores.columns:
            groups = (_group(key, rows, column, block) for key, rows in parts)
            yield BenchCell(name, str(system), column, tuple(groups))


def _group(key: str, rows: pl.DataFrame, column: MetricColumn, block: str) -> Group:
    """Return the statistics of the rows of a group; with `block`, a row for each block."""
    statistics = column.statistics(rows)
    if not block:
        return Group(key, digest(rows["utt"]), len(rows), statistics)
    values = rows[block].cast(pl.String)
    names = values.unique().sort()
    places = values.to_frame("n").join(
        names.to_frame("n").with_row_index("place"), on="n", maintain_order="left"
    )["place"]
    order = places.to_numpy()
    sums = [totals_of(statistics[order == place]) for place in range(len(names))]
    return Group(key, digest(names), len(rows), np.stack(sums))


def set_rows(cells: Iterable[BenchCell], label: str) -> list[SetRows]:
    """Return the rows of a metric on each set; raise if systems of a set have other utterances."""
    by_set: dict[str, list[BenchCell]] = {}
    for cell in cells:
        if cell.column.label == label:
            by_set.setdefault(cell.set, []).append(cell)
    found = []
    for name, own in by_set.items():
        first = own[0]
        for cell in own[1:]:
            if cell.ids != first.ids:
                raise MismatchError(
                    f"{first.system!r} and {cell.system!r} have different utterances of {name!r}",
                    fix="score the same utterances: --missing delete counts missing ones as errors",
                )
        terms = [first.column.measure.terms(cell.statistics) for cell in own]
        rates = [float(cell.column.rates(cell.totals)) for cell in own]
        systems = tuple(cell.system for cell in own)
        found.append(SetRows(name, first.column, systems, np.stack(terms, axis=1), np.array(rates)))
    return found


def labelled(cells: Iterable[BenchCell]) -> tuple[list[BenchCell], list[str]]:
    """Return cells whose metrics have one label on all sets, and the labels.

    A preset of one set can name a metric with other options, such as `wer:compounds=merge` for
    `wer`: if a set has a single metric of this name, it is the metric of the set.
    """
    listed = list(cells)
    by_set: dict[str, list[str]] = {}
    for cell in listed:
        own = by_set.setdefault(cell.set, [])
        if cell.column.label not in own:
            own.append(cell.column.label)
    labels = list(next(iter(by_set.values()), []))
    if all(set(own) == set(labels) for own in by_set.values()):
        return listed, labels
    names: dict[tuple[str, str], str] = {}
    for place, own in by_set.items():
        for label in own:
            name = label.partition(":")[0]
            single = [each for each in own if each.partition(":")[0] == name] == [label]
            names[place, label] = name if single else label
    common = [
        name
        for name in dict.fromkeys(names.values())
        if all(any(names[place, label] == name for label in own) for place, own in by_set.items())
    ]
    if not common:
        shown = "; ".join(f"{place}: {', '.join(own)}" for place, own in by_set.items())
        raise MismatchError(
            f"no metric is that of all test sets ({shown})", fix="name the metrics with --metrics"
        )
    kept = [
        BenchCell(c.set, c.system, _renamed(c.column, names[c.set, c.column.label]), c.groups)
        for c in listed
        if names[c.set, c.column.label] in common
    ]
    return kept, common


def _renamed(column: MetricColumn, label: str) -> MetricColumn:
    return MetricColumn(label, column.measure, column.signature, column.words)


# The rows of a history.


def history_rows(
    cells: Iterable[BenchCell], run: Run, provenance: Mapping[str, Any]
) -> pl.DataFrame:
    """Return the rows that a run adds to a history."""
    facts = json.dumps(provenance, ensure_ascii=False, sort_keys=True, default=str)
    rows = []
    for cell in cells:
        measure, whole = cell.column.measure, _whole(cell.column)
        for group in cell.groups:
            totals = totals_of(group.statistics)
            rate, size = float(cell.column.rates(totals)), float(measure.reference(totals))
            rows.append(
                {
                    **run.columns,
                    "set": cell.set,
                    "system": cell.system,
                    "metric": cell.column.label,
                    "signature": str(cell.column.signature),
                    "group": group.key,
                    "utterances": group.utterances,
                    "errors": float(measure.terms(totals)[0]) if measure.is_quotient else None,
                    "reference": size,
                    "rate": None if np.isnan(rate) else rate,
                    "ids": group.ids,
                    "statistics": list(measure.statistics),
                    **packed(group.statistics, whole),
                    "misword": __version__,
                    "provenance": facts,
                }
            )
    return table_of(rows)


def _whole(column: MetricColumn) -> list[bool]:
    return [name not in column.measure.fractional for name in column.measure.statistics]


def cells_of_rows(rows: pl.DataFrame) -> Iterator[BenchCell]:
    """Yield the cells of the rows of one run of a history, in their order."""
    columns: dict[tuple[str, str], MetricColumn] = {}
    for key, own in rows.group_by("set", "system", "metric", maintain_order=True):
        name, system, label = map(str, key)
        groups = []
        for row in own.iter_rows(named=True):
            signed = label, row["signature"]
            if signed not in columns:
                columns[signed] = _column(label, row)
            column = columns[signed]
            statistics = _statistics(row, _whole(column))
            groups.append(Group(row["group"], row["ids"], row["utterances"], statistics))
        yield BenchCell(name, system, columns[label, own["signature"][0]], tuple(groups))


def _column(label: str, row: Mapping[str, Any]) -> MetricColumn:
    """Return the metric of a row; raise if this version has other statistics for it."""
    signature = Signature.parse(row["signature"])
    measure = METRICS.create(label)
    if list(measure.statistics) != row["statistics"]:
        raise InputError(
            f"{label} has other statistics in this version of misword",
            fix="begin a new history, or use the version that wrote it",
        )
    return MetricColumn(label, measure, signature)


def _statistics(row: Mapping[str, Any], whole: Sequence[bool]) -> NDArray[Any]:
    counted, fractions = (len(row[name] or ()) for name in ("counts", "fractions"))
    width = sum(whole), len(whole) - sum(whole)
    size = counted // width[0] if width[0] else fractions // width[1]
    return unpacked({**row, "utterances": size}, whole)
