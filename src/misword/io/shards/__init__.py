"""Shards: the files of a corpus that is too large for one file, read in constant memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from misword.core.errors import OptionError

if TYPE_CHECKING:
    from misword.core.engines import Engine
    from misword.io.transcripts.pairing import Missing


@dataclass(frozen=True, slots=True)
class ShardReading:
    """How shards are read: the names of columns (None: found by usual names) and of systems.

    `metadata` are the columns that are kept beside ids and texts. `missing` says what becomes of
    utterances without a hypothesis (see `io/transcripts/pairing.py`).
    """

    systems: tuple[str, ...]
    id_column: str | None = None
    reference_column: str | None = None
    hypothesis_columns: tuple[str | None, ...] = (None,)
    metadata: tuple[str, ...] = ()
    missing: Missing = "error"
    format: str | None = None
    hypothesis_format: str | None = None


@dataclass(frozen=True, slots=True)
class Shards:
    """The files of a corpus, how they are read, and how a run over them is made.

    `misword.shards` makes it; `misword.score`, `compare`, `oracle` and `corrupt` take it in place
    of texts.

    Attributes:
        sides: the files of the references, then those of each system that has its own: paths,
            folders, patterns or URLs.
        reading: the names of columns, systems and formats.
        engine: where shards are processed; None chooses by their size (`io/shards/running.py`).
        out: the folder for finished shards.
        keep_going: whether shards that cannot be used are left out.
        workers: how many shards are processed at the same time.
    """

    sides: tuple[str, ...]
    reading: ShardReading
    engine: Engine | None = None
    out: str | None = None
    keep_going: bool = False
    workers: int | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.reading.systems

    def with_metadata(self, names: Sequence[str]) -> Shards:
        """Return the shards with further columns of metadata."""
        metadata = tuple(dict.fromkeys([*self.reading.metadata, *names]))
        return replace(self, reading=replace(self.reading, metadata=metadata))

    def with_baseline(self, name: str) -> Shards:
        """Return the shards with a system as the first one; raise if there are not two systems.

        An empty name changes nothing.
        """
        systems, reading = self.systems, self.reading
        if len(systems) < 2:
            raise OptionError("a comparison needs two systems", fix="name two or more")
        if name and name not in systems:
            raise OptionError(f"no system {name!r}", fix=f"there are: {', '.join(systems)}")
        first = systems.index(name) if name else 0
        order = [first, *(at for at in range(len(systems)) if at != first)]
        reading = replace(reading, systems=tuple(systems[at] for at in order))
        reference, *sides = self.sides
        if sides:
            sides = [sides[at] for at in order]
            return replace(self, sides=(reference, *sides), reading=reading)
        columns = tuple(reading.hypothesis_columns[at] for at in order)
        return replace(self, reading=replace(reading, hypothesis_columns=columns))


# What shards do not have, by argument or option, and why.
REASONS = {
    "hypotheses": "the shards name their own hypotheses (metrics are named: metrics='wer')",
    "ids": "the shards have their own ids",
    "metadata": "metadata are columns of the shards",
    "more_references": "further references are read as whole files",
    "join": "the utterances of a recording may be in different shards",
    "segments": "the utterances of a recording may be in different shards",
    "alternatives_from": "it is for nlp files, and shards are Parquet, CSV or JSON lines",
    "tags_from": "it is for nlp files, and shards are Parquet, CSV or JSON lines",
    "encoding": "shards are read as UTF-8",
    "confidences": "their measures need the confidences of all words at once",
    "categorical": "it is for contrasts of single utterances, which shards do not keep",
    "ranks": "only `oracle` keeps all hypotheses of N-best lists in shards",
    "output": "the chosen texts are written as a table: --out",
    "translations": "translations are scored with all chosen texts at once",
    "translate": "translations are scored with all chosen texts at once",
    "audio": "the report has no single utterances, which shards do not keep",
    "slices": "how often a word is in the references is known only at the end",
    "worst": "they keep no single utterances",
    "contrast": "they keep no single utterances",
    "table": "they keep no single utterances; misword.shards(..., out=DIR) writes their statistics",
}


def refused(name: str, shown: str = "") -> OptionError:
    """Return the error about what shards do not have; `shown` is how the user names it."""
    return OptionError(
        f"{shown or name} cannot be used with shards: {REASONS[name]}",
        fix="leave it out, or read the texts as one file",
    )


def refuse_arguments(arguments: Mapping[str, Any]) -> None:
    """Raise if an argument is given that shards do not have."""
    for name, value in arguments.items():
        absent = value is None or (isinstance(value, tuple | list) and not value)
        if name in REASONS and not absent:
            raise refused(name)


def takes_no_shards() -> OptionError:
    """Return the error of a function that needs all texts at once."""
    return OptionError(
        "this function takes no shards",
        fix="score, compare, oracle and corrupt take them; read the texts as one file",
    )
