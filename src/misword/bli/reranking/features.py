"""The features by which a reranker judges a candidate.

By vectors:

- `csls`, `csls_squared`: the score of CSLS;
- `source_hubness`, `target_hubness`: the hubness terms of both words (with `csls`, they give the
  cosine);
- `log_rank`: the rank in the list of CSLS;
- `below_first`: the score less that of the first candidate;
- `log_back_rank`: the rank of the source word among the candidates of the candidate;
- `below_back_first`: the score less that of the first of those;
- `mutual`: 1 if each word is the first candidate of the other.

By frequency (files of vectors have the most frequent words first):

- `log_source_rank`, `log_target_rank`, and their squares: the places of both words in their files;
- `rank_difference`: the absolute difference of these two logarithms.

By the words of one language:

- `source_length`, `target_length`: numbers of letters;
- `forms`: the logarithm of the number of candidates that are forms of the same word;
- `below_best_form`: the score less that of the best of these forms;
- `rarer_form`: `log_target_rank` less that of the most frequent of these forms.

By the spelling of both languages; the model without spelling has none of these:

- `similarity`, `similarity_squared`: one minus the edit distance divided by the length of the
  longer word;
- `prefix`: the length of the common prefix divided by the length of the longer word;
- `identical`: 1 if both words are the same;
- `length_difference`: the absolute difference of lengths;
- `greatest_similarity`: the greatest similarity in the list;
- `similarity_if_greatest`: the similarity of a candidate that has the greatest, else 0.

Words are compared after transliteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from misword.bli.arrays import Float64Array
from misword.bli.reranking.candidate_lists import CandidateLists
from misword.bli.reranking.model import Features
from misword.bli.reranking.spelling import Spellings

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
    spellings = Spellings.of(source_words, target_words, lists.queries, lists.ids)
    columns = _score_features(lists) | _rank_features(lists)
    columns |= _form_features(lists, spellings, columns["log_target_rank"])
    columns |= _spelling_features(spellings, workers)
    shape = lists.ids.shape
    return np.stack([np.broadcast_to(columns[name], shape) for name in FEATURES], axis=-1)


def _score_features(lists: CandidateLists) -> Columns:
    """Return what the vectors say of each candidate."""
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


def _form_features(lists: CandidateLists, spellings: Spellings, log_ranks: Float64Array) -> Columns:
    """Return the lengths, and how a candidate stands among the forms of the same word."""
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


def _spelling_features(spellings: Spellings, workers: int | None) -> Columns:
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
