"""Systems side by side: the same utterances in the same order, the baseline first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, MismatchError, OptionError
from misword.stat.paired import direction
from misword.stat.resampling import Statistics
from misword.stat.scores import Column, Scores

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """The best hypotheses of two or more systems; row by row, all have the same utterance.

    `sides` are the scores of each; words and texts are those of the `whole`.
    """

    sides: Mapping[str, Scores]
    whole: Scores

    @classmethod
    def of(cls, scores: Scores, baseline: str = "") -> Matched:
        """The systems of `scores`; refuses other utterances or references than the baseline's."""
        import polars as pl

        best = scores.filter(rank=1)
        sides = by_system(best, baseline)
        if len(sides) < 2:
            raise OptionError("one system has nothing to be compared with", fix="name two or more")
        tables = [side.table for side in sides.values()]
        matched = cls(sides, Scores(pl.concat(tables), best.columns, best.records))
        for name in matched.others:
            matched.refuse_references(name)
        return matched

    @property
    def baseline(self) -> str:
        """What the others are compared with."""
        return next(iter(self.sides))

    @property
    def others(self) -> list[str]:
        """All but the baseline."""
        return list(self.sides)[1:]

    @property
    def first(self) -> Scores:
        """The baseline's scores."""
        return self.sides[self.baseline]

    def terms(self, column: Column, name: str) -> tuple[Statistics, Statistics]:
        """A metric's terms for the baseline and for a system."""
        baseline, system = (
            column.measure.terms(side.statistics(column.label))
            for side in (self.first, self.sides[name])
        )
        return baseline, system

    def rates(self, column: Column, name: str) -> tuple[Statistics, Statistics]:
        """A metric's rate of each utterance for the baseline and for a system; nan: undefined."""
        baseline, system = map(column.measure.rate, self.terms(column, name))
        return baseline, system

    def direction(self, column: Column, name: str) -> Statistics:
        """Which way each utterance's rate went from the baseline to a system."""
        return direction(*self.rates(column, name))

    def texts(self, name: str) -> pl.DataFrame:
        """Reference and hypothesis of each utterance, in order."""
        own = self.whole.texts().filter(system=name)
        order = self.first.table["utt"]
        if own["utt"].equals(order):
            return own
        return order.to_frame().join(own, on="utt", how="left", maintain_order="left")

    def refuse_references(self, name: str) -> None:
        """Refuse a system that was scored against other references than the baseline."""
        ours, theirs = self.texts(self.baseline), self.texts(name)
        differs = (ours["reference"] != theirs["reference"]).arg_true()
        if len(differs):
            at = int(differs[0])
            raise MismatchError(
                f"{len(differs):,} references differ; that of {ours['utt'][at]!r} is "
                f"{ours['reference'][at]!r} for {self.baseline!r}, "
                f"{theirs['reference'][at]!r} for {name!r}",
                fix="score both against the same references",
            )

    def blocks(self, column: str) -> NDArray[np.int64]:
        """The number of each utterance's block, from 0."""
        known = self.first.metadata
        if column not in known:
            named = ", ".join(known) or "there are none; add some with --metadata"
            raise OptionError(f"no column {column!r} of metadata", fix=f"columns: {named}")
        values = self.first.table[column]
        if values.null_count():
            utt = self.first.table["utt"].filter(values.is_null())[0]
            raise InputError(f"utterance {utt!r} has no {column}", fix="give it one")
        numbers = values.rank("dense").to_numpy().astype(np.int64) - 1
        if numbers.max(initial=0) < 1:
            raise OptionError(f"all utterances have one {column}", fix="two are needed, or more")
        return np.asarray(numbers)


def by_system(scores: Scores, first: str = "") -> dict[str, Scores]:
    """The scores of each system, that of `first` first; all have its utterances, in its order."""
    sides = {str(key[0]): side for key, side in scores.group("system")}
    if first and first not in sides:
        raise OptionError(f"no system {first!r}", fix=f"there are: {', '.join(sides)}")
    if not sides:
        raise MismatchError("there are no scores")
    first = first or next(iter(sides))
    order = sides[first].table.select("utt")
    found = {first: sides.pop(first)}
    for name, side in sides.items():
        refuse_others(first, order, name, side.table.select("utt"))
        found[name] = _in_order(side, order)
    return found


def _in_order(side: Scores, order: pl.DataFrame) -> Scores:
    if side.table["utt"].equals(order["utt"]):
        return side
    table = order.join(side.table, on="utt", how="left", maintain_order="left")
    return replace(side, table=table.select(side.table.columns))


def refuse_others(first: str, order: pl.DataFrame, name: str, own: pl.DataFrame) -> None:
    """Refuse utterances that only one of two systems has."""
    for has, lacks, rows, others in ((first, name, order, own), (name, first, own, order)):
        extra = rows.join(others, on="utt", how="anti")["utt"].to_list()
        if extra:
            more = f" and {len(extra) - 1:,} more" if len(extra) > 1 else ""
            raise MismatchError(
                f"utterance {extra[0]!r}{more} of {has!r} is not among those of {lacks!r}",
                fix="compare systems on the same utterances",
            )
