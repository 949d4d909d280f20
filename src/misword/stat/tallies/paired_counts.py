"""What paired tests of systems need of scores, in a form that adds up over utterances.

A test of two systems needs the distinct rows of both systems' terms by one metric. Within groups,
all metrics and systems are resampled together (`asr/comparison/groups.py`), so that a row has the
terms of all of them. Tests over blocks need exact sums of each block, whose utterances may be in
several shards. MAPSSWE needs sums over segments (`stat/mapsswe.py`), classes of words the distinct
rows of their counts.

Known problems: rows of many metrics and systems are rarely equal. With groups, such a table can
have as many rows as there are utterances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.bootstrap import DistinctRows
from misword.stat.mapsswe import SegmentSums, from_words
from misword.stat.measure import GroupedRows, MetricColumn
from misword.stat.paired import SWAPPED_TOGETHER
from misword.stat.score_tables import by_value
from misword.stat.tallies.class_rates import CLASS_KEYS, ENTITY_TABLE, RATES, classes_of
from misword.stat.tallies.sums import (
    COUNT,
    add_counts,
    add_sums,
    count_rows,
    count_table,
    group_starts,
    key_columns,
    project,
    regrouped_counts,
    regrouped_sums,
    sample_of,
    stacked,
    sum_rows,
    sums_of,
    weighted_sample,
)

# The columns of a metric and a system in a row of terms.
Places = dict[tuple[str, str], slice]
SEGMENT_TABLE = "segments"  # the record with the sums of segments by metric and system
TESTED = ("metric", "system")
# The counts of a class by which systems are compared.
CLASS_TERMS = {"errors": RATES["rate"][0], "words": ("words",), "found": ("found",),
               "terms": ("terms",)}  # fmt: skip
BLOCK = "block"


@dataclass(frozen=True, slots=True, eq=False)
class BlockSums:
    """Exact sums of the terms of all metrics and systems, by block (`k0`) and group (`k1`, ...).

    `name` is the column whose values are the blocks. `places` has the columns of each metric and
    system, which are named by their numbers.
    """

    name: str
    table: pl.DataFrame
    places: Places

    def __len__(self) -> int:
        """Return the number of blocks."""
        return self.table["k0"].n_unique()

    def terms(self, label: str, system: str) -> Statistics:
        """Return the sums of a metric and system, a row for each block."""
        place, table = self.places[label, system], regrouped_sums(self.table, [0])
        return _columns(table, range(place.start, place.stop))

    def grouped(self) -> GroupedRows:
        """Return the terms of all metrics and systems by group, a row for each of its blocks."""
        keys = [name for name in self.table.columns if name[0] == "k" and name != "k0"]
        table = self.table.sort(*keys, "k0", nulls_last=True)
        width = max(place.stop for place in self.places.values())
        return GroupedRows(_columns(table, range(width)), group_starts(table, keys))


def _columns(table: pl.DataFrame, places: Iterable[int]) -> Statistics:
    return np.stack([sums_of(table, str(place)) for place in places], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class PairedCounts:
    """Counts and sums of several systems on the same utterances; the first is the baseline.

    Attributes:
        systems: the names of the systems.
        tables: distinct rows of terms. Without groups, there is a table for each metric and each
            system but the baseline; with groups, one table for all of them.
        places: the columns of each metric and system in each of the tables.
        few: distinct rows of the terms of all metrics and systems, as long as there are so few
            utterances that all tests are corrected together; else None.
        joint: the columns of each metric and system in `few`.
        segments: the sums of segments (`SegmentSums`) by metric and system; None if no words were
            aligned.
        classes: distinct rows of the counts of classes of words, or sums by block; None if there
            are no classes.
        blocks: sums by block; None if utterances are independent.
    """

    systems: tuple[str, ...]
    tables: tuple[pl.DataFrame, ...]
    places: tuple[Places, ...]
    few: pl.DataFrame | None
    joint: Places
    segments: pl.DataFrame | None = None
    classes: pl.DataFrame | None = None
    blocks: BlockSums | None = None

    @classmethod
    def of(
        cls,
        table: pl.DataFrame,
        columns: Sequence[MetricColumn],
        systems: Sequence[str],
        by: Sequence[str],
        block: str = "",
        records: Mapping[str, pl.DataFrame] | None = None,
    ) -> PairedCounts:
        """Count the rows of a table of scores; raise if systems have different utterances.

        `records` are the tables of words and of the counts of classes.
        """
        if len(systems) < 2:
            raise OptionError("a comparison needs two systems", fix="name two or more")
        by_system = dict(_matched(table, systems))
        first = by_system[systems[0]]
        keys = key_columns([first[name] for name in by])
        tables, all_places = [], []
        for chosen, names in _layout(columns, systems, joint=bool(by)):
            terms, places = _side_by_side(chosen, {name: by_system[name] for name in names})
            tables.append(count_rows(keys, terms))
            all_places.append(places)
        every, joint = _side_by_side(
            columns,
            by_system
            if len(first) <= SWAPPED_TOGETHER
            else {name: rows.clear() for name, rows in by_system.items()},
        )
        known = {} if records is None else records
        return cls(
            tuple(systems),
            tuple(tables),
            tuple(all_places),
            count_rows([], every) if len(first) <= SWAPPED_TOGETHER else None,
            joint,
            _segments(columns, systems, known),
            _classes(known, first, systems, block),
            _block_sums(columns, by_system, by, block, joint) if block else None,
        )  # fmt: skip

    @classmethod
    def sum(cls, parts: Iterable[PairedCounts]) -> PairedCounts:
        """Add up the counts of several sets of utterances."""
        listed = list(parts)
        tables = zip(*(part.tables for part in listed), strict=True)
        first = listed[0]
        few = [part.few for part in listed if part.few is not None]
        rows = sum(int(table[COUNT].sum()) for table in few)
        together = len(few) == len(listed) and rows <= SWAPPED_TOGETHER
        segments = [part.segments for part in listed if part.segments is not None]
        classes = [part.classes for part in listed if part.classes is not None]
        blocks = [part.blocks.table for part in listed if part.blocks is not None]
        return replace(
            first,
            tables=tuple(map(add_counts, tables)),
            few=add_counts(few) if together else None,
            segments=added_segments(segments) if len(segments) == len(listed) else None,
            classes=_added_classes(classes) if classes else None,
            blocks=replace(first.blocks, table=add_sums(blocks)) if first.blocks else None,
        )

    def check_same(self, other: PairedCounts) -> None:
        """Raise unless both have the same blocks, of the same kind of values."""
        names = [part.blocks.name if part.blocks else "" for part in (self, other)]
        if names[0] != names[1]:
            raise MismatchError(f"blocks differ: {names[0] or 'none'} / {names[1] or 'none'}")
        if self.blocks and other.blocks:
            stacked([part.table.select("k0").clear() for part in (self.blocks, other.blocks)])

    def grouped(self, places: Sequence[int]) -> PairedCounts:
        """Return the counts of other groups: `places` are the numbers of the keys that are kept."""
        blocks = self.blocks
        if blocks is not None:
            kept = [0, *(1 + place for place in places)]
            blocks = replace(blocks, table=regrouped_sums(blocks.table, kept))
        tables = tuple(regrouped_counts(table, places) for table in self.tables)
        return replace(self, tables=tables, blocks=blocks)

    def sample(self, label: str, system: str) -> DistinctRows:
        """Return the distinct rows of a metric: terms of the baseline, then those of a system."""
        for table, places in zip(self.tables, self.places, strict=True):
            if (label, system) in places:
                sides = (places[label, name] for name in (self.systems[0], system))
                wanted = [at for side in sides for at in range(side.start, side.stop)]
                return sample_of(project(regrouped_counts(table, ()), wanted))
        raise KeyError((label, system))

    def few_terms(self, label: str, system: str) -> Statistics:
        """Return the terms of each of few utterances."""
        assert self.few is not None, "there are more utterances"
        return sample_of(self.few).repeated()[:, self.joint[label, system]]

    def segment_sums(self, label: str, system: str) -> SegmentSums | None:
        """Return the sums of segments of a metric and system; None if there are none."""
        if self.segments is None:
            return None
        rows = self.segments.filter(metric=label, system=system)
        return SegmentSums(*rows.select(SegmentSums._fields).row(0)) if len(rows) else None

    def class_names(self) -> list[tuple[str, str]]:
        """Return source and name of all classes, those with the most words first."""
        assert self.classes is not None, "no classes were counted"
        words = (pl.col(f"{at}.words") * pl.col(COUNT) for at in range(len(self.systems)))
        return classes_of(self.classes.select(*CLASS_KEYS, pl.sum_horizontal(words).alias("words")))

    def class_sample(
        self, source: str, name: str, terms: Sequence[tuple[str, str]]
    ) -> DistinctRows:
        """Return the distinct rows of counts of a class, each of a system and a `CLASS_TERMS`.

        A row is an utterance that has words of the class for some system, or a block.
        """
        assert self.classes is not None, "no classes were counted"
        rows = self.classes.filter((pl.col("source") == source) & (pl.col("class") == name))
        values = rows.select(f"{self.systems.index(system)}.{term}" for system, term in terms)
        return weighted_sample(values.to_numpy(), rows[COUNT].to_numpy())


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
    tables = by_value(table, "system")
    first = tables.get(systems[0], table.clear())
    for name in systems:
        own = tables.get(name, table.clear())
        if not own["utt"].equals(first["utt"]):
            own = first.select("utt").join(own, on="utt", how="inner", maintain_order="left")
            if len(own) != len(first):
                raise MismatchError(
                    f"{systems[0]!r} and {name!r} have different utterances",
                    fix="compare systems on the same utterances",
                )
        yield name, own


def _block_sums(
    columns: Sequence[MetricColumn],
    by_system: Mapping[str, pl.DataFrame],
    by: Sequence[str],
    block: str,
    joint: Places,
) -> BlockSums:
    """Add up the terms of each block and group; raise if an utterance has no block."""
    first = next(iter(by_system.values()))
    values = first[block]
    if values.null_count():
        utt = first["utt"].filter(values.is_null())[0]
        raise InputError(f"utterance {utt!r} has no {block}", fix="give it one")
    sums: dict[str, Statistics] = {}
    for column in columns:
        for name, table in by_system.items():
            start = joint[column.label, name].start
            sums |= {str(start + at): each for at, each in enumerate(column.terms(table).T)}
    keys = [values, *(first[name] for name in by)]
    return BlockSums(block, sum_rows(keys, sums), joint)


def _segments(
    columns: Sequence[MetricColumn], systems: Sequence[str], records: Mapping[str, pl.DataFrame]
) -> pl.DataFrame | None:
    """Return the sums of segments of each word error rate and system but the baseline."""
    if SEGMENT_TABLE in records:
        return records[SEGMENT_TABLE]
    tables = [
        segment_sums(records[column.words], [column], systems)
        for column in tested_by_segments(columns)
        if column.words in records
    ]
    return pl.concat(tables) if tables else None


def tested_by_segments(columns: Iterable[MetricColumn]) -> list[MetricColumn]:
    """Return the metrics whose differences are tested over segments: word error rates."""
    return [column for column in columns if column.label.partition(":")[0] == "wer"]


def segment_sums(
    words: pl.DataFrame, columns: Iterable[MetricColumn], systems: Sequence[str]
) -> pl.DataFrame:
    """Return the sums of segments of metrics that have the same table of words."""
    sums = {name: SegmentSums.of(*from_words(words, systems[0], name)) for name in systems[1:]}
    rows = [
        {"metric": column.label, "system": name, **own._asdict()}
        for column in columns
        for name, own in sums.items()
    ]
    return pl.DataFrame(rows)


def added_segments(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Add up the sums of segments of several sets of utterances."""
    return pl.concat(tables).group_by(TESTED, maintain_order=True).sum()


