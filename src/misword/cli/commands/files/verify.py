"""Check files that misword wrote, by their checksums: are they as they were written?

PATH is a result folder (--out), a folder of `misword vectors convert`, a mapping, learnt noise, or
a folder in which all of these are looked for. All bytes are read. One line says for each of them
whether it is whole, damaged, or without checksums: older versions of misword wrote none, and then
only the structure is checked. The exit code is 1 if something is damaged.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypedDict

from misword.cli.options import Format
from misword.cli.output import bars
from misword.cli.rendering import print_table
from misword.core.errors import InputError, MiswordError, OptionError
from misword.core.options import Option
from misword.core.tables import Table, prose, text
from misword.embed import sentence_cache
from misword.embed.vectors import stored_entry
from misword.io import results
from misword.io.files.archives import HEADER, read_archive
from misword.io.files.checksums import KEY
from misword.io.files.strict_json import parse_json
from misword.io.files.writing import cache_folder

EXAMPLES = """\
examples:
  misword verify results/june
  misword verify results/ french-vectors/ en-fr.map noise.json
  misword verify --cache --format json
"""


class CheckedPaths(TypedDict, total=False):
    """What is checked."""

    paths: Annotated[
        list[str],
        Option("files and folders to check", metavar="PATH", positional=True, values="*"),
    ]
    cache: Annotated[
        bool, Option("also check all that the cache folder has", default=False, common=True)
    ]


OPTIONS = (CheckedPaths, Format)


def run(options: argparse.Namespace) -> int:
    """Check all objects, print a row for each, and return 1 if one is damaged."""
    if not options.paths and not options.cache:
        raise OptionError("nothing to check", fix="name a file or a folder, or use --cache")
    found = [thing for path in options.paths for thing in own_objects(Path(path))]
    if options.cache:
        found += cached_objects()
    with bars():
        verdicts = [thing.verify() for thing in found]
    columns = text("path"), text("kind"), text("state"), prose("what")
    print_table(Table("verdicts", columns, list(map(asdict, verdicts))), options.format)
    return int(any(verdict.state == State.DAMAGED for verdict in verdicts))


# The files that misword wrote: how they are found, and how each kind is checked.

MAPPING_SUFFIX, NOISE_SUFFIX = ".map", ".json"
DATASHEET = "datasheet.json"  # of a gold set
HEAD = 4096  # bytes in which the format of a JSON file stands


class State(StrEnum):
    """What a check found."""

    WHOLE = "whole"
    DAMAGED = "damaged"
    UNSURE = "without checksums"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of an object, and what is wrong with it."""

    path: str
    kind: str
    state: State
    what: str = ""


@dataclass(frozen=True, slots=True)
class OwnObject:
    """A file or folder that misword wrote.

    `check` raises a MiswordError if it is damaged, and returns whether it has checksums.
    """

    path: Path
    kind: str
    check: Callable[[Path], bool]

    def verify(self) -> Verdict:
        """Check the object."""
        try:
            has_checksums = self.check(self.path)
        except MiswordError as error:
            elsewhere = error.where and error.where != str(self.path)
            what = f"{error.where}: {error.what}" if elsewhere else error.what
            return Verdict(str(self.path), self.kind, State.DAMAGED, what)
        except OSError as error:
            what = f"cannot be read: {error.strerror or error}"
            return Verdict(str(self.path), self.kind, State.DAMAGED, what)
        return Verdict(str(self.path), self.kind, State.WHOLE if has_checksums else State.UNSURE)


def own_objects(path: Path) -> list[OwnObject]:
    """Return the object at a path, or all objects in a folder; raise if there are none."""
    if not os.path.lexists(path):
        raise InputError("no such file or folder", where=str(path), fix="check the path")
    named = _object_at(path) or _named_object(path)
    found = [named] if named else list(_objects_below(path))
    if not found:
        raise InputError(
            "nothing here was written by misword",
            where=str(path),
            fix="name a result folder, a folder of vectors, a gold set, a mapping or learnt noise",
        )
    return found


def cached_objects() -> list[OwnObject]:
    """Return all objects in the cache folder."""
    from misword.noise.channels.model_cache import FOLDER

    root = cache_folder()
    entries = (file.parent for file in sorted(root.glob(f"vectors/*/{stored_entry.INDEX}")))
    found = [OwnObject(folder, "vectors", stored_entry.verify_entry) for folder in entries]
    models = sorted(root.glob(f"{FOLDER}/*.npz"))
    found += [OwnObject(file, "error model", _check_error_model) for file in models]
    file = sentence_cache.default_file()
    if file.exists():
        found.append(OwnObject(file, "sentence cache", _check_sentences))
    return found


def _object_at(path: Path) -> OwnObject | None:
    """Return the object at a path, recognised by its content; None if there is none."""
    if os.path.isdir(path):
        if os.path.isfile(path / results.INDEX):
            return OwnObject(path, "result", results.verify_result)
        if os.path.isfile(path / stored_entry.INDEX):
            return OwnObject(path, "vectors", stored_entry.verify_entry)
        if os.path.isfile(path / DATASHEET):
            return OwnObject(path, "gold set", _check_gold_set)
        return None
    if not os.path.isfile(path):
        return None
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:  # it is reported if it was named, and has the suffix of a file of misword
        return None
    if head.startswith(b"PK") and HEADER.encode() in head[:64] and b"misword-mapping" in head:
        return OwnObject(path, "mapping", _check_mapping)
    if path.suffix == NOISE_SUFFIX and b"misword-noise" in head:
        return OwnObject(path, "noise", _check_noise)
    return None


def _named_object(path: Path) -> OwnObject | None:
    """Return the object of a file that was named, by its suffix: its content may be damaged."""
    if os.path.isfile(path) and path.suffix == MAPPING_SUFFIX:
        return OwnObject(path, "mapping", _check_mapping)
    if os.path.isfile(path) and path.suffix == NOISE_SUFFIX:
        return OwnObject(path, "noise", _check_noise)
    return None


def _objects_below(folder: Path) -> Iterator[OwnObject]:
    """Yield all objects in a folder and its folders; links to folders are not followed."""
    for root, folders, files in os.walk(folder):
        inner = [(name, _object_at(Path(root, name))) for name in sorted(folders)]
        folders[:] = [name for name, found in inner if found is None]
        yield from (found for _, found in inner if found)
        yield from filter(None, (_object_at(Path(root, name)) for name in sorted(files)))


def _check_mapping(path: Path) -> bool:
    from misword.bli.mapping import KIND, VERSION, Mapping

    Mapping.read(path)
    header, _ = read_archive(path, KIND, "mapping", VERSION)
    return "checksums" in header


def _check_gold_set(path: Path) -> bool:
    from misword.bli.building.result import verify_gold_set

    return verify_gold_set(path)


def _check_noise(path: Path) -> bool:
    from misword.noise.learnt_noise import LearntNoise

    LearntNoise.read(path)
    return KEY in parse_json(path.read_bytes())


def _check_error_model(path: Path) -> bool:
    from misword.noise.channels.model_cache import KIND, VERSION

    with path.open("rb") as file:
        if HEADER.encode() not in file.read(64):  # as older versions wrote it
            return False
    read_archive(path, KIND, "error model", VERSION)
    return True


def _check_sentences(path: Path) -> bool:
    sentence_cache.verify_cache(path)
    return True
