"""The result of an evaluation: rates, coverage, differences, and the data behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from misword.bli.evaluation.coverage import Coverage
from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.evaluation.probabilities import ProbabilityTables
from misword.bli.evaluation.rate_tables import slices_by
from misword.bli.evaluation.rates import RATE_KINDS, Rate, quotient
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.signature import Signature
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.lexicons import Lexicon
from misword.stat.descriptions.lexicons import EVALUATION
from misword.stat.paired import holm


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(DisplayedResult):
    """The evaluation of mappings, each with each retriever, on a gold lexicon.

    A system is a mapping with a retriever, or a file of candidates. `rates` has a row for each
    system, rate and slice of the lexicon: the rate, its confidence interval, and the numerator and
    denominator that it is the quotient of. `coverage` has the number of gold words in each
    mapping's vocabularies; `differences` compares the systems with the first, `slice_differences`
    on each slice; `probabilities` has the tables of systems whose scores are probabilities.
    `headwords()`, `pairs()`, `slices()` and `predictions()` are the data that all of it is computed
    from. `parts` describes the mapping methods and retrievers; `failed` has the mappings whose
    training failed, with the reason. `others` are the evaluations of the same systems on further
    gold lexicons, without slices; `gold_sets()` has the rates on all of them.
    """

    lexicon: Lexicon
    gold_ranks: tuple[GoldRanks, ...]
    coverages: tuple[Coverage, ...]
    settings: EvaluationSettings
    rates: pl.DataFrame
    coverage: pl.DataFrame
    differences: pl.DataFrame
    slice_differences: pl.DataFrame
    probabilities: ProbabilityTables
    parts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    others: tuple[Evaluation, ...] = ()
    further_notes: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    description = EVALUATION

    def __getitem__(self, name: str) -> float:
        """Return a rate of the first system over the whole lexicon."""
        rate = next((rate for rate in self.settings.rates if rate.name == name), None)
        if rate is None:
            names = ", ".join(rate.name for rate in self.settings.rates)
            raise OptionError(f"no rate {name!r} in this evaluation", fix=f"it has: {names}")
        terms = rate.terms(self.gold_ranks[0].counts([rate.k]))
        return float(quotient(terms.sum(axis=0)))

    @property
    def systems(self) -> list[str]:
        """The name of each mapping with each retriever."""
        return [ranks.system for ranks in self.gold_ranks]

    @property
    def signatures(self) -> dict[str, dict[str, str]]:
        """The signature of each number, by system and rate."""
        return {
            ranks.system: {rate.name: str(_signature(rate, ranks)) for rate in self.settings.rates}
            for ranks in self.gold_ranks
        }

    @property
    def short_signatures(self) -> dict[str, str]:
        """The signatures by system and kind of rate, with all numbers of candidates in one."""
        first, all_k = self.settings.k_values[0], ",".join(map(str, self.settings.k_values))
        return {
            f"{system} {kind}@{all_k}": rates[f"{kind}@{first}"].replace(
                f"{kind}@{first}", f"{kind}@{all_k}", 1
            )
            for system, rates in self.signatures.items()
            for kind in RATE_KINDS
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the rates should know beside them."""
        notes = [*self.further_notes, *self.lexicon.notes]
        for coverage in self.coverages:
            notes += coverage.notes
        notes += [
            f"{system} and {self.systems[0]} are compared by hit rate on the words that count for "
            f"both: {counted(number, 'headword')} left out"
            for system, number in _left_out(self.differences).items()
        ]
        if (sizes := self._target_sizes()) and len(self.settings.sizes) < 2:
            notes.append(
                f"the mappings choose among different numbers of words: {sizes}; fewer words are "
                "fewer chances to be wrong: --max-words makes them equal"
            )
        for other in self.others:
            notes += (f"{other.lexicon.name}: {note}" for note in other.notes)
        return tuple(notes)

    def _target_sizes(self) -> str:
        """Return the numbers of target words of the mappings; empty if they are all the same."""
        mappings = [one for one in self.coverages if one.target_words is not None]
        if len({one.target_words for one in mappings}) < 2:
            return ""
        return ", ".join(f"{one.target_words:,} ({one.mapping})" for one in mappings)

    def gold_sets(self) -> pl.DataFrame:
        """Return the rates of each system on each gold lexicon, and its difference to the first.

        `p_holm` is corrected for the number of differences. Without further lexicons there are no
        rows.
        """
        return gold_set_table([self, *self.others] if self.others else [])

    def headwords(self) -> pl.DataFrame:
        """Return the counts of each headword, from which every rate can be computed."""
        words = list(self.lexicon.headwords)
        tables = []
        for ranks in self.gold_ranks:
            counts = ranks.counts(self.settings.k_values)
            columns: dict[str, Any] = {
                "system": [ranks.system] * len(counts),
                "word": [words[number] for number in counts.headwords.tolist()],
                "known": counts.known,
                "pairs": counts.pairs,
                "reachable": counts.reachable,
                "listed": counts.listed,
            }
            columns |= {f"found@{k}": found for k, found in counts.found.items()}
            columns |= {f"right@{k}": right for k, right in counts.right.items()}
            tables.append(pl.DataFrame(columns))
        return pl.concat(tables)

    def pairs(self) -> pl.DataFrame:
        """Return each gold pair and its rank in each system."""
        return pl.concat([ranks.pairs() for ranks in self.gold_ranks])

    def slices(self) -> pl.DataFrame:
        """Return the slice of each gold pair, for each column that divides the lexicon."""
        words = {"source": self.lexicon.source, "target": self.lexicon.target}
        tables = []
        for column in self.settings.by:
            values = np.full(len(self.lexicon), "", object)
            for value, pairs in slices_by(self.lexicon, column).items():
                values[pairs] = value
            tables.append(pl.DataFrame({**words, "column": column, "value": values.tolist()}))
        empty = dict.fromkeys(("source", "target", "column", "value"), pl.String)
        return pl.concat([pl.DataFrame(schema=empty), *tables])

    def predictions(self) -> pl.DataFrame:
        """Return each system's candidates for each headword."""
        return pl.concat([ranks.predictions() for ranks in self.gold_ranks])

    def shown(self) -> Result:
        """Return the tables of rates, without those that have a row for each word."""
        return Result("evaluation", self._rate_tables(), self._facts())

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`."""
        return self.rates

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return all tables with their provenance, to be written or shown in a report."""
        tables = self._rate_tables() | {
            "headwords": self.headwords(),
            "pairs": self.pairs(),
            "predictions": self.predictions(),
        }
        slices = self.slices()
        if len(slices):
            tables["slices"] = slices
        return Result("evaluation", tables, self._facts(provenance))

    def _facts(self, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the provenance of a result."""
        settings = self.settings
        return {
            "misword": __version__,
            **(provenance or {}),
            "systems": self.systems,
            "within": list(settings.k_values),
            "by": list(settings.by),
            "oov": settings.oov,
            "gold": _identity(self.lexicon),
            "further_gold": [_identity(other.lexicon) for other in self.others],
            **settings.bootstrap.settings,
            "signatures": self.short_signatures,
            "failed": dict(self.failed),
            "parts": dict(self.parts),
        }

    def _rate_tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables that do not have a row for each word; some only if they have rows."""
        further = {"compared_slices": self.slice_differences, "gold_sets": self.gold_sets()}
        return {
            "rates": self.rates,
            "coverage": self.coverage,
            "compared": self.differences,
            **self.probabilities.by_name(),
            **{name: table for name, table in further.items() if len(table)},
        }


def gold_set_table(evaluations: Sequence[Evaluation]) -> pl.DataFrame:
    """Return the rates over whole lexicons, with the differences to the first system."""
    rows: list[dict[str, Any]] = []
    for one in evaluations:
        compared = {(row["system"], row["metric"]): row for row in one.differences.to_dicts()}
        size = {"gold": one.lexicon.name, "pairs": len(one.lexicon)}
        for row in one.rates.filter(pl.col("column").is_null()).drop("column", "value").to_dicts():
            found = compared.get((row["system"], row["metric"]), {})
            rows.append(size | row | {name: found.get(name) for name in ("difference", "p")})
    table = pl.DataFrame(rows, infer_schema_length=None)
    if not rows:
        return table
    tested = [row for row in rows if row["p"] is not None]
    corrected = iter(holm([row["p"] for row in tested]).tolist())
    column = [None if row["p"] is None else next(corrected) for row in rows]
    return table.with_columns(pl.Series("p_holm", column, pl.Float64))


def _identity(lexicon: Lexicon) -> dict[str, str]:
    return {"name": lexicon.name, "digest": lexicon.digest}


def _signature(rate: Rate, ranks: GoldRanks) -> Signature:
    """Return the signature of one rate of one system."""
    gold = ("gold", ranks.lexicon.digest[:16])
    return Signature(rate.name, (*ranks.settings, gold, *rate.settings, ("v", str(rate.revision))))


def _left_out(differences: pl.DataFrame) -> dict[str, int]:
    """Return how many headwords the comparison of hit rates leaves out, for systems with some."""
    return {
        row["system"]: row["left_out"]
        for row in differences.to_dicts()
        if row["metric"].startswith("hit@") and row["left_out"]
    }
