"""What systems are called: after their files, told apart where files share a name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from misword.core.errors import OptionError
from misword.io.files.sources import STDIN, PathLike, inner_name
from misword.io.transcripts.formats import FORMATS


def system_names(paths: Sequence[PathLike], names: Sequence[str] | None = None) -> list[str]:
    """One distinct name for each file: the names given, else the files' stems.

    >>> system_names(["a/hyp.txt.gz", "b/hyp.txt", "best.stm"])
    ['a/hyp', 'b/hyp', 'best']
    """
    if names is not None:
        return _given(paths, names)
    stems = [stem_of(path) for path in paths]
    shared = Counter(stems)
    found = [
        f"{Path(path).absolute().parent.name}/{stem}" if shared[stem] > 1 else stem
        for path, stem in zip(paths, stems, strict=True)
    ]
    return _numbered(found)


def stem_of(path: PathLike) -> str:
    """A file's name without the suffixes of compression and format."""
    if os.fspath(path) == STDIN:
        return "stdin"
    name = inner_name(path)
    known = {s for spec in FORMATS.entries() for s in FORMATS.load(spec).suffixes} | {".txt"}
    suffix = Path(name).suffix
    return name.removesuffix(suffix) if suffix.lower() in known else name


def _given(paths: Sequence[PathLike], names: Sequence[str]) -> list[str]:
    if len(names) != len(paths):
        raise OptionError(
            f"{len(names)} names for {len(paths)} systems", fix="give one name for each system"
        )
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise OptionError(f"two systems are called {doubled[0]!r}", fix="give each its own name")
    return list(names)


def _numbered(names: Sequence[str]) -> list[str]:
    """Add a number to those that are still the same."""
    taken = set(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        chosen = name
        while seen[name] > 1 and chosen in taken:
            chosen = f"{name}-{seen[name]}"
            seen[name] += chosen in taken
        taken.add(chosen)
        found.append(chosen)
    return found
