"""The function `compare`: differences between systems, where they are, and their significance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.differences import all_differences, differences
from misword.asr.comparison.groups import group_columns, group_differences
from misword.asr.comparison.matched_systems import (
    MatchedSystems,
    check_metadata,
    recordings_of,
    usual_block,
)
from misword.asr.comparison.word_changes import WordChanges
from misword.asr.comparison.word_kinds import entity_differences, slices
from misword.asr.comparison.worsened import contrast_worsened, describe_utterances, worst_utterances
from misword.asr.options import CompareOptions, Metrics, ScoreOptions
from misword.asr.score import scores_from
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.types import Description, DisplayedResult, Result
from misword.io.shards import Shards, refused
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.comparison import COMPARISON
from misword.stat.mapsswe import FEW_SEGMENTS
from misword.stat.measure import metric_provenance
from misword.stat.score_tables import SEVERITY_ERRORS
from misword.stat.scores import Scores
from misword.stat.tallies.paired_counts import (
    SEGMENT_TABLE,
    added_segments,
    segment_sums,
    tested_by_segments,
)
from misword.stat.tallies.tally import Tally

# Columns of permutation tests. If all pairs are tested, those of `differences` are corrected for
# all pairs too, so that one difference has one p-value.
CORRECTED = ("p_holm", "p_blocks", "p_blocks_holm")


@dataclass(frozen=True, slots=True, eq=False)
class UtteranceTables:
    """Tables of single utterances; `skipped` has columns that are not contrasted, with reasons."""

    worst: pl.DataFrame
    contrast: pl.DataFrame
    slices: pl.DataFrame
    words: pl.DataFrame
    skipped: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(DisplayedResult):
    """Systems compared with a baseline, as tables.

    Attributes:
        scores: the scores of all systems, the baseline first.
        bootstrap: how intervals and p-values were drawn.
        block: the metadata column whose values were resampled as a whole; empty if there is none.
        blocks: the number of its values.
        differences: a row for each metric and each system except the baseline: both rates, the
            difference and the relative change with intervals, p-values, and the number of
            utterances that are better, worse and the same.
        by: the metadata columns whose values are the groups of `groups`.
        groups: a row for each metric, system and group of utterances; no rows without `by`.
        entities: a row for each class of entities and keywords and each system except the baseline;
            no rows if none were scored.
        details: the tables made from single utterances: `worst`, `contrast`, `slices` and
            `word_changes`; None for shards.
        pairs: a row for each metric and every two systems, as in `differences`; None without
            `all_pairs`.
    """

    description: ClassVar[Description] = COMPARISON

    scores: Scores
    bootstrap: Bootstrap
    block: str
    blocks: int | None
    differences: pl.DataFrame
    by: tuple[str, ...]
    groups: pl.DataFrame
    entities: pl.DataFrame
    details: UtteranceTables | None
    pairs: pl.DataFrame | None = None

    @property
    def worst(self) -> pl.DataFrame:
        """The utterances with the most added errors by the first metric."""
        return self._details("worst").worst

    @property
    def contrast(self) -> pl.DataFrame:
        """The properties in which the utterances that got worse differ from the others."""
        return self._details("contrast").contrast

    @property
    def slices(self) -> pl.DataFrame:
        """Errors by part of speech, frequency and length of words."""
        return self._details("slices").slices

    @property
    def word_changes(self) -> pl.DataFrame:
        """Words and phrases that are newly wrong or newly right, with tests."""
        return self._details("word_changes").words

    def _details(self, name: str) -> UtteranceTables:
        if self.details is None:
            raise refused(name)
        return self.details

    @property
    def notes(self) -> tuple[str, ...]:
        """What was forgiven, tests of few segments, and columns that are not in `contrast`."""
        contrast = (
            f"{column} is not contrasted: {reason}"
            for column, reason in (self.details.skipped if self.details else {}).items()
            if column in self.scores.metadata
        )
        segments = (
            f"MAPSSWE of {row['metric']}, {row['system']}: its p-value is rough, "
            f"because there are only {counted(row['segments_mapsswe'], 'segment')} with errors"
            for row in self.differences.drop_nulls("p_mapsswe").to_dicts()
            if 0 < row["segments_mapsswe"] < FEW_SEGMENTS
        )
        return *self._note_on_forgiveness(), *segments, *contrast

    @property
    def systems(self) -> list[str]:
        """The names of the systems, the baseline first."""
        return self.scores.systems

    @property
    def utterances(self) -> int:
        """The number of utterances that the systems are compared on."""
        return self.scores.size

    def main_table(self) -> pl.DataFrame:
        """Return the table `differences`."""
        return self.differences

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name, `differences` first; `groups` and entities only if they have rows."""
        details = ("word_changes", "worst", "contrast", "slices") if self.details else ()
        names = ("differences", *(["groups"] if self.by else []), *details)
        tables = {name: getattr(self, name) for name in names}
        tables |= {"entity_differences": self.entities} if len(self.entities) else {}
        tables |= {} if self.pairs is None else {"pairs": self.pairs}
        return tables | self._severity()

    def _severity(self) -> dict[str, pl.DataFrame]:
        """Return what changed in the critical errors, if errors were labelled."""
        records = self.scores.records
        if SEVERITY_ERRORS not in records:
            return {}
        from misword.stat.severity import dangerous_changes, label_differences

        errors = records[SEVERITY_ERRORS].filter(rank=1)
        tables = {
            "severity_differences": label_differences(
                errors, self.scores.table, self.systems, self.bootstrap
            ),
            "dangerous_changes": dangerous_changes(errors, self.systems),
        }
        return {name: table for name, table in tables.items() if len(table)}

    def _note_on_forgiveness(self) -> tuple[str, ...]:
        """Return a note on the number of forgiven differences, with the rates without them."""
        if not self.scores.forgiven.families:
            return ()
        first = self.scores.labels[0]
        rows = self.scores.summary(bootstrap=0).filter(metric=first).to_dicts()
        parts = [f"{row['system']} {row['forgiven']:,}" for row in rows]
        if all(row["without"] is not None for row in rows):
            rates = ", ".join(f"{100 * row['without']:.2f} %" for row in rows)
            parts[-1] += f"; {first} would be {rates}"
        return (f"differences of writing were forgiven: {', '.join(parts)}",)

    def shown(self) -> Result:
        """Return the tables of the comparison, without those of the scores."""
        facts = {**metric_provenance(self.scores.columns), **self._settings()}
        return Result("comparison", self.tables, facts)

    def result(self, provenance: Mapping[str, Any] | None = None, *, words: bool = True) -> Result:
        """Return the tables of the comparison and all tables of the scores."""
        times, confidence, seed = astuple(self.bootstrap)
        scores = self.scores.result(
            provenance, words=words, bootstrap=times, confidence=confidence, seed=seed
        )
        facts = {**scores.provenance, **self._settings()}
        return Result("comparison", {**scores.tables, **self.tables}, facts)

    def _settings(self) -> dict[str, Any]:
        return {
            **self.bootstrap.settings,
            "baseline": self.scores.systems[0],
            "systems": self.scores.systems,
            "block": self.block or None,
            "blocks": self.blocks,
            "recordings": None if self.details is None else recordings_of(self.scores),
            "by": list(self.by),
            "correction": "holm",
        }


