"""Tallies: what rates, intervals, groups and paired tests need of scores, and no more.

A rate needs the sums of its statistics, its interval the distinct rows of its terms and how often
each occurs. Both are small: utterances with two errors in eleven words are one row, however many
there are. Tallies of shards are added up in any order and give the same numbers, to the last bit,
as the scores of all utterances; the scores of texts in memory are one tally.

Known problems: statistics that are fractions (WER-E, SemDist, BERTScore) have nearly as many
distinct rows as utterances with errors; a tally of them takes about 40 bytes for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import listed
from misword.core.lazy import pl
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.scores import SCORES
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import (
    KEYS,
    Forgiven,
    check_same_metrics,
    check_system,
    empty_reference_notes,
    interleaved,
    score_provenance,
    with_totals,
)
from misword.stat.tallies.class_rates import ENTITY_TABLE, class_rates, count_classes
from misword.stat.tallies.sums import (
    add_counts,
    add_sums,
    count_rows,
    grouped_counts,
    key_columns,
    regrouped_counts,
    regrouped_sums,
    stacked,
    sum_rows,
    sums_of,
)

if TYPE_CHECKING:
    from misword.stat.tallies.paired_counts import PairedCounts

PAIRS = "pairs"
AT_ONCE = 1 << 17  # rows that are added up at once, to bound the memory


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tally(DisplayedResult):
    """Sums and distinct statistics of the utterances of one or more systems, by group.

    `misword.score(...).tally(by=...)` makes one of scores. `a + b` is the tally of the utterances
    of both; signatures, systems and groups must agree. It is not checked whether both have an
    utterance: a tally has no ids.

    Attributes:
        columns: the metrics with their signatures.
        systems: the names of the systems; systems are compared with the first.
        by: the columns of metadata whose values are the groups.
        sums: the sums of all statistics of each system and group.
        rows: for each metric, the distinct rows of terms of each system and group.
        paired: the distinct rows of the terms of two systems, if systems are to be compared.
        classes: the distinct rows of the counts of classes of words, if there are classes.

    >>> import misword
    >>> texts = ["a b c d", "e f"], ["a x c", "e f"]
    >>> whole = misword.score(*texts, "wer").tally()
    >>> parts = [misword.score([ref], [hyp], "wer").tally() for ref, hyp in zip(*texts)]
    >>> whole["wer"], sum(parts)["wer"]
    (0.3333333333333333, 0.3333333333333333)
    """

    description: ClassVar[Description] = SCORES

    columns: tuple[MetricColumn, ...]
    systems: tuple[str, ...]
    by: tuple[str, ...]
    sums: pl.DataFrame
    rows: Mapping[str, pl.DataFrame]
    forgiven: Forgiven
    paired: PairedCounts | None = None
    classes: pl.DataFrame | None = None

    def __len__(self) -> int:
        """Return the number of pairs of reference and hypothesis."""
        return int(self.sums[PAIRS].sum())

    def __add__(self, other: Tally) -> Tally:
        return Tally.sum([self, other])

    def __radd__(self, other: object) -> Tally:
        """Return the tally itself for 0, with which `sum` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @classmethod
    def sum(cls, tallies: Iterable[Tally]) -> Tally:
        """Add up tallies at once, which takes less time than one after the other."""
        listed = list(tallies)
        if not listed:
            raise MismatchError("there are no tallies to add up")
        first = listed[0]
        for other in listed[1:]:
            check_same_tallies(first, other)
        rows = {label: add_counts(each.rows[label] for each in listed) for label in first.rows}
        paired = [each.paired for each in listed if each.paired is not None]
        classes = [each.classes for each in listed if each.classes is not None]
        together = None
        if paired:
            from misword.stat.tallies.paired_counts import PairedCounts

            together = PairedCounts.sum(paired)
        return replace(
            first,
            sums=add_sums(each.sums for each in listed),
            rows=rows,
            paired=together,
            classes=add_counts(classes) if classes else None,
        )

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """Return the rate of a metric: `tally["wer"]`, or `tally["wer", "system"]`."""
        label, system = (key, "") if isinstance(key, str) else key
        check_system(self.systems, label, system)
        column = self.column(label)
        sums = regrouped_sums(self.sums, [0]).filter(k0=system or self.systems[0])
        names = (f"{label}.{name}" for name in column.measure.statistics)
        return float(column.rates(np.array([sums_of(sums, name)[0] for name in names])))

    def column(self, label: str) -> MetricColumn:
        """Return the metric with a label."""
        for column in self.columns:
            if column.label == label:
                return column
        labels = [column.label for column in self.columns]
        raise OptionError(f"no metric {label!r} here", fix=f"there are: {', '.join(labels)}")

    def grouped(self, by: Sequence[str] = ()) -> Tally:
        """Return the tally of other groups: `by` are some of its columns, or none."""
        if tuple(by) == self.by:
            return self
        for name in by:
            if name not in self.by:
                known = listed(self.by) if self.by else "there are none"
                raise OptionError(f"no column {name!r} of groups", fix=f"columns: {known}")
        places = [self.by.index(name) for name in by]
        kept = [0, *(1 + place for place in places)]
        classes = self.classes
        return replace(
            self,
            by=tuple(by),
            sums=regrouped_sums(self.sums, kept),
            rows={label: regrouped_counts(rows, kept) for label, rows in self.rows.items()},
            paired=None if self.paired is None else self.paired.grouped(places),
            classes=None if classes is None else regrouped_counts(classes, kept),
        )

    @property
    def size(self) -> int:
        """The number of distinct rows of all metrics, by which a tally takes memory."""
        tables = [*self.rows.values(), *(self.paired.tables if self.paired else ())]
        return sum(map(len, tables))

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about these numbers that the rates do not show, in sentences for the user."""
        whole = regrouped_sums(self.sums, ())
        empty: dict[int, list[str]] = {}
        for column in self.columns:
            empty.setdefault(int(whole[_empty(column)].item()), []).append(column.label)
        notes = empty_reference_notes(empty, len(self))
        for column in self.columns:
            totals = {name: int(whole[f"{column.label}.{name}"].item()) for name in column.whole}
            notes += column.remarks_of(totals, len(self))
        return tuple(notes)

    def shown(self) -> Result:
        """Return the summary of all groups together."""
        facts = score_provenance(self.columns, self.forgiven.families, ())
        return Result("scores", {"summary": self.summary(total=True)}, facts)

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.summary()

    def summary(
        self,
        *,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
        total: bool = False,
    ) -> pl.DataFrame:
        """Compute the table of `Scores.summary`: rate, interval, counts, reference size.

        There is a row for each system, group and metric, groups in the order of their values; with
        `total`, a row for all groups together.
        """

        if total and self.by:
            return self.grouped().summary(bootstrap=bootstrap, confidence=confidence, seed=seed)
        settings = Bootstrap(bootstrap, confidence, seed)
        sums = _in_order(self.sums, self.systems)
        keys = sums.select(f"k{at}" for at in range(1 + len(self.by)))
        named = keys.rename(dict(zip(keys.columns, ("system", *self.by), strict=True)))
        frames = []
        for column in self.columns:
            table = _in_order(self.rows[column.label], self.systems)
            numbers: dict[str, Any] = column.summary_of(
                {
                    name: sums_of(sums, f"{column.label}.{name}")
                    for name in column.measure.statistics
                },
                grouped_counts(table),
                settings,
            )
            numbers |= self.forgiven.summary_of(
                column.label, len(sums), lambda name: sums_of(sums, name)
            )
            numbers |= {"utterances": sums[PAIRS].to_numpy()}  # some metrics count them too
            values = [pl.Series(name, of_groups) for name, of_groups in numbers.items()]
            metric = pl.lit(column.label).alias("metric")
            frames.append(named.with_columns(metric).hstack(values))
        return interleaved(frames)

    def entities(
        self, *, bootstrap: int = 1000, confidence: float = 0.95, seed: int = 0
    ) -> pl.DataFrame:
        """Compute the rates of classes of words (`stat.class_rates`), by system and group."""
        if self.classes is None:
            raise OptionError("no entities were scored", fix="score with entities= or keywords=")
        settings = Bootstrap(bootstrap, confidence, seed)
        return class_rates(self.classes, self.systems, self.by, settings)

    def result(
        self,
        provenance: Mapping[str, Any] | None = None,
        *,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> Result:
        """Return the table `summary`; with groups, it ends with the rows of all groups together."""
        settings: dict[str, Any] = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
        summary = self.summary(**settings)
        if self.by:
            summary = with_totals(summary, self.summary(**settings, total=True))
        drawn = Bootstrap(bootstrap, confidence, seed).settings
        origin = {"misword": __version__, **drawn, **(provenance or {})}
        facts = score_provenance(self.columns, self.forgiven.families, ())
        return Result("scores", {"summary": summary}, {**origin, **facts})


FEWEST = 1 << 16  # rows that wait before they are added up


class TallySum:
    """A sum of tallies. Those that arrived last wait until they have as many rows as the others.

    Each row is so added up only a few times, however many tallies there are.
    """

    def __init__(self) -> None:
        self._total: Tally | None = None
        self._waiting: list[Tally] = []
        self._rows = 0

    def add(self, tally: Tally) -> None:
        """Add a tally; raise if it does not fit to the others."""
        first = self._total or next(iter(self._waiting), None)
        if first is not None:
            check_same_tallies(first, tally)
        self._waiting.append(tally)
        self._rows += tally.size
        if self._rows > max(FEWEST, self._total.size if self._total else 0):
            self._merge()

    def tally(self) -> Tally:
        """Return the sum."""
        self._merge()
        if self._total is None:
            raise MismatchError("there are no tallies to add up")
        return self._total

    def _merge(self) -> None:
        parts = [*([self._total] if self._total else []), *self._waiting]
        if parts:
            self._total = Tally.sum(parts)
        self._waiting, self._rows = [], 0


def tally_of(
    table: pl.DataFrame,
    columns: Sequence[MetricColumn],
    forgiven: Forgiven,
    by: Sequence[str] = (),
    *,
    paired: bool = False,
    block: str = "",
    records: Mapping[str, pl.DataFrame] | None = None,
) -> Tally:
    """Return the tally of a table of scores, one row for each utterance and system.

    `records` are the tables of words and of the counts of classes, if there are any. For paired
    tests, utterances with the same value of the column `block` are resampled together.
    """
    parts = list(table.iter_slices(AT_ONCE)) if len(table) > AT_ONCE else [table]
    counted = [_count(part, columns, forgiven, by) for part in parts]
    summed, rows = counted[0]
    if len(counted) > 1:
        summed = add_sums([sums for sums, _ in counted])
        rows = {label: add_counts([counts[label] for _, counts in counted]) for label in rows}
    systems = tuple(table["system"].unique(maintain_order=True).to_list())
    pairs = None
    if paired:
        from misword.stat.tallies.paired_counts import PairedCounts

        pairs = PairedCounts.of(table, columns, systems, by, block, records)
    classes = _classes(table, by, records or {})
    return Tally(tuple(columns), systems, tuple(by), summed, rows, forgiven, pairs, classes)


def _count(
    table: pl.DataFrame, columns: Sequence[MetricColumn], forgiven: Forgiven, by: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return the sums of some rows by system and group, and the distinct rows of each metric."""
    keys = [table["system"], *(table[name] for name in by)]
    sums: dict[str, NDArray[Any]] = {PAIRS: np.ones(len(table), np.int64)}
    for column in (*columns, *forgiven.without):
        sums |= {name: table[name].to_numpy() for name in column.names}
    sums |= {name: table[name].to_numpy() for name in forgiven.counts}
    rows = {}
    for column in columns:
        sums[_empty(column)] = column.measure.reference(column.statistics(table)) == 0
        rows[column.label] = count_rows(key_columns(keys), column.terms(table))
    return sum_rows(keys, sums), rows


