"""Verdicts of a person on answers: a table with yes, no or nothing in the column `verdict`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from misword.bli.auditing.false_positives import Doubtful, Verdicts, doubtful_table
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.io.files.sources import PathLike, open_source
from misword.io.formulas import without_formula
from misword.io.lexicon_writing import write_lexicon
from misword.io.lexicons import read_lexicon

YES, NO = (
    frozenset({"yes", "y", "1", "true", "right"}),
    frozenset({"no", "n", "0", "false", "wrong"}),
)
COLUMNS = ("source", "candidate", "verdict", "gold", "systems", "evidence")
SUFFIXES = (".tsv", ".csv")
SHOWN = 3  # pairs that an error names


def check_verdict_path(path: PathLike) -> None:
    """Raise unless the file is a table with tabs or commas."""
    if Path(os.fspath(path)).suffix.lower() not in SUFFIXES:
        raise OptionError(
            "verdicts are kept in tables", where=os.fspath(path), fix="name a .tsv or .csv file"
        )


def read_verdicts(path: PathLike, rows: Sequence[Doubtful]) -> dict[tuple[str, str], bool]:
    """Read the verdicts of a file; none if there is no such file yet.

    Raises if a verdict is neither yes nor no, or about an answer that is not in `rows`.
    """
    if not os.path.exists(path) or len(open_source(path).lines) == 1:  # nothing but the header
        return {}
    table = read_lexicon(path, columns=("source", "candidate"))
    if "verdict" not in table.columns:
        raise InputError(
            "no column 'verdict'", where=table.name, fix=f"its columns are {', '.join(COLUMNS)}"
        )
    for number, lines in table.copies.items():
        words = " – ".join((table.source[number], table.target[number]))
        raise InputError(
            f"{words} is also in line {table.lines[number]}",
            where=f"{table.name}:{lines[0]}",
            fix="keep one of the two lines",
        )
    verdicts: dict[tuple[str, str], bool] = {}
    # In CSV, words that begin like a formula were written with an apostrophe.
    written = {
        (without_formula(row.source), without_formula(row.candidate)): row.key for row in rows
    }
    pairs = zip(table.source, table.target, strict=True)
    for pair, text, line in zip(pairs, table.columns["verdict"], table.lines, strict=True):
        verdict = text.strip().lower()
        if verdict not in YES | NO | {""}:
            raise InputError(
                f"verdict {text!r}", where=f"{table.name}:{line}", fix="write yes or no, or nothing"
            )
        if verdict:
            verdicts[written.get(pair, pair)] = verdict in YES
    _check_pairs(verdicts, rows, table.name)
    return verdicts


def _check_pairs(verdicts: Verdicts, rows: Iterable[Doubtful], name: str) -> None:
    """Raise if there are verdicts on answers that no system gives as an error."""
    unknown = sorted(verdicts.keys() - {row.key for row in rows})
    if unknown:
        examples = ", ".join(" – ".join(pair) for pair in unknown[:SHOWN])
        raise InputError(
            f"{counted(len(unknown), 'verdict')} on answers that are not to be judged: {examples}",
            where=name,
            fix="judge the answers of this lexicon and these systems, or name another file; "
            "nothing was changed",
        )


def write_verdicts(path: PathLike, rows: Sequence[Doubtful], verdicts: Verdicts) -> None:
    """Write the answers to be judged, with the verdicts so far."""
    table = doubtful_table(rows, verdicts).select(COLUMNS)
    write_lexicon([COLUMNS, *table.rows()], path)