@takes(Metrics, CompareOptions)
def compare(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    metadata: Any = None,
    ids: Any = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Compare the systems of `hypotheses`, or of `Scores`, with the first of them.

    `references` are texts or shards as `misword.score` takes them, or `Scores`. `baseline` names a
    baseline other than the first system. `block` is a metadata column, such as speaker: utterances
    with the same value are resampled together, because they are not independent; of recordings that
    were cut into turns it is `recording`, if they are enough for a test. `by` names
    metadata columns: the systems are also compared within each combination of their values. `worst`
    is the number of worst utterances in the result. With `all_pairs`, every two systems are tested,
    not only each with the baseline. Fillers of the language `lang` count as
    disfluencies. The other arguments are those of `misword.score`.

    >>> import misword
    >>> refs = ["the cat sat", "so we go", "two by two", "on and on"]
    >>> hyps = {"base": ["a cat sat", "so we go", "to buy two", "on an on"], "new": refs}
    >>> row = misword.compare(refs, hyps, "wer").differences.row(0, named=True)
    >>> row["baseline_rate"], row["rate"], row["relative"], row["better"]
    (0.3333333333333333, 0.0, -1.0, 3)
    """
    resampling = Bootstrap.of(options)
    if options["worst"] < 0:
        raise OptionError(f"worst is {options['worst']}", fix="use 0 or more")
    given = {
        "hypotheses": hypotheses,
        "metrics": metrics,
        "metadata": metadata,
        "ids": ids,
        **chosen(options, ScoreOptions),
    }
    baseline, block, lang = (options[name] or "" for name in ("baseline", "block", "lang"))
    by = group_columns(options["by"])
    if isinstance(references, Shards):
        if options["all_pairs"]:
            raise OptionError(
                "shards are compared with one baseline only", fix="leave out all_pairs"
            )
        return _compare_shards(references, given, baseline, block, by, resampling)
    scores = scores_from(references, **given)
    compared = _compare(scores, baseline, block, by, resampling, options["worst"], lang)
    if not options["all_pairs"]:
        return compared
    own = compared.scores
    pairs = all_differences(own.table, own.columns, own.systems, compared.block, resampling)
    tested = compared.differences.drop(CORRECTED).join(
        pairs.select("metric", "system", "baseline", *CORRECTED),
        on=["metric", "system", "baseline"],
        how="left",
        maintain_order="left",
    )
    return replace(compared, pairs=pairs, differences=tested.select(compared.differences.columns))


def _compare_shards(
    source: Shards,
    options: Mapping[str, Any],
    baseline: str,
    block: str,
    by: tuple[str, ...],
    bootstrap: Bootstrap,
) -> Comparison:
    """Compare systems on shards."""
    from misword.asr.sharding import score_shards

    source = source.with_baseline(baseline).with_metadata(by)
    scores = score_shards(source, options, paired=True, block=block)
    return _comparison(scores, scores.tally(by), bootstrap, None)


def _compare(
    scores: Scores,
    baseline: str,
    block: str,
    by: tuple[str, ...],
    bootstrap: Bootstrap,
    worst: int,
    lang: str,
) -> Comparison:
    """Compare systems that were scored, together or in several runs (`scores + others`)."""
    if scores.tallied is not None:
        raise OptionError(
            "scores of shards have no paired counts, so their systems cannot be compared",
            fix="compare the shards: misword.compare(misword.shards(...))",
        )
    systems = MatchedSystems.of(scores, baseline)
    for name in by:
        check_metadata(systems.baseline_scores, name)
    block = block or usual_block(scores, len(scores.columns) * len(systems.others))
    blocks = systems.blocks(block) if block else None
    first = scores.columns[0]
    changes = WordChanges(list(systems.by_system))
    kinds, segments = _count_words(systems, bootstrap, _block_table(systems, blocks), changes)
    properties = describe_utterances(systems, lang)
    contrast, skipped = contrast_worsened(systems, first, properties, bootstrap)
    del properties
    details = UtteranceTables(
        worst=worst_utterances(systems, first, worst),
        contrast=contrast,
        slices=kinds,
        words=changes.table(),
        skipped=skipped,
    )
    scores = systems.scores
    if segments is not None:
        scores = replace(scores, records=scores.records.with_table(SEGMENT_TABLE, lambda: segments))
    tally = scores.tally(by, paired=True, block=block)
    return _comparison(systems.scores, tally, bootstrap, details)


def _comparison(
    scores: Scores, tally: Tally, bootstrap: Bootstrap, details: UtteranceTables | None
) -> Comparison:
    """Compare the systems of a tally with the first of them."""
    blocks = None if tally.paired is None else tally.paired.blocks
    return Comparison(
        scores=scores,
        bootstrap=bootstrap,
        block="" if blocks is None else blocks.name,
        blocks=None if blocks is None else len(blocks),
        differences=differences(tally, bootstrap),
        by=tally.by,
        groups=group_differences(tally, bootstrap, scores.rows),
        entities=entity_differences(tally, bootstrap),
        details=details,
    )


def _block_table(systems: MatchedSystems, blocks: NDArray[np.int64] | None) -> pl.DataFrame | None:
    """Return the block of each utterance as a table."""

    if blocks is None:
        return None
    return systems.baseline_scores.table.select("utt").with_columns(pl.Series("block", blocks))


def _count_words(
    systems: MatchedSystems,
    bootstrap: Bootstrap,
    blocks: pl.DataFrame | None,
    changes: WordChanges,
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the errors by kind of word, and the sums of segments for MAPSSWE.

    `changes` gets the words that the errors by kind are computed from. Each table of words is read
    once, in parts: a large corpus is never in memory as words.
    """
    records, names = systems.scores.records, list(systems.by_system)
    tested = [each for each in tested_by_segments(systems.scores.columns) if each.words in records]
    sums: list[pl.DataFrame] = []

    def parts(table: str) -> Iterator[pl.DataFrame]:
        columns = [column for column in tested if column.words == table]
        for part in records.parts(table):
            if columns:
                sums.append(segment_sums(part, columns, names))
            if table == shown:
                changes.add(part)
            yield part

    shown = _table_of_words(systems.scores)
    kinds = slices(parts(shown), names, bootstrap, blocks)
    for table in {column.words for column in tested} - {shown}:
        for _ in parts(table):
            pass
    return kinds, added_segments(sums) if sums else None


def _table_of_words(scores: Scores) -> str:
    """Return the name of the words aligned by unit costs, with cosines if a metric computed some.

    Raises if the scores have no words.
    """
    for column in scores.columns:
        if column.words and ("aligned", "cost") not in column.signature.settings:
            first = next(scores.records.parts(scores.word_table(column.label)))
            if "cosine" in first.columns:
                return column.words
    return scores.word_table()
