"""The history of a benchmark: one Parquet file to which each run adds its rows.

A row has the statistics of one metric of one system on one test set, for one group of utterances:
a list with the statistics of each utterance, in the order of the utterance ids. They add up, so
rates, intervals, groups and tests can be computed from them without the texts. DuckDB and polars
read the file: `SELECT date, system, sum(errors) / sum(reference) FROM 'runs.parquet' GROUP BY ALL`.

Parquet has its index at the end, so a file cannot grow in place without a moment in which it cannot
be read. Appending therefore writes a new file beside the old one, and moves it to its place in one
step: a killed process leaves the old file or the new one. A writer holds a lock from reading the
old file until its own is in place, so that two writers lose nothing. The lock is that of a file of
its own (`.runs.parquet.lock`); the system releases it when its process ends, however it ends.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.io.files.checksums import VerificationRecord
from misword.io.files.parquet import check_parquet, parquet_errors
from misword.io.files.path_errors import naming, real_path
from misword.io.files.sources import PathLike, unreadable
from misword.io.files.writing import whole_files

FIX = "name a file that `misword bench --history` wrote, or a new one"
# The version of the columns. A file of another version is not appended to.
VERSION = 1
COLUMNS: dict[str, Any] = {
    "format": pl.Int32,
    "run": pl.String,
    "time": pl.Datetime("ms", "UTC"),
    "date": pl.Date,
    "step": pl.Float64,
    "version": pl.String,
    "set": pl.String,
    "system": pl.String,
    "metric": pl.String,
    "signature": pl.String,
    "group": pl.String,
    "utterances": pl.Int64,
    "errors": pl.Float64,
    "reference": pl.Float64,
    "rate": pl.Float64,
    "ids": pl.String,
    "statistics": pl.List(pl.String),
    "counts": pl.List(pl.Int32),
    "fractions": pl.List(pl.Float64),
    "misword": pl.String,
    "provenance": pl.String,
}
PATIENCE = 5.0  # seconds after which a note says that another process writes
LONGEST_WAIT = 600.0  # seconds
PAUSE = 0.02  # seconds between two attempts


@dataclass(frozen=True, slots=True)
class Run:
    """What identifies a run: its name, its time, and its step or version if the user gave one."""

    name: str
    time: datetime
    step: float | None = None
    version: str | None = None

    @classmethod
    def now(cls, step: float | None = None, version: str | None = None) -> Run:
        """Return a new run; SOURCE_DATE_EPOCH sets another time, as for the date of results."""
        seconds = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
        moment = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdecimal() else None
        moment = moment or datetime.now(UTC)
        return cls(f"{moment:%Y%m%dT%H%M%S}-{token_hex(4)}", moment, step, version)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of a row that say which run it is of."""
        moment = self.time.replace(microsecond=self.time.microsecond // 1000 * 1000)
        return {"format": VERSION, "run": self.name, "time": moment, "date": moment.date(),
                "step": self.step, "version": self.version}  # fmt: skip


def table_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a table with the columns of a history."""
    return pl.DataFrame(list(rows), schema=COLUMNS, orient="row")


def digest(ids: pl.Series) -> str:
    """Return a hash of the ids of utterances, by which runs know that they have the same ones."""
    found = sha256()
    for value in ids.cast(pl.String):
        found.update(f"{len(value)}:{value},".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:32]


def packed(statistics: NDArray[Any], whole: Sequence[bool]) -> dict[str, list[Any]]:
    """Return the statistics of utterances as the two lists of a row: counts, then fractions."""
    counted = np.asarray(whole, np.bool_)
    return {
        "counts": statistics[:, counted].astype(np.int32).ravel().tolist(),
        "fractions": statistics[:, ~counted].astype(np.float64).ravel().tolist(),
    }


def unpacked(row: Mapping[str, Any], whole: Sequence[bool]) -> NDArray[Any]:
    """Return the statistics of the utterances of a row: (utterances, statistics)."""
    counted = np.asarray(whole, np.bool_)
    size = int(row["utterances"])
    kind = np.int64 if counted.all() else np.float64
    values = np.zeros((size, len(counted)), kind)
    for name, places in (("counts", counted), ("fractions", ~counted)):
        if places.any():
            values[:, places] = np.asarray(row[name], kind).reshape(size, -1)
    return values


def group_key(values: Mapping[str, Any]) -> str:
    """Return the values of the columns of a group as the text of a row.

    >>> group_key({"speaker": "anna", "level": 2})
    '{"speaker": "anna", "level": "2"}'
    """
    shown = {name: None if value is None else str(value) for name, value in values.items()}
    return json.dumps(shown, ensure_ascii=False)


# Reading.


def read_history(path: PathLike, *filters: Any, columns: Sequence[str] = ()) -> pl.DataFrame:
    """Return rows of a history; no rows if there is no such file.

    `filters` are expressions of polars; only rows that meet all of them are read into memory.
    """
    file = real_path(path)
    if not file.exists():
        return table_of([])
    check_history(path)
    with parquet_errors(str(path), FIX):
        rows = pl.scan_parquet(BytesIO(file.read_bytes()))  # a writer may replace the file
        for condition in filters:
            rows = rows.filter(condition)
        return rows.select(list(columns) or list(COLUMNS)).collect()


def check_history(path: PathLike) -> None:
    """Raise unless a file is a history of this version that can be read."""
    file = real_path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise unreadable(str(path), error) from None
    if data[:4] != b"PAR1":
        raise InputError("this is not a history of misword", where=str(path), fix=FIX)
    checked = VerificationRecord.of_content([sha256(data).hexdigest()])
    if not checked.is_known():
        check_parquet({str(path): data}, fix=FIX)
        checked.remember()
    del data
    with parquet_errors(str(path), FIX):
        found = pl.read_parquet_schema(file)
        if set(COLUMNS) - set(found):
            raise InputError("this is not a history of misword", where=str(path), fix=FIX)
        versions = pl.scan_parquet(file).select(pl.col("format").unique()).collect()
    if others := set(versions["format"].to_list()) - {VERSION}:
        raise InputError(
            f"it was written by another version of misword (format {others.pop()})",
            where=str(path),
            fix="use that version, or begin a new file",
        )


# Appending.


@contextmanager
def appending(path: PathLike, note: Callable[[str], None] = lambda text: None) -> Iterator[None]:
    """Hold the lock of a history within this context; wait while another process has it."""
    lock = lock_path(path)
    with naming(path):
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _wait(handle, path, note)
        yield
    finally:
        os.close(handle)  # this releases the lock


def lock_path(path: PathLike) -> Path:
    """Return the file whose lock writers hold. It is not removed: two would then have one each."""
    target = real_path(path)
    return target.with_name(f".{target.name}.lock")


def _wait(handle: int, path: PathLike, note: Callable[[str], None]) -> None:
    start, told = time.monotonic(), False
    while not _locks(handle, path):
        waited = time.monotonic() - start
        if waited > LONGEST_WAIT:
            raise OptionError(
                "another process has been writing it for ten minutes",
                where=str(path),
                fix="end that process, and run the command again",
            )
        if waited > PATIENCE and not told:
            note(f"{path}: waiting for another process that writes it")
            told = True
        time.sleep(PAUSE)


def _locks(handle: int, path: PathLike) -> bool:
    """Take the lock; return False if another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK):
            return False
        raise OptionError(
            "this file system has no locks, so that two runs could lose rows",
            where=str(path),
            fix="keep the history on a local disk",
        ) from None
    return True


def append(path: PathLike, rows: pl.DataFrame) -> None:
    """Add rows to a history, completely or not at all; call it within `appending`."""
    file = real_path(path)
    parts = [rows.lazy().select(pl.col(name).cast(kind) for name, kind in COLUMNS.items())]
    if file.exists():
        check_history(path)
        parts.insert(0, pl.scan_parquet(file).select(list(COLUMNS)))
    with whole_files([path]) as (fresh,), parquet_errors(str(path), FIX):
        # Row by row from file to file: the rows of all runs need not fit in memory.
        pl.concat(parts).sink_parquet(fresh, compression="zstd", row_group_size=ROW_GROUP)


ROW_GROUP = 512  # rows; each has the statistics of many utterances
