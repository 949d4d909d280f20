"""The largest edit matrix that is computed, so that no input keeps misword busy for hours.

The time of an alignment is proportional to the cells of the edit matrix that must be computed. For
texts with few errors these are few: about the length of the text times the number of errors. Two
texts of 20 million characters that have nothing in common would take a day.
"""

from __future__ import annotations

import os
from math import isnan

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError

VARIABLE = "MISWORD_MAX_CELLS"
DEFAULT = 4e12  # two texts of two million characters, whatever they are: some minutes
# A cell takes as long as so many cells with unit costs, of which 64 are computed at once.
WEIGHTED = 64
FORGIVING = 16


def most_cells() -> float:
    """Return the limit: that of the environment variable MISWORD_MAX_CELLS, or the default."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return DEFAULT
    try:
        cells = float(text)
    except ValueError:
        cells = -1.0
    if isnan(cells) or cells <= 0:
        raise OptionError(f"{VARIABLE} is {text!r}", fix=f"give a number such as {DEFAULT:.0e}")
    return cells


def check(
    reference: NDArray[np.int64],
    hypothesis: NDArray[np.int64],
    width: NDArray[np.float64] | None = None,
    weight: float = 1,
) -> None:
    """Raise if pairs of texts of so many tokens need more cells than the limit.

    `width` is a number of cells that is enough for each token of a pair, if it is known. A cell
    counts as `weight` cells with unit costs.
    """
    needed = np.asarray(hypothesis, np.float64)
    if width is not None:
        needed = np.minimum(needed, width)
    cells = weight * needed * (reference + 1.0)
    if len(cells) and cells.max() > most_cells():
        largest = int(np.argmax(cells))
        raise too_long(int(reference[largest]), int(hypothesis[largest]))


def too_long(reference: int, hypothesis: int) -> InputError:
    """Return the error about two texts of so many tokens that need more cells than the limit."""
    return InputError(
        f"an utterance is too long to be aligned: {reference:,} and {hypothesis:,} tokens that "
        f"differ much need more than {most_cells():.0e} cells of the edit matrix",
        fix="divide the utterance, or leave out the metric of these tokens; "
        f"to wait for it, set the environment variable {VARIABLE}={100 * most_cells():.0e}",
    )
