"""A channel asked for real errors: how likely it thinks them, and which rank they have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.noise.channels import Channel
from misword.noise.hearing import Weights
from misword.noise.learnt.observed import Ints, Observed


class Asked:
    """A channel's table, asked for the probability and the rank of errors."""

    def __init__(self, part: Channel, words: list[str], context: Context) -> None:
        self.table = part.hear(words, context).candidates
        self.rows = {word: row for row, word in enumerate(words)}
        self.place = {word: at for at, word in enumerate(self.table.heard)}
        self.own = self.table.own()

    def about(
        self, observed: Observed, said: Ints, heard: Ints, size: int
    ) -> tuple[Weights, NDArray[np.bool_], Weights]:
        """Probability, whether the said word has candidates, and rank, of each error.

        Equals share their mean rank. What the channel gives nothing is after all it gives
        something, anywhere among the rest of a vocabulary of `size` words.
        """
        vocabulary = observed.vocabulary
        place = np.array([self.place.get(word, -1) for word in vocabulary], np.int64)
        chance, rank = np.zeros(len(said)), np.zeros(len(said))
        filled = np.zeros(len(said), bool)
        order = np.argsort(said, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(said[order])) + 1)
        for group in groups if len(said) else ():
            row = self.rows[vocabulary[said[group[0]]]]
            dense = self._dense(row)
            got = place[heard[group]]
            mine = np.where(got >= 0, dense[got], 0.0)
            some = np.sort(dense[dense > 0])
            greater = len(some) - np.searchsorted(some, mine, side="right")
            equal = np.searchsorted(some, mine, side="right") - np.searchsorted(some, mine)
            rest = max(size - len(some), 1)
            chance[group], filled[group] = mine, len(some) > 0
            rank[group] = np.where(mine > 0, greater + (equal + 1) / 2, len(some) + (rest + 1) / 2)
        return chance, filled, rank

    def _dense(self, row: int) -> Weights:
        """The probability of every heard word."""
        table = self.table
        found = np.zeros(len(table.heard))
        if share := table.shares[row]:
            found += table.common
            if self.own[row] >= 0:
                found[self.own[row]] = 0.0
            found *= share / found.sum()
        cut = slice(table.offsets[row], table.offsets[row + 1])
        found[table.ids[cut]] += table.probability[cut]
        return found
