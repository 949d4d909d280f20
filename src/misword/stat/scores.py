"""Scores: the table from which every rate, interval, group and comparison is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from misword.core.errors import MismatchError, MiswordError, OptionError
from misword.core.lazy import pl
from misword.core.types import Description, DisplayedResult, Result, Statistics
from misword.core.version import __version__
from misword.io.shards import refused
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.scores import SCORES
from misword.stat.measure import MetricColumn
from misword.stat.score_tables import (
    KEYS,
    REFERENCE_TABLE,
    SEVERITY_ERRORS,
    SPEAKER_TABLES,
    TIME_RECORDS,
    Forgiven,
    LazyTables,
    RowSet,
    best_rows,
    check_same_metrics,
    check_system,
    forgiven_blocks,
    in_order_of,
    joined_rows,
    key_set,
    no_words,
    pair_notes,
    refuse_duplicates,
    refuse_own_names,
    score_provenance,
    with_totals,
)
from misword.stat.tallies.class_rates import ENTITY_TABLE
from misword.stat.tallies.tally import Tally, tally_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores(DisplayedResult):
    """Statistics of every pair of reference and hypothesis, for every metric.

    `table` has a row per pair: `utt`, `system`, `rank`, the features of N-best lists, the metadata,
    and for each metric its statistics as `<label>.<statistic>`. Rates are computed from sums of
    statistics, never as means of rates. `records` are the tables of words and texts. `run_notes`
    are notes about the word vectors and models of the run; `notes` has all notes. `forgiven` says
    which differences of writing were forgiven. `features` are the names of the features.

    Scores of shards (`misword.shards`) have a tally (`tallied`) and no table: rates, intervals,
    groups and comparisons come from it, and what needs single utterances raises an error. `shards`
    identifies the data, and `failures` has the error of each shard that was left out.

    Of N-best lists, `table` and `utterances` have all hypotheses; rates and words are those of the
    best ones, unless `summary(by="rank")` or `texts(all_ranks=True)` asks for all.

    >>> import misword
    >>> scores = misword.score(["a b c d", "e f"], ["a x c", "e f"], metrics=["wer"])
    >>> scores["wer"]
    0.3333333333333333
    """

    description: ClassVar[Description] = SCORES

    rows: pl.DataFrame | None
    columns: tuple[MetricColumn, ...]
    records: LazyTables = field(default_factory=LazyTables)
    run_notes: tuple[str, ...] = ()
    forgiven: Forgiven = field(default_factory=Forgiven)
    features: tuple[str, ...] = ()
    tallied: Tally | None = None
    shards: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[MiswordError, ...] = ()
    _row_set: RowSet | None = None  # the rows of `table`, once others were added

    def __len__(self) -> int:
        return len(self.table if self.tallied is None else self.tallied)

    @property
    def table(self) -> pl.DataFrame:
        """The table of all pairs; raises an error if shards were scored."""
        if self.rows is None:
            raise refused("table", "the table of utterances")
        return self.rows

    @property
    def size(self) -> int:
        """The number of utterances."""
        if self.tallied is not None:
            return len(self.tallied) // max(1, len(self.systems))
        return self.table["utt"].n_unique()

    def shown(self) -> Result:
        """Return the summary alone."""
        facts = score_provenance(self.columns, self.forgiven.families, self.features)
        return Result("scores", {"summary": self.summary()}, facts)

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.summary()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the words: they are computed on demand from the texts, which are large."""
        kept = self.run_notes, self.forgiven, self.features, self.tallied, self.shards
        return Scores, (self.rows, self.columns, LazyTables(), *kept, self.failures)

    def __copy__(self) -> Scores:
        return self

    def __deepcopy__(self, memo: Any) -> Scores:
        return self

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """Return the corpus rate of a metric: `scores["wer"]`, or `scores["wer", "system"]`.

        Of N-best lists, only the best hypotheses count. With several systems, the system must be
        named, because their common rate is the rate of none of them.
        """
        label, system = (key, "") if isinstance(key, str) else key
        column = self._column(label)
        if self.tallied is not None:
            return self.tallied[key]
        rows = best_rows(self._of_system(label, system).table)
        totals = column.totals(rows)
        return float(column.rates(np.array(list(totals.values()))))

    def __add__(self, other: Scores) -> Scores:
        """Join the rows of two scores: shards of a corpus, or systems. Signatures must agree."""
        check_same_metrics(self.columns, other.columns)
        if self.tallied is not None or other.tallied is not None:
            return self._with_tally_of(other)
        features = tuple(dict.fromkeys([*self.features, *other.features]))
        if clash := set(features).intersection([*self.metadata, *other.metadata]):
            raise MismatchError(f"{clash.pop()!r} is a feature of one and metadata of the other")
        table = joined_rows(self.table, other.table)
        rows, added = (key_set(scores.table, scores._row_set) for scores in (self, other))
        if rows.meets(added):  # without a look at all rows, so that `sum` is fast
            refuse_duplicates(table)
        notes = tuple(dict.fromkeys([*self.run_notes, *other.run_notes]))
        records = self.records.append(other.records)
        joined = rows.joined(added, table)
        both = Scores(table, self.columns, records, notes, self.forgiven, features)
        return replace(both, _row_set=joined)

    def _with_tally_of(self, other: Scores) -> Scores:
        """Add up the tallies of two scores, of which one or both are of shards."""
        by = next(each.by for each in (self.tallied, other.tallied) if each is not None)
        return replace(
            self,
            rows=None,
            records=LazyTables(),
            run_notes=tuple(dict.fromkeys([*self.run_notes, *other.run_notes])),
            tallied=self.tally(by) + other.tally(by),
            failures=(*self.failures, *other.failures),
        )

    def __radd__(self, other: object) -> Scores:
        """Return the scores themselves for 0, with which `sum` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def labels(self) -> list[str]:
        """The labels of the metrics, in the order in which they were named."""
        return [column.label for column in self.columns]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, in the order of the input."""
        if self.tallied is not None:
            return list(self.tallied.systems)
        return self.table["system"].unique(maintain_order=True).to_list()

    @property
    def metadata(self) -> list[str]:
        """The names of the columns of metadata."""
        if self.tallied is not None:
            return list(self.tallied.by)
        return [name for name in self._keys_and_metadata() if name not in KEYS]

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about these numbers that the rates do not show, in sentences for the user."""
        if self.tallied is not None:
            return *self.run_notes, *self.tallied.notes
        return *self.run_notes, *pair_notes(self.columns, best_rows(self.table))

    def statistics(self, label: str) -> Statistics:
        """Return the statistics of a metric, one row per pair."""
        return self._column(label).statistics(self.table)

    def filter(self, *predicates: Any, **constraints: Any) -> Scores:
        """Select rows with the arguments of polars' `filter`: `scores.filter(speaker="anna")`."""
        return self.with_rows(self.table.filter(*predicates, **constraints))

    def only(self, labels: Iterable[str]) -> Scores:
        """Select some of the metrics, in the order of `labels`."""
        columns = tuple(self._column(label) for label in labels)
        selected = {*self._keys_and_metadata(), *(name for c in columns for name in c.names)}
        selected |= {*self.forgiven.names, *self.features}
        names = [name for name in self.table.columns if name in selected]
        return replace(self, rows=self.table.select(names), columns=columns)

    def rename(self, names: Mapping[str, str]) -> Scores:
        """Rename some systems: `names` maps old names to new ones."""

        def renamed(table: pl.DataFrame) -> pl.DataFrame:
            return table.with_columns(table["system"].replace(names))

        return replace(self, rows=renamed(self.table), records=self.records.map(renamed))

    def group(self, *by: str) -> Iterator[tuple[tuple[Any, ...], Scores]]:
        """Yield the scores of each distinct value of the columns, in order of appearance."""
        self._check_names(by)
        for key, rows in self.table.group_by(by, maintain_order=True):
            yield key, self.with_rows(rows)

    def words(self, metric: str | None = None) -> pl.DataFrame:
        """Return a row for every step of the alignments: kind, words, and their annotations.

        The words are aligned as `metric` aligns them, or by unit costs. Of N-best lists, only the
        best hypotheses are there.
        """
        return self.records[self.word_table(metric)]

    def word_table(self, metric: str | None = None) -> str:
        """Return the name of the table of `words`; raise an error if there is none."""
        name = "words" if metric is None else self._column(metric).words
        if name not in self.records:
            raise no_words(self.records, metric, self.columns)
        return name

    def texts(self, *, all_ranks: bool = False) -> pl.DataFrame:
        """Return the reference and the best hypothesis of each utterance as in the input.

        With `all_ranks`, all hypotheses of N-best lists.
        """
        if "texts" not in self.records:
            raise OptionError("these scores have no texts", fix="score again, or save them --out")
        texts = self.records["texts"]
        return texts if all_ranks else best_rows(texts)

    def utterances(self) -> pl.DataFrame:
        """Return the table with the rate of each pair as `<label>.rate` (null where undefined)."""

        table = self.table
        for column in self.columns:
            rates = pl.Series(f"{column.label}.rate", column.rates_of_rows(self.table))
            table = table.with_columns(rates.fill_nan(None))
        return table

    def summary(
        self,
        by: str | Sequence[str] = (),
        *,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> pl.DataFrame:
        """Compute a row per system, group and metric: rate, interval, counts, reference size.

        `by` names columns of metadata to group by. `bootstrap` is the number of resamples
        (0: no intervals), `confidence` the share that an interval covers. Rates are fractions; null
        where undefined. Of N-best lists, only the best hypotheses count, unless `by` has `rank`.
        """

        names = self._group_names(by)
        found = self.tally(names).summary(bootstrap=bootstrap, confidence=confidence, seed=seed)
        return found if self.rows is None else in_order_of(found, self.rows, ["system", *names])

    def tally(
        self, by: str | Sequence[str] = (), *, paired: bool = False, block: str = ""
    ) -> Tally:
        """Return sums and distinct statistics, which add up.

        `by` names columns of metadata to group by; of N-best lists, only the best hypotheses count,
        unless `by` has `rank`. With `paired`, systems can be compared, and utterances with the same
        value of the column `block` are resampled together.
        """
        names = self._group_names(by)
        if self.tallied is not None:
            return self.tallied.grouped(names)
        self._check_names([*names, *([block] if block else [])])
        rows = self.table if "rank" in names else best_rows(self.table)
        options: Any = {"paired": paired, "block": block, "records": self.records}
        return tally_of(rows, self.columns, self.forgiven, names, **options)

    def entities(
        self,
        by: str | Sequence[str] = (),
        *,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> pl.DataFrame:
        """Compute the rates of classes of words (see `stat.class_rates`); options as `summary`."""
        names = self._group_names(by)
        settings: Any = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
        found = self.tally(names).entities(**settings)
        return found if self.rows is None else in_order_of(found, self.rows, ["system", *names])

    def result(
        self,
        provenance: Mapping[str, Any] | None = None,
        *,
        words: bool = True,
        utterances: bool = True,
        by: str | Sequence[str] = (),
        bootstrap: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> Result:
        """Return the tables `summary` (with its options), `utterances`, and those of the words.

        Without `utterances` or `words`, these tables are left out. If `by` names columns, the
        summary ends with the rows of all groups together: the columns are null there, and the
        column `total` is true. If differences of writing were forgiven, the table `forgiven` lists
        them. If entities or keywords were scored, `entities` has the rates of their classes.
        """
        settings: dict[str, Any] = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
        summary = self.summary(by, **settings)
        if names := self._group_names(by):
            # Ranks have no total: an utterance counts in several of them.
            totals = summary.clear() if "rank" in names else self.summary(**settings)
            summary = with_totals(summary, totals)
        tables = {"summary": summary}
        utterances = utterances and self.rows is not None
        if self.has_classes:
            whole = self.entities(**settings)
            groups = self.entities(by, **settings) if names else whole
            tables["entities"] = with_totals(groups, whole) if names else whole
            tables |= {ENTITY_TABLE: self.records[ENTITY_TABLE]} if utterances else {}
        resampling = Bootstrap(bootstrap, confidence, seed)
        tables |= self._further_tables(None if names else summary, resampling)
        if utterances:
            tables["utterances"] = self.utterances()
        if words:
            tables |= self.records
            if self.forgiven.families and "words" in self.records:
                tables["forgiven"] = forgiven_blocks(self.records["words"])
        drawn = resampling.settings
        origin = {"misword": __version__, **drawn, **(provenance or {})}
        origin |= {"shards": dict(self.shards)} if self.shards else {}
        facts = score_provenance(self.columns, self.forgiven.families, self.features)
        return Result("scores", tables, {**origin, **facts})

    def _further_tables(
        self, summary: pl.DataFrame | None, bootstrap: Bootstrap
    ) -> dict[str, pl.DataFrame]:
        """Return tables that only some scores have; `summary` is that of all utterances."""
        tables: dict[str, pl.DataFrame] = {}
        records = self.records
        if SEVERITY_ERRORS in records:
            from misword.stat.severity import severity_tables

            tables |= severity_tables(records, self.table, bootstrap)
        if REFERENCE_TABLE in records and summary is not None:
            from misword.stat.reference_rates import reference_rates

            counts = records[REFERENCE_TABLE]
            tables["references"] = reference_rates(counts, self.columns, summary, bootstrap)
        if any(name in records for name in TIME_RECORDS):
            from misword.stat.times.latency import latency_tables
            from misword.stat.times.words import time_tables

            tables |= time_tables(records) | latency_tables(records)
        return tables | {name: records[name] for name in SPEAKER_TABLES if name in records}

    @property
    def has_classes(self) -> bool:
        """Whether entities or keywords were scored."""
        if self.tallied is not None:
            return self.tallied.classes is not None
        return ENTITY_TABLE in self.records

    def save(self, folder: str | Path) -> None:
        """Write a result folder (JSON and Parquet); `misword.load` reads it back."""

        from misword.io.results import write_result

        write_result(self.result(), folder)

    def with_rows(self, rows: pl.DataFrame) -> Scores:
        """Return scores with some of the rows of `table`, and with the words of these rows."""
        if len(rows) == len(self.table):
            return self
        keys = rows.select(KEYS)

        def select(table: pl.DataFrame) -> pl.DataFrame:
            return table.join(keys, on=KEYS, how="semi", maintain_order="left")

        return replace(self, rows=rows, records=self.records.map(select))

    def _of_system(self, label: str, system: str) -> Scores:
        """Return the rows of a system; without a name, all rows if there is one system."""
        check_system(self.systems, label, system)
        return self.filter(system=system) if system else self

    def _column(self, label: str) -> MetricColumn:
        for column in self.columns:
            if column.label == label:
                return column
        raise OptionError(f"no metric {label!r} here", fix=f"there are: {', '.join(self.labels)}")

    def _group_names(self, by: str | Sequence[str]) -> list[str]:
        """Return the columns to group by beside the system; raise if the summary uses a name."""
        names = [by] if isinstance(by, str) else list(dict.fromkeys(by))
        statistics = (name for column in self.columns for name in column.measure.statistics)
        refuse_own_names(names, statistics)
        return [name for name in names if name != "system"]

    def _check_names(self, names: Sequence[str]) -> None:
        """Raise if a name is neither a key nor a column of metadata."""
        columns = self._keys_and_metadata()
        for name in names:
            if name not in columns:
                raise OptionError(f"no column {name!r}", fix=f"there are: {', '.join(columns)}")

    def _keys_and_metadata(self) -> list[str]:
        """Return the names of the columns that are neither statistics nor features."""
        statistics = {name for column in self.columns for name in column.names}
        others = {*statistics, *self.forgiven.names, *self.features}
        return [name for name in self.table.columns if name not in others]
