"""Choose one of several systems, such as one of several language model scales, by each metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from misword.asr.comparison.matched_systems import MatchedSystems
from misword.asr.score import scores_from
from misword.asr.scoring_arguments import ScoringArguments
from misword.asr.tuning.systems import SystemRates, choice_row, judged_rows, system_rows
from misword.core import display
from misword.core.errors import OptionError
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]


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

    rates: pl.DataFrame
    choices: pl.DataFrame
    judged: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the choice of each metric."""
        columns = (
            display.text("metric"),
            display.text("system"),
            display.percent("rate"),
            display.percent("held_out", "held out"),
            display.text("next"),
            display.probability("next_p", "p"),
            display.percent("others", "others in resamples"),
        )
        title = f"SystemTuning: choices among {len(self.scores.systems)} systems"
        return display.Overview.of(title, self.choices, columns)

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


def tune_systems(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] | None = None,
    *,
    folds: int = 5,
    block: str | None = None,
    ids: Any = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    **scoring: Unpack[ScoringArguments],
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
    resampling = Bootstrap(bootstrap, confidence, seed)
    if folds < 0 or folds == 1:
        raise OptionError(f"folds is {folds}", fix="use 2 or more, or 0 for none")
    options = {"hypotheses": hypotheses, "metrics": metrics, "ids": ids, **scoring}
    scores = scores_from(references, options)
    systems = MatchedSystems.of(scores)
    utterances = len(systems.baseline_scores)
    blocks = systems.blocks(block) if block else np.arange(utterances)
    all_rates = SystemRates.all_of(systems, blocks)
    drawn = [rates.best_of_resamples(resampling) for rates in all_rates]
    pairs = list(zip(all_rates, drawn, strict=True))
    choices = [choice_row(rates, best, folds, seed) for rates, best in pairs]
    rows = [row for rates, best in pairs for row in system_rows(rates, best, resampling)]
    settings = {"folds": folds, "blocks": int(blocks.max()) + 1, **resampling.settings}
    return SystemTuning(
        rates=_table(rows),
        choices=_table(choices),
        judged=_table(list(judged_rows(all_rates))),
        scores=scores,
        settings=settings,
        notes=tuple(_notes(choices, 1 - confidence)),
    )


def _table(rows: list[Row]) -> pl.DataFrame:
    import polars as pl

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
