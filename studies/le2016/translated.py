"""Scores of the translations of chosen hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from misword.asr.downstreams import create_downstreams
from misword.asr.translating.tables import TranslationTables, score_translations
from misword.stat.bootstrap import Bootstrap
from studies.common.conclusions import conclusion
from studies.common.markdown import number, p_value, signed, span
from studies.le2016.published import BETTER, METRICS, TITLES

# The texts are in lower case without punctuation. Sentence BLEU has one added to its counts, which
# gives the numbers of the paper; the score of a corpus is not changed by it.
SPECS = {
    "ter": "ter",
    "bleu": "bleu:tokenize=none,smooth=add-k",
    "chrf": "chrf",
    "meteor": "meteor:norm=false",
}
CHANGES = ["score", "chosen by", "difference", "95 % interval", "p", "better", "equal", "worse"]
Row = dict[str, Any]


class Translations:
    """The translations of several choices for the same utterances, scored."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[str]],
        references: Sequence[str],
        scores: Sequence[str],
        bootstrap: int = 1000,
    ) -> None:
        """Score a column of translations for each choice, named by the keys of `columns`."""
        utts = [str(place) for place in range(len(references))]
        texts = pl.concat(
            pl.DataFrame(
                {"utt": utts, "translation": column, "reference": references}
            ).with_columns(system=pl.lit(""), chosen_by=pl.lit(name))
            for name, column in columns.items()
        )
        self._names = {SPECS[name]: name for name in scores}
        downstreams = create_downstreams(list(self._names))
        against = ("rank 1", "wer")
        self.tables: TranslationTables = score_translations(
            texts, downstreams, Bootstrap(bootstrap), against
        )

    def values(self, score: str) -> dict[str, float]:
        """Return a score of each choice."""
        rows = self.tables.scores.filter(score=SPECS[score])
        return dict(rows.select("chosen_by", "value").iter_rows())

    def change(self, score: str, choice: str, against: str = "wer") -> Row:
        """Return the difference of two choices: its interval, p-value, wins, ties and losses."""
        rows = self.tables.changes.filter(score=SPECS[score], chosen_by=choice, against=against)
        return rows.row(0, named=True)

    def conclusion(self, score: str, choice: str, against: str = "wer") -> str:
        """Return whether one choice has better translations than another."""
        change = self.change(score, choice, against)
        return conclusion(change["low"], change["high"], BETTER[score])

    def value_row(self, score: str) -> list[str]:
        """Return a row with a score of each choice."""
        return [TITLES[score], *map(number, self.values(score).values())]

    def change_rows(self, score: str) -> Iterator[list[str]]:
        """Yield rows on the choices by WER-E and WER-S against that by WER, see `CHANGES`."""
        for metric in METRICS[1:]:
            row = self.change(score, metric)
            yield [
                TITLES[score],
                TITLES[metric],
                signed(row["difference"]),
                span(row["low"], row["high"]),
                p_value(row["p"]),
                *(f"{row[name]:,}" for name in ("wins", "ties", "losses")),
            ]
