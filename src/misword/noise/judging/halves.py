"""Division of an aligned corpus into two halves by sentence."""

from __future__ import annotations

import numpy as np

from misword.core.errors import InputError
from misword.noise.learnt.aligned_corpus import AlignedCorpus


def split_halves(corpus: AlignedCorpus, seed: int) -> tuple[AlignedCorpus, AlignedCorpus]:
    """Return two random halves of the utterances; utterances of one sentence stay together."""
    sentences = corpus.sentence[np.unique(corpus.utterance)]
    sizes = np.bincount(sentences, minlength=int(corpus.sentence.max(initial=0)) + 1)
    order = np.random.Generator(np.random.Philox(seed)).permutation(len(sizes))
    in_first = np.zeros(len(sizes), bool)
    in_first[order[np.cumsum(sizes[order]) <= sizes.sum() / 2]] = True
    chosen = in_first[corpus.sentence]
    return corpus.select(chosen), corpus.select(~chosen)


def check_halves(train: AlignedCorpus, test: AlignedCorpus) -> None:
    """Raise an error unless both halves have substitutions."""
    if not (len(train.substitutions()) and len(test.substitutions())):
        raise InputError(
            "there are no substitutions on both halves of the pairs",
            fix="give more pairs, and a recogniser's hypotheses",
        )


def words_to_look_up(train: AlignedCorpus, test: AlignedCorpus) -> list[str]:
    """Return all words of the training half, and the substituted words of the test half."""
    counts = train.word_counts + test.count_words(test.substitutions().reference)
    return sorted(train.vocabulary[word] for word in np.flatnonzero(counts))
