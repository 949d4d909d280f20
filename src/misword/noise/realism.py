"""Realism of channels: the probability of a recogniser's real errors under each channel.

Real pairs of references and hypotheses are divided into halves, by sentence. Channels that learn
are trained on the first half. Then each real substitution of the other half (the reference word
`said` became the hypothesis word `heard`) has a probability under each channel,

    P(heard | said) = w C(heard | said) + (1 - w) E(heard | said)

where C is the channel and E the fallback distribution (`FallbackDistribution`), which is the same
for all channels. With E every error has a probability above 0, so that a channel is not punished
without limit for a word that it does not know. The weight w is fitted for each channel on the
training half alone, by cross-validation: the channel learns from one part of that half, and w is
fitted to the errors of the other part. The score is the mean of -log2 P, bits per substitution;
fewer bits are better.

Known problems: only substitutions are judged, one by one, neither the places of errors nor their
runs. The alignment decides which words are a substitution, and in a run of errors it pairs words
that have nothing in common. A rank does not punish a high probability of the wrong word; bits
do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import exp, log
from typing import Any, Literal, Self, Unpack

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts.registry import split_specs
from misword.core.signature import Signature
from misword.core.types import Corpus, DisplayedResult, Result, Statistics
from misword.core.version import __version__
from misword.embed.options import Language, Threads
from misword.embed.vectors.words import notes_of
from misword.noise.aligned_corpus import AlignedCorpus, CorpusSubstitutions, read_aligned
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.channels import Channel
from misword.noise.channels.specs import create_channel
from misword.noise.error_model import CandidateTable
from misword.noise.learn import mixing_weight
from misword.noise.options import RealismOptions
from misword.noise.realism_spans import (
    JudgedSpans,
    SpanFallback,
    SpanScores,
    fitted_weight,
    span_probabilities,
    spans_table,
    texts_tables,
)
from misword.stat.bootstrap import DEFAULT, Bootstrap, interval
from misword.stat.descriptions.noise import REALISM
from misword.stat.paired import by_block, paired


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
            "one half of the pairs has no substitutions",
            fix="give more pairs, and a recogniser's hypotheses",
        )


def words_to_look_up(train: AlignedCorpus, test: AlignedCorpus) -> list[str]:
    """Return all words of the training half, and the substituted words of the test half."""
    counts = train.word_counts + test.count_words(test.substitutions().reference)
    return sorted(train.vocabulary[word] for word in np.flatnonzero(counts))


# The fallback distribution: it gives every possible word a probability above 0.
#
# `misword realism` mixes it with each channel (option `--fallback`). It is learnt from the
# training half of the pairs alone and is the same for every channel. A known word is a word of the
# training half. Known words are equally likely (`uniform`), or as likely as they are frequent in
# the hypotheses (`unigram`); a word is never substituted by itself. All unknown words together
# have the probability `unknown`. It is divided among them by a letter-bigram model of spelling,
# which is learnt from the known words and renormalised without them. `unknown` is estimated by the
# share of substitutions in the training half whose substitute occurs only there.

FallbackShape = Literal["uniform", "unigram"]
EDGE = "\0"
ALL_CHARACTERS = 0x110000


@dataclass(frozen=True, eq=False)
class FallbackDistribution:
    """P(substitute | word) for all words, learnt from `train`; words are numbers of its vocabulary.

    The vocabulary of `train` may have words that are not in `train` itself: they are unknown.
    """

    train: AlignedCorpus
    shape: FallbackShape = "uniform"

    @cached_property
    def counts(self) -> Ints:
        """How often each word is in the training half; 0 for unknown words."""
        return self.train.word_counts

    @property
    def size(self) -> int:
        """The number of known words."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def unknown(self) -> float:
        """The probability of all unknown words together."""
        substitutes = self.train.substitutions().hypothesis
        return (int((self.counts[substitutes] == 1).sum()) + 1) / (len(substitutes) + 2)

    @cached_property
    def _weights(self) -> Floats:
        """The weights of the known words; unigram counts have 1 added, so that none is 0."""
        if self.shape == "uniform":
            return (self.counts > 0).astype(np.float64)
        unigram = (self.train.count_words(self.train.hypothesis) + 1).astype(np.float64)
        return np.where(self.counts > 0, unigram, 0.0)

    @cached_property
    def spelling(self) -> SpellingModel:
        """The letter-bigram model of the known words."""
        known = [self.train.vocabulary[at] for at in np.flatnonzero(self.counts)]
        return SpellingModel(tuple(known))

    def probability(self, pairs: CorpusSubstitutions) -> Floats:
        """Return the probability of each substitution."""
        substitutes = pairs.hypothesis
        weights = self._weights[substitutes]
        total = self._weights.sum() - self._weights[pairs.reference]
        known = self.counts[substitutes] > 0
        probability = np.zeros(len(pairs))
        probability[known] = (1 - self.unknown) * weights[known] / total[known]
        others = substitutes[~known].tolist()
        words = self.train.vocabulary
        by_spelling = {word: self.spelling.probability(words[word]) for word in set(others)}
        probability[~known] = [self.unknown * by_spelling[word] for word in others]
        return probability

    def of_words(self, words: Sequence[str]) -> Floats:
        """Return the probability of each word of the vocabulary after a word that is unknown."""
        ids = {word: number for number, word in enumerate(self.train.vocabulary)}
        heard = np.array([ids[word] for word in words], np.int64)
        unsaid = np.full(len(heard), np.argmin(self.counts) if len(self.counts) else 0)
        return self.probability(CorpusSubstitutions(np.zeros_like(heard), unsaid, heard))


