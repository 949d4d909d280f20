"""The best hypotheses of N-best lists, by each metric: how good could the recogniser be?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Unpack

from misword.asr.choosing.list_table import shown_lists
from misword.asr.choosing.oracle_result import Oracle
from misword.asr.choosing.scored_lists import ScoredLists, scored_lists
from misword.asr.choosing.tables import RANK_1, SystemChoices, default_depths, ties_rule
from misword.asr.metrics import METRICS
from misword.asr.translating.arguments import ListArguments
from misword.asr.translating.judging import judge_translations
from misword.asr.translating.sources import TranslationSource
from misword.core.errors import OptionError
from misword.stat.bootstrap import Bootstrap

if TYPE_CHECKING:
    import polars as pl


def oracle(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    depths: Sequence[int] | None = None,
    ties: str = "rank",
    ids: Any = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    **more: Unpack[ListArguments],
) -> Oracle:
    """Choose from each N-best list the hypothesis by which the corpus rate is lowest.

    `hypotheses` has a list of texts for each reference, the recogniser's best one first; it may be
    a mapping of such columns by the names of systems. `references` may also be a `Corpus` with
    N-best lists, a function that returns one, or `Scores` of one.

    Every metric chooses, and every metric judges each choice. `depths` are numbers of hypotheses
    from the start of each list (default: 1, 2, 5, 10, 20, ... and the whole lists). If a metric
    finds several hypotheses of a list equally good, the first of them is chosen, or the best by
    the metric named in `ties`. The other options are those of `misword.score`.

    The choice by a metric has the lowest rate of all choices; see docs/oracle.md for metrics whose
    denominator depends on the hypothesis.

    With `translations`, or a program that makes them (`translate`), and `translation_references`,
    the translations of each choice are scored too, by the scores in `downstream`
    (`misword.asr.translating.arguments.ListArguments`).

    >>> import misword
    >>> lists = [["the cat", "the cat sat"], ["on a mat", "on mats"]]
    >>> found = misword.oracle(["the cat sat", "on the mat"], lists, "wer", bootstrap=0)
    >>> found.curves.select("depth", "rate").rows()
    [(1, 0.3333333333333333), (2, 0.16666666666666666)]
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    options: dict[str, Any] = {**more, "metrics": metrics}
    source = TranslationSource.taken_from(options)
    check_depths(depths)
    if ties != "rank" and metrics is not None and options.get("preset") is None:
        _check_ties(ties, list(METRICS.create_all(metrics)))
    scored = scored_lists(references, hypotheses, ids, options)
    _check_ties(ties, scored.scores.labels)
    found = best_of_lists(scored, depths, ties, resampling)
    return found if source is None else _with_translations(found, source, scored, resampling)


def _with_translations(
    found: Oracle, source: TranslationSource, scored: ScoredLists, bootstrap: Bootstrap
) -> Oracle:
    """Return the result with the scores of the translations of all choices, rank 1 included."""
    import polars as pl

    columns = ("system", "utt", "chosen_by", "rank", "text")
    first = found.chosen.filter(chosen_by=found.scores.labels[0]).with_columns(
        rank=pl.lit(1, pl.Int64), chosen_by=pl.lit(RANK_1)
    )
    heads = _with_texts(first.drop("text"), scored.texts)
    chosen = pl.concat([heads.select(columns), found.chosen.select(columns)])
    against = (RANK_1, found.scores.labels[0])
    tables, notes = judge_translations(source, scored, chosen, against, bootstrap)
    return replace(found, translations=tables, notes=(*found.notes, *notes))


def best_of_lists(
    scored: ScoredLists, depths: Sequence[int] | None, ties: str, bootstrap: Bootstrap
) -> Oracle:
    """Choose from N-best lists that were scored; the other arguments are those of `oracle`."""
    import polars as pl

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
    chosen = _with_texts(pl.concat([system.chosen() for system in systems]), scored.texts)
    lists = shown_lists(scored, chosen)
    summed_up = tuple(dict.fromkeys(notes))
    return Oracle(rates, curves, tied, chosen, lists, scores, settings, summed_up)


def _with_texts(chosen: pl.DataFrame, texts: pl.DataFrame | None) -> pl.DataFrame:
    """Return the chosen hypotheses with their texts; null if these are not known."""
    import polars as pl

    keys = ["utt", "system", "rank"]
    text = pl.lit(None, pl.String).alias("text")
    if texts is not None:
        text = pl.col("hypothesis").alias("text")
        # Few rows are chosen: the others are left out before the join.
        kept = texts.select(*keys, "hypothesis").join(chosen.unique(keys), on=keys, how="semi")
        chosen = chosen.join(kept, on=keys, how="left", maintain_order="left")
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
    if problem := ties_rule(ties, labels):
        raise OptionError(problem, fix=f"use rank, or one of: {', '.join(labels)}")
