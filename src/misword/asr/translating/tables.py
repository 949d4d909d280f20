"""Scores of the translations of chosen hypotheses, as in Tables 8 and 9 of Le et al. 2016.

A score of a corpus is computed from sums of statistics of its segments, such as matched n-grams. So
intervals come from resampling the utterances and adding up their statistics, and two choices are
compared on the same utterances, by the paired bootstrap and the permutation test of `stat.paired`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import translation_notes
from misword.asr.downstreams import Downstream
from misword.asr.nbest.lists import ScoredLists
from misword.asr.translating.sources import TranslationSource
from misword.core.lazy import pl
from misword.core.parts import describe
from misword.core.types import Statistics
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.paired import by_block, direction, holm, paired

Row = dict[str, Any]
TIES = ("wins", "ties", "losses")


@dataclass(frozen=True, slots=True, eq=False)
class TranslationTables:
    """The scores of the translations of several choices of hypotheses.

    Attributes:
        scores: a row for each system, `score` and choice (`chosen_by`): the score of the corpus of
            translations (`value`), with its interval.
        changes: a row for each system, `score` and two choices: the `difference` of the score of
            `chosen_by` minus that of `against`, its interval, the p-value of a paired test (`p`,
            and `p_holm`, corrected over all rows of the score); and the numbers of utterances
            whose translation has a better score (`wins`), the same score, or a worse one.
        texts: the translation of each chosen hypothesis, its reference, and its own scores.
        downstreams: the scores of translations by label.
    """

    scores: pl.DataFrame
    changes: pl.DataFrame
    texts: pl.DataFrame
    downstreams: Mapping[str, Downstream]

    @property
    def named(self) -> dict[str, pl.DataFrame]:
        """The tables by their names in a result."""
        return {
            "translations": self.scores,
            "translation_changes": self.changes,
            "translated": self.texts,
        }

    @property
    def provenance(self) -> dict[str, Any]:
        """The signature of each score and whether higher is better, for a result."""
        return {
            "scores": {label: score.signature() for label, score in self.downstreams.items()},
            "better": {label: score.better for label, score in self.downstreams.items()},
        }

    @property
    def parts(self) -> dict[str, Any]:
        """The title and citations of each score, for a result."""
        return {label: describe(score) for label, score in self.downstreams.items()}

    def add_to(self, tables: dict[str, pl.DataFrame], metrics: dict[str, Any]) -> None:
        """Add these tables to those of a result, and their provenance to that of its metrics."""
        tables |= self.named
        metrics["parts"] |= self.parts
        metrics |= self.provenance


@dataclass(frozen=True)
class ScoredChoices:
    """The statistics of one downstream score for all translations of one system, by choice.

    `blocks` numbers the utterances that are resampled together, if there are blocks.
    """

    label: str
    downstream: Downstream
    statistics: Mapping[str, Statistics]
    bootstrap: Bootstrap
    blocks: NDArray[np.int64] | None = None

    def values(self) -> Iterator[Row]:
        """Yield the score of each choice with its interval."""
        for name, rows in self.resampled.items():
            value = float(self._rate(rows.sum(axis=0)))
            low, high = interval(rows, self._rate, self.bootstrap)
            yield {"score": self.label, "chosen_by": name, "value": value, "low": low, "high": high}

    def change(self, name: str, against: str) -> Row:
        """Return the difference of two choices, and how many utterances have better scores."""
        found = paired(self.resampled[against], self.resampled[name], self._rate, self.bootstrap)
        head = {"score": self.label, "chosen_by": name, "against": against}
        numbers = {"difference": found.difference, "low": found.low, "high": found.high}
        return {**head, **numbers, "p": found.p, **self._counts(name, against)}

    def _counts(self, name: str, against: str) -> dict[str, int]:
        moved = direction(self.segments[against], self.segments[name])
        better = 1 if self.downstream.better == "higher" else -1
        counts = (np.count_nonzero(moved == sign) for sign in (better, 0, -better))
        return dict(zip(TIES, map(int, counts), strict=True))

    @cached_property
    def resampled(self) -> dict[str, Statistics]:
        """The statistics of utterances, or of blocks of them, by choice."""
        blocks = self.blocks
        if blocks is None:
            return dict(self.statistics)
        return {name: by_block(rows, blocks) for name, rows in self.statistics.items()}

    @cached_property
    def segments(self) -> dict[str, Statistics]:
        """The scores of single translations, by choice."""
        return {
            name: self.downstream.segment_scores(rows) for name, rows in self.statistics.items()
        }

    def _rate(self, sums: Statistics) -> Statistics:
        """Return the scores of sums of any shape (..., statistics)."""
        flat = sums.reshape(-1, sums.shape[-1])
        return self.downstream.scores(flat).reshape(sums.shape[:-1])


def score_translations(
    translated: pl.DataFrame,
    downstreams: Mapping[str, Downstream],
    bootstrap: Bootstrap,
    against: Sequence[str],
    blocks: NDArray[np.int64] | None = None,
) -> TranslationTables:
    """Score the translations of choices and compare them with the choices named in `against`.

    `translated` has `system`, `utt`, `chosen_by`, `rank`, `translation` and `reference`; each
    choice of a system has the same utterances in the same order. `blocks` numbers those of them
    that are resampled together.
    """

    values: list[Row] = []
    changes: list[Row] = []
    texts = []
    for (system,), rows in translated.group_by("system", maintain_order=True):
        names = rows["chosen_by"].unique(maintain_order=True).to_list()
        columns = []
        for label, downstream in downstreams.items():
            statistics = _statistics(rows, names, downstream)
            judged = ScoredChoices(label, downstream, statistics, bootstrap, blocks)
            values += [{"system": system, **row} for row in judged.values()]
            changes += [
                {"system": system, **judged.change(name, other)}
                for name, other in _compared(names, against)
            ]
            columns.append(pl.Series(label, np.concatenate(list(judged.segments.values()))))
        in_order = pl.concat([rows.filter(chosen_by=name) for name in names])
        texts.append(in_order.hstack(columns))
    return TranslationTables(
        _frame(values), _corrected(changes), pl.concat(texts), dict(downstreams)
    )


def _compared(names: Sequence[str], against: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each choice with each one that it is compared with, once."""
    others = [other for other in against if other in names]
    for place, other in enumerate(others):
        yield from ((name, other) for name in names if name not in others[: place + 1])


