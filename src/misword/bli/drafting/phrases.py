"""Multi-word expressions: found in a corpus, with vectors by their parts or by their contexts.

A phrase is a sequence of words that occurs often and whose words occur together more often than by
chance (normalized pointwise mutual information). Its vector is the mean of the vectors of its
words; if a corpus has it often enough, it is made of its contexts: a linear map from the mean
context of a word to the word's vector is learnt from single words ("à la carte").

Reference: Bouma 2009, "Normalized (Pointwise) Mutual Information in Collocation Extraction";
Khodak et al. 2018 (ACL), "A La Carte Embedding"
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from misword.bli.drafting.examples import Sentences, Tokens, tokens_of
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.core.types import offsets_of
from misword.embed.vectors.vocabulary import Vocabulary
from misword.io.files.sources import PathLike, open_source
from misword.text.function_words import FUNCTION_WORDS

LONGEST = 3  # words of a phrase that is found
LEAST_COUNT = 5  # occurrences of a phrase that is found
LEAST_ASSOCIATION = 0.4  # normalized mutual information, from -1 to 1
CONTEXTS = 20  # occurrences from which a vector is made of contexts
WINDOW = 5  # words of a context on each side
RIDGE = 1.0
Rows = NDArray[np.float32]


def find_phrases(
    sentences: Iterable[Tokens], function_words: Collection[str] = (), least: int = LEAST_COUNT
) -> dict[str, int]:
    """Return the phrases of a corpus with their numbers of occurrences, the most frequent first.

    Phrases do not begin or end with a function word or a number.

    >>> text = [("an", "ice", "cream"), ("the", "ice", "cream"), ("the", "dog"), ("an", "owl")]
    >>> find_phrases(text, {"the", "an"}, least=2)
    {'ice cream': 2}
    """
    counts: Counter[Tokens] = Counter()
    for words in sentences:
        for size in range(1, LONGEST + 1):
            counts.update(words[at : at + size] for at in range(len(words) - size + 1))
    total = sum(count for words, count in counts.items() if len(words) == 1)

    def is_content(word: str) -> bool:
        return word not in function_words and any(map(str.isalpha, word))

    found = {
        " ".join(words): count
        for words, count in counts.items()
        if len(words) > 1 and count >= least and is_content(words[0]) and is_content(words[-1])
        if association(words, counts, total) >= LEAST_ASSOCIATION
    }
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def association(words: Tokens, counts: Mapping[Tokens, int], total: int) -> float:
    """Return the normalized mutual information of the two parts of a phrase.

    Of a phrase of three words, the smaller value of its two divisions.

    >>> counts = {("a", "b"): 2, ("a",): 2, ("b",): 2}
    >>> association(("a", "b"), counts, 8)
    1.0
    """
    share = counts[words] / total
    if share == 1:
        return 1.0
    values = []
    for at in range(1, len(words)):
        parts = counts[words[:at]] / total * counts[words[at:]] / total
        values.append(math.log(share / parts) / -math.log(share))
    return min(values)


def read_phrases(path: PathLike) -> list[str]:
    """Read a list of phrases, one on each line; the first column of a table with tabs."""
    source = open_source(path)
    lines = (" ".join(line.partition("\t")[0].split()) for line in source.lines)
    found = [line for line in dict.fromkeys(lines) if " " in line]
    if not found:
        raise InputError(
            "no phrase of several words in it",
            where=source.shown,
            fix="write one on each line, such as: ice cream",
        )
    return found


# Vectors.


def vectors_by_parts(side: MappedSide, phrases: Sequence[str]) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the mean vector of the words of each phrase, of length one; zeros without all words.

    Words are looked up as they are written, then in lower case.
    """
    rows = np.zeros((len(phrases), side.unit_vectors.shape[1]), np.float32)
    for row, phrase in zip(rows, phrases, strict=True):
        words = phrase.split()
        ids = side.find(words)
        ids = np.where(ids < 0, side.find([word.lower() for word in words]), ids)
        if len(words) > 1 and (ids >= 0).all():
            row[:] = side.unit_vectors[ids].sum(axis=0)
    return _units(rows)