@dataclass(frozen=True)
class SpellingModel:
    """A letter-bigram model with add-one smoothing, learnt from distinct words.

    The probability of a character that is in no word is divided among all characters of Unicode.
    """

    words: tuple[str, ...]

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset("".join(self.words))

    @cached_property
    def _bigrams(self) -> Counter[tuple[str, str]]:
        return Counter(pair for word in self.words for pair in pairwise(self._symbols(word)))

    @cached_property
    def _histories(self) -> Counter[str]:
        """How often each symbol is the first of a bigram."""
        counts: Counter[str] = Counter()
        for (first, _), count in self._bigrams.items():
            counts[first] += count
        return counts

    @cached_property
    def _known_mass(self) -> float:
        """The probability of all words of the vocabulary together."""
        return sum(exp(self._log_probability(word)) for word in self.words)

    def probability(self, word: str) -> float:
        """Return the probability of a word, given that it is not in the vocabulary.

        >>> model = SpellingModel(("ab",))
        >>> model.probability("b") > model.probability("xx")
        True
        """
        return exp(self._log_probability(word)) / (1 - self._known_mass)

    def _symbols(self, word: str) -> list[str]:
        """Return the letters of a word between two edges; an unknown letter is an empty string."""
        return [EDGE, *(c if c in self._letters else "" for c in word), EDGE]

    def _log_probability(self, word: str) -> float:
        kinds = len(self._letters) + 2  # with the edge and the unknown letter
        symbols = self._symbols(word)
        probabilities = (
            (self._bigrams[pair] + 1) / (self._histories[pair[0]] + kinds)
            for pair in pairwise(symbols)
        )
        unknown = symbols.count("")
        return sum(log(p) for p in probabilities) - unknown * log(ALL_CHARACTERS)


# The probabilities and ranks that a channel gives to real substitutions.


@dataclass(frozen=True, slots=True, eq=False)
class ChannelRanks:
    """Of each substitution: its probability, its rank, and whether the word has candidates.

    The rank is the place of the substitute among all words by falling probability, from 1. Equal
    probabilities share their mean rank.
    """

    probability: Floats
    rank: Floats
    has_candidates: Flags

    @classmethod
    def of(
        cls,
        channel: Channel,
        words: list[str],
        corpus: AlignedCorpus,
        vocabulary_size: int,
        context: Context,
    ) -> Self:
        """Look up the substitutions of a corpus in the table that a channel gives for `words`.

        `words` must have all words that are substituted. A substitute of probability 0 ranks after
        all words of a higher probability, with the mean rank of the rest of a vocabulary of
        `vocabulary_size` words.
        """
        table = channel.error_model(words, context).candidates
        table_row = {word: row for row, word in enumerate(words)}
        substitute_id = _ids_in_table(corpus.vocabulary, table)
        pairs = corpus.substitutions()
        probability, rank = np.zeros(len(pairs)), np.zeros(len(pairs))
        has_candidates = np.zeros(len(pairs), bool)
        for group in _groups(pairs.reference):
            row = table_row[corpus.vocabulary[pairs.reference[group[0]]]]
            distribution = table.distribution(row)
            ids = substitute_id[pairs.hypothesis[group]]
            likely = np.where(ids >= 0, distribution[ids], 0.0)
            positive = np.sort(distribution[distribution > 0])
            above = len(positive) - np.searchsorted(positive, likely, side="right")
            equal = len(positive) - above - np.searchsorted(positive, likely)
            rest = max(vocabulary_size - len(positive), 1)
            probability[group], has_candidates[group] = likely, len(positive) > 0
            last = len(positive) + (rest + 1) / 2
            rank[group] = np.where(likely > 0, above + (equal + 1) / 2, last)
        return cls(probability, rank, has_candidates)


