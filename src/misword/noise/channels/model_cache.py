"""Error models in the user's cache folder, under a hash of everything that decides them.

An entry is one file, which is moved into place when it is complete. An entry that cannot be read is
computed and written again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import MiswordError
from misword.core.parts import Settings
from misword.core.types import Tokens
from misword.io.files.archives import read_archive, write_archive
from misword.io.files.writing import apart, cache_folder
from misword.noise.error_model import CandidateTable, ErrorModel

# The version of the file and of the code that computes error models: raise it if either changes.
VERSION = 1
# Names in the cache. They must not change, or existing entries would not be found.
FOLDER, VOCABULARY, INSERTIONS = "hearing", "heard", "inserted"
ARRAYS = ("offsets", "ids", "probability", "phonological", "semantic")
# The types of these arrays and of the probabilities of insertions.
TYPES = ("int64", "int32", "float64", "float32", "float32", "float64")
KIND = "misword-error-model"

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
        _, arrays = read_archive(path, KIND, "error model", VERSION)
        vocabulary = _vocabulary(arrays[VOCABULARY])
        columns = [arrays[name] for name in ARRAYS]
        insertions = arrays[INSERTIONS]
        valid = _is_valid(columns, insertions, len(words), len(vocabulary))
    except (MiswordError, KeyError, ValueError):
        return None
    if not valid:
        return None
    return ErrorModel.unweighted(CandidateTable(words, vocabulary, *columns), insertions)


def _vocabulary(joined: NDArray[np.uint8]) -> list[str]:
    return joined.tobytes().decode().split("\n") if joined.size else []


def _is_valid(
    columns: list[NDArray[Any]], insertions: NDArray[Any], words: int, vocabulary: int
) -> bool:
    """Whether the columns have their types and lengths, and refer to words that are there."""
    offsets, ids, *values = columns
    types = [array.dtype for array in (*columns, insertions)]
    lengths = [array.shape for array in (offsets, *values, insertions)]
    if types != list(map(np.dtype, TYPES)):
        return False
    if lengths != [(words + 1,), *[ids.shape] * len(values), (vocabulary,)]:
        return False
    in_order = offsets[0] == 0 and offsets[-1] == len(ids) and bool((np.diff(offsets) >= 0).all())
    in_range = not len(ids) or (ids.min() >= 0 and ids.max() < vocabulary)
    probable = all(
        np.isfinite(part).all() and (part >= 0).all() for part in (values[0], insertions)
    )
    return bool(ids.ndim == 1 and in_order and in_range and probable)


def _write(path: Path, model: ErrorModel) -> None:
    """Write an entry, unless the folder cannot be written to."""
    arrays = {name: getattr(model.candidates, name) for name in ARRAYS}
    arrays[VOCABULARY] = np.frombuffer("\n".join(model.candidates.vocabulary).encode(), np.uint8)
    arrays[INSERTIONS] = model.insertion_probability
    with suppress(MiswordError), apart():  # the model can be used without the cache
        write_archive(path, KIND, {"version": VERSION}, arrays)


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
