"""Word transition networks: the words of several transcripts of an utterance, slot by slot.

A slot has the words that the transcripts have in one place; a transcript without a word there has
none. Transcripts are put into the network one after the other, each aligned with the network of
those before it: an equal word of the slot costs 0, another word 4, a place where others have no
word 1, a new slot 3, a slot that the transcript leaves out 3, or 0.001 if another one did too.
Costs, ties and rounding are those of the program `rover`, and so are the networks.

Reference: J. Fiscus, A post-processing system to yield reduced word error rates: Recognizer Output
Voting Error Reduction (ROVER), ASRU 1997.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.types import Offsets, Tokens
from misword.core.workers import run
from misword.native.library import INTEGER, TOO_LARGE, array, kernel

# Cells of the largest table, of about three bytes each.
MOST_CELLS = 1 << 30
MOST_TRANSCRIPTS = 65_535

NUMBERS, NUMBERS_OUT = array(np.int64), array(np.int64, out=True)
_word_networks = kernel(
    "misword_word_networks", array(np.int32), NUMBERS, NUMBERS, INTEGER, INTEGER, NUMBERS_OUT,
    NUMBERS_OUT,
)  # fmt: skip


class WordNetworks(NamedTuple):
    """The slot of each word of the transcripts, from 0 in each utterance, and how many there are.

    `slots` has a number for each utterance.
    """

    slot_of: NDArray[np.int64]
    slots: NDArray[np.int64]


def word_networks(
    transcripts: Tokens, utterance_at: Offsets, workers: int | None = None
) -> WordNetworks:
    """Make the network of each utterance.

    The transcripts of utterance `u` are the rows `utterance_at[u]` to `utterance_at[u + 1] - 1`, in
    the order in which they are put into the network; there is at least one.

    >>> from misword.text.tokens import encode_lists
    >>> rows = encode_lists([["a", "b", "c"], ["a", "c"], ["x", "a", "c"]])
    >>> networks = word_networks(rows, np.array([0, 3]))
    >>> networks.slot_of.tolist(), networks.slots.tolist()
    ([1, 2, 3, 1, 3, 0, 1, 3], [4])
    """
    ids = np.ascontiguousarray(transcripts.ids, np.int32)
    at = np.ascontiguousarray(transcripts.offsets, np.int64)
    utterance_at = np.ascontiguousarray(utterance_at, np.int64)
    cells = _cells(at, utterance_at)
    slot_of = np.empty(len(ids), np.int64)
    slots = np.zeros(len(utterance_at) - 1, np.int64)

    def work(lo: int, hi: int) -> None:
        if _word_networks(ids, at, utterance_at, lo, hi, slot_of, slots) == TOO_LARGE:
            raise InputError(
                f"an utterance has more than {MOST_TRANSCRIPTS:,} transcripts",
                fix="combine fewer of them",
            )

    run(work, cells, workers)
    return WordNetworks(slot_of, slots)


def _cells(at: Offsets, utterance_at: Offsets) -> NDArray[np.int64]:
    """Return about the number of cells of each utterance; raise if its table is too large."""
    lengths = np.append(np.diff(at), 0)
    starts = utterance_at[:-1]
    if not len(starts):
        return np.zeros(0, np.int64)
    longest = np.maximum.reduceat(lengths, starts)
    largest = int(np.argmax(longest)) if len(longest) else 0
    if len(longest) and float(longest[largest] + 1) ** 2 > MOST_CELLS:
        raise InputError(
            f"an utterance is too long to be combined: {int(longest[largest]):,} words",
            fix="divide the utterances, by the pauses of the speech for example",
        )
    total = at[utterance_at[1:]] - at[starts]
    return np.asarray((longest + 1) * (total + 1), np.int64)