def _ids_in_table(words: list[str], table: CandidateTable) -> Ints:
    """Return the id of each word in the vocabulary of a table, -1 if it is not there."""
    ids = {word: number for number, word in enumerate(table.vocabulary)}
    return np.array([ids.get(word, -1) for word in words], np.int64)


def _groups(values: Ints) -> list[Ints]:
    """Return the places of each distinct value."""
    if not len(values):
        return []
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(values[order])) + 1)


# The tables of `misword realism`: a summary of each channel, and every test error.


@dataclass(frozen=True, slots=True, eq=False)
class ChannelScores:
    """The test errors under one channel.

    `bits` is -log2 P of each error under the mixture of channel and fallback distribution, `rank`
    its rank and `probability` its probability under the channel alone. `weight` is the channel's
    weight in the mixture.
    """

    bits: Floats
    rank: Floats
    probability: Floats
    weight: float


def summary_table(
    scores: Mapping[str, ChannelScores], test: AlignedCorpus, bootstrap: Bootstrap
) -> pl.DataFrame:
    """Return a row for each channel; intervals come from resampling whole sentences.

    `difference` is to the first channel.
    """
    errors = test.substitutions()
    block = np.unique(test.sentence[errors.utterance], return_inverse=True)[1]
    terms = {
        name: by_block(np.stack([channel.bits, np.ones(len(errors))], axis=1), block)
        for name, channel in scores.items()
    }
    baseline = next(iter(terms.values()))
    rows = []
    for name, channel in scores.items():
        low, high = interval(terms[name], _mean, bootstrap)
        change = paired(baseline, terms[name], _mean, bootstrap)
        covered = channel.probability > 0
        covered_bits = -np.log2(channel.probability[covered])
        rows.append(
            {
                "channel": name,
                "bits": float(channel.bits.mean()),
                "low": low,
                "high": high,
                "difference": change.difference,
                "difference_low": change.low,
                "difference_high": change.high,
                "p": change.p,
                "coverage": float(covered.mean()),
                "covered_bits": float(covered_bits.mean()) if covered.any() else None,
                "mean_rank": float(channel.rank.mean()),
                "median_rank": float(np.median(channel.rank)),
                "weight": channel.weight,
                "errors": len(errors),
                "sentences": len(baseline),
            }
        )
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def _mean(terms: Statistics) -> Statistics:
    """Return the mean of a sum and a count."""
    return np.asarray(terms[..., 0] / terms[..., 1])


def errors_table(scores: Mapping[str, ChannelScores], test: AlignedCorpus) -> pl.DataFrame:
    """Return every test error, with its bits and its rank under each channel."""
    errors = test.substitutions()
    words = pl.Series(test.vocabulary, dtype=pl.String)
    columns = {
        "utt": pl.Series(errors.utterance + 1),
        "said": words.gather(errors.reference),
        "heard": words.gather(errors.hypothesis),
    }
    for name, channel in scores.items():
        columns[f"{name}.bits"] = pl.Series(channel.bits)
        columns[f"{name}.rank"] = pl.Series(channel.rank)
    return pl.DataFrame(columns)


# The study.

FALLBACK_ALONE = "fallback alone"  # the row of the fallback distribution without any channel
WEIGHT_SEED = 1  # seed of the division of the training half, for fitting weights


