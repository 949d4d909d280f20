"""Slices of a gold lexicon by the flags that `misword audit -o` wrote into its columns."""

from __future__ import annotations

import numpy as np

from misword.bli.evaluation.headword_counts import PairFlags
from misword.bli.evaluation.slices import slices_of
from misword.bli.flags import FLAGS
from misword.core.errors import InputError, OptionError
from misword.io.lexicons import Lexicon

THRESHOLD = 0.5  # the probability from which a pair has a flag
FIX = "flags are columns of the lexicons that `misword audit -o FILE` writes"


def flag_columns(lexicon: Lexicon) -> tuple[str, ...]:
    """Return the columns of a lexicon that are flags; raise if it has none."""
    known = FLAGS.entries()
    found = tuple(column for column in lexicon.columns if column in known)
    if not found:
        raise OptionError("no flags in the lexicon", where=lexicon.name, fix=FIX)
    return found


def slices_by(lexicon: Lexicon, column: str) -> dict[str, PairFlags]:
    """Return the slices of a column: the pairs with and without a flag, or those of its values.

    A flag that all pairs have, or none, gives one slice.

    >>> gold = Lexicon(("a", "b"), ("x", "y"), (1, 2), columns={"identical": ("0.00", "1.00")})
    >>> {value: pairs.tolist() for value, pairs in slices_by(gold, "identical").items()}
    {'no': [True, False], 'yes': [False, True]}
    """
    if column not in FLAGS.entries() or column not in lexicon.columns:
        return slices_of(lexicon, column)
    try:
        flagged = np.array([float(value or 0) >= THRESHOLD for value in lexicon.columns[column]])
    except ValueError as error:
        raise InputError(
            f"column {column!r} has other values than probabilities: {error}",
            where=lexicon.name,
            fix=FIX,
        ) from None
    slices = {"no": ~flagged, "yes": flagged}
    return {value: pairs for value, pairs in slices.items() if pairs.any()}
