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
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.types import Description, DisplayedResult, Result, Statistics
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap, DistinctRows
from misword.stat.descriptions.scores import SCORES
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import (
    Forgiven,
    check_same_metrics,
    check_system,
    empty_reference_notes,
    interleaved,
    score_provenance,
    with_totals,
)
from misword.stat.sums import (
    add_counts,
    add_sums,
    count_rows,
    grouped_counts,
    key_columns,
    project,
    sample_of,
    sum_rows,
    sums_of,
    total_sums,
    without_keys,
)

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


# Tallies: what rates, intervals, groups and paired tests need of scores, and no more.
#
# A rate needs the sums of its statistics, its interval the distinct rows of its terms and how
# often each occurs. Both are small: utterances with two errors in eleven words are one row,
# however many there are. Tallies of shards are added up in any order and give the same numbers, to
# the last bit, as the scores of all utterances.
#
# Known problems: statistics that are fractions (WER-E, SemDist, BERTScore) have nearly as many
# distinct rows as utterances with errors; a tally of them takes about 40 bytes for each row.

PAIRS = "pairs"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tally(DisplayedResult):
    """Sums and distinct statistics of the utterances of one or more systems, by group.

    `misword.score(...).tally(by=...)` makes one of scores, `misword.score_shards` one of many
    shards. `a + b` is the tally of the utterances of both; signatures, systems and groups must
    agree. It is not checked whether both have an utterance: a tally has no ids.

    Attributes:
        columns: the metrics with their signatures.
        systems: the names of the systems; systems are compared with the first.
        by: the columns of metadata whose values are the groups.
        sums: the sums of all statistics of each system and group.
        rows: for each metric, the distinct rows of terms of each system and group.
        paired: the distinct rows of the terms of two systems, if systems are to be compared.

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
        return replace(
            first,
            sums=add_sums(each.sums for each in listed),
            rows=rows,
            paired=PairedCounts.sum(paired) if paired else None,
        )

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """Return the rate of a metric: `tally["wer"]`, or `tally["wer", "system"]`."""
        label, system = (key, "") if isinstance(key, str) else key
        check_system(self.systems, label, system)
        rows = self.summary(bootstrap=0, total=True).filter(metric=label)
        if not len(rows):
            raise OptionError(f"no metric {label!r} here")
        rate = rows.filter(system=system or self.systems[0])["rate"].item()
        return float("nan") if rate is None else float(rate)

    @property
    def size(self) -> int:
        """The number of distinct rows of all metrics, by which a tally takes memory."""
        tables = [*self.rows.values(), *(self.paired.tables if self.paired else ())]
        return sum(map(len, tables))

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about these numbers that the rates do not show, in sentences for the user."""
        whole = total_sums(self.sums)
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

        settings = Bootstrap(bootstrap, confidence, seed)
        kept = 1 if total else 1 + len(self.by)
        sums = _in_order(total_sums(self.sums, kept), self.systems)
        keys = sums.select(f"k{at}" for at in range(kept))
        named = keys.rename(dict(zip(keys.columns, ("system", *self.by), strict=False)))
        frames = []
        for column in self.columns:
            table = _in_order(without_keys(self.rows[column.label], kept), self.systems)
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


def tally_of(
    table: pl.DataFrame,
    columns: Sequence[MetricColumn],
    forgiven: Forgiven,
    by: Sequence[str] = (),
    *,
    paired: bool = False,
) -> Tally:
    """Return the tally of a table of scores, one row for each utterance and system."""
    keys = [table["system"], *(table[name] for name in by)]
    sums: dict[str, NDArray[Any]] = {PAIRS: np.ones(len(table), np.int64)}
    for column in (*columns, *forgiven.without):
        sums |= {name: table[name].to_numpy() for name in column.names}
    sums |= {name: table[name].to_numpy() for name in forgiven.counts}
    rows = {}
    for column in columns:
        sums[_empty(column)] = column.measure.reference(column.statistics(table)) == 0
        rows[column.label] = count_rows(key_columns(keys), column.terms(table))
    systems = tuple(table["system"].unique(maintain_order=True).to_list())
    pairs = PairedCounts.of(table, columns, systems, by) if paired else None
    return Tally(tuple(columns), systems, tuple(by), sum_rows(keys, sums), rows, forgiven, pairs)


def check_same_tallies(one: Tally, other: Tally) -> None:
    """Raise unless two tallies have the same metrics, systems and groups."""
    check_same_metrics(one.columns, other.columns)
    for what in ("systems", "by"):
        mine, theirs = getattr(one, what), getattr(other, what)
        if mine != theirs:
            raise MismatchError(f"{what} differ: {', '.join(mine)} / {', '.join(theirs)}")
    if (one.paired is None) != (other.paired is None):
        raise MismatchError("one tally is for comparisons (paired), the other is not")


def _in_order(table: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return a table with the systems in their order, and the groups of each in theirs."""

    places = {name: at for at, name in enumerate(systems)}
    place = pl.col("k0").replace_strict(places, return_dtype=pl.Int64)
    return table.sort(place, maintain_order=True)


def _empty(column: MetricColumn) -> str:
    """Return the name of the number of pairs whose reference has no tokens."""
    return f"{column.label}#empty"
