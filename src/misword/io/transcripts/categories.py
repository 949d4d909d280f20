"""Metadata columns whose numbers are names: speaker 17 is not 17 of anything.

The mean of such numbers has no meaning, and a filter from 3 to 8 selects speakers by chance. A
column of whole numbers is therefore a category if its name says so (`speaker`, `session_id`, ...),
or if it has few distinct values, each in several rows. Other columns can be named by the user; they
have the data type `Categorical` of polars from then on, in result folders too.

Known problems: whole numbers that are quantities, such as levels of noise in decibels, are also
categories if there are few of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from misword.core.errors import OptionError
from misword.io.transcripts.columns import typed

if TYPE_CHECKING:
    import polars as pl

# Words in the name of a column whose numbers are names.
NAMES = frozenset(
    (
        *("id", "ids", "speaker", "speakers", "spk", "speakerid", "spkid", "client", "user"),
        *("reader", "talker", "session", "recording", "document", "doc", "file", "channel"),
        *("device", "microphone", "mic", "room", "fold", "split", "batch", "group", "cluster"),
    )
)
# The most distinct numbers, and the fewest rows for each of them, of a category with another name.
MOST_VALUES = 10
FEWEST_ROWS = 5


def interpret(values: pl.Series) -> pl.Series:
    """Return a metadata column as numbers or as text: text if its numbers are names.

    >>> import polars as pl
    >>> interpret(pl.Series("speaker_id", [17, 4])).to_list()
    ['17', '4']
    >>> interpret(pl.Series("age", ["30", "41"])).to_list()
    [30, 41]
    """
    import polars as pl

    numbers = typed(values)
    if not numbers.dtype.is_numeric():
        return numbers
    whole = numbers
    if numbers.dtype.is_float():  # a column of whole numbers with missing values, from pandas
        numbers = numbers.fill_nan(None)
        whole = numbers.cast(pl.Int64, strict=False)
        if not (whole == numbers).all() or whole.null_count() != numbers.null_count():
            return numbers
    return whole.cast(pl.String) if _are_names(whole) else numbers


def as_categories(
    frame: pl.DataFrame, names: Sequence[str], metadata: Sequence[str]
) -> pl.DataFrame:
    """Return a table with the named columns as categories; raise if one is no metadata column.

    >>> import polars as pl
    >>> as_categories(pl.DataFrame({"snr": [0, 5]}), ["snr"], metadata=["snr"])["snr"].dtype
    Categorical
    """
    import polars as pl

    for name in names:
        if name not in metadata:
            fix = f"columns: {', '.join(metadata) or 'there are none; add some with --metadata'}"
            raise OptionError(f"no column {name!r} of metadata", fix=fix)
    return frame.with_columns(frame[name].cast(pl.String).cast(pl.Categorical) for name in names)


def _are_names(numbers: pl.Series) -> bool:
    """Return whether whole numbers are names, by the name of the column or by their number."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", numbers.name).lower()
    if NAMES.intersection(re.findall(r"[^\W\d_]+", split)):
        return True
    present = numbers.drop_nulls()
    distinct = present.n_unique()
    return distinct <= MOST_VALUES and distinct * FEWEST_ROWS <= len(present)
