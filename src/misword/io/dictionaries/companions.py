"""Dictionaries of several files: which file stands for the dictionary, and what is beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from misword.core.errors import InputError
from misword.io.files.shown_paths import shown_path
from misword.io.files.sources import STDIN, Source, open_source

# Suffixes of files that belong to a dictionary whose index has another suffix.
INDEXES = {".dict": (".ifo", ".index"), ".idx": (".ifo",), ".syn": (".ifo",)}
COMPRESSED = (".dz", ".gz")
# Files that stand for a dictionary in a folder.
IN_FOLDERS = (".ifo", ".index", ".tei", ".dix")


def main_file(path: Path) -> Path:
    """Return the file that stands for a dictionary: the index of a text, the one of a folder."""
    if str(path) == STDIN:
        return path
    if path.is_dir():
        return _file_in(path)
    plain = path.with_suffix("") if path.suffix in COMPRESSED else path
    for suffix in INDEXES.get(plain.suffix, ()):
        if plain.with_suffix(suffix).is_file():
            return plain.with_suffix(suffix)
    return path


def _file_in(folder: Path) -> Path:
    """Return the dictionary in a folder, or raise if there is none or more than one."""
    found = sorted(file for file in folder.iterdir() if file.suffix in IN_FOLDERS)
    if len(found) == 1:
        return found[0]
    names = ", ".join(file.name for file in found[:5])
    raise InputError(
        f"several dictionaries in this folder: {names}"
        if found
        else "no dictionary in this folder",
        where=shown_path(folder),
        fix="name the file of one dictionary: .ifo of StarDict, .index of dictd, .tei, .dix",
    )


def open_companion(path: Path, suffixes: Sequence[str]) -> Source:
    """Return the file beside the main file of a dictionary, with the first suffix that exists."""
    for suffix in suffixes:
        if path.with_suffix(suffix).is_file():
            return open_source(path.with_suffix(suffix))
    raise InputError(
        f"{path.stem}{suffixes[0]} is missing beside it",
        where=shown_path(path),
        fix="put all files of the dictionary into one folder",
    )