@dataclass(frozen=True, eq=False, repr=False)
class Realism(DisplayedResult):
    """The realism of channels.

    `table` has a row for each channel, with the fallback distribution alone as the last one.
    `errors` has every test error, with its bits and its rank under each channel. `spans` judges
    whole error spans (`realism_spans.py`), `texts` and `runs` noisy texts (`realism_texts.py`).
    `table` and `errors` have only channels of single words. `parts` has title,
    family and citations of the channels; `notes` are facts that the numbers do not show;
    `bootstrap` has the settings of the intervals.
    """

    table: pl.DataFrame
    errors: pl.DataFrame
    spans: pl.DataFrame
    texts: pl.DataFrame
    runs: pl.DataFrame
    signatures: dict[str, str]
    parts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    bootstrap: Bootstrap = DEFAULT
    description = REALISM

    def main_table(self) -> pl.DataFrame:
        """Return the table `summary`."""
        return self.table

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return the tables as a result that can be written."""
        tables = {"spans": self.spans, "texts": self.texts, "runs": self.runs}
        tables |= {"summary": self.table, "errors": self.errors}
        facts = {"signatures": self.signatures, "parts": dict(self.parts)}
        origin = {"misword": __version__, **(provenance or {}), **self.bootstrap.settings}
        return Result("realism", tables, {**origin, **facts})


@takes(RealismOptions)
def realism(
    references: Iterable[str] | Corpus | Callable[[], Corpus],
    hypotheses: Iterable[str] | None,
    channels: str | Iterable[str] | Mapping[str, Channel],
    **options: Unpack[RealismOptions],
) -> Realism:
    """Return how likely real errors are under channels; differences are to the first channel.

    `references` and `hypotheses` are two columns of text in the same order. Instead of both,
    `references` may be a `Corpus`, or a function that reads and returns one, with `None` for the
    hypotheses; all systems of a corpus count as one recogniser. `channels` are specs, or channels
    by name. `fallback` is the shape of the fallback distribution. `seed` decides the halves and the
    resamples.

    >>> references, hypotheses = ["a cat", "a hat", "a dog", "a cow"], ["a bat", "a bat"] * 2
    >>> realism(references, hypotheses, "uniform", bootstrap=0).table["channel"].to_list()
    ['uniform', 'fallback alone']
    """
    resampling, shape, seed = Bootstrap.of(options), options["fallback"], options["seed"]
    if shape not in ("uniform", "unigram"):
        raise OptionError(f"fallback is {shape!r}", fix="use uniform or unigram")
    context = Context.of(**chosen(options, Language, Threads))
    parts = _create_channels(channels, context)
    aligned = read_aligned(references, hypotheses)
    if not len(aligned.operations):
        raise InputError("there are no texts", fix="give references and hypotheses")
    train, test = split_halves(aligned, seed)
    check_halves(train.best(), test.best())
    train_best, test_best = train.best(), test.best()
    fallback = FallbackDistribution(train_best, shape)
    learnt = {name: part.learn(train, context) for name, part in parts.items()}
    scores: dict[str, ChannelScores] = {}
    for name, part in parts.items():
        if part.mixes:
            weight = _fit_weight(part, train_best, shape, context)
            scores[name] = _score(learnt[name], train_best, test_best, fallback, weight, context)
    scores[FALLBACK_ALONE] = _score_fallback(test_best, fallback)
    texts, runs = texts_tables(learnt, test_best, context, resampling)
    return Realism(
        summary_table(scores, test_best, resampling),
        errors_table(scores, test_best),
        _spans_table(parts, learnt, (train, test_best), shape, context, resampling),
        texts,
        runs,
        {name: str(_signature(part, context, fallback, seed)) for name, part in learnt.items()},
        {name: part.description() for name, part in parts.items()},
        notes_of(context),
        resampling,
    )


def _spans_table(
    parts: Mapping[str, Channel],
    learnt: Mapping[str, Channel],
    halves: tuple[AlignedCorpus, AlignedCorpus],
    shape: FallbackShape,
    context: Context,
    bootstrap: Bootstrap,
) -> pl.DataFrame:
    """Return the table of whole error spans: a row for each channel."""
    train, test = halves
    judged = JudgedSpans.of(test)
    own = FallbackDistribution(train.best(), shape).of_words
    fallback = SpanFallback.of(own, JudgedSpans.of(train)).probabilities(judged.spans)
    folds = split_halves(train, WEIGHT_SEED)
    scores = {}
    for name, part in parts.items():
        by_channel, by_fallback = [np.zeros(0)], [np.zeros(0)]
        for fold, held_out in (folds, folds[::-1]):
            fitting, inside = JudgedSpans.of(held_out), FallbackDistribution(fold.best(), shape)
            if not (len(fold.substitutions()) and fitting.spans):
                continue
            trained = part.learn(fold, context)
            by_channel.append(span_probabilities(trained, fitting, context))
            chance = SpanFallback.of(inside.of_words, JudgedSpans.of(fold))
            by_fallback.append(chance.probabilities(fitting.spans))
        weight = fitted_weight(np.concatenate(by_channel), np.concatenate(by_fallback))
        probability = span_probabilities(learnt[name], judged, context)
        scores[name] = SpanScores.of(probability, fallback, weight)
    scores[FALLBACK_ALONE] = SpanScores.of(np.zeros(len(fallback)), fallback, 0.0)
    return spans_table(scores, judged, bootstrap)


def _create_channels(
    channels: str | Iterable[str] | Mapping[str, Channel], context: Context
) -> dict[str, Channel]:
    """Return channels by name; those that do not learn are checked before any text is read."""
    if isinstance(channels, Mapping):
        parts = dict(channels)
    else:
        parts = {spec: create_channel(spec) for spec in split_specs(channels)}
    if not parts:
        raise OptionError("no channel is named", fix="name one: --channels voleti,confusion")
    for part in parts.values():
        if not part.learns:
            part.check(context)
    return parts


def _score(
    channel: Channel,
    train: AlignedCorpus,
    test: AlignedCorpus,
    fallback: FallbackDistribution,
    weight: float,
    context: Context,
) -> ChannelScores:
    """Return bits and ranks of the errors of the test half under a trained channel."""
    words = words_to_look_up(train, test)
    ranks = ChannelRanks.of(channel, words, test, fallback.size, context)
    weights = np.where(ranks.has_candidates, weight, 0.0)
    by_fallback = fallback.probability(test.substitutions())
    mixed = weights * ranks.probability + (1 - weights) * by_fallback
    return ChannelScores(-np.log2(mixed), ranks.rank, ranks.probability, weight)


def _score_fallback(test: AlignedCorpus, fallback: FallbackDistribution) -> ChannelScores:
    """Return bits and ranks of the errors of the test half without any channel."""
    errors = test.substitutions()
    rank = np.full(len(errors), (fallback.size + 1) / 2)
    bits = -np.log2(fallback.probability(errors))
    return ChannelScores(bits, rank, np.zeros(len(errors)), 0.0)


def _fit_weight(
    channel: Channel, train: AlignedCorpus, shape: FallbackShape, context: Context
) -> float:
    """Return the weight w of a channel in its mixture with the fallback distribution.

    It is fitted by cross-validation: the channel learns from one half of the training half, and the
    errors of the other half get probabilities; then the two change places.
    """
    one, other = split_halves(train, WEIGHT_SEED)
    probabilities = [np.zeros((2, 0))]
    for fold, held_out in ((one, other), (other, one)):
        errors = held_out.substitutions()
        if not (len(errors) and len(fold.substitutions())):
            continue
        fallback = FallbackDistribution(fold, shape)
        words = words_to_look_up(fold, held_out)
        trained = channel.learn(fold, context)
        ranks = ChannelRanks.of(trained, words, held_out, fallback.size, context)
        both = np.stack([ranks.probability, fallback.probability(errors)])
        probabilities.append(both[:, ranks.has_candidates])
    by_channel, by_fallback = np.concatenate(probabilities, axis=1)
    return mixing_weight(by_channel, by_fallback) if len(by_channel) else 0.0


def _signature(
    channel: Channel, context: Context, fallback: FallbackDistribution, seed: int
) -> Signature:
    split = ("split", "half-by-sentence"), ("seed", str(seed))
    shape = ("fallback", f"{fallback.shape}-{fallback.size}")
    last = ("words", "cores"), ("v", str(channel.revision))
    return Signature("realism", (*channel.settings(context), *split, shape, *last))
