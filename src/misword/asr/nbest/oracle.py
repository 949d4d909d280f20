"""The function `oracle`: the best hypotheses of N-best lists by each metric, and their rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Unpack

from misword.asr.metrics import METRICS
from misword.asr.nbest.choice import RANK_1, SystemChoices, default_depths, ties_problem
from misword.asr.nbest.lists import ScoredLists, lists_of_shards, scored_lists
from misword.asr.options import Metrics, OracleOptions, Scoring
from misword.asr.translating.sources import TranslationSource
from misword.asr.translating.tables import TranslationTables, judge_translations
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.io.shards import Shards, refuse_arguments
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.hypotheses import ORACLE
from misword.stat.measure import metric_provenance
from misword.stat.score_tables import KEYS
from misword.stat.scores import Scores

# The result of `misword.oracle`.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Oracle(DisplayedResult):
    """The rates of the best hypotheses of N-best lists.

    Attributes:
        rates: a row for each system, `metric` and choice: the rate, by this metric, of the
            hypotheses that the metric `chosen_by` chose at the greatest depth (`rank 1`: the
            recogniser's first hypotheses), its interval, and its difference from rank 1 with the
            interval of the difference.
        curves: the same numbers of each metric's own choice at each `depth`, the number of
            hypotheses from the start of each list; `shorter` counts the lists with fewer.
        ties: for each choosing metric the number of lists with several best hypotheses (`tied`);
            for each other metric the number of these lists in which it tells the best ones apart
            (`differing`), and the `lowest` and `highest` rate of all ways to break the ties. `own`
            is the rate of the choice by the judging metric itself.
        chosen: the hypothesis that each metric chose from each list: its `rank` and `text`, and
            how many are the `best` of the list, itself included.
        lists: the first hypotheses of each list and the chosen ones, with text, reference,
            features, the rate by each metric, and the metrics that chose it (`chosen_by`).
        scores: the scores of all hypotheses.
        settings: depths, the rule for ties and the settings of the bootstrap.
        notes: facts about the lists, in sentences for the user.
        translations: the scores of the translations of each choice, if translations are known
            (`misword.asr.translating.tables.TranslationTables`).
    """

    description: ClassVar[Description] = ORACLE

    rates: pl.DataFrame
    curves: pl.DataFrame
    ties: pl.DataFrame
    chosen: pl.DataFrame
    lists: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    translations: TranslationTables | None = None

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`."""
        return self.rates

    def texts(self, chosen_by: str | None = None) -> pl.DataFrame:
        """Return the texts that a metric chose (default: the first metric), one per utterance."""
        label = chosen_by or self.scores.labels[0]
        if label not in self.scores.labels:
            raise OptionError(
                f"the metric {label!r} has chosen nothing",
                fix=f"metrics: {', '.join(self.scores.labels)}",
            )
        return self.chosen.filter(chosen_by=label).select("utt", "system", "rank", "text")

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        tables = {
            "rates": self.rates,
            "curves": self.curves,
            "ties": self.ties,
            "chosen": self.chosen,
            "lists": self.lists,
        }
        metrics = metric_provenance(self.scores.columns)
        if self.translations is not None:
            self.translations.add_to(tables, metrics)
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metrics,
            "notes": list(self.notes),
        }
        origin |= {"shards": dict(self.scores.shards)} if self.scores.shards else {}
        return Result("oracle", tables, origin)


# The lists as a table for the report: texts, features, rates, and the metrics that chose them.

# Ranks of each list in the table, beside the chosen ones, and the largest number of lists.
RANKS = 20
LISTS = 2_500


