"""What an audit says about systems: their order on each variant of the gold, and their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.answers import Answers, Gold, collect_answers
from misword.bli.auditing.false_positives import (
    Doubtful,
    Margin,
    Verdicts,
    doubtful_answers,
    doubtful_table,
    margin,
)
from misword.bli.auditing.gold_variants import (
    gold_variants,
    other_forms,
    other_synonyms,
    plain_gold,
)
from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.auditing.rankings import conclusion_table, ranking_table
from misword.bli.auditing.verdicts import read_verdicts
from misword.bli.evaluation.rates import Rate
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.retrievers import Retriever
from misword.io.files.sources import PathLike
from misword.stat.bootstrap import Bootstrap

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Prediction:
    """How the answers of systems are found and compared.

    `systems` are mappings or files of candidates, by name; `retriever` is that of mappings; hit
    rates are for `k_values`, of which the first decides the order. `judge` is the file of verdicts.
    """

    systems: Mapping[str, WordMapping | PathLike]
    retriever: Retriever
    k_values: tuple[int, ...]
    bootstrap: Bootstrap
    judge: PathLike | None = None
    max_words: int | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSystems:
    """The rates of systems on variants of the gold, what changes, and the answers to be judged."""

    answers: tuple[Answers, ...]
    rankings: pl.DataFrame
    conclusions: pl.DataFrame
    doubtful: tuple[Doubtful, ...]
    verdicts: Verdicts
    margins: tuple[Margin, ...]

    @classmethod
    def of(
        cls, lexicon: AuditedLexicon, names: NDArray[np.bool_] | None, asked: Prediction
    ) -> ComparedSystems:
        """Find the answers of all systems and compare them; `names` says which pairs are names."""
        gold = plain_gold(lexicon)
        answers = collect_answers(
            asked.systems,
            gold,
            max(asked.k_values),
            asked.retriever,
            max_words=asked.max_words,
            workers=asked.workers,
        )
        forms, synonyms = other_forms(lexicon, answers), other_synonyms(lexicon, answers)
        variants = gold_variants(lexicon, names, forms, synonyms)
        rates = [Rate("hit", k) for k in asked.k_values]
        doubtful = doubtful_answers(gold, answers, forms, synonyms)
        verdicts = {} if asked.judge is None else read_verdicts(asked.judge, doubtful)
        return cls(
            tuple(answers),
            ranking_table(variants, answers, rates, asked.bootstrap),
            conclusion_table(variants, answers, rates[0], asked.bootstrap),
            tuple(doubtful),
            verdicts,
            tuple(_margin(gold, *pair, verdicts) for pair in combinations(answers, 2)),
        )

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


def _margin(gold: Gold, first: Answers, second: Answers, verdicts: Verdicts) -> Margin:
    """Return the margin of the better system by the gold lexicon over the other."""
    found = margin(gold, first, second, verdicts)
    return found if found.wins >= found.losses else margin(gold, second, first, verdicts)


def _margin_table(margins: Sequence[Margin]) -> pl.DataFrame:
    """Return the margin of each two systems, before and after verdicts, with the calculation."""
    import polars as pl

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
