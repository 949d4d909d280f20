"""polars, imported when it is first used.

The import of polars takes a tenth of a second of CPU time, which `--help` and a single `wer` do
not need. A module writes `from misword.core.lazy import pl` and uses `pl` as if it were polars.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pl"]


class LazyModule:
    """A stand-in for a module, which is imported when an attribute of it is first read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)  # the next read does not come here
        return value


if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars")