def shown_lists(scored: ScoredLists, chosen: pl.DataFrame) -> pl.DataFrame:
    """Return the first hypotheses of each list and the chosen ones, with texts, features and rates.

    `chosen` has the utterance, system and rank of each choice and who made it (`chosen_by`). The
    columns are `utt`, `system`, `rank`, `reference`, `text`, the features, the rate by each metric
    (`wer.rate`) and `chosen_by`, with commas between several. Texts that are not known are null.
    """

    scores, table = scored.scores, scored.scores.table
    shown = table.select("utt").unique(maintain_order=True).head(LISTS)
    by_row = chosen.group_by(KEYS, maintain_order=True).agg(pl.col("chosen_by").str.join(", "))
    rows = pl.concat(
        [
            table.filter(pl.col("rank") <= RANKS),
            table.filter(pl.col("rank") > RANKS).join(by_row, on=KEYS, how="semi"),
        ]
    )
    rows = rows.join(shown, on="utt", how="semi", maintain_order="left")
    rows = rows.join(by_row, on=KEYS, how="left", maintain_order="left")
    rates = [
        pl.Series(f"{column.label}.rate", column.measure.rate(column.terms(rows)), pl.Float64)
        for column in scores.columns
    ]
    kept = rows.select(*KEYS, *scores.features, "chosen_by").hstack(rates).fill_nan(None)
    order = shown.with_row_index("place")
    kept = kept.join(order, on="utt", how="left").sort("place", "system", "rank").drop("place")
    return _with_list_texts(kept, scored)


def _with_list_texts(rows: pl.DataFrame, scored: ScoredLists) -> pl.DataFrame:
    known = scored.texts_of(rows)
    if known is None:
        nothing = pl.lit(None, pl.String)
        return rows.with_columns(text=nothing, reference=nothing)
    if "reference" not in known.columns and "text" not in scored.references.columns:
        known = known.with_columns(reference=pl.lit(None, pl.String))
    if "text" in scored.references.columns:
        references = scored.references.select("utt", reference="text")
        known = known.select(*KEYS, text="hypothesis").join(references, on="utt", how="left")
    else:
        known = known.select(*KEYS, "reference", text="hypothesis")
    return rows.join(known, on=KEYS, how="left", maintain_order="left")


# The best hypotheses by each metric.


@takes(Metrics, OracleOptions)
def oracle(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    ids: Any = None,
    **options: Unpack[OracleOptions],
) -> Oracle:
    """Choose from each N-best list the hypothesis by which the corpus rate is lowest.

    `hypotheses` has a list of texts for each reference, the recogniser's best one first; it may be
    a mapping of such columns by the names of systems. `references` may also be a `Corpus` with
    N-best lists, a function that returns one, `Scores` of one, or shards (`misword.shards`). The
    lists in shards are tables with a row for each hypothesis, the rows of a list one after the
    other, with ids and perhaps a column `rank`; the texts that are chosen are known if the shards
    have a folder for finished ones (`out`).

    Every metric chooses, and every metric judges each choice. `depths` are numbers of hypotheses
    from the start of each list (default: 1, 2, 5, 10, 20, ... and the whole lists). If a metric
    finds several hypotheses of a list equally good, the first of them is chosen, or the best by
    the metric named in `ties`. The other options are those of `misword.score`.

    The choice by a metric has the lowest rate of all choices; see docs/oracle.md for metrics whose
    denominator depends on the hypothesis.

    With `translations`, or a program that makes them (`translate`), and `translation_references`,
    the translations of each choice are scored too, by the scores in `downstream`
    (`misword.asr.options.Translating`).

    >>> import misword
    >>> lists = [["the cat", "the cat sat"], ["on a mat", "on mats"]]
    >>> found = misword.oracle(["the cat sat", "on the mat"], lists, "wer", bootstrap=0)
    >>> found.curves.select("depth", "rate").rows()
    [(1, 0.3333333333333333), (2, 0.16666666666666666)]
    """
    resampling, depths = Bootstrap.of(options), options["depths"]
    ties = METRICS.spelled(options["ties"])
    if isinstance(references, Shards):
        refuse_arguments(options)
    source = TranslationSource.of(options)
    check_depths(depths)
    if ties != "rank" and metrics is not None and options["preset"] is None:
        _check_ties(ties, list(METRICS.create_all(metrics)))
    scoring = chosen(options, Scoring)
    if isinstance(references, Shards):
        given = {"hypotheses": hypotheses, "ids": ids, "metrics": metrics}
        scored = lists_of_shards(references, {**given, **scoring})
    else:
        scored = scored_lists(references, hypotheses, ids, metrics, **scoring)
    _check_ties(ties, scored.scores.labels)
    found = best_of_lists(scored, depths, ties, resampling)
    return found if source is None else _with_translations(found, source, scored, resampling)


