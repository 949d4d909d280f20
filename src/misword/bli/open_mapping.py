"""A mapping with its vectors loaded: two vocabularies in one space, ready for retrieval."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.mapping import SIDES, MappedVocabulary
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.methods import METHODS
from misword.bli.reranking.model import Reranker
from misword.bli.retrievers import (
    RETRIEVERS,
    MappedLanguages,
    Neighbors,
    Retriever,
    RowNumbers,
    UnitVectors,
)
from misword.bli.seeds import TrainingPairs
from misword.core.errors import MiswordError, OptionError
from misword.core.parts import Settings, describe
from misword.embed.vectors.vocabulary import Vocabulary
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike
from misword.io.vectors.text import listed_words

# Returns a unit vector for each word (zeros if it has none), and which words have one.
NgramVectors = Callable[[Sequence[str]], tuple[UnitVectors, NDArray[np.bool_]]]


@dataclass(frozen=True, slots=True, eq=False)
class MappedSide:
    """The vocabulary of one language and its unit vectors in the common space.

    `vectors` are the word vectors before they were mapped; they may have more words than the
    vocabulary, which `max_words` limits. `file_has_more` is true if the file of vectors may have
    still more words, because only its first words were read. `ngram_vectors` computes vectors of
    words that are not in the vocabulary; it is None if the vectors have no n-grams.
    """

    vocabulary: Vocabulary
    unit_vectors: UnitVectors
    vectors: WordVectors | None = None
    file_has_more: bool = False
    ngram_vectors: NgramVectors | None = None

    @classmethod
    def of(cls, mapped: MappedVocabulary, max_words: int | None) -> MappedSide:
        """Take the first `max_words` words of a mapped vocabulary (None: all of them)."""
        size = min(len(mapped), max_words or len(mapped))
        vocabulary, unit_vectors = mapped.vocabulary.first(size), mapped.rows[:size]
        ngram_vectors = mapped.others if mapped.vectors.pieces is not None else None
        more = _file_has_more(mapped)
        return cls(vocabulary, unit_vectors, mapped.vectors, more, ngram_vectors)

    def __len__(self) -> int:
        return len(self.unit_vectors)

    def find(self, words: Sequence[str]) -> RowNumbers:
        """Return the row of each word; -1 if it is not in the vocabulary or its vector is zero."""
        rows = self.vocabulary.find(words)
        rows[(rows >= 0) & ~self.unit_vectors[rows].any(axis=1)] = -1
        return rows

    def find_all(self) -> RowNumbers:
        """Return what `find` returns for the whole vocabulary."""
        return np.where(self.unit_vectors.any(axis=1), np.arange(len(self)), -1)

    def not_loaded(self, words: Sequence[str]) -> set[str] | None:
        """Return the words that the file of vectors has, but beyond the words in the vocabulary.

        If only the first words of the file were read, the file is searched for the others. The
        result is None if the format of the file does not allow that.
        """
        missing = [
            word for word, row in zip(words, self.vocabulary.find(words), strict=True) if row < 0
        ]
        if self.vectors is None or not missing:
            return set()
        rows = self.vectors.vocabulary.find(missing)
        in_memory = {word for word, row in zip(missing, rows, strict=True) if row >= 0}
        if not self.file_has_more:
            return in_memory
        in_file = listed_words(self.vectors.name, set(missing) - in_memory)
        return None if in_file is None else in_memory | in_file


@dataclass(frozen=True, slots=True, eq=False)
class OpenMapping:
    """A mapping with its vectors: words of `source` are translated to words of `target`.

    `settings` are the entries of a signature that say which mapping it is, its direction and the
    number of words. `trained_on` has the role (`lexicon`: training, `valid`: validation,
    `rerank`: the reranker learnt from it) of each lexicon that the mapping names, by the first 16
    digits of the lexicon's digest. `method` is the name of the mapping method, empty if it is not
    known. `reranker` is None if the mapping has none for this direction. `training_pairs` has the
    digests of the pairs that the mapping was learnt from, None if they are not known. `failure`
    says that the training failed; it is empty if it did not. `retrievers` are those that were named
    for this mapping alone, by their specs.
    """

    source: MappedSide
    target: MappedSide
    name: str
    settings: Settings
    trained_on: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    reranker: Reranker | None = None
    training_pairs: TrainingPairs | None = None
    failure: str = ""
    retrievers: Mapping[str, Retriever] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        mapping: WordMapping | PathLike,
        *,
        name: str | None = None,
        source: WordVectors | PathLike | None = None,
        target: WordVectors | PathLike | None = None,
        reverse: bool = False,
        max_words: int | None = None,
        workers: int | None = None,
    ) -> OpenMapping:
        """Open a mapping and the vectors that it was made from.

        `source` and `target` are the vectors, if their files were moved since the mapping was made;
        `reverse` translates from the target language to the source language; `max_words` takes
        only the first words of each language.
        """
        check_max_words(max_words)
        if not isinstance(mapping, WordMapping):
            name = name or name_of(mapping)
            mapping = WordMapping.read(mapping)
        sides = [
            MappedSide.of(mapping.mapped(which, vectors, workers), max_words)
            for which, vectors in zip(SIDES, (source, target), strict=True)
        ]
        first, second = reversed(sides) if reverse else sides
        training_pairs = mapping.training_pairs
        if training_pairs is not None and reverse:
            training_pairs = training_pairs.swap()
        return cls(
            first,
            second,
            name or "mapping",
            _settings(mapping, reverse, max_words),
            _trained_on(mapping),
            mapping.signature.metric,
            None if reverse else mapping.reranker,
            training_pairs,
            mapping.failure,
        )

    @property
    def languages(self) -> MappedLanguages:
        """Both languages as a retriever takes them."""
        return MappedLanguages(
            self.source.vocabulary,
            self.source.unit_vectors,
            self.target.vocabulary,
            self.target.unit_vectors,
            self.reranker,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user of the mapping must know."""
        return (f"{self.name}: {self.failure}",) if self.failure else ()

    def default_retriever(self) -> Retriever:
        """Return `reranked` if the mapping has a reranker that can be used, else `csls`."""
        part = RETRIEVERS.create("reranked")
        try:
            part.check_languages(self.languages)
        except OptionError:
            return RETRIEVERS.create("csls")
        return part

    def check_training(self, *, force: bool) -> None:
        """Raise if the training failed, unless the mapping is to be used nevertheless."""
        if self.failure and not force:
            raise OptionError(
                self.failure,
                where=self.name,
                fix="map again; to translate the whole vocabulary nevertheless: --force",
            )

    def swap(self) -> OpenMapping:
        """Return the mapping in the other direction, which has no reranker."""
        pairs = None if self.training_pairs is None else self.training_pairs.swap()
        return replace(
            self, source=self.target, target=self.source, reranker=None, training_pairs=pairs
        )

    def nearest(
        self, queries: RowNumbers, retriever: Retriever, k: int, workers: int | None = None
    ) -> Neighbors:
        """Return the best `k` target words for rows of the source vocabulary."""
        if not len(queries):
            return Neighbors(np.empty((0, k), np.int64), np.empty((0, k), np.float32))
        return retriever.search(queries, self.languages, k, workers)

    def described_method(self) -> dict[str, dict[str, Any]]:
        """Return the description of the mapping method by its name.

        It is empty if the method is not known, or is of a package that is not installed here.
        """
        try:
            method = METHODS.create(self.method)
        except MiswordError:
            return {}
        return {self.method: describe(method)}


