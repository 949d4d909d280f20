"""The best hypotheses of N-best lists, by each metric: how good could the recogniser be?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

from misword.asr.choosing.scored_lists import scored_lists
from misword.asr.choosing.tables import RANK_1, SystemChoices, default_depths, ties_rule
from misword.asr.metrics import METRICS
from misword.asr.pairs import EquivalentClasses
from misword.asr.presets import Preset
from misword.asr.scoring_options import RuleFile
from misword.core import display
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores
from misword.text.normalizers import Steps

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors


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
        scores: the scores of all hypotheses.
        settings: depths, the rule for ties and the settings of the bootstrap.
        notes: facts about the lists, in sentences for the user.
    """

    rates: pl.DataFrame
    curves: pl.DataFrame
    ties: pl.DataFrame
    chosen: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the rates of all choices."""
        columns = (
            display.text("system"),
            display.text("metric"),
            display.text("chosen_by", "chosen by"),
            display.percent("rate"),
            display.span(),
        )
        lists = counted(self.scores.table["utt"].n_unique(), "list")
        return display.Overview.of(f"Oracle: the best hypotheses of {lists}", self.rates, columns)

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`."""
        return self.rates

    def texts(self, chosen_by: str | None = None) -> pl.DataFrame:
        """Return the texts that a metric chose (default: the first metric), one per utterance."""
        label = chosen_by or self.scores.labels[0]
        if label not in self.scores.labels:
            raise OptionError(
                f"nothing was chosen by {label!r}",
                fix=f"there are: {', '.join(self.scores.labels)}",
            )
        return self.chosen.filter(chosen_by=label).select("utt", "system", "rank", "text")

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        tables = {
            "rates": self.rates,
            "curves": self.curves,
            "ties": self.ties,
            "chosen": self.chosen,
        }
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metric_provenance(self.scores.columns),
            "notes": list(self.notes),
        }
        return Result("oracle", tables, origin)


def oracle(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    depths: Sequence[int] | None = None,
    ties: str = "rank",
    preset: str | Preset | None = None,
    normalize: Steps | None = None,
    rules: RuleFile | None = None,
    alternatives: bool = True,
    equivalents: EquivalentClasses = (),
    forgive: str | Iterable[str] = (),
    lang: str | None = None,
    vectors: str | PathLike[str] | WordVectors | None = None,
    max_words: int | None = None,
    vector_format: str | None = None,
    ids: Any = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    cache: bool = False,
    workers: int | None = None,
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

    >>> import misword
    >>> lists = [["the cat", "the cat sat"], ["on a mat", "on mats"]]
    >>> found = misword.oracle(["the cat sat", "on the mat"], lists, "wer", bootstrap=0)
    >>> found.curves.select("depth", "rate").rows()
    [(1, 0.3333333333333333), (2, 0.16666666666666666)]
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    _check_depths(depths)
    if ties != "rank" and metrics is not None and preset is None:
        _check_ties(ties, list(METRICS.create_all(metrics)))
    options: dict[str, Any] = {
        "metrics": metrics, "preset": preset, "normalize": normalize, "rules": rules,
        "alternatives": alternatives, "equivalents": equivalents, "forgive": forgive, "lang": lang,
        "vectors": vectors, "max_words": max_words, "vector_format": vector_format, "cache": cache,
        "workers": workers,
    }  # fmt: skip
    scores, texts = scored_lists(references, hypotheses, ids, options)
    _check_ties(ties, scores.labels)
    return best_of_lists(scores, texts, depths, ties, resampling)


def best_of_lists(
    scores: Scores,
    texts: pl.DataFrame | None,
    depths: Sequence[int] | None,
    ties: str,
    bootstrap: Bootstrap,
) -> Oracle:
    """Choose from the N-best lists of scores; `texts` has the `hypothesis` of each row, if known.

    The other arguments are those of `oracle`.
    """
    import polars as pl

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
    settings = {"depths": list(wanted), "ties": ties, **bootstrap.settings}
    chosen = _with_texts(pl.concat([system.chosen() for system in systems]), texts)
    summed_up = tuple(dict.fromkeys(notes))
    return Oracle(rates, curves, tied, chosen, scores, settings, summed_up)


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


def _check_depths(depths: Sequence[int] | None) -> None:
    if depths is not None and (not len(depths) or min(depths) < 1):
        raise OptionError(
            f"depths are {', '.join(map(str, depths)) or 'missing'}",
            fix="use numbers of hypotheses, such as 1,2,5,10",
        )


def _check_ties(ties: str, labels: Sequence[str]) -> None:
    if problem := ties_rule(ties, labels):
        raise OptionError(problem, fix=f"use rank, or one of: {', '.join(labels)}")
