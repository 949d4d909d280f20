"""The function `tune_systems`: the best of several systems, such as of several scales."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.asr.nbest.features import Numbers, Rows
from misword.asr.nbest.weight_search import check_folds, fold_numbers
from misword.asr.options import Metrics, Scoring, TuneSystemsOptions
from misword.asr.score import scores_from
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.types import Description, DisplayedResult, Result, Statistics
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap, draw_counts, interval
from misword.stat.descriptions.hypotheses import SYSTEM_TUNING
from misword.stat.measure import Measure, metric_provenance
from misword.stat.paired import by_block, paired
from misword.stat.scores import Scores

# Which of several systems has the lowest rate, by each metric, and how certain that is.

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class SystemRates:
    """The terms of one metric for each system: `terms[system, block]`."""

    label: str
    measure: Measure
    names: tuple[str, ...]
    terms: Statistics

    @classmethod
    def all_of(cls, systems: MatchedSystems, blocks: Rows) -> list[SystemRates]:
        """Return the terms of each metric; the utterances of one block are added up."""
        names = tuple(systems.by_system)
        return [
            cls(
                column.label,
                column.measure,
                names,
                np.stack([
                    by_block(column.terms(systems.by_system[name].table), blocks)
                    for name in names
                ]),
            )
            for column in systems.scores.columns
        ]  # fmt: skip

    @property
    def rates(self) -> Numbers:
        """The rate of each system; infinite if it is undefined."""
        return self._rates(self.terms.sum(axis=1))

    @property
    def best(self) -> int:
        """The number of the first system with the lowest rate."""
        return int(np.argmin(self.rates))

    def _rates(self, sums: Statistics) -> Numbers:
        rates = np.asarray(self.measure.rate(sums), np.float64)
        return np.where(np.isnan(rates), np.inf, rates)

    def best_of_resamples(self, bootstrap: Bootstrap) -> Rows:
        """Return the number of the best system in each resample of the blocks."""
        best = [
            np.argmin(self._rates(np.einsum("db,sbk->dsk", drawn, self.terms)), axis=1)
            for drawn in draw_counts(self.terms.shape[1], bootstrap)
        ]
        return np.concatenate(best).astype(np.int64) if best else np.zeros(0, np.int64)

    def held_out(self, fold: Rows) -> tuple[float, list[int]]:
        """Return the rate of each fold's utterances by the system that is best on the others.

        The second value is the system that is chosen for each fold.
        """
        sums, chosen = np.zeros(self.terms.shape[2]), []
        for number in range(int(fold.max()) + 1):
            training = self.terms[:, fold != number].sum(axis=1)
            chosen.append(int(np.argmin(self._rates(training))))
            sums += self.terms[chosen[-1], fold == number].sum(axis=0)
        return float(self.measure.rate(sums)), chosen


def system_rows(rates: SystemRates, drawn: Rows, bootstrap: Bootstrap) -> Iterator[Row]:
    """Yield the rate of each system, its difference from the best one, and how often it is best."""
    best, rate = rates.terms[rates.best], rates.measure.rate
    for number, name in enumerate(rates.names):
        terms = rates.terms[number]
        found = paired(best, terms, rate, bootstrap)
        low, high = interval(terms, rate, bootstrap)
        yield {
            "metric": rates.label,
            "system": name,
            "rate": found.rate,
            "low": low,
            "high": high,
            "chosen": number == rates.best,
            "difference": found.difference,
            "difference_low": found.low,
            "difference_high": found.high,
            "p": found.p,
            "best_share": float(np.mean(drawn == number)) if len(drawn) else np.nan,
        }


def choice_row(rates: SystemRates, drawn: Rows, folds: int, seed: int) -> Row:
    """Return which system a metric chooses, the next one, and what the choice is worth."""
    values, best = rates.rates, rates.best
    following = int(np.argmin(np.where(np.arange(len(values)) == best, np.inf, values)))
    test = paired(rates.terms[best], rates.terms[following], rates.measure.rate, Bootstrap(0))
    row: Row = {
        "metric": rates.label,
        "system": rates.names[best],
        "rate": float(values[best]),
        "next": rates.names[following],
        "next_difference": test.difference,
        "next_p": test.p,
        "others": float(np.mean(drawn != best)) if len(drawn) else np.nan,
        "held_out": np.nan,
        "folds": 0,
        "same_folds": 0,
    }
    blocks = rates.terms.shape[1]
    if min(folds, blocks) > 1:
        fold = fold_numbers(np.arange(blocks), min(folds, blocks), seed)
        row["held_out"], chosen = rates.held_out(fold)
        row |= {"folds": len(chosen), "same_folds": chosen.count(best)}
    return row


def judged_rows(all_rates: list[SystemRates]) -> Iterator[Row]:
    """Yield the rate, by each metric, of the system that each metric chooses."""
    for chooser in all_rates:
        for judge in all_rates:
            values = judge.rates
            yield {
                "chosen_by": chooser.label,
                "system": chooser.names[chooser.best],
                "metric": judge.label,
                "rate": float(values[chooser.best]),
                "lowest": float(values[judge.best]),
            }


# The choice among systems.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SystemTuning(DisplayedResult):
    """The system that each metric chooses, and how certain the choice is.

    Attributes:
        rates: a row for each `metric` and `system`: its rate and interval, whether it is `chosen`,
            its difference from the chosen system with interval and p-value, and `best_share`, the
            share of resamples in which it has the lowest rate.
        choices: for each metric the `system` with the lowest rate, the `next` one with the
            difference and p-value, the share of resamples in which `others` are better, and the
            rate `held_out`: of each fold by the system that is the best on the other `folds`.
            `same_folds` counts the folds with the same choice.
        judged: the rate, by each `metric`, of the system that another metric chooses, and the
            `lowest` rate of all systems.
        scores: the scores of all systems.
        settings: the settings of folds and bootstrap.
        notes: how often resamples choose another system, in sentences.
    """

    description: ClassVar[Description] = SYSTEM_TUNING

    rates: pl.DataFrame
    choices: pl.DataFrame
    judged: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def main_table(self) -> pl.DataFrame:
        """Return the table `choices`."""
        return self.choices

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **metric_provenance(self.scores.columns),
            "notes": list(self.notes),
        }
        tables = {"rates": self.rates, "choices": self.choices, "judged": self.judged}
        return Result("system-tuning", tables, origin)


@takes(Metrics, TuneSystemsOptions)
def tune_systems(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    ids: Any = None,
    **options: Unpack[TuneSystemsOptions],
) -> SystemTuning:
    """Choose the system with the lowest rate, by each metric.

    The systems are outputs for the same utterances: of several language model scales, or of several
    recognisers. `references` and `hypotheses` are those of `misword.score`; `references` may also
    be `Scores`. Of each fold, the rate is that of the system that is the best on the other folds
    (0: no folds). `block` is a metadata column, such as speaker: its utterances stay in one fold
    and are resampled together. The other options are those of `misword.score`.

    >>> import misword
    >>> outputs = {"scale_1": ["a", "b c", "d"], "scale_2": ["a", "b", "d"]}
    >>> found = misword.tune_systems(["a", "b", "d"], outputs, "wer", bootstrap=0)
    >>> found.choices.select("system", "rate", "next").rows()
    [('scale_2', 0.0, 'scale_1')]
    """
    resampling, folds, block = Bootstrap.of(options), options["folds"], options["block"]
    check_folds(folds)
    scoring = chosen(options, Scoring)
    scores = scores_from(references, hypotheses=hypotheses, metrics=metrics, ids=ids, **scoring)
    systems = MatchedSystems.of(scores)
    utterances = len(systems.baseline_scores)
    blocks = systems.blocks(block) if block else np.arange(utterances)
    all_rates = SystemRates.all_of(systems, blocks)
    drawn = [rates.best_of_resamples(resampling) for rates in all_rates]
    pairs = list(zip(all_rates, drawn, strict=True))
    choices = [choice_row(rates, best, folds, options["seed"]) for rates, best in pairs]
    rows = [row for rates, best in pairs for row in system_rows(rates, best, resampling)]
    settings = {"folds": folds, "blocks": int(blocks.max()) + 1, **resampling.settings}
    return SystemTuning(
        rates=_table(rows),
        choices=_table(choices),
        judged=_table(list(judged_rows(all_rates))),
        scores=scores,
        settings=settings,
        notes=tuple(_notes(choices, 1 - options["confidence"])),
    )


def _table(rows: list[Row]) -> pl.DataFrame:
    floats = pl.selectors.float()
    table = pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)
    return table.with_columns(
        pl.when(floats.is_infinite()).then(None).otherwise(floats).name.keep()
    )


def _notes(choices: list[Row], level: float) -> Iterator[str]:
    """Yield a sentence on each choice that other data could change."""
    for row in choices:
        if not row["next_p"] < level:
            often = "" if np.isnan(row["others"]) else (
                f"; another system is the best in {100 * row['others']:.0f} % of the resamples"
            )  # fmt: skip
            yield (
                f"{row['metric']}: {row['system']} is not significantly better than {row['next']} "
                f"(p = {row['next_p']:.2f}){often}"
            )
