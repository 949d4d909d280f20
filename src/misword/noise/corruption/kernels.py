"""Compiled copying of stretches of bytes. Imported only where the text is large."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from misword.core.compiled import compiled


@compiled
def copy_stretches(pool, starts, ends, target):
    """Copy `pool[starts[i]:ends[i]]` for each `i` into `target`, one after the other."""
    at = 0
    for i in range(len(starts)):
        for byte in range(starts[i], ends[i]):
            target[at] = pool[byte]
            at += 1
