"""Translations of words by a mapping: the nearest words of the other language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.bli.drafting.phrases import vectors_by_parts
from misword.bli.inputs import CandidateFile
from misword.bli.mapping import Mapping as WordMapping
from misword.bli.open_mapping import MappedSide, OpenMapping, check_max_words
from misword.bli.options import CANDIDATES, FirstWords, MappedVectors, TranslateOptions
from misword.bli.retrievers import RETRIEVERS, Neighbors, Retriever, RowNumbers, UnitVectors
from misword.core.context import Context
from misword.core.display import HTML_ROWS
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts import Settings, describe
from misword.core.signature import Signature
from misword.core.tables import Table
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import PathLike
from misword.stat.descriptions.lexicons import TRANSLATIONS

BLOCK = 4096  # words whose table rows are in memory at a time
EXAMPLES_SHOWN = 5  # words that a note names

Words = Sequence[str]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Translations(DisplayedResult):
    """Candidates for words, the best first.

    `words` are the words to translate. `rows` has the row of each word in `neighbors`; it is -1 for
    a word without a vector, which has no candidates. `target` is the vocabulary that the ids of
    `neighbors` number; an id of -1 means that a list is shorter than the others. `about` has notes
    on the mapping, such as that its training failed. `new` are words
    that are not in the source vocabulary, and have a vector from their n-grams; `composed` are
    phrases whose vector is the mean of those of their words. `other_case` has,
    for words that are not in the source vocabulary, the same word in another case that is. `parts`
    describes the mapping method and the retriever.
    """

    words: Words
    rows: RowNumbers
    neighbors: Neighbors
    target: Words
    signature: Signature
    new: tuple[str, ...] = ()
    composed: tuple[str, ...] = ()
    other_case: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    about: tuple[str, ...] = ()
    description = TRANSLATIONS

    @property
    def unknown(self) -> list[str]:
        """The words without a vector."""
        return [self.words[place] for place in np.flatnonzero(self.rows < 0).tolist()]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the mapping; words with a vector from n-grams only, none, or in another case."""
        notes = [*self.about]
        if self.new:
            rest = "is not listed: a vector" if len(self.new) == 1 else "are not listed: vectors"
            notes.append(f"{counted(len(self.new), 'word')} {rest} from n-grams")
        if self.composed:
            shown_phrases = ", ".join(map(repr, self.composed[:EXAMPLES_SHOWN]))
            notes.append(f"vectors by the words of the phrase: {shown_phrases}")
        if unknown := self.unknown:
            examples = ", ".join(map(repr, unknown[:EXAMPLES_SHOWN]))
            examples += ", ..." if len(unknown) > EXAMPLES_SHOWN else ""
            share = f"{len(unknown):,} of {len(self.words):,}"
            notes.append(f"{share} words have no vector: {examples}")
        if self.other_case:
            shown = list(self.other_case.items())[:EXAMPLES_SHOWN]
            pairs = ", ".join(f"{listed!r} (for {word!r})" for word, listed in shown)
            pairs += ", ..." if len(self.other_case) > EXAMPLES_SHOWN else ""
            notes.append(f"the vocabulary has, in another case: {pairs}")
        return tuple(notes)

    def blocks(self) -> Iterator[list[dict[str, Any]]]:
        """Yield rows of `word`, `rank`, `candidate`, `score`, those of 4,096 words at a time.

        A word without candidates has one row in which the other columns are None.
        """
        for start in range(0, len(self.words), BLOCK):
            places = range(start, min(start + BLOCK, len(self.words)))
            yield [row for place in places for row in self._rows_of(place)]

    def _rows_of(self, place: int) -> Iterator[dict[str, Any]]:
        """Yield the table rows of one word."""
        word, row = self.words[place], int(self.rows[place])
        if row < 0:
            yield {"word": word, "rank": None, "candidate": None, "score": None}
            return
        ids, scores = self.neighbors.ids[row].tolist(), self.neighbors.scores[row].tolist()
        for rank, (id_, score) in enumerate(zip(ids, scores, strict=True), 1):
            if id_ < 0:  # the list of this word is shorter
                return
            candidate = self.target[id_]
            rounded = None if isnan(score) else round(score, 6)
            yield {"word": word, "rank": rank, "candidate": candidate, "score": rounded}

    def shown(self) -> Result:
        """Return the candidates of the first words."""
        places = range(min(len(self.words), HTML_ROWS))
        rows = [row for place in places for row in self._rows_of(place)][:HTML_ROWS]
        return Result("translations", {"candidates": _frame(rows)}, self._facts())

    def rows_in_all(self, table: Table) -> int:
        """Return the number of rows if each word with a vector has all its candidates."""
        known = int((self.rows >= 0).sum())
        return len(self.words) - known + known * int(self.neighbors.ids.shape[1])

    def main_table(self) -> pl.DataFrame:
        """Return the table `candidates`."""
        return self.table()

    def table(self) -> pl.DataFrame:
        """Return all rows as one table."""
        return _frame([row for block in self.blocks() for row in block])

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the table with its provenance, to be written to a result folder."""
        return Result("translations", {"candidates": self.table()}, self._facts(provenance))

    def _facts(self, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the provenance of a result."""
        return {
            "misword": __version__,
            **(provenance or {}),
            "signature": str(self.signature),
            "words": len(self.words),
            "unknown": int((self.rows < 0).sum()),
            **({"about": list(self.about)} if self.about else {}),
            "parts": dict(self.parts),
        }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = {"word": pl.String, "rank": pl.Int64, "candidate": pl.String, "score": pl.Float64}
    return pl.DataFrame(rows, schema)