def _classes(
    table: pl.DataFrame, by: Sequence[str], records: Mapping[str, pl.DataFrame]
) -> pl.DataFrame | None:
    """Count the rows of classes of words; None if there are none."""
    if ENTITY_TABLE not in records:
        return None
    counts = records[ENTITY_TABLE].join(table.select(*KEYS, *by), KEYS, maintain_order="left")
    return count_classes(counts, by)


def check_same_tallies(one: Tally, other: Tally) -> None:
    """Raise unless two tallies have the same metrics, systems and groups."""
    check_same_metrics(one.columns, other.columns)
    for what in ("systems", "by"):
        mine, theirs = getattr(one, what), getattr(other, what)
        if mine != theirs:
            raise MismatchError(f"{what} differ: {', '.join(mine)} / {', '.join(theirs)}")
    if (one.paired is None) != (other.paired is None):
        raise MismatchError("one tally is for comparisons (paired), the other is not")
    if one.paired is not None and other.paired is not None:
        one.paired.check_same(other.paired)
    keys = [f"k{at}" for at in range(1 + len(one.by))]
    stacked([tally.sums.select(keys).clear() for tally in (one, other)])


def _in_order(table: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return a table with the systems in their order, and the groups of each in theirs."""

    places = {name: at for at, name in enumerate(systems)}
    place = pl.col("k0").replace_strict(places, return_dtype=pl.Int64)
    return table.sort(place, maintain_order=True)


def _empty(column: MetricColumn) -> str:
    """Return the name of the number of pairs whose reference has no tokens."""
    return f"{column.label}#empty"
