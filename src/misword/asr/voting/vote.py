"""The vote in each slot of a word transition network: which word, or none, wins.

The score of a candidate is alpha * N(w) / S + (1 - alpha) * C(w). N(w) counts the transcripts that
have the word in this slot, S counts all transcripts. C(w) is its confidence: the mean (`meth1`) or
the greatest (`maxconf`) of the confidences of its occurrences, or their sum divided by that of all
candidates (`avgconf`). No word is a candidate too; it has a confidence that is given.

Of equal scores, the candidate that came first into the slot wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.alignment.word_networks import WordNetworks
from misword.core.errors import OptionError
from misword.core.types import Offsets, Tokens

if TYPE_CHECKING:
    import polars as pl

METHODS = ("meth1", "maxconf", "avgconf")
NO_WORD = -1


@dataclass(frozen=True, slots=True)
class Vote:
    """How candidates are scored: the method, the weight of frequencies, the confidence of no word.

    >>> Vote(alpha=2)
    Traceback (most recent call last):
    misword.core.errors.OptionError: alpha is 2
      use a number from 0 (confidences alone) to 1 (frequencies alone)
    """

    method: str = "meth1"
    alpha: float = 1.0
    null_confidence: float = 0.0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(
                f"the method of the vote is {self.method!r}",
                fix=f"use one of: {', '.join(METHODS)}",
            )
        if not 0 <= self.alpha <= 1:
            raise OptionError(
                f"alpha is {self.alpha}",
                fix="use a number from 0 (confidences alone) to 1 (frequencies alone)",
            )
        if not 0 <= self.null_confidence <= 1:
            raise OptionError(
                f"the confidence of no word is {self.null_confidence}",
                fix="use a number from 0 to 1",
            )

    @property
    def needs_confidences(self) -> bool:
        """Whether the words must have confidences."""
        return self.alpha < 1


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """The words of transcripts in the slots of their networks, ready for a vote.

    The transcripts of utterance `u` are the rows `utterance_at[u]` to `utterance_at[u + 1] - 1`.
    `confidences` has a number for each word of the transcripts; None: all are 0.
    """

    transcripts: Tokens
    utterance_at: Offsets
    networks: WordNetworks
    confidences: NDArray[np.float64] | None = None

    def elect(self, vote: Vote) -> Tokens:
        """Return the winning words of each utterance."""
        import polars as pl

        scored = self.candidates(vote.null_confidence).with_columns(_score(vote).alias("score"))
        best = scored.sort("slot", "score", "order", descending=[False, True, False])
        winners = best.unique("slot", keep="first", maintain_order=True)
        won = winners.filter(pl.col("word") != NO_WORD)
        ends = np.cumsum(self.networks.slots)
        offsets = np.searchsorted(won["slot"].to_numpy(), np.concatenate([[0], ends]))
        ids = won["word"].to_numpy().astype(np.int32)
        return Tokens(ids, offsets.astype(np.int64), self.transcripts.vocabulary)

    def candidates(self, null_confidence: float) -> pl.DataFrame:
        """Return a row for each word of each slot, and for no word where a transcript has none.

        `order` says when it came into the slot, `times` how many of the `transcripts` have it;
        `sum` and `maximum` are those of its confidences.
        """
        import polars as pl

        words = self._words()
        own = pl.col("confidence")
        found = words.group_by("slot", "word").agg(
            order=pl.when(pl.col("number") == pl.col("first")).then(-2).otherwise("number").min(),
            times=pl.len(),
            transcripts=pl.col("transcripts").first(),
            sum=own.sum(),
            maximum=own.max(),
        )
        nothing = _slots_without(words).with_columns(
            sum=pl.col("times") * null_confidence, maximum=pl.lit(null_confidence)
        )
        return pl.concat([found, nothing.select(found.columns)], how="vertical_relaxed")

    def _words(self) -> pl.DataFrame:
        """Return a row for each word: its slot, its id, and the number of its transcript."""
        import polars as pl

        counts = np.diff(self.utterance_at)
        utterance = np.repeat(np.arange(len(counts)), counts)
        transcript = np.repeat(np.arange(len(utterance)), self.transcripts.lengths)
        own = utterance[transcript]
        before = np.cumsum(self.networks.slots) - self.networks.slots
        confidences = self.confidences
        if confidences is None:
            confidences = np.zeros(len(transcript))
        frame = pl.DataFrame(
            {
                "slot": self.networks.slot_of + before[own],
                "word": self.transcripts.ids.astype(np.int64),
                "number": transcript - self.utterance_at[own],
                "transcripts": counts[own],
                "confidence": confidences,
            }
        )
        return frame.sort("slot", "number").with_columns(
            first=pl.col("number").min().over("slot"),
            place=pl.int_range(pl.len()).over("slot"),
        )


def _slots_without(words: pl.DataFrame) -> pl.DataFrame:
    """Return the slots that some transcripts leave out: when the first did, and how many do.

    If the slot was made for a later transcript, all earlier ones leave it out, and `no word` comes
    right after the word that made the slot.
    """
    import polars as pl

    number, place = pl.col("number"), pl.col("place")
    slots = words.group_by("slot").agg(
        pl.col("transcripts").first(),
        pl.col("first").first(),
        present=pl.len(),
        gap=place.filter(number > place).min(),
    )
    lacking = slots.filter(pl.col("present") < pl.col("transcripts"))
    gap = pl.col("gap").fill_null(pl.col("present"))
    return lacking.select(
        "slot",
        word=pl.lit(NO_WORD, pl.Int64),
        order=pl.when(pl.col("first") > 0).then(-1).otherwise(gap),
        times=pl.col("transcripts") - pl.col("present"),
        transcripts="transcripts",
    )


def _score(vote: Vote) -> pl.Expr:
    """Return the score of a candidate."""
    import polars as pl

    frequency = pl.col("times") / pl.col("transcripts")
    if not vote.needs_confidences:
        return frequency
    if vote.method == "meth1":
        confidence = pl.col("sum") / pl.col("times")
    elif vote.method == "maxconf":
        confidence = pl.col("maximum")
    else:
        total = pl.col("sum").sum().over("slot")
        confidence = pl.when(total > 0).then(pl.col("sum") / total).otherwise(0.0)
    return vote.alpha * frequency + (1.0 - vote.alpha) * confidence
