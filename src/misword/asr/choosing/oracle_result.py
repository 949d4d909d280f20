"""The result of `misword.oracle`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from misword.asr.translating.tables import TranslationTables
from misword.core import display
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.measure import metric_provenance
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


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

    rates: pl.DataFrame
    curves: pl.DataFrame
    ties: pl.DataFrame
    chosen: pl.DataFrame
    lists: pl.DataFrame
    scores: Scores
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    translations: TranslationTables | None = None

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
        return Result("oracle", tables, origin)
