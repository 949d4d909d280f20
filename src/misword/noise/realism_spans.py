"""Realism of whole error spans: n words that were said and the m words that were heard for them.

The probability of what was heard, given that the words of the span were misheard, is that of the
channel. A channel of single words substitutes or deletes each word and may insert a word after it;
the probabilities of all ways to get the words that were heard are added up. A listener gives
probabilities of stretches of words. From the probability p of each real span follow

- the recall within k samples: the mean of 1 - (1 - p)^k, the expected share of spans that are
  drawn at least once in k samples;
- the bits: the mean of -log2(w p + (1 - w) E), with a fallback distribution E that is the same for
  all channels. Its weight is fitted by cross-validation on the training half, as for single words.

Spans in which nothing was said (insertions) are left out: they show in the realism of texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from misword.core.context import Context
from misword.core.lazy import pl
from misword.noise.aligned_corpus import AlignedCorpus, CorpusSubstitutions
from misword.noise.arrays import Floats
from misword.noise.channels import Channel
from misword.noise.corruption.text_block import distinct_cores
from misword.noise.error_model import ErrorModel
from misword.noise.learn import mixing_weight
from misword.noise.listening.spans import Span, SpannedCorpus, Words
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.paired import by_block, paired

SAMPLES = (1, 10, 100)  # the numbers k of samples
MOST_INSERTED = 0.5  # of the probability of an insertion after an error
MOST_HEARD = 13  # longer spans share one probability of their length


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSpans:
    """Real spans in which something was said, and the utterances that they are in."""

    corpus: SpannedCorpus
    spans: list[Span]

    @classmethod
    def of(cls, corpus: AlignedCorpus) -> JudgedSpans:
        """Return the spans of the best hypotheses of a corpus."""
        spanned = SpannedCorpus.of(corpus)
        return cls(spanned, [span for span in spanned.spans if span.said])

    @property
    def texts(self) -> list[str]:
        """The references."""
        return [" ".join(words) for words in self.corpus.references]


def span_probabilities(channel: Channel, judged: JudgedSpans, context: Context) -> Floats:
    """Return the probability of what was heard in each span under a channel that has learnt."""
    words = distinct_cores({word for row in judged.corpus.references for word in row})
    model = channel.model(words, judged.texts, context)
    if not isinstance(model, ErrorModel):
        return model.span_probabilities(judged.corpus, judged.spans)
    known = WordSpans.of(model)
    found: dict[tuple[Words, Words], float] = {}
    for span in judged.spans:
        key = span.said, span.heard
        if key not in found:
            found[key] = known.probability(*key)
    return np.array([found[span.said, span.heard] for span in judged.spans])


@dataclass(frozen=True, eq=False)
class WordSpans:
    """Probabilities of spans under a channel that changes words one by one."""

    model: ErrorModel
    rows: Mapping[str, int]
    ids: Mapping[str, int]
    inserted: float

    @classmethod
    def of(cls, model: ErrorModel) -> WordSpans:
        """Take an error model; insertions come after other errors, in the shares of its mix."""
        table, mix = model.candidates, model.mix
        errors = max(mix.substitutions + mix.deletions, 1e-9)
        return cls(
            model,
            {word: number for number, word in enumerate(table.words)},
            {word: number for number, word in enumerate(table.vocabulary)},
            min(mix.insertions / errors, MOST_INSERTED),
        )

    @cached_property
    def _deleted(self) -> Floats:
        """The probability that a word is deleted, given that it has an error."""
        model, mix = self.model, self.model.mix
        sides = []
        for weight, share in (
            (model.substitution_weight, mix.substitutions),
            (model.deletion_weight, mix.deletions),
        ):
            mean = weight.mean() if len(weight) else 1.0
            sides.append(share * weight / (mean or 1.0))
        total = sides[0] + sides[1]
        deleted: Floats = np.divide(sides[1], total, out=np.zeros_like(total), where=total > 0)
        return deleted

    def probability(self, said: Words, heard: Words) -> float:
        """Return the probability of the words heard, over all edits of the words said."""
        after = np.zeros(len(heard) + 1)
        after[0] = 1.0
        for word in said:
            row = self.rows.get(word)
            if row is None:
                return 0.0
            deleted = float(self._deleted[row])
            here = after * deleted
            if heard:
                here[1:] += after[:-1] * (1 - deleted) * self._substitutes(row, heard)
            grown = here * (1 - self.inserted)
            if heard and self.inserted:
                insertion = self.model.insertion_probability
                chance = [insertion[i] if (i := self.ids.get(w)) is not None else 0 for w in heard]
                grown[1:] += here[:-1] * self.inserted * np.array(chance)
            after = grown
        return float(after[-1])

    def _substitutes(self, row: int, heard: Words) -> Floats:
        """Return the probability of each word heard to be the substitute of a word."""
        table = self.model.candidates
        entries = slice(table.offsets[row], table.offsets[row + 1])
        places = {int(number): at for at, number in enumerate(table.ids[entries])}
        listed = table.probability[entries]
        found = np.zeros(len(heard))
        for at, word in enumerate(heard):
            number = self.ids.get(word, -1)
            if number in places:
                found[at] = listed[places[number]]
            if number >= 0 and table.background_weight[row] and number != table.own_ids[row]:
                found[at] += table.background_weight[row] * table.background[number]
        return found


@dataclass(frozen=True, eq=False)
class SpanFallback:
    """P(heard | said) for all spans: a length by the training half, words by a `fallback`.

    `fallback` is the fallback distribution of single words (`realism.FallbackDistribution`).
    """

    fallback: WordFallback
    lengths: Counter[tuple[int, int]]

    @classmethod
    def of(cls, fallback: WordFallback, judged: JudgedSpans) -> SpanFallback:
        """Count how many words were heard for each number of words."""
        sizes = ((min(len(s.said), 5), min(len(s.heard), MOST_HEARD)) for s in judged.spans)
        return cls(fallback, Counter(sizes))

    def probabilities(self, spans: Sequence[Span]) -> Floats:
        """Return the probability of each span."""
        words = sorted({word for span in spans for word in span.heard})
        by_word = dict(zip(words, self.fallback.of_words(words).tolist(), strict=True))
        totals = Counter[int]()
        for (said, _), count in self.lengths.items():
            totals[said] += count
        found = []
        for span in spans:
            said, heard = min(len(span.said), 5), min(len(span.heard), MOST_HEARD)
            p = (self.lengths[said, heard] + 1) / (totals[said] + MOST_HEARD + 1)
            for word in span.heard:
                p *= by_word[word]
            found.append(p)
        return np.maximum(np.array(found, np.float64), 1e-300)


class WordFallback:
    """The probability of each word under the fallback distribution of single words."""

    def __init__(self, distribution: object) -> None:
        """Take a `realism.FallbackDistribution`."""
        self.distribution = distribution

    def of_words(self, words: Sequence[str]) -> Floats:
        """Return the probability of each word after an unknown one."""
        from misword.noise.realism import FallbackDistribution

        distribution = self.distribution
        assert isinstance(distribution, FallbackDistribution)
        vocabulary = distribution.train.vocabulary
        ids = {word: number for number, word in enumerate(vocabulary)}
        heard = np.array([ids[word] for word in words], np.int64)
        unsaid = np.argmin(distribution.counts) if len(vocabulary) else 0
        pairs = CorpusSubstitutions(
            np.zeros(len(heard), np.int64), np.full(len(heard), unsaid), heard
        )
        return distribution.probability(pairs)


@dataclass(frozen=True, slots=True, eq=False)
class SpanScores:
    """The probability of each span under a channel, and its bits with the fallback."""

    probability: Floats
    bits: Floats
    weight: float

    @classmethod
    def of(cls, probability: Floats, fallback: Floats, weight: float) -> SpanScores:
        """Mix the probabilities of a channel with those of the fallback."""
        mixed = weight * probability + (1 - weight) * fallback
        return cls(probability, -np.log2(mixed), weight)


def spans_table(
    scores: Mapping[str, SpanScores], judged: JudgedSpans, bootstrap: Bootstrap
) -> pl.DataFrame:
    """Return a row for each channel: recall within k samples, and bits; differences to the first.

    Intervals come from resampling whole sentences.
    """
    owners = judged.corpus.sentence[[span.utterance for span in judged.spans]]
    block = np.unique(owners, return_inverse=True)[1]
    one = np.ones(len(judged.spans))
    rows = []
    baseline = None
    for name, score in scores.items():
        row: dict[str, object] = {"channel": name}
        for k in SAMPLES:
            found = 1 - (1 - np.minimum(score.probability, 1.0)) ** k
            terms = by_block(np.stack([found, one], axis=1), block)
            low, high = interval(terms, _mean, bootstrap)
            row |= {f"recall_{k}": float(found.mean()), f"recall_{k}_low": low}
            row |= {f"recall_{k}_high": high}
        terms = by_block(np.stack([score.bits, one], axis=1), block)
        low, high = interval(terms, _mean, bootstrap)
        row |= {"bits": float(score.bits.mean()), "low": low, "high": high}
        baseline = terms if baseline is None else baseline
        change = paired(baseline, terms, _mean, bootstrap)
        row |= {"difference": change.difference, "difference_low": change.low}
        row |= {"difference_high": change.high, "p": change.p, "weight": score.weight}
        rows.append(row | {"spans": len(judged.spans), "sentences": len(terms)})
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def fitted_weight(by_channel: Floats, by_fallback: Floats) -> float:
    """Return the weight of a channel under which spans of a held-out part are most likely."""
    return mixing_weight(by_channel, by_fallback) if len(by_channel) else 0.0


def _mean(terms: Floats) -> Floats:
    return np.asarray(terms[..., 0] / terms[..., 1])