def _with_translations(
    found: Oracle, source: TranslationSource, scored: ScoredLists, bootstrap: Bootstrap
) -> Oracle:
    """Return the result with the scores of the translations of all choices, rank 1 included."""

    columns = ("system", "utt", "chosen_by", "rank", "text")
    first = found.chosen.filter(chosen_by=found.scores.labels[0]).with_columns(
        rank=pl.lit(1, pl.Int64), chosen_by=pl.lit(RANK_1)
    )
    heads = _with_chosen_texts(first.drop("text"), scored)
    chosen = pl.concat([heads.select(columns), found.chosen.select(columns)])
    against = (RANK_1, found.scores.labels[0])
    tables, notes = judge_translations(source, scored, chosen, against, bootstrap)
    return replace(found, translations=tables, notes=(*found.notes, *notes))


def best_of_lists(
    scored: ScoredLists, depths: Sequence[int] | None, ties: str, bootstrap: Bootstrap
) -> Oracle:
    """Choose from N-best lists that were scored; the other arguments are those of `oracle`."""

    scores = scored.scores
    longest = int(scores.table["rank"].max() or 1)  # type: ignore[arg-type]
    wanted = tuple(sorted({1, *depths})) if depths else default_depths(longest)
    systems = [
        SystemChoices(scores.table.filter(system=system), scores.columns, wanted, ties, bootstrap)
        for system in scores.systems
    ]
    rates, curves, tied = (
        pl.DataFrame(list(rows), infer_schema_length=None).fill_nan(None)
        for rows in (
            chain.from_iterable(system.rates() for system in systems),
            chain.from_iterable(system.curves() for system in systems),
            chain.from_iterable(system.ties() for system in systems),
        )
    )
    notes = [*chain.from_iterable(system.notes() for system in systems), *_undefined(rates)]
    count = scores.table["utt"].n_unique()
    settings = {"depths": list(wanted), "ties": ties, "utterances": count, **bootstrap.settings}
    chosen = _with_chosen_texts(pl.concat([system.chosen() for system in systems]), scored)
    lists = shown_lists(scored, chosen)
    summed_up = tuple(dict.fromkeys(notes))
    return Oracle(rates, curves, tied, chosen, lists, scores, settings, summed_up)


def _with_chosen_texts(chosen: pl.DataFrame, scored: ScoredLists) -> pl.DataFrame:
    """Return the chosen hypotheses with their texts; null if these are not known."""

    text, texts = pl.lit(None, pl.String).alias("text"), scored.texts_of(chosen)
    if texts is not None:
        text = pl.col("hypothesis").alias("text")
        known = texts.select(*KEYS, "hypothesis")
        chosen = chosen.join(known, on=KEYS, how="left", maintain_order="left")
    return chosen.select("system", "utt", "chosen_by", "rank", "best", text)


def _undefined(rates: pl.DataFrame) -> list[str]:
    """Return a note for each metric whose rate is undefined."""
    undefined = rates.filter(rates["rate"].is_null(), chosen_by=RANK_1)["metric"].unique()
    return [f"{label}: the rate is undefined, because the references are empty"
            for label in undefined.sort()]  # fmt: skip


def check_depths(depths: Sequence[int] | None) -> None:
    """Raise if depths are not numbers of hypotheses."""
    if depths is not None and (not len(depths) or min(depths) < 1):
        raise OptionError(
            f"depths are {', '.join(map(str, depths)) or 'missing'}",
            fix="use numbers of hypotheses, such as 1,2,5,10",
        )


def _check_ties(ties: str, labels: Sequence[str]) -> None:
    if problem := ties_problem(ties, labels):
        raise OptionError(problem, fix=f"use rank, or one of: {', '.join(labels)}")
