"""Scores of several systems on the same utterances, the baseline first, in blocks of utterances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.types import Statistics
from misword.stat.measure import MetricColumn
from misword.stat.paired import direction, too_few_rows
from misword.stat.score_tables import best_rows, by_value
from misword.stat.scores import Scores

# Blocks of utterances, such as the utterances of one speaker.

ADVICE = "; add some with --metadata"
RECORDING = "recording"


def block_column(scores: Scores, name: str, *, advice: str = "") -> pl.Series:
    """Return a metadata column; raise if it does not exist or an utterance has no value in it.

    `advice` is added to the message if there is no metadata at all.
    """
    check_metadata(scores, name, advice=advice)
    values = scores.table[name]
    if values.null_count():
        utt = scores.table["utt"].filter(values.is_null())[0]
        raise InputError(f"utterance {utt!r} has no {name}", fix="give it one")
    return values


def check_metadata(scores: Scores, name: str, *, advice: str = ADVICE) -> None:
    """Raise if there is no such metadata column."""
    if name not in scores.metadata:
        columns = ", ".join(scores.metadata) or f"there are none{advice}"
        raise OptionError(f"there is no metadata column {name!r}", fix=f"columns: {columns}")


def find_blocks(scores: Scores, block: int | str) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Return the table of blocks of one system, and the number of each utterance's block.

    `block` is a number of consecutive utterances, or a metadata column. The table has the name of
    each `block`, and its `first` and `last` utterance.
    """

    number = pl.int_range(1, pl.len() + 1)
    if isinstance(block, str):
        block_column(scores, block)
        name = pl.col(block).cast(pl.String)
    else:
        name = (number - 1) // block + 1
    rows = scores.table.select(name.alias("block"), number.alias("number"))
    blocks = rows.group_by("block", maintain_order=True).agg(
        pl.col("number").min().alias("first"), pl.col("number").max().alias("last")
    )
    numbered = blocks.with_row_index("place")
    joined = rows.join(numbered, on="block", how="left", maintain_order="left")
    return blocks, joined["place"].to_numpy().astype(np.int64)


# Recordings, whose turns are the usual blocks of a comparison.


def recordings_of(scores: Scores) -> int | None:
    """Return the number of recordings whose hypotheses were cut; None if none were."""
    settings = dict(scores.columns[0].signature.settings) if scores.columns else {}
    if settings.get("segments") != "transfer" or RECORDING not in scores.metadata:
        return None
    return int(scores.table[RECORDING].n_unique())


def usual_block(scores: Scores, tests: int) -> str:
    """Return the block of a comparison for which none is named: cut recordings, or none.

    Turns of one recording are not independent. If there are too few recordings for so many tests,
    turns are tested one by one.
    """
    recordings = recordings_of(scores)
    if recordings is None or too_few_rows(recordings, max(tests, 1)) is not None:
        return ""
    return RECORDING


# Systems on the same utterances in the same order.