@takes(TranslateOptions)
def translate(
    mapping: WordMapping | PathLike,
    words: Words | Callable[[], Words] | None = None,
    k: int = CANDIDATES,
    **options: Unpack[TranslateOptions],
) -> Translations:
    """Find the `k` best translations of each word, or of the whole vocabulary (`words` None).

    `mapping` is the result of `map_vectors`, or its file. `words` may also be a function that reads
    and returns the words; it is called when all options are checked. The retriever is `reranked` if
    the mapping has a reranker for the direction, else `csls`. `reverse` translates from the
    target language to the source language; `max_words` takes only the first, most frequent words of
    both languages; `source` and `target` are the vectors, if their files were moved since the
    mapping was made. A word that is not in the vocabulary gets a vector from its n-grams if the
    vectors are a fastText model that has n-grams (`.bin`). A mapping whose training failed is used
    with a note; for the whole vocabulary it is refused without `force`.
    """
    workers = options["workers"]
    part = named_retriever(options["retriever"], workers)
    check_k([k])
    check_max_words(options["max_words"])
    if callable(words):
        words = words()
    opened = OpenMapping.of(mapping, **chosen(options, MappedVectors, FirstWords))
    if words is None:
        opened.check_training(force=options["force"])
    return translate_opened(opened, words, k, part or opened.default_retriever(), workers)


def named_retriever(retriever: str | Retriever | None, workers: int | None) -> Retriever | None:
    """Return the retriever that was named, checked; None if the mapping decides."""
    if retriever is None:
        return None
    part = RETRIEVERS.create(retriever) if isinstance(retriever, str) else retriever
    part.check(Context(workers=workers))
    return part


def translate_opened(
    mapping: OpenMapping, words: Words | None, k: int, part: Retriever, workers: int | None = None
) -> Translations:
    """Translate words, those of the vocabulary and others that have a vector from n-grams."""
    listed = translate_listed(mapping, words, k, part, workers)
    found = add_words_by_ngrams(mapping, listed, k, part, workers)
    found = add_phrases_by_parts(mapping, found, k, part, workers)
    return replace(found, other_case=words_in_other_case(mapping.source, listed.unknown))


def translate_listed(
    mapping: OpenMapping, words: Words | None, k: int, part: Retriever, workers: int | None = None
) -> Translations:
    """Translate the words that are in the source vocabulary (`words` None: all of it)."""
    source = mapping.source
    wanted = source.vocabulary if words is None else words
    vocabulary_rows = source.find_all() if words is None else source.find(words)
    listed = vocabulary_rows >= 0
    queries, query_rows = np.unique(vocabulary_rows[listed], return_inverse=True)
    rows = np.full(len(wanted), -1, np.int64)
    rows[listed] = query_rows
    neighbors = mapping.nearest(queries, part, k, workers)
    settings = (
        *retriever_settings(part, mapping),
        ("k", str(k)),
        *mapping.settings,
        ("v", str(part.revision)),
    )
    return Translations(
        wanted,
        rows,
        neighbors,
        mapping.target.vocabulary,
        Signature("translate", settings),
        parts={**mapping.described_method(), part.name: describe(part)},
        about=mapping.notes,
    )


