"""Error models in the user's cache folder, under a hash of everything that decides them.

An entry is one file, which is moved into place when it is complete. An entry that cannot be read is
computed and written again.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.parts.contract import Settings
from misword.core.types import Tokens
from misword.io.files.folders import cache_folder
from misword.io.files.outputs import apart
from misword.io.files.writing import write_whole
from misword.noise.candidates.table import CandidateTable
from misword.noise.error_model import ErrorModel

# The version of the file and of the code that computes tables: raise it when either changes.
VERSION = 1
# Names in the cache. They must not change, or existing entries would not be found.
FOLDER, VOCABULARY, INSERTIONS = "hearing", "heard", "inserted"
ARRAYS = ("offsets", "ids", "probability", "phonological", "semantic")

Build = Callable[[list[str]], ErrorModel]


def cached_error_model(words: Sequence[str], settings: Settings, build: Build) -> ErrorModel:
    """Return the error model of words from the cache, or build it and write it there.

    `settings` must have everything that decides the model beside the words. `build` is called with
    the words in alphabetical order, so that the order of `words` does not matter.
    """
    ordered = sorted(words)
    path = cache_folder() / FOLDER / f"{_key(ordered, settings)}.npz"
    model = _read(path, ordered)
    if model is None:
        model = build(ordered)
        _write(path, model)
    return _reordered(model, words)


def _key(words: list[str], settings: Settings) -> str:
    digest = sha256(repr((VERSION, tuple(settings))).encode("utf-8", "surrogatepass"))
    digest.update("\n".join(words).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:40]


def _read(path: Path, words: list[str]) -> ErrorModel | None:
    """Return the model in a file; None if there is no such file, or if it is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
            joined = entry[VOCABULARY]
            vocabulary = joined.tobytes().decode().split("\n") if joined.size else []
            arrays = [entry[name] for name in ARRAYS]
            insertions = entry[INSERTIONS]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if len(arrays[0]) != len(words) + 1 or len(insertions) != len(vocabulary):
        return None
    return ErrorModel.unweighted(CandidateTable(words, vocabulary, *arrays), insertions)


def _write(path: Path, model: ErrorModel) -> None:
    """Write an entry, unless the folder cannot be written to."""
    arrays = {name: getattr(model.candidates, name) for name in ARRAYS}
    arrays[VOCABULARY] = np.frombuffer("\n".join(model.candidates.vocabulary).encode(), np.uint8)
    arrays[INSERTIONS] = model.insertion_probability
    data = BytesIO()
    np.savez(data, **arrays)
    with suppress(OptionError), apart():  # the model can be used without the cache
        write_whole(data.getvalue(), path)


def _reordered(model: ErrorModel, words: Sequence[str]) -> ErrorModel:
    """Return the same model with the rows in the order of `words`."""
    table = model.candidates
    places = {word: place for place, word in enumerate(table.words)}
    rows = np.array([places[word] for word in words], np.int64)
    entries: NDArray[np.int32] = np.arange(len(table.ids), dtype=np.int32)
    # `Tokens.take` selects rows of different lengths; the "tokens" here are numbers of entries.
    taken = Tokens(entries, table.offsets, ()).take(rows)
    columns = [getattr(table, name)[taken.ids] for name in ARRAYS[1:]]
    reordered = CandidateTable(list(words), table.vocabulary, taken.offsets, *columns)
    return ErrorModel.unweighted(reordered, model.insertion_probability)
