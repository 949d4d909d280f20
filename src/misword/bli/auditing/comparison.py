"""Systems on variants of the gold lexicon: hit rates, their order, and paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.answers import (
    AS_IT_IS,
    Gold,
    SystemAnswers,
    collect_answers,
    gold_variants,
    other_forms,
    other_synonyms,
    plain_gold,
)
from misword.bli.auditing.false_positives import (
    DoubtfulAnswer,
    Margin,
    Verdicts,
    doubtful_answers,
    doubtful_table,
    margin,
    read_verdicts,
)
from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.evaluation.rates import Rate, quotient
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.retrievers import Retriever
from misword.core.lazy import pl
from misword.io.files.sources import PathLike
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.options import SIGNIFICANCE_LEVEL
from misword.stat.paired import holm, paired

UNCLEAR = "not distinguishable"


def ranking_table(
    variants: Mapping[str, Gold], systems: Sequence[SystemAnswers], rates: Sequence[Rate],
    bootstrap: Bootstrap,
) -> pl.DataFrame:  # fmt: skip
    """Return the hit rates of each system on each variant, and the place of each system by rate."""
    rows: list[dict[str, Any]] = []
    for variant, gold in variants.items():
        for rate in rates:
            of_systems = [_rate(gold, system, rate, bootstrap) for system in systems]
            better = [
                sum(other["rate"] > one["rate"] for other in of_systems) for one in of_systems
            ]
            rows += [
                {"gold": variant, "metric": rate.name, **row, "place": place + 1}
                for row, place in zip(of_systems, better, strict=True)
            ]
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _rate(gold: Gold, system: SystemAnswers, rate: Rate, bootstrap: Bootstrap) -> dict[str, Any]:
    terms = rate.terms(system.counts(gold, [rate.k]))
    included = terms[terms[:, 1] > 0]
    low, high = interval(included, quotient, bootstrap)
    part, whole = included.sum(axis=0).tolist()
    share = part / whole if whole else np.nan
    names = {"system": system.system, "rate": share, "low": low, "high": high}
    return {**names, "part": part, "whole": whole}


def conclusion_table(
    variants: Mapping[str, Gold], systems: Sequence[SystemAnswers], rate: Rate, bootstrap: Bootstrap
) -> pl.DataFrame:
    """Compare every two systems on each variant, and say which conclusions change.

    A positive difference is a gain of `system` over `baseline`, on the headwords that count for
    both. `better` is the system that is better with p below 0.05, corrected for the number of
    comparisons on the variant (Holm). `changed` says whether that differs from the lexicon as it
    is.
    """
    rows: list[dict[str, Any]] = []
    for variant, gold in variants.items():
        compared = [_compare(gold, *pair, rate, bootstrap) for pair in combinations(systems, 2)]
        corrected = holm([row["p"] for row in compared])
        for row, p in zip(compared, corrected.tolist(), strict=True):
            rows.append({"gold": variant, "metric": rate.name, **row, "p_holm": p})
    first = {(row["baseline"], row["system"]): _better(row) for row in rows
             if row["gold"] == AS_IT_IS}  # fmt: skip
    for row in rows:
        row["better"] = _better(row)
        row["changed"] = row["better"] != first[row["baseline"], row["system"]]
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _compare(
    gold: Gold, baseline: SystemAnswers, system: SystemAnswers, rate: Rate, bootstrap: Bootstrap
) -> dict[str, Any]:
    before, after = (rate.terms(one.counts(gold, [rate.k])) for one in (baseline, system))
    both = (before[:, 1] > 0) & (after[:, 1] > 0)
    before, after = before[both], after[both]
    found = paired(before, after, quotient, bootstrap)
    gain = after[:, 0] - before[:, 0]
    return {
        "baseline": baseline.system,
        "system": system.system,
        "baseline_rate": found.baseline_rate,
        "rate": found.rate,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "headwords": int(both.sum()),
        "wins": int((gain > 0).sum()),
        "losses": int((gain < 0).sum()),
    }


def _better(row: Mapping[str, Any]) -> str:
    p, difference = row["p_holm"], row["difference"]
    if not p < SIGNIFICANCE_LEVEL or not difference:
        return UNCLEAR
    return str(row["system"] if difference > 0 else row["baseline"])


# What an audit says about systems: their order on each variant of the gold, and their errors.


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """The systems to compare, and how their answers are found and compared.

    `systems` are mappings or files of candidates, by name; `retriever` is that of mappings; hit
    rates are for `k_values`, of which the first decides the order. `judge` is the file of verdicts.
    """

    systems: Mapping[str, WordMapping | PathLike]
    retriever: Retriever | None
    k_values: tuple[int, ...]
    bootstrap: Bootstrap
    judge: PathLike | None = None
    max_words: int | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSystems:
    """The rates of systems on variants of the gold, changed conclusions, and doubtful answers."""

    answers: tuple[SystemAnswers, ...]
    rankings: pl.DataFrame
    conclusions: pl.DataFrame
    doubtful: tuple[DoubtfulAnswer, ...]
    verdicts: Verdicts
    margins: tuple[Margin, ...]

    @classmethod
    def of(
        cls, lexicon: AuditedLexicon, names: NDArray[np.bool_] | None, settings: ComparisonSettings
    ) -> ComparedSystems:
        """Find the answers of all systems and compare them; `names` says which pairs are names."""
        gold = plain_gold(lexicon)
        answers = collect_answers(
            settings.systems,
            gold,
            max(settings.k_values),
            settings.retriever,
            max_words=settings.max_words,
            workers=settings.workers,
        )
        forms, synonyms = other_forms(lexicon, answers), other_synonyms(lexicon, answers)
        variants = gold_variants(lexicon, names, forms, synonyms)
        rates = [Rate("hit", k) for k in settings.k_values]
        doubtful = doubtful_answers(gold, answers, forms, synonyms)
        verdicts = {} if settings.judge is None else read_verdicts(settings.judge, doubtful)
        return cls(
            tuple(answers),
            ranking_table(variants, answers, rates, settings.bootstrap),
            conclusion_table(variants, answers, rates[0], settings.bootstrap),
            tuple(doubtful),
            verdicts,
            tuple(_margin(gold, *pair, verdicts) for pair in combinations(answers, 2)),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user of the mappings must know."""
        return tuple(note for answers in self.answers for note in answers.notes)

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return [answers.system for answers in self.answers]

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables of the result."""
        return {
            "rankings": self.rankings,
            "conclusions": self.conclusions,
            "doubtful": doubtful_table(self.doubtful, self.verdicts),
            "margins": _margin_table(self.margins),
        }


def _margin(gold: Gold, first: SystemAnswers, second: SystemAnswers, verdicts: Verdicts) -> Margin:
    """Return the margin of the better system by the gold lexicon over the other."""
    found = margin(gold, first, second, verdicts)
    return found if found.wins >= found.losses else margin(gold, second, first, verdicts)


def _margin_table(margins: Sequence[Margin]) -> pl.DataFrame:
    """Return the margin of each two systems, before and after verdicts, with the calculation."""
    rows = [
        (one.first, one.second, one.headwords, one.wins, one.losses, one.before, one.after,
         one.open, one.arithmetic)
        for one in margins
    ]  # fmt: skip
    counts = dict.fromkeys(("headwords", "wins", "losses"), pl.Int64)
    schema = {
        "first": pl.String, "second": pl.String, **counts, "before": pl.Float64,
        "after": pl.Float64, "open": pl.Int64, "arithmetic": pl.String,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")
