"""The error of a run over shards, which names every shard that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

from misword.core.errors import InputError, MiswordError
from misword.core.formatting import counted


class ShardsError(InputError):
    """Some shards cannot be used; `failures` has the error of each of them."""

    def __init__(self, failures: Sequence[MiswordError], shards: int) -> None:
        self.failures = tuple(failures)
        advice = list(dict.fromkeys(failure.fix for failure in failures if failure.fix))
        super().__init__(
            f"{counted(len(failures), 'problem')} in {counted(shards, 'shard')}",
            fix=advice[0] if len(advice) == 1 else "--keep-going leaves these shards out",
        )

    def __str__(self) -> str:
        """Return the number of problems, and a line for each of them."""
        head, *advice = super().__str__().splitlines()
        lines = (f"  {str(failure).splitlines()[0]}" for failure in self.failures)
        return "\n".join([f"{head}:", *lines, *advice])
