"""Base class and helpers of the formats of N-best lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading, free_name
from misword.io.transcripts.formats import Format

if TYPE_CHECKING:
    import polars as pl

# The columns of a reading with the place of a hypothesis in its list, from 1, and with its score.
RANK = free_name("rank", ())
SCORE = free_name("score", ())


class ListFormat(Format):
    """A format of N-best lists: `read` returns all hypotheses, with ranks, scores and features."""

    __slots__ = ()

    family: ClassVar[str] = "N-best lists"

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Refuse: a file of N-best lists has no text of an utterance that could be replaced."""
        raise OptionError(
            f"{source.shown} has N-best lists ({self.name})", fix="name a file with one text each"
        )


@dataclass
class Hypotheses:
    """Collects the hypotheses of a source in the order of their lists.

    `add` appends a hypothesis; its rank is its place among those of the same utterance, unless it
    is given. The hypotheses of an utterance must follow each other, unless they have ranks.
    """

    source: Source
    utts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    numbers: list[dict[str, float]] = field(default_factory=list)
    _sizes: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        utt: str,
        text: str,
        line: int | None,
        numbers: dict[str, float],
        rank: int | None = None,
    ) -> None:
        """Append a hypothesis; `numbers` are its features, `score` among them."""
        size = self._sizes[utt] = self._sizes.get(utt, 0) + 1
        if rank is None and size > 1 and self.utts[-1] != utt:
            raise MismatchError(
                f"the hypotheses of utterance {utt!r} do not follow each other",
                where=self.source.at(line),
                fix="if the file has the lists of several systems, make a file of each",
            )
        self.utts.append(utt)
        self.texts.append(text.strip())
        self.lines.append(line)
        self.ranks.append(size if rank is None else rank)
        self.numbers.append(numbers)

    def reading(self, notes: Iterable[str] = (), *, by_position: bool = False) -> Reading:
        """Return all hypotheses."""
        import polars as pl

        names = dict.fromkeys(name for numbers in self.numbers for name in numbers)
        columns = [
            pl.Series("utt", self.utts, pl.String),
            pl.Series("text", self.texts, pl.String),
            pl.Series("line", self.lines, pl.Int64),
            pl.Series(RANK, self.ranks, pl.Int64),
        ]
        own = [column.name for column in columns]
        for name in names:
            shown = SCORE if name == "score" else free_name(name, own)
            columns.append(self._feature(name).alias(shown))
        return Reading(pl.DataFrame(columns), tuple(notes), by_position=by_position)

    def _feature(self, name: str) -> pl.Series:
        import polars as pl

        return pl.Series(name, [numbers.get(name) for numbers in self.numbers], pl.Float64)


def number(text: str, what: str, source: Source, line: int | None) -> float:
    """Return a number of a text; raise if it is not a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{what} is not a finite number: {text[:40]!r}",
            where=source.at(line),
            fix="mend the line, or leave the utterance out",
        )
    return value
