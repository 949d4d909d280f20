"""Edits of words as edits of bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.noise.corruption.sampler import Flags, Ints, Spelling
from misword.noise.corruption.text_block import Passage
from misword.noise.corruption.word_shape import LOWER, UPPER


def edits(
    passage: Passage, shapes: Ints, heard: Ints, inserted: Ints, chosen: Flags, spelling: Spelling
) -> tuple[Ints, Ints, Ints]:
    """Which bytes are replaced by which piece of the spelling, in order, in the chosen rows."""
    size, row_of, forms = len(heard), passage.row_of, spelling.offsets
    _, before, length, case = shapes
    ids = passage.tokens.ids
    found: list[NDArray[np.int64]] = []
    words = np.flatnonzero((heard >= 0) & chosen[row_of])
    token = ids[words]
    core = passage.starts[words] + before[token]
    form = heard[words] * 3 + case[token]
    found.append(np.stack([core, core + length[token], forms[form] + 1, forms[form + 1] - 1]))
    found.append(deletions(passage, heard, chosen))
    gaps = np.flatnonzero((inserted[:size] >= 0) & chosen[row_of])
    form = inserted[gaps] * 3 + np.where(case[ids[gaps]] == UPPER, UPPER, LOWER)
    at = passage.ends[gaps]
    found.append(np.stack([at, at, forms[form], forms[form + 1] - 1]))  # with the space before
    rows = np.flatnonzero((inserted[size:] >= 0) & chosen)
    first = passage.offsets[rows]
    form = inserted[size + rows] * 3 + np.where(case[ids[first]] == UPPER, UPPER, LOWER)
    at = passage.starts[first]
    found.append(np.stack([at, at, forms[form] + 1, forms[form + 1]]))  # with the space after
    table = np.concatenate(found, axis=1)
    begin, end, low, high = table[:, np.lexsort((table[1], table[0]))]
    return begin, end, np.stack([low, high], axis=1)


def deletions(passage: Passage, heard: Ints, chosen: Flags) -> NDArray[np.int64]:
    """The bytes of deleted words, each with the white space before it, or after it at the front."""
    gone = heard == -2
    words = np.flatnonzero(gone & chosen[passage.row_of])
    if not len(words):
        return np.zeros((4, 0), np.int64)
    first = passage.offsets[passage.row_of[words]]
    last = passage.offsets[passage.row_of[words] + 1] - 1
    so_far = np.cumsum(gone)
    whole = so_far[words] - so_far[first] + gone[first] == words - first + 1  # all so far are gone
    following = passage.starts[np.minimum(words + 1, len(heard) - 1)]
    begin = np.where(whole, passage.starts[words], passage.ends[np.maximum(words - 1, 0)])
    end = np.where(whole & (words < last), following, passage.ends[words])
    return np.stack([begin, end, np.zeros_like(begin), np.zeros_like(begin)])
