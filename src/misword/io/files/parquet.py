"""Parquet files of unknown origin, read so that a damaged file is an error and not a crash.

polars panics on some damaged Parquet data, and aborts the process on other: one wrong bit in a
length makes it ask for more memory than there is. Such data is therefore read twice. The first time
a process of its own reads it, with a limit on memory and time (`parquet_check.py`); only what this
process could read is read again. It takes 0.2 seconds of CPU time, most of it for the import of
polars.

Known problems: a wrong bit inside a text or a number is not noticed, since most writers of Parquet
store no checksums.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.limits import expansion_limit, memory_limit, too_large

CHECK = Path(__file__).with_name("parquet_check.py")
SECONDS = 5
SECONDS_PER_BYTE = 1e-6  # a slow machine decodes a megabyte in a second
OVERHEAD = 1 << 28  # memory of the threads of polars, and of what the allocator keeps
# What is printed if there is too little memory, also for a thread (errors 11 and 12). Where more is
# asked for than any computer has, a damaged length was read.
OUT_OF_MEMORY = re.compile(r"memory allocation of \d{1,12} bytes failed|os error 1[12]\b")
FIX = "copy or write the file again, or name its format with --input-format"


def check_parquet(contents: Mapping[str, bytes], *, flat: bool = False, fix: str = FIX) -> None:
    """Raise an `InputError` unless each content, by its path in errors, can be read as Parquet.

    One process reads all contents. With `flat`, nested and binary columns are not read.
    """
    if not contents:
        return
    limit = min(memory_limit(), expansion_limit(max(map(len, contents.values()))))
    readable, problem = _first_problem(list(contents.values()), flat, limit)
    if problem:
        shown, data = list(contents.items())[readable]
        if OUT_OF_MEMORY.search(problem):
            raise too_large(shown, limit, len(data))
        raise unreadable_parquet(shown, problem, fix)


def read_checked(data: bytes, shown: str, fix: str = FIX) -> pl.DataFrame:
    """Return the table of Parquet data that `check_parquet` has accepted."""
    with parquet_errors(shown, fix):
        return pl.read_parquet(BytesIO(data))


def read_flat_columns(data: bytes, shown: str) -> tuple[pl.DataFrame, list[str]]:
    """Check Parquet data; return its table without nested and binary columns, and their names."""
    check_parquet({shown: data}, flat=True)
    with parquet_errors(shown, FIX):
        kinds = pl.read_parquet_schema(BytesIO(data))
        left = unread_types(kinds)
        # Positions, because polars reads names such as `*` and `^t.*$` as patterns.
        flat = [place for place, name in enumerate(kinds) if name not in left]
        return pl.read_parquet(BytesIO(data), columns=flat), list(left)


def unread_columns(data: bytes, shown: str) -> dict[str, str]:
    """Return the types of the columns of checked Parquet data that are not read, by their names."""
    with parquet_errors(shown, FIX):
        return unread_types(pl.read_parquet_schema(BytesIO(data)))


def unread_types(kinds: Mapping[str, pl.DataType]) -> dict[str, str]:
    """Return the types of nested and binary columns, which are not read, by the columns' names."""
    return {n: str(kind) for n, kind in kinds.items() if kind.is_nested() or kind == pl.Binary}


@contextmanager
def parquet_errors(shown: str, fix: str) -> Iterator[None]:
    """Return a context within which the errors of polars become an `InputError`."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise unreadable_parquet(shown, str(error), fix) from None


def unreadable_parquet(shown: str, problem: str, fix: str = FIX) -> InputError:
    """Return the error for data that is not Parquet, or damaged."""
    first = problem.strip().partition("\n")[0]
    return InputError(f"this is not a readable Parquet file ({first})", where=shown, fix=fix)


def _first_problem(contents: list[bytes], flat: bool, limit: int) -> tuple[int, str]:
    """Return how many contents can be read one after the other, and why the next cannot.

    The reason is empty if all of them can be read.
    """
    size = sum(map(len, contents))
    seconds = SECONDS + SECONDS_PER_BYTE * size
    # The process has the contents once, and the decoded columns twice while it joins them.
    memory = OVERHEAD + size + 2 * limit
    command = [sys.executable, "-S", "-P", str(CHECK), str(memory), str(int(seconds))]
    given = b"".join(len(content).to_bytes(8, "little") + content for content in contents)
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(
            [*command, *(["flat"] if flat else [])],
            input=given,
            capture_output=True,
            timeout=10 * seconds,  # other processes may need the processor
            env={**os.environ, "PYTHONPATH": paths, "POLARS_MAX_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        return 0, "reading it takes too long"
    except OSError:  # no process can be started here
        return len(contents), ""
    answers = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
    readable = answers.count("")
    printed = OUT_OF_MEMORY.search(done.stderr.decode("utf-8", "replace"))
    if readable == len(contents) and not done.returncode:
        return readable, ""
    return readable, printed[0] if printed else "".join(answers) or "it is damaged"