def check_max_words(max_words: int | None) -> None:
    """Raise unless the limit is None or at least 1."""
    if max_words is not None and max_words < 1:
        raise OptionError(f"max_words is {max_words}", fix="use 1 or more, or none")


def digest(mapping: WordMapping) -> str:
    """Return a hash of the mapping's signature and numbers, which identifies the mapping."""
    content = sha256(str(mapping.signature).encode("utf-8", "surrogatepass"))
    for which in SIDES:
        side = mapping.side(which)
        for array in (side.matrix, *side.means):
            content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:16]


def name_of(path: PathLike) -> str:
    """Return the name of a mapping in a file: the file's name without `.map`."""
    return Path(os.fspath(path)).name.removesuffix(".map")


def _settings(mapping: WordMapping, reverse: bool, max_words: int | None) -> Settings:
    """Return the entries of a signature: the mapping, its direction, the words of both sides."""
    limits = (max_words or side.max_words for side in (mapping.source, mapping.target))
    return (
        ("mapping", digest(mapping)),
        ("way", "reverse" if reverse else "forward"),
        ("max_words", "/".join(str(limit or "all") for limit in limits)),
    )


def _trained_on(mapping: WordMapping) -> dict[str, str]:
    """Return the role of each lexicon in the mapping's signature, by its digest."""
    settings = dict(mapping.signature.settings)
    roles = {} if mapping.reranker is None else {mapping.reranker.lexicon: "rerank"}
    return roles | {settings.get(role, ""): role for role in ("valid", "lexicon")}


def _file_has_more(mapped: MappedVocabulary) -> bool:
    """Whether the file of vectors may have more words than were read."""
    limit, vectors = mapped.side.max_words, mapped.vectors
    if limit is None or not os.path.isfile(vectors.name):
        return False
    # Skipped lines, which the notes report, count towards the limit as well.
    return len(vectors) >= limit or bool(vectors.notes)
