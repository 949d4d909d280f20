"""Scores: the one table that every rate, interval, group and comparison is read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from misword.core.errors import MismatchError, OptionError
from misword.core.signature import Signature
from misword.core.types import Result
from misword.io.results import write_result
from misword.stat.records import Records
from misword.stat.resampling import Statistics, interval

if TYPE_CHECKING:
    import polars as pl


# What tells rows apart.
KEYS = ("utt", "system", "rank")


class Measure(Protocol):
    """How a rate follows from statistics that add up.

    Statistics are counts, but for those named in `fractional`.
    """

    @property
    def fractional(self) -> frozenset[str]:
        """Names of the statistics that are not whole numbers."""
        ...

    @property
    def statistics(self) -> tuple[str, ...]:
        """Names of the columns kept for each pair."""
        ...

    def terms(self, statistics: Statistics) -> Statistics:
        """The few sums that the rate needs: a linear function of the statistics' last axis."""
        ...

    def rate(self, terms: Statistics) -> Statistics:
        """The rate, nan where it is undefined."""
        ...

    def reference(self, statistics: Statistics) -> Statistics:
        """How much there was to get right: reference tokens, or utterances."""
        ...


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of a table: its label, how it is computed, and what signs it.

    `words` names the table of words that has its alignment; empty if it does not align words.
    """

    label: str
    measure: Measure
    signature: Signature
    words: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Statistics of every pair of reference and hypothesis, for every metric.

    `table` has a row per pair: `utt`, `system`, `rank`, the metadata, and for each metric its
    statistics as `<label>.<statistic>`. Rates follow from sums: a mean of rates cannot happen.

    >>> import misword
    >>> scores = misword.score(["a b c d", "e f"], ["a x c", "e f"], metrics=["wer"])
    >>> scores["wer"]
    0.3333333333333333
    """

    table: pl.DataFrame
    columns: tuple[Column, ...]
    records: Records = field(default_factory=Records)

    def __len__(self) -> int:
        return len(self.table)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the words, which are made on demand from texts that may be far larger."""
        return Scores, (self.table, self.columns)

    def __copy__(self) -> Scores:
        return self

    def __deepcopy__(self, memo: Any) -> Scores:
        return self

    def __getitem__(self, label: str) -> float:
        """The corpus rate of a metric over all rows; of N-best lists, the best."""
        column = self._column(label)
        total = np.array(self.filter(rank=1)._totals(column))
        return float(column.measure.rate(column.measure.terms(total)))

    def __add__(self, other: Scores) -> Scores:
        """Rows of both: shards of one corpus, or several systems. Signatures must agree."""
        import polars as pl

        mine = {column.label: column.signature for column in self.columns}
        theirs = {column.label: column.signature for column in other.columns}
        if mine.keys() != theirs.keys():
            raise MismatchError(
                f"metrics differ: {', '.join(mine)} / {', '.join(theirs)}",
                fix="score both by the same metrics",
            )
        for label, signature in mine.items():
            if named := signature.differences(theirs[label]):
                raise MismatchError(f"signatures of {label} differ: {'; '.join(named)}")
        table = pl.concat([self.table, other.table], how="diagonal_relaxed")
        twice = table.select("utt", "system", "rank").is_duplicated()
        if twice.any():
            utt, system = table.row(twice.arg_max() or 0)[:2]
            raise MismatchError(
                f"utterance {utt!r} of {system!r} is in both",
                fix="if these are different utterances, give them ids: score(..., ids=...)",
            )
        return Scores(table, self.columns, self.records.below(other.records))

    @property
    def labels(self) -> list[str]:
        """The metrics, in the order they were asked for."""
        return [column.label for column in self.columns]

    @property
    def systems(self) -> list[str]:
        """The systems, in the order they were given."""
        return self.table["system"].unique(maintain_order=True).to_list()

    @property
    def metadata(self) -> list[str]:
        """The columns of metadata."""
        return [name for name in self._own() if name not in KEYS]

    def statistics(self, label: str) -> Statistics:
        """A metric's statistics, one row per pair."""
        names = [f"{label}.{name}" for name in self._column(label).measure.statistics]
        return self.table.select(names).to_numpy()

    def filter(self, *predicates: Any, **constraints: Any) -> Scores:
        """Keep the rows that polars' `filter` keeps: `scores.filter(speaker="anna")`."""
        return self._only(self.table.filter(*predicates, **constraints))

    def only(self, labels: Iterable[str]) -> Scores:
        """These metrics alone, in this order."""
        chosen = tuple(self._column(label) for label in labels)
        kept = {f"{c.label}.{name}" for c in chosen for name in c.measure.statistics}
        names = [name for name in self.table.columns if name in kept or name in self._own()]
        return Scores(self.table.select(names), chosen, self.records)

    def rename(self, names: Mapping[str, str]) -> Scores:
        """Other names for some systems."""

        def renamed(table: pl.DataFrame) -> pl.DataFrame:
            return table.with_columns(table["system"].replace(names))

        return Scores(renamed(self.table), self.columns, self.records.map(renamed))

    def group(self, *by: str) -> Iterator[tuple[tuple[Any, ...], Scores]]:
        """Scores for each distinct value of the columns, in order of appearance."""
        self._check(by)
        for key, rows in self.table.group_by(by, maintain_order=True):
            yield key, self._only(rows)

    def words(self, metric: str | None = None) -> pl.DataFrame:
        """A row for every place of the alignments: kind, words, and what the metrics know of them.

        Aligned as `metric` aligns words, or by unit costs. Of N-best lists, the best.
        """
        tables = self.records
        name = "words" if metric is None else self._column(metric).words
        if name not in tables:
            what = "these scores have no word records" if not tables else f"{metric} has no words"
            raise OptionError(what, fix="words are aligned by: " + ", ".join(self._aligned()))
        return tables[name]

    def texts(self) -> pl.DataFrame:
        """Reference and hypothesis of each pair as they were given; of N-best lists, the best."""
        if "texts" not in self.records:
            raise OptionError("these scores have no texts", fix="score again, or save them --out")
        return self.records["texts"]

    def utterances(self) -> pl.DataFrame:
        """The table with each pair's own `<label>.rate` (null where undefined)."""
        import polars as pl

        table = self.table
        for column in self.columns:
            terms = column.measure.terms(self.statistics(column.label))
            rates = pl.Series(f"{column.label}.rate", column.measure.rate(terms)).fill_nan(None)
            table = table.with_columns(rates)
        return table

    def summary(
        self,
        by: str | Sequence[str] = (),
        *,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> pl.DataFrame:
        """A row per system, group and metric: rate, interval, counts, reference size, utterances.

        Of N-best lists, the best. Rates are fractions; null where undefined. `bootstrap=0` leaves
        the intervals out.
        """
        import polars as pl

        if not 0 < confidence < 1:
            raise OptionError(f"confidence is {confidence}", fix="use a share such as 0.95")
        by = self._groups(by)
        rows: list[dict[str, Any]] = []
        for key, part in self.filter(rank=1).group("system", *by):
            for column in self.columns:
                row: dict[str, Any] = dict(zip(("system", *by), key, strict=True))
                row["metric"] = column.label
                terms = column.measure.terms(part.statistics(column.label))
                sums = part._totals(column)
                total = column.measure.rate(column.measure.terms(np.array(sums)))
                low, high = interval(
                    terms, column.measure.rate, times=bootstrap, confidence=confidence, seed=seed
                )
                row |= {"rate": float(total), "low": low, "high": high}
                row |= _shown(column.measure, sums)
                row["reference"] = int(column.measure.reference(np.array(sums)).item())
                row["utterances"] = len(part)
                rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)

    def result(
        self, provenance: Mapping[str, Any] | None = None, *, words: bool = True, **options: Any
    ) -> Result:
        """These scores as tables: `summary` (with its options), `utterances`, and the words."""
        signatures = {column.label: str(column.signature) for column in self.columns}
        tables = {"summary": self.summary(**options), "utterances": self.utterances()}
        tables |= self.records if words else {}
        signed = {"metrics": self.labels, "signatures": signatures}
        signed |= {"words": {column.label: column.words for column in self.columns}}
        return Result("scores", tables, {**(provenance or {}), **signed})

    def save(self, folder: str | Path) -> None:
        """Write a result folder, JSON and Parquet; `misword.load` reads it back."""
        write_result(self.result(), folder)

    def _only(self, rows: pl.DataFrame) -> Scores:
        """Some of the rows, with the words that are theirs."""
        if len(rows) == len(self.table):
            return self
        kept = rows.select(KEYS)

        def theirs(table: pl.DataFrame) -> pl.DataFrame:
            return table.join(kept, on=KEYS, how="semi", maintain_order="left")

        return Scores(rows, self.columns, self.records.map(theirs))

    def _totals(self, column: Column) -> list[float]:
        """Sums of a metric's statistics, the same in whatever order the rows are."""
        named = [(name, self.table[f"{column.label}.{name}"]) for name in column.measure.statistics]
        fractional = column.measure.fractional
        return [fsum(v) if name in fractional else int(v.sum()) for name, v in named]

    def _aligned(self) -> list[str]:
        return [column.label for column in self.columns if column.words]

    def _column(self, label: str) -> Column:
        for column in self.columns:
            if column.label == label:
                return column
        raise OptionError(f"no metric {label!r} here", fix=f"there are: {', '.join(self.labels)}")

    def _groups(self, by: str | Sequence[str]) -> list[str]:
        """Columns to group by beside the system, checked."""
        names = [by] if isinstance(by, str) else list(dict.fromkeys(by))
        own = {"metric", "rate", "low", "high", "reference", "utterances"}
        own |= {name for column in self.columns for name in column.measure.statistics}
        for name in own.intersection(names):
            raise OptionError(f"the summary has a column {name!r} of its own", fix="rename yours")
        return [name for name in names if name != "system"]

    def _check(self, by: Sequence[str]) -> None:
        known = self._own()
        for name in by:
            if name not in known:
                raise OptionError(f"no column {name!r}", fix=f"there are: {', '.join(known)}")

    def _own(self) -> list[str]:
        """The columns that are no statistics."""
        counted = {f"{c.label}.{name}" for c in self.columns for name in c.measure.statistics}
        return [name for name in self.table.columns if name not in counted]


def _shown(measure: Measure, sums: Sequence[float]) -> dict[str, float]:
    """Sums of statistics by name; means of those that say nothing as sums."""
    size = float(measure.reference(np.array(sums)))
    means: frozenset[str] = getattr(measure, "means", frozenset())
    named = zip(measure.statistics, sums, strict=True)
    return {name: total / size if name in means and size else total for name, total in named}