def _statistics(
    rows: pl.DataFrame, names: Sequence[str], downstream: Downstream
) -> dict[str, Statistics]:
    """Return the statistics of each choice; equal translations are scored once."""
    pairs = rows.select("translation", "reference")
    distinct = pairs.unique(maintain_order=True).with_row_index("row")
    found = downstream.statistics(
        distinct["translation"].to_list(), distinct["reference"].to_list()
    )
    places = pairs.join(
        distinct, on=["translation", "reference"], how="left", maintain_order="left"
    )["row"]
    return {name: found[places.filter(rows["chosen_by"] == name).to_numpy()] for name in names}


def _corrected(changes: list[Row]) -> pl.DataFrame:
    """Return the table of changes, with p-values that are corrected for each score."""
    for label in dict.fromkeys(row["score"] for row in changes):
        of_score = [row for row in changes if row["score"] == label]
        for row, p in zip(of_score, holm([row["p"] for row in of_score]), strict=True):
            row["p_holm"] = float(p)
    return _frame(changes)


def _frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


# The scores of the translations of chosen hypotheses: for the oracle and for tuned weights.


def judge_translations(
    source: TranslationSource,
    scored: ScoredLists,
    chosen: pl.DataFrame,
    against: Sequence[str],
    bootstrap: Bootstrap,
    blocks: NDArray[np.int64] | None = None,
) -> tuple[TranslationTables, list[str]]:
    """Return the scores of the translations of all choices, and notes on the translations.

    `chosen` has a row for each system, choice (`chosen_by`) and utterance, with `rank` and `text`.
    The choices are compared with those named in `against`, of which the first is judged for notes.
    `blocks` numbers the utterances of a choice that are resampled together.
    """
    known = scored.scores.table if scored.texts is None else scored.texts
    translated = source.translated(chosen, known, scored.references)
    tables = score_translations(translated, source.downstreams, bootstrap, against, blocks)
    return tables, slipped_notes(translated.filter(chosen_by=against[0]))


def slipped_notes(translated: pl.DataFrame) -> list[str]:
    """Return a note for each system whose translations are shifted against their references.

    `translated` has one translation of each utterance of each system.
    """
    texts = {
        str(system): (rows["translation"].to_list(), rows["reference"].to_list())
        for (system,), rows in translated.group_by("system", maintain_order=True)
    }
    utts = translated["utt"].unique(maintain_order=True).to_list()
    return translation_notes(texts, utts)
