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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from misword.alignment.similar_words import similarities
from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.core.lazy import pl
from misword.core.types import Op
from misword.embed import frequencies
from misword.noise.aligned_corpus import (
    AlignedCorpus,
    Span,
    SpannedCorpus,
    Words,
)
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.channels import Channel
from misword.noise.corrupt import draw
from misword.noise.corruption.text_block import distinct_cores
from misword.noise.error_model import ErrorModel
from misword.noise.learn import mixing_weight
from misword.noise.listening.decoder import share_of
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

    `fallback` gives the probabilities of words under the fallback distribution of single words.
    """

    fallback: Callable[[Sequence[str]], Floats]
    lengths: Counter[tuple[int, int]]

    @classmethod
    def of(cls, fallback: Callable[[Sequence[str]], Floats], judged: JudgedSpans) -> SpanFallback:
        """Count how many words were heard for each number of words."""
        sizes = ((min(len(s.said), 5), min(len(s.heard), MOST_HEARD)) for s in judged.spans)
        return cls(fallback, Counter(sizes))

    def probabilities(self, spans: Sequence[Span]) -> Floats:
        """Return the probability of each span."""
        words = sorted({word for span in spans for word in span.heard})
        by_word = dict(zip(words, self.fallback(words).tolist(), strict=True))
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


# Realism of whole texts: where errors fall, in which runs, and how many sentences are clean.
#
# Each channel corrupts the references of the test half at the word error rate of the recogniser.
# The errors of the noisy texts are compared with the real ones, by the same alignment:
#
# - rare: the share of wrong reference words that are rare (Zipf frequency below 3, by wordfreq);
# - runs: the share of errors beside other errors; and how long runs of errors are;
# - similarity: the mean similarity in spelling of substitutions, and the share of substitutions
#   with a similarity below 0.2;
# - clean: the share of utterances without errors;
# - position: how often a word with a simulated error has a real error, in multiples of what chance
#   would give. 1 is chance; the row of the recogniser has the highest possible value.

REAL = "recogniser"  # the row of the real errors
RARE_ZIPF, DISSIMILAR = 3.0, 0.2
LONGEST_RUN = 6  # longer runs are counted together
MEASURES = ("rare", "runs", "similarity", "dissimilar", "clean", "position")


@dataclass(frozen=True, slots=True, eq=False)
class TextShape:
    """For each utterance the sums from which the measures are made, and the lengths of all runs."""

    terms: Floats
    runs: Ints


def shape_of(corpus: AlignedCorpus, rare: Flags | None, real_wrong: Flags | None) -> TextShape:
    """Return the sums of each utterance of a corpus.

    `rare` says which words of the vocabulary are rare, `real_wrong` which reference words the
    recogniser got wrong, in the order of the utterances.
    """
    utterances, owner = np.unique(corpus.utterance, return_inverse=True)
    error = corpus.operations != Op.HIT
    said = corpus.reference >= 0
    same = np.append(owner[1:] == owner[:-1], False)
    following = np.append(error[1:], False) & same
    before = np.append(False, (error & same)[:-1])
    wrong = error & said
    substituted = corpus.operations == Op.SUBSTITUTION
    similarity = np.zeros(len(error))
    similarity[substituted] = _similarities(corpus, substituted)
    real = np.zeros(len(error), bool)
    real[said] = wrong[said] if real_wrong is None else real_wrong
    is_rare = np.zeros(len(error), bool) if rare is None else rare[corpus.reference] & said

    def total(values: Floats | Flags) -> Floats:
        return np.bincount(owner, values.astype(np.float64), len(utterances)).astype(np.float64)

    errors = total(error)
    columns = (
        total(is_rare & wrong), total(wrong),
        total(error & (following | before)), errors,
        total(similarity), total(substituted),
        total(substituted & (similarity < DISSIMILAR)), total(substituted),
        (errors == 0).astype(np.float64), np.ones(len(utterances)),
        total(real & wrong), total(wrong), total(real), total(said),
    )  # fmt: skip
    starts = np.flatnonzero(error & ~before)
    stops = np.flatnonzero(error & ~following)
    return TextShape(np.stack(columns, axis=1), np.minimum(stops - starts + 1, LONGEST_RUN))


def _similarities(corpus: AlignedCorpus, chosen: Flags) -> Floats:
    """Return the normalised similarity in spelling of the chosen substitutions."""
    ids = np.stack([corpus.reference[chosen], corpus.hypothesis[chosen]], axis=1)
    distinct, which = np.unique(ids, axis=0, return_inverse=True)
    words = corpus.vocabulary
    return similarities([(words[one], words[other]) for one, other in distinct], list)[
        which.reshape(-1)
    ]


def measure(name: str) -> Callable[[Floats], Floats]:
    """Return the function of summed terms that is the measure of a name."""
    at = 2 * MEASURES.index(name)

    def rate(terms: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == "position":
                both, wrong, real, words = (terms[..., at + n] for n in range(4))
                return np.asarray(both / wrong / (real / words))
            return np.asarray(terms[..., at] / terms[..., at + 1])

    return rate


def texts_tables(
    channels: Mapping[str, Channel],
    test: AlignedCorpus,
    context: Context,
    bootstrap: Bootstrap,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the measures of the recogniser and of each channel, and the lengths of their runs."""
    spanned = SpannedCorpus.of(test)
    references = [" ".join(words) for words in spanned.references]
    best = test.best()
    wrong = (best.operations != Op.HIT)[best.reference >= 0]
    errors = int((best.operations != Op.HIT).sum())
    wer = errors / max(int((best.reference >= 0).sum()), 1)
    block = np.unique(spanned.sentence, return_inverse=True)[1]
    shapes = {REAL: shape_of(best, _rare(best.vocabulary, context), None)}
    words = distinct_cores({word for row in spanned.references for word in row})
    for name, channel in channels.items():
        model = channel.model(words, references, context)
        noisy = draw(references, model, wer, seed=bootstrap.seed, workers=context.workers)
        aligned = AlignedCorpus.align(references, noisy.texts)
        shapes[name] = shape_of(aligned, _rare(aligned.vocabulary, context), wrong)
    rows, runs = [], []
    for name, shape in shapes.items():
        terms = by_block(shape.terms, block)
        wer = float(shape.terms[:, 3].sum() / max(shape.terms[:, 13].sum(), 1))
        row: dict[str, object] = {"channel": name, "wer": wer}
        for one in MEASURES:
            rate = measure(one)
            low, high = interval(terms, rate, bootstrap)
            known = one != "rare" or _rare([], context) is not None
            values = (float(rate(terms.sum(axis=0))), low, high) if known else (None,) * 3
            row |= dict(zip((one, f"{one}_low", f"{one}_high"), values, strict=True))
        rows.append(row)
        counts = np.bincount(shape.runs, minlength=LONGEST_RUN + 1)[1:]
        runs += [
            {"channel": name, "length": length, "runs": int(n), "share": float(n / counts.sum())}
            for length, n in enumerate(counts.tolist(), 1)
            if counts.sum()
        ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.with_columns(pl.selectors.float().fill_nan(None)), pl.DataFrame(runs)


def _rare(vocabulary: list[str], context: Context) -> Flags | None:
    """Return which words are rare in the language; None if its frequencies are not known."""
    try:
        frequencies.check_frequencies("wordfreq", context.lang)
    except MiswordError:
        return None
    shares = frequencies.load_frequencies("wordfreq", context.lang, {}).shares
    limit = 10 ** (RARE_ZIPF - 9)
    return np.array([share_of(word, shares) < limit for word in vocabulary], bool)
