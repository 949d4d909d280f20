"""Tables of scores: sets of rows, checks, totals, tables made on first use, forgiven blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from inspect import unwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import listed
from misword.core.lazy import pl
from misword.stat.measure import MetricColumn, RowGroups, metric_provenance
from misword.stat.tallies.sums import key_columns

# The rows of a table as a set that grows: equal rows are found without a look at all old rows.

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class RowSet:
    """Hashes of the rows of `table`, in sorted arrays of decreasing size.

    Each array is larger than the next one. When rows are added, arrays that are not are merged, so
    a row is sorted again only a few times however many tables are added: the time for `n` rows is
    proportional to `n log n`.

    >>> import polars as pl
    >>> first, second = (pl.DataFrame({"utt": [name]}) for name in "ab")
    >>> rows = RowSet.of(first)
    >>> rows.meets(RowSet.of(second)), rows.meets(RowSet.of(first))
    (False, True)
    """

    table: pl.DataFrame
    arrays: tuple[Hashes, ...]

    @classmethod
    def of(cls, table: pl.DataFrame) -> RowSet:
        """Return the set of the rows of a table."""
        return cls(table, (np.sort(table.hash_rows(seed=0).to_numpy()),))

    def meets(self, other: RowSet) -> bool:
        """Return whether a hash is in both sets: equal rows have equal hashes."""
        return any(_meet(mine, theirs) for mine in self.arrays for theirs in other.arrays)

    def joined(self, other: RowSet, table: pl.DataFrame) -> RowSet:
        """Return the set of both; `table` has the rows of both."""
        arrays = list(self.arrays)
        for added in other.arrays:
            arrays.append(added)
            while len(arrays) > 1 and len(arrays[-2]) <= len(arrays[-1]):
                last = arrays.pop()
                arrays[-1] = np.sort(np.concatenate([arrays[-1], last]))
        return RowSet(table, tuple(arrays))


def _meet(one: Hashes, other: Hashes) -> bool:
    """Return whether two sorted arrays have an element in common."""
    small, large = sorted((one, other), key=len)
    if not len(small):
        return False
    places = np.searchsorted(large, small)
    found = large[np.minimum(places, len(large) - 1)] == small
    return bool(found.any())


# Keys of rows, checks before tables are joined, totals.

# The columns that identify a row.
KEYS = ("utt", "system", "rank")
MOST_CHUNKS = 64  # of a table: a step of a sum takes time in proportion to the chunks


def check_same_metrics(left: Iterable[MetricColumn], right: Iterable[MetricColumn]) -> None:
    """Raise unless both have the same metrics, with the same signatures."""
    mine = {column.label: column.signature for column in left}
    theirs = {column.label: column.signature for column in right}
    if mine.keys() != theirs.keys():
        raise MismatchError(
            f"metrics differ: {', '.join(mine)} / {', '.join(theirs)}",
            fix="score both by the same metrics",
        )
    for label, signature in mine.items():
        if differences := signature.differences(theirs[label]):
            raise MismatchError(f"signatures of {label} differ: {'; '.join(differences)}")


def joined_rows(upper: pl.DataFrame, lower: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of two tables; columns that one of them lacks are null there."""
    table = pl.concat([upper, lower], how="diagonal_relaxed")
    return table.rechunk() if table.n_chunks() > MOST_CHUNKS else table


def key_set(table: pl.DataFrame, known: RowSet | None) -> RowSet:
    """Return the set of the keys of the rows: `known`, if that is the set of this table."""
    if known is not None and known.table is table:
        return known
    return replace(RowSet.of(table.select(KEYS)), table=table)


def refuse_duplicates(table: pl.DataFrame) -> None:
    """Raise if two rows have the same keys."""
    duplicated = table.select(KEYS).is_duplicated()
    if duplicated.any():
        utt, system = table.row(duplicated.arg_max() or 0)[:2]
        raise MismatchError(
            f"utterance {utt!r} of {system!r} is in both",
            fix="if these are different utterances, give them ids: score(..., ids=...)",
        )


