"""The features by which a reranker judges a candidate, from vectors, frequency and spelling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.bli.arrays import Float32Array, Float64Array, RowNumbers
from misword.bli.reranking.model import Features
from misword.bli.retrievers.csls import CSLS
from misword.bli.search.hubness import hubness_terms
from misword.bli.search.ranking import cosines
from misword.text.tokens import encode_lists
from misword.text.transliteration import transliterate

CANDIDATES = 30  # of a list
BACK_CANDIDATES = 10  # of the search in the other direction


@dataclass(frozen=True, slots=True, eq=False)
class CandidateLists:
    """For each query its best targets by CSLS; arrays have a row for each query.

    `queries` are rows of the source, `ids` rows of the target. `scores` are those of CSLS,
    `source_hubness` (one column) and `target_hubness` their hubness terms. `back_ranks` is the rank
    of the query among the candidates of the target in the other direction, 11 if it is not among
    the first 10. `back_best` is the score of the first candidate in that direction.
    """

    queries: RowNumbers
    ids: RowNumbers
    scores: Float64Array
    source_hubness: Float64Array
    target_hubness: Float64Array
    back_ranks: RowNumbers
    back_best: Float64Array

    @classmethod
    def find(
        cls,
        queries: RowNumbers,
        source: Float32Array,
        target: Float32Array,
        size: int,
        workers: int | None = None,
    ) -> CandidateLists:
        """Retrieve `size` candidates for each query, or all targets with a vector if fewer."""
        retriever = CSLS()
        found = retriever.retrieve(queries, source, target, size, workers)
        scores = found.scores.astype(np.float64)
        of_query = hubness_terms(source[queries], target, retriever.neighbors, workers)
        source_hubness = of_query.astype(np.float64)[:, None]
        products = cosines(source[queries], target, found.ids).astype(np.float64)
        distinct, places = np.unique(found.ids, return_inverse=True)
        places = places.reshape(found.ids.shape)
        back = retriever.retrieve(distinct, target, source, BACK_CANDIDATES, workers)
        is_query = back.ids[places] == queries[:, None, None]
        ranks = np.where(is_query.any(axis=2), is_query.argmax(axis=2) + 1, BACK_CANDIDATES + 1)
        return cls(
            queries,
            found.ids,
            scores,
            source_hubness,
            2 * products - source_hubness - scores,
            ranks,
            back.scores[:, 0].astype(np.float64)[places],
        )

    def block(self, start: int, end: int) -> CandidateLists:
        """Return the lists of some of the queries."""
        return CandidateLists(
            *(getattr(self, name)[start:end] for name in self.__dataclass_fields__)
        )


# Spelling: how similar two words are, and which candidates are forms of one word.
#
# Words are compared after transliteration (`misword.text.transliteration`).

LETTERS = 24  # of a word that are compared for a common prefix
# Two words are taken for forms of one word if they begin alike: with at least this number of
# letters, and with at least this share of the longer word.
SHORTEST_STEM, STEM_SHARE = 4, 0.6
ROWS = 256  # lists whose candidates are compared with each other at a time

Codes = NDArray[np.uint32]  # a row for each word: its first letters, filled up with zeros


@dataclass(frozen=True, slots=True, eq=False)
class TransliteratedWords:
    """Transliterated words of queries and candidates.

    `words` are distinct words; `queries` and `candidates` are their numbers, by query and by query
    and candidate.
    """

    words: Sequence[str]
    queries: RowNumbers
    candidates: RowNumbers

    @classmethod
    def of(
        cls,
        source_words: Sequence[str],
        target_words: Sequence[str],
        queries: RowNumbers,
        ids: RowNumbers,
    ) -> TransliteratedWords:
        """Take the words of rows of both vocabularies."""
        distinct, places = np.unique(ids, return_inverse=True)
        words = [transliterate(source_words[row]) for row in queries.tolist()]
        words += [transliterate(target_words[row]) for row in distinct.tolist()]
        return cls(words, np.arange(len(queries)), len(queries) + places.reshape(ids.shape))

    @property
    def lengths(self) -> Float64Array:
        """The number of letters of each word."""
        return np.array([len(word) for word in self.words], np.float64)

    @property
    def codes(self) -> Codes:
        """The first letters of each word."""
        array = np.array(self.words, f"<U{LETTERS}")
        return array.view(np.uint32).reshape(len(self.words), LETTERS)

    def similarities(self, workers: int | None = None) -> Float64Array:
        """Return one minus the edit distance divided by the length of the longer word."""
        tokens = encode_lists(self.words)
        pairs = np.column_stack([self._query_of_each(), self.candidates.ravel()])
        distances = align(tokens, tokens, pairs=pairs, operations=False, workers=workers).costs
        longer = np.maximum(*self.lengths[pairs].T)
        return np.reshape(1 - distances / np.maximum(longer, 1), self.candidates.shape)

    def prefixes(self) -> Float64Array:
        """Return the length of the common prefix divided by the length of the longer word."""
        codes, lengths = self.codes, self.lengths
        common = _common_prefix(codes[self.queries][:, None], codes[self.candidates])
        longer = np.maximum(lengths[self.queries][:, None], lengths[self.candidates])
        return np.asarray(common / np.maximum(longer, 1))

    def forms(self) -> NDArray[np.bool_]:
        """Return which candidates of a list are forms of which others: three axes.

        A candidate is always a form of itself.
        """
        width = self.candidates.shape[1]
        related = np.empty((len(self.candidates), width, width), np.bool_)
        codes, lengths = self.codes, self.lengths
        for start in range(0, len(self.candidates), ROWS):
            block = self.candidates[start : start + ROWS]
            letters, sizes = codes[block], lengths[block]
            common = _common_prefix(letters[:, :, None], letters[:, None])
            longer = np.maximum(sizes[:, :, None], sizes[:, None])
            alike = (common >= SHORTEST_STEM) & (common >= STEM_SHARE * longer)
            related[start : start + ROWS] = alike | np.eye(width, dtype=np.bool_)
        return related

    def _query_of_each(self) -> RowNumbers:
        return np.repeat(self.queries, self.candidates.shape[1])


def _common_prefix(first: Codes, second: Codes) -> RowNumbers:
    """Return the number of equal letters at the beginning, along the last axis."""
    equal = (first == second) & (first > 0)
    return np.asarray(np.logical_and.accumulate(equal, axis=-1).sum(axis=-1))


# The features by which a reranker judges a candidate.
#
# By vectors:
#
# - `csls`, `csls_squared`: the score of CSLS;
# - `source_hubness`, `target_hubness`: the hubness terms of both words (with `csls`, they give the
#   cosine);
# - `log_rank`: the rank in the list of CSLS;
# - `below_first`: the score less that of the first candidate;
# - `log_back_rank`: the rank of the source word among the candidates of the candidate;
# - `below_back_first`: the score less that of the first of those;
# - `mutual`: 1 if each word is the first candidate of the other.
#
# By frequency (files of vectors have the most frequent words first):
#
# - `log_source_rank`, `log_target_rank`, and their squares: the places of both words in their
#   files;
# - `rank_difference`: the absolute difference of these two logarithms.
#
# By the words of one language:
#
# - `source_length`, `target_length`: numbers of letters;
# - `forms`: the logarithm of the number of candidates that are forms of the same word;
# - `below_best_form`: the score less that of the best of these forms;
# - `rarer_form`: `log_target_rank` less that of the most frequent of these forms.
#
# By the spelling of both languages; the model without spelling has none of these:
#
# - `similarity`, `similarity_squared`: one minus the edit distance divided by the length of the
#   longer word;
# - `prefix`: the length of the common prefix divided by the length of the longer word;
# - `identical`: 1 if both words are the same;
# - `length_difference`: the absolute difference of lengths;
# - `greatest_similarity`: the greatest similarity in the list;
# - `similarity_if_greatest`: the similarity of a candidate that has the greatest, else 0.
#
# Words are compared after transliteration.

# Added to ranks before the logarithm is taken, so that the first few words do not stand out.
RANK_OFFSET = 10

BLOCK = 1024  # queries whose features are computed at a time

Columns = dict[str, Float64Array]

SPELLING = (
    "similarity", "similarity_squared", "prefix", "identical", "length_difference",
    "greatest_similarity", "similarity_if_greatest",
)  # fmt: skip
FEATURES = (
    "csls", "csls_squared", "source_hubness", "target_hubness", "log_rank", "below_first",
    "log_back_rank", "below_back_first", "mutual", "log_source_rank", "log_source_rank_squared",
    "log_target_rank", "log_target_rank_squared", "rank_difference", "source_length",
    "target_length", "forms", "below_best_form", "rarer_form", *SPELLING,
)  # fmt: skip
NO_SPELLING = tuple(name for name in FEATURES if name not in SPELLING)


def feature_blocks(
    lists: CandidateLists,
    source_words: Sequence[str],
    target_words: Sequence[str],
    workers: int | None = None,
) -> Iterator[Features]:
    """Yield the features of all queries, those of some queries at a time to save memory."""
    for start in range(0, len(lists.queries), BLOCK):
        block = lists.block(start, start + BLOCK)
        yield features_of(block, source_words, target_words, workers)


def features_of(
    lists: CandidateLists,
    source_words: Sequence[str],
    target_words: Sequence[str],
    workers: int | None = None,
) -> Features:
    """Return all features of all candidates, in the order of `FEATURES`."""
    spellings = TransliteratedWords.of(source_words, target_words, lists.queries, lists.ids)
    columns = _score_features(lists) | _rank_features(lists)
    columns |= _form_features(lists, spellings, columns["log_target_rank"])
    columns |= _spelling_features(spellings, workers)
    shape = lists.ids.shape
    return np.stack([np.broadcast_to(columns[name], shape) for name in FEATURES], axis=-1)


def _score_features(lists: CandidateLists) -> Columns:
    """Return the features from vectors: scores, hubness and ranks in both directions."""
    scores = lists.scores
    ranks = np.arange(1, scores.shape[1] + 1, dtype=np.float64)
    return {
        "csls": scores,
        "csls_squared": scores**2,
        "source_hubness": lists.source_hubness,
        "target_hubness": lists.target_hubness,
        "log_rank": np.log(ranks),
        "below_first": scores - scores[:, :1],
        "log_back_rank": np.log(lists.back_ranks),
        "below_back_first": scores - lists.back_best,
        "mutual": ((ranks == 1) & (lists.back_ranks == 1)).astype(np.float64),
    }


def _rank_features(lists: CandidateLists) -> Columns:
    """Return features of frequency: files of vectors have the most frequent words first."""
    of_source = np.log(lists.queries[:, None] + 1.0 + RANK_OFFSET)
    of_target = np.log(lists.ids + 1.0 + RANK_OFFSET)
    return {
        "log_source_rank": of_source,
        "log_source_rank_squared": of_source**2,
        "log_target_rank": of_target,
        "log_target_rank_squared": of_target**2,
        "rank_difference": np.abs(of_source - of_target),
    }


def _form_features(
    lists: CandidateLists, spellings: TransliteratedWords, log_ranks: Float64Array
) -> Columns:
    """Return the lengths, and features of a candidate among the forms of the same word."""
    forms, lengths = spellings.forms(), spellings.lengths
    best = np.where(forms, lists.scores[:, None], -np.inf).max(axis=2, initial=-np.inf)
    most_frequent = np.where(forms, log_ranks[:, None], np.inf).min(axis=2, initial=np.inf)
    return {
        "source_length": lengths[spellings.queries][:, None],
        "target_length": lengths[spellings.candidates],
        "forms": np.log(forms.sum(axis=2)),
        "below_best_form": lists.scores - best,
        "rarer_form": log_ranks - most_frequent,
    }


def _spelling_features(spellings: TransliteratedWords, workers: int | None) -> Columns:
    """Return how similar the spelling of both words is."""
    similarities, lengths = spellings.similarities(workers), spellings.lengths
    greatest = similarities.max(axis=1, keepdims=True, initial=0)
    source_lengths = lengths[spellings.queries][:, None]
    return {
        "similarity": similarities,
        "similarity_squared": similarities**2,
        "prefix": spellings.prefixes(),
        "identical": (similarities == 1).astype(np.float64),
        "length_difference": np.abs(source_lengths - lengths[spellings.candidates]),
        "greatest_similarity": greatest,
        "similarity_if_greatest": np.where(similarities == greatest, similarities, 0.0),
    }
