"""A process that reads Parquet data, to find out whether polars can read it.

Standard input has each content after its length (8 bytes, little-endian). A line is printed for
each: the problem, or nothing if the content can be read; after a problem the process ends. The
arguments are the bytes of memory and
the seconds that the process may use, and `flat` if nested and binary columns are not read. The
script imports nothing of misword, so that it starts quickly.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path


def main() -> None:
    """Answer for each content."""
    import polars as pl

    memory, seconds, *options = sys.argv[1:]
    set_limits(int(memory), int(seconds))
    while size := sys.stdin.buffer.read(8):
        content = sys.stdin.buffer.read(int.from_bytes(size, "little"))
        answer = ""
        try:
            read(content, flat="flat" in options)
        except (pl.exceptions.PolarsError, OSError, ValueError) as error:
            answer = " ".join(str(error).split()) or type(error).__name__
        except pl.exceptions.PanicException:
            answer = "it is damaged"
        print(answer.encode("ascii", "backslashreplace").decode(), flush=True)
        if answer:
            break


def read(content: bytes, *, flat: bool) -> None:
    """Read all columns that misword reads; raise if that is impossible."""
    import polars as pl

    columns = None
    if flat:
        schema = pl.read_parquet_schema(BytesIO(content))
        kinds = enumerate(schema.values())
        # Positions, because polars reads names such as `*` and `^t.*$` as patterns.
        columns = [at for at, kind in kinds if not kind.is_nested() and kind != pl.Binary]
    pl.read_parquet(BytesIO(content), columns=columns)


def set_limits(memory: int, seconds: int) -> None:
    """Limit the further memory and the time of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        used = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


if __name__ == "__main__":
    main()