def by_value(table: pl.DataFrame, name: str) -> dict[Any, pl.DataFrame]:
    """Return the rows of each value of a column, in order of appearance.

    Rows that follow each other, such as those of a system, are not copied.

    >>> import polars as pl
    >>> table = pl.DataFrame({"system": ["b", "b", "a"]})
    >>> {name: len(rows) for name, rows in by_value(table, "system").items()}
    {'b': 2, 'a': 1}
    """
    runs = table.select(pl.col(name).rle()).unnest(name)
    if runs["value"].n_unique() < len(runs):
        groups = table.group_by(name, maintain_order=True)
        return {key[0]: rows for key, rows in groups}
    ends = runs["len"].cum_sum()
    starts = zip(runs["value"], ends - runs["len"], runs["len"], strict=True)
    return {value: table.slice(start, size) for value, start, size in starts}


def best_rows(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the best hypotheses; the table itself if it has no others."""
    if table.select((pl.col("rank") == 1).all()).item():
        return table
    return table.filter(rank=1)


def with_totals(groups: pl.DataFrame, totals: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of groups, then those of all groups together, which `total` marks."""
    marked = [
        table.with_columns(total=pl.lit(at)) for table, at in ((groups, False), (totals, True))
    ]
    return pl.concat(marked, how="diagonal_relaxed")


def refuse_own_names(names: Iterable[str], statistics: Iterable[str]) -> None:
    """Raise if a name of a column to group by is that of a column of summaries.

    `statistics` are the names of the metrics' statistics.
    """
    own = {"metric", "rate", "low", "high", "reference", "utterances", "total"}
    own |= {"without", "forgiven"}
    own |= {*statistics}
    for name in own.intersection(names):
        raise OptionError(f"the summary has a column {name!r} of its own", fix="rename yours")


def check_system(systems: Sequence[str], label: str, system: str) -> None:
    """Raise if a metric is asked for without a system where there are several, or of none."""
    if not system and len(systems) > 1:
        raise OptionError(
            f"{label!r} of which system? There are {listed(systems)}",
            fix=f"name it: scores[{label!r}, {systems[0]!r}]",
        )
    if system and system not in systems:
        raise OptionError(f"no system {system!r} here", fix=f"there are: {listed(systems)}")


def empty_reference_notes(empty: Mapping[int, Sequence[str]], pairs: int) -> list[str]:
    """Return notes on pairs with an empty reference: `empty` has metrics by the number of these."""
    return [
        f"{count} of {pairs} pairs have an empty reference for {', '.join(labels)}: "
        "no rate of their own, their insertions count in the total"
        for count, labels in empty.items()
        if count
    ]


def pair_notes(columns: Sequence[MetricColumn], table: pl.DataFrame) -> list[str]:
    """Return notes on the pairs of a table of scores that the rates do not show."""
    empty: dict[int, list[str]] = {}
    for column in columns:
        empty.setdefault(column.empty_references(table), []).append(column.label)
    notes = empty_reference_notes(empty, len(table))
    return notes + [text for column in columns for text in column.remarks(table)]


def interleaved(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of metrics as one table, in which the metrics of a group follow each other.

    There is a frame for each metric, with the same groups.
    """
    joined = pl.concat(frames, how="diagonal_relaxed")
    order = np.arange(len(joined)).reshape(len(frames), -1).T.ravel()
    return joined[order].fill_nan(None)


def score_provenance(
    columns: Sequence[MetricColumn], families: Sequence[str], features: Sequence[str]
) -> dict[str, Any]:
    """Return the metrics, their tables of words, forgiven families and features of scores."""
    return {
        **metric_provenance(columns),
        "words": {column.label: column.words for column in columns},
        **({"forgiven": list(families)} if families else {}),
        **({"features": list(features)} if features else {}),
    }


def in_order_of(table: pl.DataFrame, rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return a table with its groups in the order in which they first appear in other rows."""
    return table[np.argsort(places_in(table, rows, names), kind="stable")]


def places_in(table: pl.DataFrame, rows: pl.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each group of a table in the order in which `rows` have them first."""
    columns = key_columns([rows[name] for name in names])
    first = pl.DataFrame(columns).unique(maintain_order=True, keep="first").with_row_index("place")
    found = pl.DataFrame(key_columns([table[name] for name in names]))
    keys = found.columns
    places = found.join(first, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return places["place"].to_numpy().astype(np.int64)


def no_words(
    tables: Mapping[str, object], metric: str | None, columns: Iterable[MetricColumn]
) -> OptionError:
    """Return the error for scores without words, or for a metric that aligns no words."""
    aligned = f"{metric} has no words"
    what = aligned if "words" in tables else "these scores have no word records"
    aligning = [column.label for column in columns if column.words]
    return OptionError(what, fix="words are aligned by: " + ", ".join(aligning))


# Tables that are computed on first use: the words of alignments, the texts.

MakeTable = Callable[[], "pl.DataFrame"]


@dataclass(frozen=True)
class JoinedTables:
    """Makes a table of the rows of several tables.

    A sum of many scores has one of these and not one inside another, which would exceed the depth
    of calls that Python allows.
    """

    parts: tuple[MakeTable, ...]

    def __call__(self) -> pl.DataFrame:
        """Make the table."""
        return pl.concat([make() for make in self.parts], how="diagonal_relaxed")


@dataclass(frozen=True)
class DividedTable:
    """Makes a table that is also there in parts, each with all rows of some utterances."""

    whole: MakeTable
    parts: Callable[[], Iterator[pl.DataFrame]]

    def __call__(self) -> pl.DataFrame:
        """Make the table."""
        return self.whole()


# Names of tables that only some scores have: labelled errors, words where the reference has none,
# counts of several references; and of the resource of a context with the user's critical terms.
SEVERITY_ERRORS, SILENCE = "severity_errors", "silence"
REFERENCE_TABLE = "reference_counts"
CRITICAL_TERMS = "critical terms"
# Times of aligned words and of segments: the record of single ones, and the tables by system and by
# recording.
WORD_TIMES, WORD_TIME_ERRORS, RECORDING_TIMES = "word_times", "word_time_errors", "recording_times"
SEGMENT_TIMES, SEGMENT_TIME_ERRORS = "segment_times", "segment_time_errors"
RECORDING_SEGMENTS = "recording_segments"
WITHIN = (50, 100, 200)  # milliseconds
# The record of the begins of words, for the audio of the page.
WORD_BEGINS = "word_begins"
# Latencies of streams: records of words, segments and partial results; tables by system.
LATENCY_WORDS, LATENCY_SEGMENTS = "latency_words", "latency_segments"
LATENCY_RESULTS = "latency_results"
LATENCY, PARTIALS = "latency", "partials"
FINAL_SEGMENT = "final segment"  # a kind of latency: until the last result of a segment
# All records of times, which a saved result keeps.
TIME_RECORDS = (WORD_TIMES, SEGMENT_TIMES, LATENCY_WORDS, LATENCY_SEGMENTS, LATENCY_RESULTS)
# The tables of recordings with several speakers: a row for each recording, and for each speaker.
SPEAKER_TABLES = ("recordings", "speakers")
# The words of recordings with their speakers and times, for the timeline: `kind` is one of these.
SPEAKER_WORDS = "speaker_words"
RIGHT_WORD, WRONG_WORD, WRONG_SPEAKER = range(3)


class LazyTables(Mapping[str, "pl.DataFrame"]):
    """Tables by name, each computed on first use and then stored.

    A table can also be read in parts (`parts`), which are not stored.

    >>> import polars as pl
    >>> tables = LazyTables({"words": lambda: pl.DataFrame({"utt": ["a"]})})
    >>> tables.map(lambda table: table.with_columns(rank=1))["words"].columns
    ['utt', 'rank']
    """

    def __init__(self, makers: Mapping[str, MakeTable] | None = None) -> None:
        self._makers = {name: cache(make) for name, make in (makers or {}).items()}

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._makers  # without computing the table

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def parts(self, name: str) -> Iterator[pl.DataFrame]:
        """Yield the rows of a table in parts, each with all rows of some utterances.

        The order of the rows may be another one. A table that is not divided is one part.
        """
        original = unwrap(self._makers[name])
        if isinstance(original, DividedTable):
            yield from original.parts()
        else:
            yield self[name]

    def map(self, change: Callable[[pl.DataFrame], pl.DataFrame]) -> LazyTables:
        """Return the same tables with `change`, which selects or renames, applied on first use."""

        def whole(name: str) -> pl.DataFrame:
            return change(self[name])

        def parts(name: str) -> Iterator[pl.DataFrame]:
            return map(change, self.parts(name))

        makers: dict[str, MakeTable] = {name: partial(whole, name) for name in self}
        for name, make in self._makers.items():
            if isinstance(unwrap(make), DividedTable):
                makers[name] = DividedTable(makers[name], partial(parts, name))
        return LazyTables(makers)

    def with_table(self, name: str, make: MakeTable) -> LazyTables:
        """Return the same tables and one more."""
        return LazyTables({**self._makers, name: make})

    def append(self, other: LazyTables) -> LazyTables:
        """Return the tables that both have, with the rows of `other` below these."""
        names = [name for name in self if name in other]
        return LazyTables(
            {name: JoinedTables((*self._parts(name), *other._parts(name))) for name in names}
        )

    def _parts(self, name: str) -> tuple[MakeTable, ...]:
        """Return what makes a table: several makers if it was joined before."""
        make = self._makers[name]
        original = unwrap(make)
        return original.parts if isinstance(original, JoinedTables) else (make,)


# Forgiven differences of writing in tables of scores and in tables of words.
#
# A forgiven block is one row of a table of words: kind `hit`, its words joined by spaces, and the
# name of the family that forgives it in the column `family`. A block can have no reference word,
# or no hypothesis word; the column is then null.


@dataclass(frozen=True, slots=True)
class Forgiven:
    """What was forgiven: the names of the families, and the metrics without forgiveness.

    The table of scores has the number of forgiven differences of each pair as `forgiven.<family>`;
    `without` are the columns of metrics scored as if nothing were forgiven, labelled
    `without.<label>`.
    """

    families: tuple[str, ...] = ()
    without: tuple[MetricColumn, ...] = ()

    @property
    def counts(self) -> list[str]:
        """The names of the columns with numbers of forgiven differences."""
        return [f"forgiven.{family}" for family in self.families]

    @property
    def names(self) -> list[str]:
        """The names of all columns in the table of scores."""
        return [*self.counts, *(name for column in self.without for name in column.names)]

    def summary(self, label: str, table: pl.DataFrame, groups: RowGroups) -> dict[str, Any]:
        """Return the rate of a metric without forgiveness, and the differences by family.

        There is a number for each group of rows. Only metrics that count edits have a rate without
        forgiveness.
        """
        return self.summary_of(label, len(groups), lambda name: groups.sums(table[name].to_numpy()))

    def summary_of(
        self, label: str, groups: int, sums: Callable[[str], NDArray[Any]]
    ) -> dict[str, Any]:
        """Return what `summary` does; `sums` returns the sums of a column for each group."""
        if not self.families:
            return {}
        rates: Any = [None] * groups
        for column in self.without:
            if column.label == f"without.{label}":
                rates = column.rates(np.stack([sums(name) for name in column.names], axis=-1))
        counts = {name: sums(name) for name in self.counts}
        return {"without": rates, "forgiven": sum(counts.values()), **counts}


def forgiven_blocks(words: pl.DataFrame) -> pl.DataFrame:
    """Return the forgiven differences of a table of words, with the place of each alignment step.

    One of the two sides is null if the family forgives a word that is there or not.
    """
    columns = ["utt", "system", "place", "family", "reference", "hypothesis"]
    return words.filter(pl.col("family").is_not_null()).select(columns)


def reference_sizes(words: pl.DataFrame) -> NDArray[np.int64]:
    """Return how many reference words a row of a table of words stands for; 1 for an insertion.

    A forgiven block stands for as many words as its reference has, possibly for none.

    >>> import polars as pl
    >>> family, reference = ["contractions", "fillers", None], ["we are", None, "here"]
    >>> reference_sizes(pl.DataFrame({"family": family, "reference": reference})).tolist()
    [2, 0, 1]
    """
    if "family" not in words.columns:
        return np.ones(words.height, np.int64)
    size = pl.col("reference").str.count_matches(" ", literal=True).cast(pl.Int64) + 1
    of_block = pl.when(pl.col("family").is_not_null()).then(size.fill_null(0)).otherwise(1)
    return words.select(of_block.alias("size"))["size"].to_numpy()


def single_reference_words(words: pl.DataFrame) -> pl.DataFrame:
    """Return a table of words with a row for each reference word of a forgiven block.

    All words of a block are hits. Blocks without reference words have no row.
    """
    sizes = reference_sizes(words)
    if (sizes == 1).all():
        return words
    rows = np.repeat(np.arange(len(sizes)), sizes)
    divided = words[rows]
    parts = words["reference"].filter(sizes > 1).str.split(" ").explode()
    places = np.flatnonzero(sizes[rows] > 1)
    return divided.with_columns(divided["reference"].scatter(places, parts))
