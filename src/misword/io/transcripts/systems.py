"""Names of systems from the names of their files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from misword.core.errors import OptionError
from misword.io.files.sources import STDIN, PathLike, inner_name
from misword.io.transcripts.formats import FORMATS


def system_names(paths: Sequence[PathLike], names: Sequence[str] | None = None) -> list[str]:
    """Return a different name for each file: `names`, or else the stems of the files.

    Files of the same name get the name of their folder as well, then a number.

    >>> system_names(["a/hyp.txt.gz", "b/hyp.txt", "best.stm"])
    ['a/hyp', 'b/hyp', 'best']
    """
    if names is not None:
        return _checked(paths, names)
    stems = [stem_of(path) for path in paths]
    shared = Counter(stems)
    distinct = [
        f"{Path(path).absolute().parent.name}/{stem}" if shared[stem] > 1 else stem
        for path, stem in zip(paths, stems, strict=True)
    ]
    return _numbered(distinct)


def stem_of(path: PathLike) -> str:
    """Return the name of a file without the suffixes of compression and format."""
    if os.fspath(path) == STDIN:
        return "stdin"
    name = inner_name(path)
    suffixes = {s for spec in FORMATS.entries() for s in FORMATS.load(spec).suffixes} | {".txt"}
    suffix = Path(name).suffix
    return name.removesuffix(suffix) if suffix.lower() in suffixes else name


def _checked(paths: Sequence[PathLike], names: Sequence[str]) -> list[str]:
    if len(names) != len(paths):
        raise OptionError(
            f"{len(names)} names for {len(paths)} systems", fix="give one name for each system"
        )
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise OptionError(f"two systems are called {doubled[0]!r}", fix="give each its own name")
    return list(names)


def _numbered(names: Sequence[str]) -> list[str]:
    """Return the names with a number added to repeated ones."""
    taken = set(names)
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        unique_name = name
        while seen[name] > 1 and unique_name in taken:
            unique_name = f"{name}-{seen[name]}"
            seen[name] += unique_name in taken
        taken.add(unique_name)
        numbered.append(unique_name)
    return numbered
