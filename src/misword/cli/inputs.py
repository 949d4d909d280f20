"""What several commands do with their options: reading of files, provenance of results."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from unicodedata import unidata_version

from misword.cli.commands import options_of
from misword.cli.printing import note
from misword.core.errors import OptionError
from misword.core.options import chosen
from misword.core.version import __version__
from misword.io.files.sources import STDIN, is_pattern, open_source, recorded, shown_path
from misword.io.options import ListReading, Reading, SideReading
from misword.io.transcripts.files import CorpusFiles, TranslatedLists

if TYPE_CHECKING:
    from misword.core.lazy import pl
    from misword.core.parts import Part
    from misword.io.shards import Shards as ShardSource

Files = TypeVar("Files", CorpusFiles, TranslatedLists)


class Inputs:
    """The files that a command reads, with the hash of each for the provenance of the result.

    The command passes `files()` to `misword.score` or a similar function. That function reads them
    after it has checked its options, so that a wrong option is reported before anything is read.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.hashes: dict[str, str] = {}
        # Only these options write the provenance; without them no hash is computed.
        self._hashing = any(getattr(options, name, None) is not None for name in ("out", "report"))
        self._files: list[CorpusFiles | TranslatedLists] = []

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Return a context for reading: it prints notes on files, and adds the hash of each."""
        with ExitStack() as stack:
            stack.callback(self._print_notes)
            hashes = stack.enter_context(recorded()) if self._hashing else {}
            yield
        self.hashes |= hashes

    def _print_notes(self) -> None:
        """Print the notes on the files that were read."""
        note(*(text for files in self._files for text in files.notes))
        self._files.clear()

    def record(self, path: Path) -> None:
        """Add the hash of a file."""
        with self.reading():
            open_source(path)

    def files(
        self,
        *,
        ranks: int | None = 1,
        options: argparse.Namespace | None = None,
        cuts: bool = False,
    ) -> CorpusFiles:
        """Return the files of the corpus, or the files that other options name.

        `ranks` is the number of hypotheses of each list that are read; None for all. Only commands
        that cut hypotheses at the segments of references (`cuts`) do so without being asked.
        """
        named = options or self.options
        reading = chosen(named, Reading)
        if not cuts and reading["segments"] == "auto":
            reading["segments"] = "as-they-are"
        if not getattr(named, "alternatives", True):
            _refuse_unread_alternatives(reading)
        return self.noted(CorpusFiles(named.reference, named.hypotheses, reading, ranks))

    def noted(self, files: Files) -> Files:
        """Return files whose notes are printed after reading."""
        self._files.append(files)
        return files

    def source(self, *, ranks: int | None = 1) -> CorpusFiles | ShardSource:
        """Return the files of the corpus, or with --engine its shards."""
        paths = (self.options.reference, *self.options.hypotheses)
        if self.options.engine is not None:
            return shard_source(self.options)
        refuse_shard_options(self.options, *paths)
        return self.files(ranks=ranks, cuts=ranks is not None)

    def used_for_texts(self) -> list[str]:
        """Return the names of the options that preset, normalizers, rules and families read."""
        from misword.asr.options import find_preset
        from misword.core.parts.registry import split_specs
        from misword.text.normalizers import NORMALIZERS

        listed = split_specs(self.options.normalize or "none")
        parts: list[Part] = [NORMALIZERS.create(spec) for spec in listed if spec != "none"]
        parts.append(find_preset(self.options.preset))
        names = ("rules", "forgive", "entities")
        rules = ["lang"] if any(getattr(self.options, name, None) for name in names) else []
        return [*(name for part in parts for name in part.uses), *rules]


def _refuse_unread_alternatives(reading: dict[str, Any]) -> None:
    """Raise if references are to have alternatives that --no-alternatives would read as text."""
    for name in ("more_references", "alternatives_from"):
        if reading[name]:
            flag = f"--{name.replace('_', '-')}"
            raise OptionError(
                f"{flag} makes alternatives, which --no-alternatives reads as text",
                fix=f"leave {flag} or --no-alternatives out",
            )


def read_list_file(
    path: str, options: argparse.Namespace, references: str | None = None
) -> pl.DataFrame:
    """Read all hypotheses of a file of N-best lists, by the options; print notes on the reading."""
    from misword.io.transcripts.writing import read_lists

    lists, notes = read_lists(path, references=references, **chosen(options, ListReading))
    note(*notes)
    return lists


# Shards, which --engine makes of the files.


def shard_source(options: argparse.Namespace) -> ShardSource:
    """Return the shards that the options name; raise if an option has no meaning for them."""
    from misword.io.shards import REASONS, refused
    from misword.io.shards.source import shards

    for name, option in options_of(options.command).items():
        if option.positional:  # the files; the argument `hypotheses` of Python is texts
            continue
        if name in REASONS and getattr(options, name) not in (option.default, []):
            raise refused(name, option.flags_of(name)[0])
    if STDIN in (options.reference, *options.hypotheses):
        raise OptionError("standard input has no shards", fix="name files, or leave out --engine")
    reading = chosen(options, SideReading)
    del reading["encoding"]
    same = ("engine", "out", "keep_going", "workers")
    return shards(
        options.reference,
        options.hypotheses,
        by=getattr(options, "by", ()),
        **{name: getattr(options, name) for name in same},
        **reading,
    )


def refuse_shard_options(options: argparse.Namespace, *paths: str) -> None:
    """Raise if an option for shards, or a pattern of shards, is given without an engine."""
    if options.keep_going:
        raise OptionError("--keep-going is for shards", fix="name an engine: --engine auto")
    for path in paths:
        if is_pattern(path):
            raise OptionError(
                "this names shards", where=shown_path(path), fix="name an engine: --engine auto"
            )


# The provenance of a result.


def provenance(options: argparse.Namespace, command: str, hashes: dict[str, str]) -> dict[str, Any]:
    """Return the origin of a result: version, date, command, options, and a hash of each input."""
    return {
        "misword": __version__,
        "unicode": unidata_version,
        "date": run_date(),
        "command": command,
        "options": _recorded(options, command),
        "sha256": hashes,
    }


def _recorded(options: argparse.Namespace, command: str) -> dict[str, Any]:
    """Return the options that a result records."""
    known = options_of(command).items()
    return {name: _storable(getattr(options, name)) for name, option in known if option.recorded}


def _storable(value: Any) -> Any:
    """Return the value of an option; in paths, bytes that are not UTF-8 are written `\\xNN`."""
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return shown_path(value) if isinstance(value, str) else value


# The date of a run, which its result records and the report shows.

VARIABLE = "SOURCE_DATE_EPOCH"


def run_date() -> str:
    """Return the date of today, such as `2026-11-18`.

    The environment variable SOURCE_DATE_EPOCH sets another date, in seconds since 1970 (UTC). With
    it, a command that is run on another day writes the same bytes.

    Reference: https://reproducible-builds.org/specs/source-date-epoch/
    """
    seconds = os.environ.get(VARIABLE, "").strip()
    if not seconds:
        return date.today().isoformat()
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise OptionError(
            f"{VARIABLE} is {seconds!r}, which is no time",
            fix=f"set it to seconds since 1970, or unset {VARIABLE}",
        ) from None
