"""The features of hypotheses as columns of numbers, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from misword.asr.tuning.envelopes import Numbers
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted

if TYPE_CHECKING:
    import polars as pl

# Features that need no column in the lists.
RANK, WORDS = "rank", "words"
# An error names so many rows without a value.
ROWS_NAMED = 3


def default_features(columns: Sequence[str]) -> tuple[str, ...]:
    """Return all columns of numbers, or the rank if there are none, and the number of words.

    >>> default_features(["score", "lm"]), default_features([])
    (('score', 'lm', 'words'), ('rank', 'words'))
    """
    named = columns or [RANK]
    return *(name for name in named if name != WORDS), WORDS


def feature_values(
    table: pl.DataFrame, names: Sequence[str], columns: Sequence[str], texts: pl.DataFrame | None
) -> Numbers:
    """Return the features of hypotheses: a row for each name, a column for each row of the table.

    `table` has `utt`, `system`, `rank` and the `columns` of numbers. `texts` has the same keys and
    the `hypothesis`, whose words are counted if no column has their number; it is None if the texts
    are not known. Raises if a name is not known, or if a hypothesis has no finite number.
    """
    _check_names(names, columns)
    values = []
    for name in names:
        if name == WORDS and name not in columns:
            table = _with_words(table, texts)
        _check_column(table, name)
        values.append(table[name].cast(_float()).to_numpy())
    return np.array(values, np.float64).reshape(len(names), len(table))


def _float() -> type[pl.DataType]:
    import polars as pl

    return pl.Float64


def _check_names(names: Sequence[str], columns: Sequence[str]) -> None:
    """Raise if a feature is doubled or not known, or if there is none."""
    known = list(dict.fromkeys([*columns, WORDS, RANK]))
    for name in names:
        if name not in known:
            raise OptionError(
                f"the lists have no feature {name!r}", fix=f"there are: {', '.join(known)}"
            )
    if not names or len(set(names)) < len(names):
        raise OptionError(
            f"features are {', '.join(names) or 'missing'}",
            fix=f"name each once, some of: {', '.join(known)}",
        )


def _with_words(table: pl.DataFrame, texts: pl.DataFrame | None) -> pl.DataFrame:
    """Add the number of words of each hypothesis, as white space separates them."""
    import polars as pl

    if texts is None:
        raise OptionError(
            "the words of the hypotheses cannot be counted, because these scores have no texts",
            fix="leave the feature words out, or give the texts",
        )
    keys = ["utt", "system", "rank"]
    words = pl.col("hypothesis").str.count_matches(r"\S+").alias(WORDS)
    return table.join(texts.select(*keys, words), on=keys, how="left", maintain_order="left")


def _check_column(table: pl.DataFrame, name: str) -> None:
    """Raise if a hypothesis has no finite number; the message names the first of these rows."""
    wrong = table.filter(~table[name].cast(_float()).is_finite().fill_null(False))
    if not len(wrong):
        return
    rows = wrong.head(ROWS_NAMED).select("utt", "rank", name).rows()
    named = "; ".join(
        f"utterance {utt!r}, rank {rank}: {'nothing' if value is None else value}"
        for utt, rank, value in rows
    )
    raise InputError(
        f"the feature {name!r} has no finite number in {counted(len(wrong), 'row')}: {named}",
        fix="give each hypothesis a number, or name other features: --features score,words",
    )