def _classes(
    records: Mapping[str, pl.DataFrame], first: pl.DataFrame, systems: Sequence[str], block: str
) -> pl.DataFrame | None:
    """Count the rows of each class: its counts by all systems; with blocks, add them up."""
    if ENTITY_TABLE not in records:
        return None
    counts, keys = records[ENTITY_TABLE].filter(rank=1), ["utt", *CLASS_KEYS]
    rows = counts.select(keys).unique()
    for at, name in enumerate(systems):
        terms = [
            pl.sum_horizontal(summed).cast(pl.Int64).alias(f"{at}.{term}")
            for term, summed in CLASS_TERMS.items()
        ]
        own = counts.filter(system=name).select(*keys, *terms)
        rows = rows.join(own, on=keys, how="left")
    rows = rows.fill_null(0)
    if not block:
        return count_table(rows.drop("utt"))
    blocks = first.select("utt", pl.col(block).alias(BLOCK))
    return _added_classes(
        [rows.join(blocks, on="utt").drop("utt").with_columns(pl.lit(1).alias(COUNT))]
    )


def _added_classes(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Add up counts of classes: the counts of equal rows, or the rows of each block."""
    if BLOCK not in tables[0].columns:
        return add_counts(tables)
    joined = pl.concat(tables, how="vertical_relaxed")
    summed = joined.group_by(*CLASS_KEYS, BLOCK).agg(pl.exclude(COUNT).sum())
    return summed.with_columns(pl.lit(1, pl.Int64).alias(COUNT)).sort(*CLASS_KEYS, BLOCK)
