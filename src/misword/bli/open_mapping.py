"""Two vocabularies in one space, seen from the language that is translated."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from misword.bli.mapping import SIDES, Mapped, Mapping
from misword.bli.retrievers import Matrix, Neighbors, Retriever
from misword.core.errors import OptionError
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.vectors.reading.words_of_file import listed_words

Settings = tuple[tuple[str, str], ...]
Found = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One language: its words and unit vectors.

    `vectors` are what they were made from, which may have more words; `cut` says that the file of
    vectors may have more still, since only its first words were read. `others` gives unit vectors
    of words that are not listed, from their n-grams, and which have one; None without n-grams.
    """

    vocabulary: Vocabulary
    rows: Matrix
    vectors: WordVectors | None = None
    cut: bool = False
    others: Callable[[Sequence[str]], tuple[Matrix, NDArray[np.bool_]]] | None = None

    @classmethod
    def of(cls, mapped: Mapped, max_words: int | None) -> End:
        """The vocabulary of a mapping, or its first `max_words` words."""
        size = min(len(mapped), max_words or len(mapped))
        vocabulary, rows = mapped.vocabulary.first(size), mapped.rows[:size]
        others = mapped.others if mapped.vectors.pieces is not None else None
        return cls(vocabulary, rows, mapped.vectors, cut(mapped), others)

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, words: Sequence[str]) -> Found:
        """The row of each word; -1 where there is none, or none with a direction."""
        found = self.vocabulary.find(words)
        found[(found >= 0) & ~self.rows[found].any(axis=1)] = -1
        return found

    def all(self) -> Found:
        """The same for the whole vocabulary."""
        return np.where(self.rows.any(axis=1), np.arange(len(self)), -1)

    def beyond(self, words: Sequence[str]) -> set[str] | None:
        """Which of some words the file of vectors has beyond the vocabulary; None: cannot be told.

        Where only the first words of a file were read, the file is looked through for them.
        """
        missing = [w for w, at in zip(words, self.vocabulary.find(words), strict=True) if at < 0]
        if self.vectors is None or not missing:
            return set()
        further = self.vectors.vocabulary.find(missing) >= 0
        found = {word for word, there in zip(missing, further, strict=True) if there}
        if not self.cut:
            return found
        listed = listed_words(self.vectors.name, set(missing) - found)
        return None if listed is None else found | listed


@dataclass(frozen=True, slots=True, eq=False)
class Bridge:
    """A mapping in use: words of `source` are looked for among those of `target`.

    `settings` say which mapping, which way and how many words, for signatures; `seen` has the
    digests of the lexicons that it was trained and validated on, as far as its signature has them.
    """

    source: End
    target: End
    name: str
    settings: Settings
    seen: Dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        mapping: Mapping | PathLike,
        *,
        name: str | None = None,
        source: WordVectors | PathLike | None = None,
        target: WordVectors | PathLike | None = None,
        reverse: bool = False,
        max_words: int | None = None,
        workers: int | None = None,
    ) -> Bridge:
        """Open a mapping and the vectors it was made from.

        `source` and `target` say where these are, if not where they were; `reverse` translates from
        the target language; `max_words` takes only so many of the first words on either side.
        """
        if max_words is not None and max_words < 1:
            raise OptionError(f"max_words is {max_words}", fix="use a number from 1 on, or none")
        if not isinstance(mapping, Mapping):
            name = name or name_of(mapping)
            mapping = Mapping.read(mapping)
        given = (source, target)
        ends = [
            End.of(mapping.mapped(which, place, workers), max_words)
            for which, place in zip(SIDES, given, strict=True)
        ]
        limits = (max_words or side.max_words for side in (mapping.source, mapping.target))
        words = "/".join(str(limit or "all") for limit in limits)
        settings = (
            ("mapping", digest(mapping)),
            ("way", "reverse" if reverse else "forward"),
            ("max_words", words),
        )
        first, second = ends[::-1] if reverse else ends
        known = dict(mapping.signature.settings)
        seen = {known.get(role, ""): role for role in ("valid", "lexicon")}
        return cls(first, second, name or "mapping", settings, seen)

    def nearest(
        self, queries: Found, retriever: Retriever, k: int, workers: int | None = None
    ) -> Neighbors:
        """The best `k` targets of rows of the source."""
        if not len(queries):
            none = np.empty((0, k))
            return Neighbors(none.astype(np.int64), none.astype(np.float32))
        return retriever.retrieve(queries, self.source.rows, self.target.rows, k, workers)


def digest(mapping: Mapping) -> str:
    """What tells a mapping from any other: its signature and its numbers."""
    content = sha256(str(mapping.signature).encode("utf-8", "surrogatepass"))
    for which in SIDES:
        side = mapping.side(which)
        for part in (side.matrix, *side.means):
            content.update(np.ascontiguousarray(part).tobytes())
    return content.hexdigest()[:16]


def name_of(path: PathLike) -> str:
    """What the mapping in a file is called."""
    return Path(os.fspath(path)).name.removesuffix(".map")


def cut(mapped: Mapped) -> bool:
    """Whether the file of vectors may have more words than were read."""
    limit, vectors = mapped.side.max_words, mapped.vectors
    if limit is None or not Path(vectors.name).is_file():
        return False
    # Lines that were passed over (the notes tell of them) count to the limit as well.
    return len(vectors) >= limit or bool(vectors.notes)
