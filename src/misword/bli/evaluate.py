"""How good is a mapping: hit rate, precision and recall on a gold lexicon, with intervals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.answers import Answers, Tally
from misword.bli.bridge import Bridge, name_of
from misword.bli.coverage import Coverage
from misword.bli.cuts import cuts
from misword.bli.differences import differences
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.rates import Rate, quotient, rates_of
from misword.bli.retrievers import RETRIEVERS, Retriever
from misword.bli.translate import refuse_k
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.core.signature import Signature
from misword.core.types import Result
from misword.core.version import __version__
from misword.embed.words import WordVectors
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.sources import PathLike, counted
from misword.stat.paired import Drawing
from misword.stat.resampling import interval

if TYPE_CHECKING:
    import polars as pl

WITHIN = (1, 5, 10)
Mappings = WordMapping | PathLike | Sequence[WordMapping | PathLike] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """How mappings are judged: numbers of candidates, the rule for OOV words, columns to cut by."""

    within: tuple[int, ...] = WITHIN
    oov: str = "drop"
    by: tuple[str, ...] = ()
    drawing: Drawing = field(default_factory=Drawing)

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
        sizes = {covered.mapping: covered.target_words for covered in self.covered}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{size:,} ({name})" for name, size in sizes.items())
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
            "signatures": self.signatures,
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


def evaluate(
    mappings: Mappings,
    gold: Lexicon | PathLike | Iterable[tuple[str, str]],
    k: int | Sequence[int] = WITHIN,
    *,
    retriever: str | Sequence[str] = "csls",
    oov: str = "drop",
    by: str | Sequence[str] = (),
    reverse: bool = False,
    max_words: int | None = None,
    source: WordVectors | PathLike | None = None,
    target: WordVectors | PathLike | None = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> Evaluation:
    """Measure mappings on a gold lexicon, and compare them with the first.

    `mappings` is one or several (or named ones, in a dictionary), each a file or what `map` made;
    each is asked by each `retriever`. `k` are numbers of candidates; `oov` is the rule of `hit@k`
    for words out of the vocabulary (see `Rate`); `by` names columns of the gold file. `reverse`,
    `max_words`, `source` and `target` are as for `translate`.
    """
    within = tuple(dict.fromkeys([k] if isinstance(k, int) else k))
    names = (by,) if isinstance(by, str) else tuple(by)
    settings = Settings(within, oov, names, Drawing(bootstrap, confidence, seed))
    parts = RETRIEVERS.create_all(retriever)
    lexicon = gold_of(gold)
    where: dict[str, Any] = {"source": source, "target": target, "reverse": reverse}
    bridges = [
        Bridge.of(mapping, name=name, max_words=max_words, workers=workers, **where)
        for name, mapping in named(mappings).items()
    ]
    return evaluate_bridges(bridges, lexicon, parts, settings, workers)


def evaluate_bridges(
    bridges: Sequence[Bridge],
    lexicon: Lexicon,
    parts: Mapping[str, Retriever],
    settings: Settings,
    workers: int | None = None,
) -> Evaluation:
    """The same over mappings that are open."""
    import polars as pl

    pieces = {column: cuts(lexicon, column) for column in settings.by}
    most, answers = max(settings.within), []
    with progress("looking for translations", len(bridges) * len(parts)) as step:
        for bridge in bridges:
            for spec, part in parts.items():
                name = f"{bridge.name} {spec}"
                answers.append(Answers.of(bridge, lexicon, part, most, name, workers))
                step(1)
    covered = tuple(
        Coverage.of(bridge, one)
        for bridge, one in zip(bridges, answers[:: len(parts)], strict=True)
    )
    rows = []
    for one in answers:
        whole = one.counts(settings.within)
        rows += _rates(one, whole, settings, {})
        for column, values in pieces.items():
            for value, only in values.items():
                cut = {"column": column, "value": value}
                rows += _rates(one, one.counts(settings.within, only), settings, cut)
    return Evaluation(
        lexicon, tuple(answers), covered, settings,
        pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        pl.DataFrame([each.row() for each in covered]),
        differences(answers, settings.rates, settings.drawing),
    )  # fmt: skip


def gold_of(gold: Lexicon | PathLike | Iterable[tuple[str, str]]) -> Lexicon:
    """A lexicon from wherever it is."""
    if isinstance(gold, Lexicon):
        return gold
    if isinstance(gold, str | os.PathLike):
        return read_lexicon(gold)
    return Lexicon.of(gold)


def named(mappings: Mappings) -> dict[str, Any]:
    """Mappings by name; files have their own."""
    if isinstance(mappings, Mapping):
        return dict(mappings)
    several = [mappings] if isinstance(mappings, WordMapping | str | os.PathLike) else mappings
    found: dict[str, Any] = {}
    for place, one in enumerate(several, 1):
        name = f"mapping {place}" if isinstance(one, WordMapping) else name_of(one)
        while name in found:
            name += "'"
        found[name] = one
    if not found:
        raise OptionError("no mapping", fix="name at least one")
    return found


def _rates(
    answers: Answers, tally: Tally, settings: Settings, cut: dict[str, str]
) -> list[dict[str, Any]]:
    """A row for each rate of some of the pairs."""
    rows = []
    for rate in settings.rates:
        terms = rate.terms(tally)
        counted_in = terms[terms[:, 1] > 0]
        low, high = interval(counted_in, quotient, **asdict(settings.drawing))
        part, whole = counted_in.sum(axis=0).tolist()
        row: dict[str, Any] = {"system": answers.system, "column": None, "value": None} | cut
        row |= {"metric": rate.name, "kind": rate.kind, "k": rate.k}
        row |= {"rate": part / whole if whole else np.nan, "low": low, "high": high}
        row |= {"part": part, "whole": whole, "headwords": len(counted_in)}
        rows.append(row)
    return rows


def _signature(rate: Rate, answers: Answers) -> Signature:
    gold = ("gold", answers.lexicon.digest[:16])
    settings = (*answers.settings, gold, *rate.settings, ("v", __version__))
    return Signature(rate.name, settings)


def _left_out(table: pl.DataFrame) -> dict[str, int]:
    """How many headwords each comparison of hit rates leaves out, where it does."""
    rows = [row for row in table.to_dicts() if row["metric"].startswith("hit@") and row["left_out"]]
    return {row["system"]: row["left_out"] for row in rows}
