"""Tables that are computed on first use: the words of alignments, the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MakeTable = Callable[[], "pl.DataFrame"]


@dataclass(frozen=True)
class JoinedTables:
    """Makes a table of the rows of several tables.

    A sum of many scores has one of these and not one inside another, which would exceed the depth
    of calls that Python allows.
    """

    parts: tuple[MakeTable, ...]

    def __call__(self) -> pl.DataFrame:
        """Make the table."""
        import polars as pl

        return pl.concat([make() for make in self.parts], how="diagonal_relaxed")


class LazyTables(Mapping[str, "pl.DataFrame"]):
    """Tables by name, each computed on first use and then stored.

    >>> import polars as pl
    >>> tables = LazyTables({"words": lambda: pl.DataFrame({"utt": ["a"]})})
    >>> tables.map(lambda table: table.with_columns(rank=1))["words"].columns
    ['utt', 'rank']
    """

    def __init__(self, makers: Mapping[str, MakeTable] | None = None) -> None:
        self._makers = {name: cache(make) for name, make in (makers or {}).items()}

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._makers  # without computing the table

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def map(self, change: Callable[[pl.DataFrame], pl.DataFrame]) -> LazyTables:
        """Return the same tables with `change` applied to each on first use."""

        def changed(name: str) -> pl.DataFrame:
            return change(self[name])

        return LazyTables({name: partial(changed, name) for name in self})

    def with_table(self, name: str, make: MakeTable) -> LazyTables:
        """Return the same tables and one more."""
        return LazyTables({**self._makers, name: make})

    def append(self, other: LazyTables) -> LazyTables:
        """Return the tables that both have, with the rows of `other` below these."""

        names = [name for name in self if name in other]
        return LazyTables(
            {name: JoinedTables((*self._parts(name), *other._parts(name))) for name in names}
        )

    def _parts(self, name: str) -> tuple[MakeTable, ...]:
        """Return what makes a table: several makers if it was joined before."""
        make = self._makers[name]
        original = getattr(make, "__wrapped__", make)
        return original.parts if isinstance(original, JoinedTables) else (make,)