def listed_candidates(
    file: CandidateFile, words: Words, k: int, settings: Settings = ()
) -> Translations:
    """Return the first `k` candidates that a file has for each word."""
    listed = [file.candidates[word][:k] for word in words if word in file.candidates]
    target = list(dict.fromkeys(word for several in listed for word, _ in several))
    id_of = {word: id_ for id_, word in enumerate(target)}
    ids = np.full((len(listed), k), -1, np.int64)
    scores = np.full((len(listed), k), np.nan, np.float32)
    for row, several in enumerate(listed):
        ids[row, : len(several)] = [id_of[word] for word, _ in several]
        scores[row, : len(several)] = [score for _, score in several]
    there = np.array([word in file.candidates for word in words], np.bool_)
    rows = np.where(there, np.cumsum(there) - 1, -1)
    return Translations(words, rows, Neighbors(ids, scores), target, Signature("file", settings))


def add_words_by_ngrams(
    mapping: OpenMapping,
    listed: Translations,
    k: int,
    part: Retriever,
    workers: int | None = None,
) -> Translations:
    """Add candidates for words out of the vocabulary, if n-grams give these words a vector.

    These words are appended to the source vocabulary for the search, so that they count in the
    hubness of targets. The candidates of listed words do not change.
    """
    if mapping.source.ngram_vectors is None or not listed.unknown:
        return listed
    vectors, has_vector = mapping.source.ngram_vectors(listed.unknown)
    found, new = _with_new_words(mapping, listed, vectors, has_vector, k, part, workers)
    return replace(found, new=new)


def add_phrases_by_parts(
    mapping: OpenMapping,
    listed: Translations,
    k: int,
    part: Retriever,
    workers: int | None = None,
) -> Translations:
    """Add candidates for phrases out of the vocabulary, if each of their words has a vector."""
    if not any(" " in word for word in listed.unknown):
        return listed
    vectors, has_vector = vectors_by_parts(mapping.source, listed.unknown)
    found, new = _with_new_words(mapping, listed, vectors, has_vector, k, part, workers)
    return replace(found, composed=new)


def _with_new_words(
    mapping: OpenMapping,
    listed: Translations,
    vectors: UnitVectors,
    has_vector: NDArray[np.bool_],
    k: int,
    part: Retriever,
    workers: int | None,
) -> tuple[Translations, tuple[str, ...]]:
    """Add candidates for those unknown words that have a vector, and return these words."""
    if not has_vector.any():
        return listed, ()
    unlisted = np.flatnonzero(listed.rows < 0)
    new = tuple(word for word, there in zip(listed.unknown, has_vector, strict=True) if there)
    languages = mapping.languages
    source = np.vstack([languages.source, vectors[has_vector]])
    words = [*languages.source_words, *new]
    queries = np.arange(len(mapping.source), len(source))
    extended = replace(languages, source=source, source_words=words)
    neighbors = part.search(queries, extended, k, workers)
    before, rows = listed.neighbors, listed.rows.copy()
    rows[unlisted[has_vector]] = len(before.ids) + np.arange(len(queries))
    if len(before.ids):
        neighbors = Neighbors(
            np.vstack([before.ids, neighbors.ids]), np.vstack([before.scores, neighbors.scores])
        )
    return replace(listed, rows=rows, neighbors=neighbors), new


def words_in_other_case(side: MappedSide, words: Words) -> dict[str, str]:
    """Return, for each word that the vocabulary has in another case only, how it writes the word.

    The cases are tried in this order: lower case, first letter in upper case, all upper case.
    """
    found: dict[str, str] = {}
    for change in (str.upper, str.capitalize, str.lower):  # the last one found is kept
        changed = [change(word) for word in words]
        rows = side.find(changed)
        found |= {w: c for w, c, row in zip(words, changed, rows, strict=True) if row >= 0}
    return {word: found[word] for word in words if word in found}


def retriever_settings(part: Retriever, mapping: OpenMapping) -> Settings:
    """Return the entries of a signature that name a retriever and its settings."""
    return (("retriever", part.name), *part.settings_for(mapping.languages))


def check_k(numbers: Sequence[int]) -> None:
    """Raise unless every number of candidates is at least 1."""
    for k in numbers:
        if k < 1:
            raise OptionError(f"k is {k}", fix="ask for one candidate or more")
