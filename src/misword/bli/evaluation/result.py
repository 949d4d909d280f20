"""What came of an evaluation: rates, coverage, differences, and what they were counted from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from misword.bli.evaluation.coverage import Coverage
from misword.bli.evaluation.gold_ranks import Answers
from misword.bli.evaluation.lemmas import Lemmas
from misword.bli.evaluation.rates import KINDS, Rate, quotient, rates_of
from misword.bli.translate import refuse_k
from misword.core.errors import OptionError
from misword.core.signature import Signature
from misword.core.types import Result
from misword.core.version import __version__
from misword.io.files.sources import counted
from misword.io.lexicons import Lexicon
from misword.stat.bootstrap import Bootstrap

if TYPE_CHECKING:
    import polars as pl

WITHIN = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Settings:
    """How mappings are judged: numbers of candidates, the rule for OOV words, columns to cut by.

    With `lemmas` a candidate is right if its lemma is.
    """

    within: tuple[int, ...] = WITHIN
    oov: str = "drop"
    by: tuple[str, ...] = ()
    lemmas: Lemmas | None = None
    drawing: Bootstrap = field(default_factory=Bootstrap)

    def __post_init__(self) -> None:
        if not self.within:
            raise OptionError("no number of candidates", fix="use some, such as 1,5,10")
        refuse_k(self.within)
        rates_of(self.within, self.oov)

    @property
    def rates(self) -> tuple[Rate, ...]:
        """All rates that are taken."""
        return rates_of(self.within, self.oov)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What mappings, each with each retriever, make of a gold lexicon.

    `rates` has a row for each system (a mapping and a retriever), rate and value of the columns it
    was cut by: the rate, its interval and the two numbers it is the quotient of. `coverage` says
    how much of the lexicon each mapping's vocabularies have; `differences` compares the systems
    with the first. `headwords`, `pairs` and `predictions` are what all of it was counted from.
    """

    lexicon: Lexicon
    answers: tuple[Answers, ...]
    covered: tuple[Coverage, ...]
    settings: Settings
    rates: pl.DataFrame
    coverage: pl.DataFrame
    differences: pl.DataFrame

    def __getitem__(self, name: str) -> float:
        """A rate of the first system, over the whole lexicon."""
        rate = next((rate for rate in self.settings.rates if rate.name == name), None)
        if rate is None:
            known = ", ".join(rate.name for rate in self.settings.rates)
            raise OptionError(f"no rate {name!r} here", fix=f"there are: {known}")
        terms = rate.terms(self.answers[0].counts([rate.k]))
        return float(quotient(terms.sum(axis=0)))

    @property
    def systems(self) -> list[str]:
        """A name for each mapping with each retriever."""
        return [answers.system for answers in self.answers]

    @property
    def signatures(self) -> dict[str, dict[str, str]]:
        """What decided each number, by system and rate."""
        return {
            answers.system: {
                rate.name: str(_signature(rate, answers)) for rate in self.settings.rates
            }
            for answers in self.answers
        }

    @property
    def signed(self) -> dict[str, str]:
        """The same by system and kind of rate: only the number of candidates differs."""
        first, within = self.settings.within[0], ",".join(map(str, self.settings.within))
        return {
            f"{system} {kind}@{within}": rates[f"{kind}@{first}"].replace(
                f"{kind}@{first}", f"{kind}@{within}", 1
            )
            for system, rates in self.signatures.items()
            for kind in KINDS
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What the rates alone would hide."""
        notes = [*self.lexicon.notes]
        for covered in self.covered:
            notes += covered.notes
        notes += [
            f"{system} and {self.systems[0]} are compared by hit rate on the words that count for "
            f"both: {counted(number, 'headword')} left out"
            for system, number in _left_out(self.differences).items()
        ]
        if len({covered.target_words for covered in self.covered}) > 1:
            told = ", ".join(f"{each.target_words:,} ({each.mapping})" for each in self.covered)
            notes.append(
                f"the mappings choose among different numbers of words: {told}; fewer words are "
                "fewer chances to be wrong: --max-words makes them equal"
            )
        return tuple(notes)

    def headwords(self) -> pl.DataFrame:
        """Counts by headword, from which every rate can be taken again."""
        import polars as pl

        words = list(self.lexicon.headwords)
        tables = []
        for answers in self.answers:
            tally = answers.counts(self.settings.within)
            columns: dict[str, Any] = {
                "system": [answers.system] * len(tally),
                "word": [words[row] for row in tally.rows.tolist()],
                "known": tally.known,
                "pairs": tally.pairs,
                "reachable": tally.reachable,
            }
            columns |= {f"found@{k}": found for k, found in tally.found.items()}
            tables.append(pl.DataFrame(columns))
        return pl.concat(tables)

    def pairs(self) -> pl.DataFrame:
        """Each gold pair and the rank at which each system found it."""
        import polars as pl

        return pl.concat([answers.pairs() for answers in self.answers])

    def predictions(self) -> pl.DataFrame:
        """Each system's candidates for each headword."""
        import polars as pl

        return pl.concat([answers.predictions() for answers in self.answers])

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """The tables and where they come from."""
        drawing = self.settings.drawing
        known = {
            "misword": __version__,
            **(provenance or {}),
            "systems": self.systems,
            "within": list(self.settings.within),
            "by": list(self.settings.by),
            "oov": self.settings.oov,
            "gold": {"name": self.lexicon.name, "digest": self.lexicon.digest},
            "bootstrap": drawing.times,
            "confidence": drawing.confidence,
            "seed": drawing.seed,
            "signatures": self.signed,
        }
        tables = {
            "rates": self.rates,
            "coverage": self.coverage,
            "compared": self.differences,
            "headwords": self.headwords(),
            "pairs": self.pairs(),
            "predictions": self.predictions(),
        }
        return Result("evaluation", tables, known)


def _signature(rate: Rate, answers: Answers) -> Signature:
    gold = ("gold", answers.lexicon.digest[:16])
    settings = (*answers.settings, gold, *rate.settings, ("v", __version__))
    return Signature(rate.name, settings)


def _left_out(table: pl.DataFrame) -> dict[str, int]:
    """How many headwords each comparison of hit rates leaves out, where it does."""
    rows = [row for row in table.to_dicts() if row["metric"].startswith("hit@") and row["left_out"]]
    return {row["system"]: row["left_out"] for row in rows}
