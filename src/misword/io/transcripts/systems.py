"""The names of the systems of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from misword.core.errors import OptionError
from misword.io.files.shown_paths import shown_path
from misword.io.files.sources import PathLike
from misword.io.transcripts.detection import stem_of


def names_of_systems(
    paths: Sequence[PathLike], columns: Sequence[str], names: Sequence[str] | None
) -> list[str]:
    """Return the names of the systems: those of the files, or of several columns of one file."""
    if len(columns) < 2:
        return system_names(paths, names)
    if len(paths) > 1:
        raise OptionError(
            f"{len(columns)} columns and {len(paths)} files of hypotheses",
            fix="several columns are several systems of one table: name one file",
        )
    chosen = columns if names is None else names
    _check_names(columns, chosen)
    return list(chosen)


def system_names(paths: Sequence[PathLike], names: Sequence[str] | None = None) -> list[str]:
    """Return a different name for each file: the given names, or else the stems of the files.

    Files of the same name get the name of their folder as well, then a number.

    >>> system_names(["a/hyp.txt.gz", "b/hyp.txt", "best.stm"])
    ['a/hyp', 'b/hyp', 'best']
    """
    if names is not None:
        _check_names(paths, names)
        return list(names)
    stems = [stem_of(path) for path in paths]
    shared = Counter(stems)
    distinct = [
        f"{shown_path(Path(path).absolute().parent.name)}/{stem}" if shared[stem] > 1 else stem
        for path, stem in zip(paths, stems, strict=True)
    ]
    return _with_numbers(distinct)


def _check_names(systems: Sequence[PathLike], names: Sequence[str]) -> None:
    """Raise unless there is a different name for each system."""
    if len(names) != len(systems):
        raise OptionError(
            f"{len(names)} names for {len(systems)} systems", fix="give one name for each system"
        )
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise OptionError(f"two systems are called {doubled[0]!r}", fix="give each its own name")


def _with_numbers(names: Sequence[str]) -> list[str]:
    """Return the names with a number added to repeated ones."""
    taken = set(names)
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        chosen = name
        while seen[name] > 1 and chosen in taken:
            chosen = f"{name}-{seen[name]}"
            seen[name] += chosen in taken
        taken.add(chosen)
        numbered.append(chosen)
    return numbered
