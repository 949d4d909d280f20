"""Encoders by means of word vectors: `mean`, `mean-stop`, and their base class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.parts import Requirement, Settings
from misword.embed import frequencies
from misword.embed.encoders import Encoder, SentenceVectors
from misword.embed.frequencies import WORDFREQ
from misword.embed.vectors import Case
from misword.embed.vectors.words import WordVectors, check_word_vectors, word_vectors

# Weighted means of the word vectors of sentences.

WordWeight = Callable[[str], float]

BLOCK = 4096  # texts whose word vectors are in memory at once


def weighted_means(
    texts: Sequence[str], vectors: WordVectors, case: Case, weight: WordWeight
) -> NDArray[np.float64]:
    """Return for each text the sum of its weighted word vectors, divided by the number of words.

    Words are separated by white space. Words without a vector are left out of sum and number.
    """
    known = index_known_words(texts, vectors, case)
    ids, text_of_word = known.ids, known.text_of_word
    weighted = known.rows * np.array([weight(word) for word in known.vocabulary]).reshape(-1, 1)
    sums = np.zeros((len(texts), vectors.dimension))
    for lo in range(0, len(texts), BLOCK):
        first, last = np.searchsorted(text_of_word, (lo, lo + BLOCK))
        numbers, starts = np.unique(text_of_word[first:last], return_index=True)
        if len(numbers):
            sums[numbers] = np.add.reduceat(weighted[ids[first:last]], starts)
    return sums / np.maximum(np.bincount(text_of_word, minlength=len(texts)), 1)[:, None]


def largest_component(
    words: Iterable[str], vectors: WordVectors, case: Case, weight: WordWeight
) -> float:
    """Return the largest component, without its sign, of the weighted vectors of words."""
    largest, listed = 0.0, list(words)
    for lo in range(0, len(listed), BLOCK):
        some = listed[lo : lo + BLOCK]
        rows, _ = vectors.raw(some, case)
        weights = np.array([weight(word) for word in some])
        largest = max(largest, float((np.abs(rows).max(axis=1, initial=0) * weights).max()))
    return largest


def has_unknown_word(texts: Sequence[str], vectors: WordVectors, case: Case) -> NDArray[np.bool_]:
    """Return which texts contain a word without a vector."""
    ids, sizes, words = index_words(texts)
    _, known = vectors.raw(words, case)
    text_of_word = np.repeat(np.arange(len(texts)), sizes)
    return np.bincount(text_of_word[~known[ids]], minlength=len(texts)) > 0


class KnownWords(NamedTuple):
    """The words of texts that have a vector.

    Word `w` has the vector `rows[ids[w]]`, is `vocabulary[ids[w]]`, and belongs to the text with
    the number `text_of_word[w]`. The words are in the order of the texts.
    """

    ids: NDArray[np.int64]
    text_of_word: NDArray[np.int64]
    vocabulary: list[str]
    rows: NDArray[np.float32]


def index_known_words(texts: Sequence[str], vectors: WordVectors, case: Case) -> KnownWords:
    """Return the words of all texts, without the words that have no vector."""
    ids, sizes, words = index_words(texts)
    rows, known = vectors.raw(words, case)
    text_of_word = np.repeat(np.arange(len(texts)), sizes)
    return KnownWords(ids[known[ids]], text_of_word[known[ids]], words, rows)


def index_words(texts: Sequence[str]) -> tuple[NDArray[np.int64], list[int], list[str]]:
    """Return the word ids of all texts, the number of words of each text, and the vocabulary.

    >>> index_words(["a b a", "b"])
    (array([0, 1, 0, 1]), [3, 1], ['a', 'b'])
    """
    texts_words = [text.split() for text in texts]
    vocabulary: dict[str, int] = {}
    ids = [vocabulary.setdefault(word, len(vocabulary)) for words in texts_words for word in words]
    return np.array(ids, np.int64), [len(words) for words in texts_words], list(vocabulary)


# The encoders.


class WordVectorEncoder(Encoder):
    """Base class of encoders that work on the word vectors of the context.

    Words are separated by white space and looked up by the option `case`; words without a vector
    are left out.
    """

    __slots__ = ()

    needs: ClassVar[tuple[str, ...]] = ("vectors",)

    # Each subclass has this option as a dataclass field; its place in the order of options differs.
    case: Case

    def check(self, context: Context) -> None:
        """Raise unless the context has word vectors."""
        check_word_vectors(context)

    def settings(self, context: Context) -> Settings:
        """The encoder, its options and the word vectors."""
        return (
            ("encoder", self.name),
            *self.option_settings(context),
            *word_vectors(context).settings,
        )

    def option_settings(self, context: Context) -> Settings:
        """The options as a signature prints them, between the encoder's name and the vectors."""
        return Encoder.settings(self, context)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Texts that contain a word without a vector."""
        return has_unknown_word(texts, word_vectors(context), self.case)


@dataclass(frozen=True, slots=True)
class Mean(WordVectorEncoder):
    """The mean of the vectors of a sentence's words.

    Why: it is fast, needs no model except the word vectors, and is a strong baseline.

    Words are separated by white space and looked up by `case`; words without a vector are left out.

    Known problems: it ignores the order of words, and frequent words dominate the mean.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --metrics semdist:encoder=mean`
    Reference: J. Wieting et al., Towards universal paraphrastic sentence embeddings, ICLR 2016.
    """

    name: ClassVar[str] = "mean"
    cites: ClassVar[tuple[str, ...]] = ("wieting2016",)

    case: Case = "auto"

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return the unweighted mean for each text."""
        means = weighted_means(texts, word_vectors(context), self.case, lambda word: 1.0)
        return means.astype(np.float32)


@dataclass(frozen=True, slots=True)
class MeanStop(Mean):
    """The mean of the vectors of a sentence's words, without the most frequent words.

    Why: words such as `the` and `of` occur in every sentence and make all means similar.

    `words=wordfreq` leaves out the `number` most frequent words of the language (package wordfreq);
    `words=stopwordsiso` leaves out the list of that package. This list is long: for English it has
    1,298 words, among them `man`, `young`, `two` and `work`.

    Known problems: a sentence of stop words alone has a zero vector and similarity 0 with every
    sentence; `not` is left out too.

    Example: `misword score ref.txt hyp.txt --vectors cc.fr.300.vec --lang fr --metrics
    semdist:encoder=mean-stop`

    Reference: R. Voleti et al., Investigating the effects of word substitution errors on sentence
    embeddings, ICASSP 2019.
    """

    name: ClassVar[str] = "mean-stop"

    case: Case = "auto"
    words: frequencies.StopwordList = "wordfreq"
    number: int = 100

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package of the default list."""
        return WORDFREQ

    def check(self, context: Context) -> None:
        """Raise unless there are word vectors and a list of stop words for the language."""
        Mean.check(self, context)
        frequencies.check_stopwords(self.words, self.number, context.lang)

    def option_settings(self, context: Context) -> Settings:
        """The case and the list of stop words."""
        return ("case", self.case), *frequencies.stopword_settings(
            self.words, self.number, context.lang
        )

    def encode(self, texts: Sequence[str], context: Context) -> SentenceVectors:
        """Return the mean over the words that are not stop words."""
        return Mean.encode(self, self._without_stopwords(texts, context), context)

    def partial(self, texts: Sequence[str], context: Context) -> NDArray[np.bool_]:
        """Texts that contain a word without a vector; stop words are not counted."""
        return Mean.partial(self, self._without_stopwords(texts, context), context)

    def _without_stopwords(self, texts: Sequence[str], context: Context) -> list[str]:
        words = frequencies.load_stopwords(self.words, self.number, context.lang)
        return frequencies.without_words(texts, words)
