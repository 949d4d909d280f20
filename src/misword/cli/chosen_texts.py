"""Output of commands that choose or combine texts, with references or without (mbr, combine)."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from misword.cli.inputs import Inputs
from misword.cli.output import note_unused, p_value, percent, span, write_output
from misword.cli.printing import note
from misword.io.files.outputs import together
from misword.io.files.writing import write_whole
from misword.io.transcripts.one_best_files import one_best_file

if TYPE_CHECKING:
    import polars as pl

    from misword.core.types import Result
    from misword.stat.scores import Scores

Row = dict[str, Any]

# Texts that are printed if there are no references.
TEXTS_SHOWN = 20


def write_texts(texts: pl.DataFrame, result: Result, options: argparse.Namespace) -> None:
    """Write the texts to the file of `-o`, and the result, all of them or none."""
    with together():
        if options.output is not None:
            write_whole(one_best_file(texts, options.output), options.output)
        write_output(result, options)


def print_notes(scores: Scores | None, notes: Iterable[str], inputs: Inputs) -> None:
    """Print the notes on the scores, if there are references, and the notes on the texts."""
    if scores is not None:
        note_unused(inputs.options, scores, inputs.used_for_texts())
        notes = (*scores.notes, *notes)
    for text in notes:
        note(text)


def rate_cells(row: Row, of: str, p: str) -> list[str]:
    """Return a row of a table of rates: `of` is the column of systems or choices, `p` of p-values.

    The cells are the metric, the system or choice, the rate and its interval, a difference and its
    interval, and the p-value of the difference.
    """
    return [
        row["metric"],
        row[of],
        "undefined" if row["rate"] is None else percent(row["rate"]),
        span(row["low"], row["high"]),
        percent(row["difference"], signed=True),
        span(row["difference_low"], row["difference_high"], signed=True),
        "" if row[p] is None else p_value(row[p]),
    ]


def first_texts(texts: pl.DataFrame, what: str) -> tuple[Iterator[Row], str]:
    """Return the texts that are printed, and the title of their table: empty if these are all."""
    count, rows = len(texts), texts.head(TEXTS_SHOWN)
    title = f"The first {len(rows)} of {count:,} {what} texts" if count > len(rows) else ""
    return rows.iter_rows(named=True), title