@dataclass(frozen=True, slots=True, eq=False)
class MatchedSystems:
    """The scores of two or more systems, whose rows are the same utterances in the same order.

    `by_system` has the scores of each system, the baseline first. `scores` has the rows of all
    systems in one table, and the words and texts. In N-best lists, only the best hypotheses count.
    """

    by_system: Mapping[str, Scores]
    scores: Scores
    _texts: dict[str, pl.DataFrame] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, scores: Scores, baseline: str = "") -> MatchedSystems:
        """Match the systems of `scores`; raise if their utterances or references differ.

        The baseline is the first system unless it is named.
        """

        best = scores.with_rows(best_rows(scores.table))
        by_system = split_by_system(best, baseline)
        if len(by_system) < 2:
            raise OptionError("a comparison needs two systems", fix="name two or more")
        tables = [own_scores.table for own_scores in by_system.values()]
        matched = cls(by_system, replace(best, rows=pl.concat(tables)))
        for name in matched.others:
            matched.check_references(name)
        return matched

    @property
    def baseline(self) -> str:
        """Name of the system that the others are compared with."""
        return next(iter(self.by_system))

    @property
    def others(self) -> list[str]:
        """Names of all systems except the baseline."""
        return list(self.by_system)[1:]

    @property
    def baseline_scores(self) -> Scores:
        """Scores of the baseline."""
        return self.by_system[self.baseline]

    def terms(self, column: MetricColumn, name: str) -> tuple[Statistics, Statistics]:
        """Return a metric's terms for the baseline and for a system, a row per utterance."""
        baseline, system = (
            column.measure.terms(scores.statistics(column.label))
            for scores in (self.baseline_scores, self.by_system[name])
        )
        return baseline, system

    def rates(self, column: MetricColumn, name: str) -> tuple[Statistics, Statistics]:
        """Return each utterance's rate for the baseline and for a system; nan if undefined."""
        baseline, system = map(column.measure.rate, self.terms(column, name))
        return baseline, system

    def directions(self, column: MetricColumn, name: str) -> Statistics:
        """Return the direction in which each utterance's rate differs from the baseline's.

        It is -1 for a lower rate, 1 for a higher one, 0 for the same, and nan if one of the two
        rates is undefined.
        """
        return direction(*self.rates(column, name))

    def texts(self, name: str) -> pl.DataFrame:
        """Return reference and hypothesis of each utterance, in the order of the baseline."""
        if not self._texts:  # the rows of all systems at once: one search for each takes too long
            self._texts.update(by_value(self.scores.texts(), "system"))
        own = self._texts[name]
        order = self.baseline_scores.table["utt"]
        if own["utt"].equals(order):
            return own
        return order.to_frame().join(own, on="utt", how="left", maintain_order="left")

    def check_references(self, name: str) -> None:
        """Raise if a system was scored against other references than the baseline."""
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
        """Return the number of each utterance's block, from 0, by a metadata column."""
        values = block_column(self.baseline_scores, column, advice=ADVICE)
        numbers = values.rank("dense").to_numpy().astype(np.int64) - 1
        if numbers.max(initial=0) < 1:
            raise OptionError(
                f"all utterances have the same {column}", fix="use a column with several values"
            )
        return np.asarray(numbers)


def split_by_system(scores: Scores, first: str = "") -> dict[str, Scores]:
    """Return the scores of each system by name, with the utterances in the order of the first.

    `first` names the system that comes first; the default is the first in `scores`. Raises if a
    system has other utterances than the first system.
    """
    tables = by_value(scores.table, "system")
    by_system = {str(name): scores.with_rows(rows) for name, rows in tables.items()}
    if first and first not in by_system:
        raise OptionError(f"there is no system {first!r}", fix=f"systems: {', '.join(by_system)}")
    if not by_system:
        raise MismatchError("there are no scores")
    first = first or next(iter(by_system))
    order = by_system[first].table.select("utt")
    matched = {first: by_system.pop(first)}
    for name, own_scores in by_system.items():
        if own_scores.table["utt"].equals(order["utt"]):
            matched[name] = own_scores
        else:
            check_same_utterances(first, order, name, own_scores.table.select("utt"))
            matched[name] = _in_order(own_scores, order)
    return matched


def _in_order(scores: Scores, order: pl.DataFrame) -> Scores:
    """Return the scores of one system with its utterances in another order."""
    table = order.join(scores.table, on="utt", how="left", maintain_order="left")
    return replace(scores, rows=table.select(scores.table.columns))


def check_same_utterances(first: str, order: pl.DataFrame, name: str, own: pl.DataFrame) -> None:
    """Raise if one of two systems has an utterance that the other lacks."""
    for has, lacks, rows, others in ((first, name, order, own), (name, first, own, order)):
        extra = rows.join(others, on="utt", how="anti")["utt"].to_list()
        if extra:
            more = f" and {len(extra) - 1:,} more" if len(extra) > 1 else ""
            raise MismatchError(
                f"utterance {extra[0]!r}{more} of {has!r} is not among those of {lacks!r}",
                fix="compare systems on the same utterances",
            )
