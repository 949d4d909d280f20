"""Remote shards as local files: a worker copies a shard to its disk, reads it and removes it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from misword.core.errors import InputError
from misword.io.shards.listing import Shard, file_system

BLOCK = 1 << 22


@contextmanager
def local_file(shard: Shard) -> Iterator[Path]:
    """Yield the path of a local file with the content of a shard.

    Raises an `OSError` if a remote shard cannot be read now, so that an engine tries again.
    """
    if not shard.is_remote:
        yield Path(shard.path)
        return
    handle, name = tempfile.mkstemp(prefix="misword-shard-")
    try:
        with os.fdopen(handle, "wb") as target:
            for block in _blocks(shard):
                target.write(block)
        yield Path(name)
    finally:
        with suppress(OSError):
            os.unlink(name)


def _blocks(shard: Shard) -> Iterator[bytes]:
    """Yield the content of a remote file block by block."""
    system, path = file_system(shard.path)
    try:
        with system.open(path, "rb") as source:
            while block := source.read(BLOCK):
                yield block
    except FileNotFoundError:
        raise InputError(
            "it is not there any more", where=shard.shown, fix="list the shards again"
        ) from None
    except OSError:
        raise
    except Exception as error:  # each protocol has errors of its own
        raise OSError(f"{type(error).__name__}: {error}") from None
