"""Alternatives in references and hypotheses: where they begin, divide and end.

`{ gonna / going to }` has two readings, `{ um / @ }` may be left out, as in NIST sclite. A slash
separates alternatives if it stands alone or beside `@`; braces without such a slash are ordinary
text. The readers of trn and stm files write all alternatives in this form
(`io/transcripts/formats/sclite_alternatives.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.types import Offsets
from misword.native.library import INTEGER, array, kernel
from misword.text.texts import Texts

if TYPE_CHECKING:
    from polars import Series

DEEPEST = 50  # levels of groups within groups

_find_alternatives = kernel(
    "misword_find_alternatives", array(np.uint8), INTEGER, INTEGER, array(np.int64, out=True),
    array(np.int64, out=True), array(np.int64, out=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """The signs of alternatives in a column of texts: braces and the slashes between them.

    Text `r` has the signs `offsets[r]` to `offsets[r + 1] - 1`; sign `s` is the byte
    `positions[s]` of the column. The signs divide the column into segments of plain words.
    """

    texts: Texts
    positions: Offsets
    offsets: Offsets

    @classmethod
    def none(cls, texts: Texts) -> Signs:
        """Return the signs of texts without alternatives."""
        return cls(texts, np.zeros(0, np.int64), np.zeros(texts.rows + 1, np.int64))

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The sign at each position: `{`, `/` or `}`."""
        return np.frombuffer(self.texts.data, np.uint8)[self.positions]

    @property
    def segments(self) -> Texts:
        """The text of all segments: one more than there are signs in each text."""
        data = np.frombuffer(self.texts.data, np.uint8).copy()
        data[self.positions] = 0
        return Texts(data.tobytes(), self.texts.rows + len(self.positions))

    @property
    def depths(self) -> Offsets:
        """For each segment, the number of groups of alternatives around it."""
        kinds, rows = self.kinds, np.repeat(np.arange(self.texts.rows), np.diff(self.offsets))
        depths = np.zeros(self.texts.rows + len(kinds), np.int64)
        steps = (kinds == ord("{")).astype(np.int64) - (kinds == ord("}"))
        segments = rows + np.arange(len(kinds)) + 1  # the segment after each sign
        depths[segments] = np.cumsum(steps)
        return depths


def find_signs(texts: Texts, ids: Series, side: str = "utterance") -> Signs:
    """Find the signs of alternatives; `ids` are the ids of the utterances, for messages.

    Braces without a free-standing slash are text. Groups may be nested.
    """
    data, offsets = texts.data, np.zeros(texts.rows + 1, np.int64)
    if b"{" not in data:
        return Signs.none(texts)
    text = np.frombuffer(data, np.uint8)  # in memory a NUL follows, as in every `bytes` object
    room = sum(np.count_nonzero(text == sign) for sign in b"{/}")
    positions, unclosed = np.empty(room, np.int64), np.empty(1, np.int64)
    _find_alternatives(text, texts.rows, room, positions, offsets, unclosed)
    if (row := int(unclosed[0])) >= 0:
        raise InputError(
            f"braces do not match in {texts.split()[row]!r}",
            where=f"{side} {ids[row]!r}",
            fix="write alternatives as { a / b }, or switch them off with --no-alternatives",
        )
    signs = Signs(texts, positions[: offsets[-1]].copy(), offsets)
    depths = signs.depths
    if (deepest := int(depths.max())) > DEEPEST:
        first_segments = offsets[:-1] + np.arange(texts.rows)
        row = int(np.searchsorted(first_segments, depths.argmax(), "right")) - 1
        message = f"alternatives within alternatives, {deepest} levels deep"
        raise InputError(message, where=f"{side} {ids[row]!r}")
    return signs
