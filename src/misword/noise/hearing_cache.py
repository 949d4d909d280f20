"""Tables of candidates are kept in the user's cache, by what decides them, and found there again.

An entry is one file, put into place when it is whole. One that cannot be read is made again.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from misword.core.cache_folder import cache_folder
from misword.core.types import Tokens
from misword.io.files.folders import sibling
from misword.noise.hearing import Candidates, Hearing

# Of the file and of the code that makes tables: raise it when either changes.
VERSION = 1
ARRAYS = ("offsets", "ids", "probability", "phonological", "semantic")

Settings = Sequence[tuple[str, str]]
Build = Callable[[list[str]], Hearing]


def kept(words: Sequence[str], settings: Settings, build: Build) -> Hearing:
    """How words are heard: from the cache, or built there; `settings` must say all that decides.

    `build` sees the words sorted, so their order cannot matter.
    """
    ordered = sorted(words)
    path = cache_folder() / "hearing" / f"{_key(ordered, settings)}.npz"
    hearing = _read(path, ordered)
    if hearing is None:
        hearing = build(ordered)
        _write(path, hearing)
    return _in_order(hearing, words)


def _key(words: list[str], settings: Settings) -> str:
    digest = sha256(repr((VERSION, tuple(settings))).encode("utf-8", "surrogatepass"))
    digest.update("\n".join(words).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:40]


def _read(path: Path, words: list[str]) -> Hearing | None:
    """The entry, if it is there and sound."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
            heard = entry["heard"].tobytes().decode().split("\n") if entry["heard"].size else []
            arrays = [entry[name] for name in ARRAYS]
            inserted = entry["inserted"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    candidates = Candidates(words, heard, *arrays)
    sizes = {len(arrays[0]) == len(words) + 1, len(inserted) == len(heard)}
    return Hearing.even(candidates, inserted) if sizes == {True} else None


def _write(path: Path, hearing: Hearing) -> None:
    """Keep an entry for the next time, unless nothing can be written there."""
    fresh = sibling(path, "new")
    arrays = {name: getattr(hearing.candidates, name) for name in ARRAYS}
    heard = np.frombuffer("\n".join(hearing.candidates.heard).encode(), np.uint8)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as file:
            np.savez(file, heard=heard, inserted=hearing.inserted, **arrays)
        fresh.replace(path)
    except OSError:  # the table is right all the same
        pass
    finally:
        with suppress(OSError):
            fresh.unlink()


def _in_order(hearing: Hearing, words: Sequence[str]) -> Hearing:
    """The same with the rows in the order of `words`."""
    old = hearing.candidates
    places = {word: place for place, word in enumerate(old.said)}
    rows = np.array([places[word] for word in words], np.int64)
    every: NDArray[np.int32] = np.arange(len(old.ids), dtype=np.int32)
    taken = Tokens(every, old.offsets, ()).take(rows)
    columns = [getattr(old, name)[taken.ids] for name in ARRAYS[1:]]
    return Hearing.even(
        Candidates(list(words), old.heard, taken.offsets, *columns), hearing.inserted
    )