def vectors_by_contexts(
    side: MappedSide, phrases: Sequence[str], corpus: Sentences
) -> tuple[Rows, NDArray[np.bool_]]:
    """Return a vector for each phrase that a corpus has often enough, made of its contexts."""
    width, size = side.unit_vectors.shape[1], len(side)
    sums = np.zeros((size + len(phrases), width), np.float32)
    counts = np.zeros(len(sums), np.int64)
    starts: dict[str, list[tuple[Tokens, int]]] = {}
    for place, phrase in enumerate(phrases, size):
        words = tokens_of(phrase)
        starts.setdefault(words[0], []).append((words, place))
    with progress(f"contexts in {corpus.name}", len(corpus.texts)) as step:
        for text in corpus.texts:
            step(1)
            words = tokens_of(text)
            ids = side.find(words)
            there = np.where(ids[:, None] >= 0, side.unit_vectors[ids], 0)
            total = np.vstack([np.zeros((1, width), np.float32), there.cumsum(axis=0)])
            for at, end, id_ in _occurrences(words, ids, starts):
                lo, hi = max(0, at - WINDOW), min(len(words), end + WINDOW)
                sums[id_] += total[hi] - total[lo] - (total[end] - total[at])
                counts[id_] += 1
    means, seen = _units(sums)
    single = np.flatnonzero(seen[:size] & (counts[:size] >= CONTEXTS))
    often = seen[size:] & (counts[size:] >= CONTEXTS)
    if len(single) < width:  # too small a corpus to learn from
        return np.zeros((len(phrases), width), np.float32), np.zeros(len(phrases), np.bool_)
    contexts = means[single]
    square = contexts.T @ contexts + RIDGE * np.eye(width, dtype=np.float32)
    weights = np.linalg.solve(square, contexts.T @ side.unit_vectors[single])
    rows, _ = _units(means[size:] @ weights)
    rows[~often] = 0
    return rows, often


def _occurrences(
    words: Tokens, ids: NDArray[np.int64], starts: Mapping[str, Sequence[tuple[Tokens, int]]]
) -> Iterator[tuple[int, int, int]]:
    """Yield the first and the next place, and the row, of each word and each phrase of a text."""
    for at, (word, id_) in enumerate(zip(words, ids.tolist(), strict=True)):
        if id_ >= 0:
            yield at, at + 1, id_
        for form, place in starts.get(word, ()):
            if words[at : at + len(form)] == form:
                yield at, at + len(form), place


def _units(rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Return rows of length one, and which are not zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    there = lengths[:, 0] > 0
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0), there


# Phrases in a mapping.


def with_phrases(
    side: MappedSide, phrases: Sequence[str], corpus: Sentences | None = None
) -> tuple[MappedSide, list[str]]:
    """Return a side of a mapping with phrases after its words, and the phrases that are new.

    Vectors are made of contexts where the corpus has a phrase often enough, else by parts; a phrase
    with a word without a vector is left out.
    """
    listed = side.vocabulary.find(phrases) >= 0
    new = [phrase for phrase, known in zip(phrases, listed.tolist(), strict=True) if not known]
    rows, there = vectors_by_parts(side, new)
    if corpus is not None and new:
        made, often = vectors_by_contexts(side, new, corpus)
        rows[often], there = made[often], there | often
    new = [phrase for phrase, known in zip(new, there.tolist(), strict=True) if known]
    if not new:
        return side, []
    encoded = [word.encode("utf-8", "surrogatepass") for word in (*side.vocabulary, *new)]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    vocabulary, _ = Vocabulary.of(b"".join(encoded), offsets_of(lengths))
    vectors = np.vstack([side.unit_vectors, rows[there]])
    return replace(side, vocabulary=vocabulary, unit_vectors=vectors), new


def add_phrases(
    mapping: OpenMapping,
    lists: Sequence[PathLike],
    corpora: Sequence[PathLike],
    languages: tuple[str, str],
    *,
    find: bool,
) -> tuple[OpenMapping, list[str], tuple[str, ...]]:
    """Return the mapping with phrases of both languages, those of the source, and notes.

    `lists` and `corpora` have a file of the source language and, if there is one, of the target
    language. With `find`, the phrases of the corpora are added to those of the lists.
    """
    if not lists and not find:
        return mapping, [], ()
    if len(lists) > 2:
        raise OptionError(f"{len(lists)} lists of phrases", fix="name one or two: of each language")
    if find and not corpora:
        raise OptionError(
            "phrases are to be found, and there is no corpus", fix="name it: --examples FILE"
        )
    notes, sides, phrases = [], [], []
    for place, side in enumerate((mapping.source, mapping.target)):
        wanted = read_phrases(lists[place]) if place < len(lists) else []
        corpus = Sentences.read(corpora[place], side) if place < len(corpora) else None
        if find and corpus is not None:
            function_words = FUNCTION_WORDS.get(languages[place], frozenset())
            wanted += find_phrases(map(tokens_of, corpus.texts), function_words)
        wanted = list(dict.fromkeys(wanted))
        extended, new = with_phrases(side, wanted, corpus)
        sides.append(extended)
        phrases.append(new)
        if wanted:
            which = ("source", "target")[place]
            notes.append(f"{len(new):,} of {len(wanted):,} {which} phrases have a vector")
    settings = (*mapping.settings, ("phrases", "/".join(str(len(new)) for new in phrases)))
    extended_mapping = replace(mapping, source=sides[0], target=sides[1], settings=settings)
    return extended_mapping, phrases[0], tuple(notes)
