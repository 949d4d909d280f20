"""The simulated listener of a text: which words it mishears, and what it hears instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.noise.aligned_corpus import Span, Words
from misword.noise.arrays import Floats, Ints
from misword.noise.listening.decoder import SAID_WORDS, Decoder, Heard, Lexicon, Stretches
from misword.noise.listening.learnt import WEIGHTS, LearntListening, deletion_class
from misword.noise.listening.models import NgramTables
from misword.noise.listening.places import Utterances

REMEMBERED_WORDS = 3  # the longest spans whose own counts are used
DISCOUNT = 0.6  # of these counts
DECODED_AT_ONCE = 4096
LEAST_CONFUSABLE, CONFUSABLE_UNIT = 25.0, 5.0  # the highest cost of other words, and its unit
COMMON_ZIPF = 4.0  # words of at least this frequency are common
INSERTED_WORDS = 200  # the most frequent insertions that are considered
Sequence_ = tuple[int, ...]


class Region(NamedTuple):
    """Neighbouring words that are misheard together, and the words around them, as word ids."""

    said: Sequence_
    before: tuple[int, int]
    after: int


class Choices(NamedTuple):
    """What may be heard in a region, with probabilities that add up to 1; nothing is `()`."""

    heard: list[Sequence_]
    probability: Floats


def terms_of(heard: Heard, said: NDArray[np.int64], common: Floats) -> Floats:
    """Return the terms of each sequence (axes stretch, sequence, term), in the order `WEIGHTS`.

    `said` has the number of words of each stretch, `common` the share of them that are common.
    """
    count = (heard.words >= 0).sum(axis=2)
    more, fewer = count > said[:, None], count < said[:, None]
    terms = np.stack(
        [
            heard.sound, heard.language, heard.spelling, count, more, fewer,
            heard.language * common[:, None],
        ],
        axis=2,
    )  # fmt: skip
    return terms.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Listener:
    """Hears a text with the errors that were learnt, or with those of articulatory features.

    It stands where an `ErrorModel` stands for other channels (`noise/listening/drawing.py`).
    `confusable` has `confusable_words` of the words that may be said, 0 for all others. `invented`
    has the probabilities of invented spellings of words (`spelling.py`).
    """

    lexicon: Lexicon
    decoder: Decoder
    learnt: LearntListening
    zipf: Floats
    confusable: Floats
    invented: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    _choices: dict[Sequence_, tuple[list[Sequence_], Floats, float]] = field(default_factory=dict)

    @property
    def ngrams(self) -> NgramTables:
        """The language model."""
        return self.decoder.ngrams

    @cached_property
    def weights(self) -> Floats:
        """The weights of the terms of decoded sequences."""
        return np.array([self.learnt.weights.get(name, 0.0) for name in WEIGHTS])

    @cached_property
    def deviation(self) -> Floats:
        """The deviation of the log odds of each word."""
        found = self.learnt.deviations
        return np.array([found.get(word, 0.0) for word in self.lexicon.words])

    @cached_property
    def _remembered(self) -> dict[Sequence_, dict[Sequence_, float]]:
        """The counted spans as word ids; spans with unknown words are left out."""
        ids = self.lexicon.ids
        found: dict[Sequence_, dict[Sequence_, float]] = {}
        for said, row in self.learnt.spans.items():
            numbers = tuple(ids.get(word, -1) for word in said.split())
            if not numbers or -1 in numbers or len(numbers) > REMEMBERED_WORDS:
                continue
            for heard, count in row.items():
                words = tuple(ids.get(word, -1) for word in heard.split())
                if -1 not in words and len(words) <= 2 * len(numbers):
                    found.setdefault(numbers, {})[words] = count
        return found

    def with_confusable(self, said: Iterable[str]) -> Listener:
        """Return the listener with the confusability of words that may be said."""
        lexicon = self.lexicon
        numbers = sorted({number for word in said if (number := lexicon.ids.get(word)) is not None})
        words = np.array([n for n in numbers if lexicon.pronounced[n]], np.int64)
        confusable = self.confusable.copy()
        confusable[words] = self.confusable_words(words)
        return replace(self, confusable=confusable)

    def utterances(self, ids: Ints, offsets: Ints) -> Utterances:
        """Return the words of utterances for the features of their places; -1 is no word."""
        known = ids >= 0
        zipf = np.where(known, self.zipf[ids], 4.0)
        phonemes = np.where(known, self.lexicon.lengths[ids], 4)
        confusable = np.where(known, self.confusable[ids], 0.0)
        return Utterances(zipf, phonemes, offsets, confusable)

    def confusable_words(self, words: Ints) -> Floats:
        """Return how likely other words are that sound like each word, out of context.

        It is the log of the sum of exp(-cost) of all sequences that the decoder finds, beside the
        cost of the word itself, where only the language counts.
        """
        nothing = (self.ngrams.unknown,) * 2
        regions = [Region((word,), nothing, nothing[0]) for word in words.tolist()]
        weight = self.weights[WEIGHTS.index("language")] + np.where(
            self.zipf[words] >= COMMON_ZIPF, self.weights[WEIGHTS.index("common")], 0.0
        )
        own = np.empty((len(words), 2, 3), np.int32)
        own[:] = nothing[0]
        own[:, 0, 2] = own[:, 1, 1] = words
        language = self.decoder.ngram_costs(own.reshape(-1, 3)).reshape(-1, 2).sum(axis=1)
        found = weight * language
        for start in range(0, len(words), DECODED_AT_ONCE):
            part = slice(start, start + DECODED_AT_ONCE)
            heard = self.decoder.hear(self.stretches(regions[part]))
            cost = terms_of(heard, *self.sizes(regions[part])) @ self.weights
            cost[np.arange(cost.shape[1]) >= heard.found[:, None]] = np.inf
            found[part] -= np.minimum(-np.log(np.exp(-cost).sum(axis=1) + 1e-30), LEAST_CONFUSABLE)
        confusable: Floats = found / CONFUSABLE_UNIT
        return confusable

    def stretches(self, regions: Sequence[Region]) -> Stretches:
        """Return regions as the decoder takes them."""
        parts = [self.lexicon.phonemes(word) for region in regions for word in region.said]
        words = [word for region in regions for word in region.said]
        owner = np.repeat(np.arange(len(regions)), [len(region.said) for region in regions])
        sizes = np.bincount(owner, self.lexicon.lengths[words], len(regions))
        original = np.full((len(regions), SAID_WORDS), -1, np.int32)
        around = np.zeros((len(regions), 3), np.int32)
        for row, region in enumerate(regions):
            original[row, : len(region.said)] = region.said
            around[row] = (*region.before, region.after)
        phonemes = np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int32)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return Stretches(phonemes, offsets, original, around)

    def sizes(self, regions: Sequence[Region]) -> tuple[Ints, Floats]:
        """Return the number of words of each region, and the share of them that are common."""
        sizes = np.array([len(region.said) for region in regions], np.int64)
        words = [word for region in regions for word in region.said]
        owner = np.repeat(np.arange(len(regions)), sizes)
        common = np.bincount(owner, self.zipf[words] >= COMMON_ZIPF, len(regions))
        return sizes, common / np.maximum(sizes, 1)

    def decoded(self, regions: Sequence[Region]) -> tuple[Heard, Floats]:
        """Return the sequences that the decoder finds for regions, and their probabilities."""
        heard = self.decoder.hear(self.stretches(regions))
        cost = terms_of(heard, *self.sizes(regions)) @ self.weights
        cost[np.arange(cost.shape[1]) >= heard.found[:, None]] = np.inf
        least = np.where(heard.found > 0, cost[:, :].min(axis=1, initial=np.inf), 0.0)
        probability = np.exp(-(cost - least[:, None]))
        total = probability.sum(axis=1, keepdims=True)
        return heard, probability / np.where(total > 0, total, 1.0)

    def remembered(self, region: Region) -> tuple[list[Sequence_], Floats, float]:
        """Return remembered sequences, their probabilities, and the decoder's share.

        The empty sequence, a deletion, is always among them.
        """
        if (found := self._choices.get(region.said)) is not None:
            return found
        row = self._remembered.get(region.said, {})
        total = sum(row.values())
        discount = DISCOUNT * len(row)
        rest = (discount + 1.0) / (total + 1.0) if row else 1.0
        size = sum(int(self.lexicon.lengths[word]) for word in region.said)
        empty = self.learnt.deletions[deletion_class(len(region.said), size)]
        by_words = {heard: count - DISCOUNT for heard, count in row.items()}
        scale = (1 - rest) / max(sum(by_words.values()), 1e-9)
        shares = {heard: weight * scale for heard, weight in by_words.items()}
        shares[()] = shares.get((), 0.0) + rest * empty
        decoded = rest * (1 - empty)
        if spelt := self.invented.get(region.said[0]) if len(region.said) == 1 else None:
            others = 1 - sum(spelt.values())
            shares = {heard: share * others for heard, share in shares.items()}
            for word, share in spelt.items():
                shares[word,] = shares.get((word,), 0.0) + share
            decoded *= others
        result = list(shares), np.array(list(shares.values())), decoded
        self._choices[region.said] = result
        return result

    def hear(self, regions: Sequence[Region], random: Floats) -> list[Sequence_ | None]:
        """Return what is heard in each region, drawn by a random number; None: nothing possible."""
        answers: list[Sequence_ | None] = []
        for start in range(0, len(regions), DECODED_AT_ONCE):
            part = regions[start : start + DECODED_AT_ONCE]
            answers += self._hear(part, random[start : start + DECODED_AT_ONCE])
        return answers

    def _hear(self, regions: Sequence[Region], random: Floats) -> list[Sequence_ | None]:
        """Draw by parts: words out of context, then word by word, then whole regions."""
        answers: list[Sequence_ | None] = [None] * len(regions)
        single, apart = self.learnt.single, self.learnt.apart
        whole: list[int] = []
        draws: list[float] = []
        pieces: list[Region] = []
        owners: list[int] = []
        for number, (region, draw) in enumerate(zip(regions, random.tolist(), strict=True)):
            if draw < single:
                heard = self.single_words.draw(region.said, draw / single)
                answers[number] = self._other(region, heard)
                continue
            draw = (draw - single) / (1 - single)
            if len(region.said) > 1 and draw < apart:
                numbers = np.random.Generator(np.random.Philox(int(draw / apart * 2**62)))
                words = words_apart(region)
                pieces += words
                owners += [number] * len(words)
                draws += numbers.random(len(words)).tolist()
                answers[number] = ()
            else:
                whole.append(number)
                pieces.append(region)
                owners.append(-1)
                draws.append((draw - apart) / (1 - apart) if len(region.said) > 1 else draw)
        found = self._decode_or_remember(pieces, draws)
        at = iter(whole)
        for owner, one in zip(owners, found, strict=True):
            if owner < 0:
                answers[next(at)] = one
            else:
                so_far = answers[owner]
                answers[owner] = None if so_far is None or one is None else so_far + one
        for number in set(owners) - {-1}:
            heard_apart = answers[number]
            if heard_apart is not None:
                answers[number] = self._other(regions[number], heard_apart)
        return answers

    def _decode_or_remember(
        self, regions: Sequence[Region], random: Sequence[float]
    ) -> list[Sequence_ | None]:
        """Return what is heard in whole regions."""
        answers: list[Sequence_ | None] = [None] * len(regions)
        later: list[int] = []
        left: list[float] = []
        for number, (region, draw) in enumerate(zip(regions, random, strict=True)):
            heard, probability, share = self.remembered(region)
            above = np.cumsum(probability)
            at = int(np.searchsorted(above, draw, side="right"))
            if at < len(heard):
                answers[number] = heard[at]
            else:
                later.append(number)
                left.append((draw - above[-1]) / max(share, 1e-12))
        if later:
            found, shares = self.decoded([regions[number] for number in later])
            cumulative = np.cumsum(shares, axis=1)
            places = (cumulative <= np.minimum(np.array(left), 1 - 1e-9)[:, None]).sum(axis=1)
            places = np.minimum(places, found.found - 1)
            for row, number in enumerate(later):
                if found.found[row]:
                    words = found.words[row, places[row]]
                    answers[number] = tuple(words[words >= 0].tolist())
        return answers

    def _other(self, region: Region, heard: Sequence_) -> Sequence_ | None:
        """Return what is heard, unless words of the region are among it or it is too long."""
        usable = len(heard) <= 2 * len(region.said) and not set(heard) & set(region.said)
        return heard if usable else None

    @cached_property
    def single_words(self) -> SingleWords:
        """Words that are heard one by one."""
        return SingleWords(self.lexicon, self._remembered)

    def choices(self, regions: Sequence[Region]) -> list[Choices]:
        """Return everything that may be heard in each region."""
        found, probability = self.decoded(regions)
        results = []
        for row, region in enumerate(regions):
            heard, shares, rest = self.remembered(region)
            total = dict(zip(heard, shares.tolist(), strict=True))
            for words, p in zip(
                found.words[row, : found.found[row]], probability[row].tolist(), strict=False
            ):
                key = tuple(words[words >= 0].tolist())
                total[key] = total.get(key, 0.0) + rest * p
            results.append(Choices(list(total), np.array(list(total.values()))))
        return results

    def span_probabilities(self, references: Sequence[Words], spans: Sequence[Span]) -> Floats:
        """Return the probability of what was heard in each real span."""
        single = self.learnt.single
        found = self.decoded_probabilities(references, spans)
        several = np.array([len(span.said) > 1 for span in spans], bool)
        if self.learnt.apart and several.any():
            shares = np.where(several, self.learnt.apart, 0.0)
            found = (1 - shares) * found + shares * self.apart_probabilities(references, spans)
        return single * self.single_probabilities(spans) + (1 - single) * found

    def apart_probabilities(self, references: Sequence[Words], spans: Sequence[Span]) -> Floats:
        """Return the probability of each span if its words are decoded one after the other."""
        regions = regions_of(spans, references, self.lexicon, self.ngrams)
        usable = [at for at, r in enumerate(regions) if r is not None and len(r.said) > 1]
        pieces = [words_apart(r) for at in usable if (r := regions[at]) is not None]
        flat = [piece for words in pieces for piece in words]
        found: list[dict[Sequence_, float]] = []
        for start in range(0, len(flat), DECODED_AT_ONCE):
            part = self.choices(flat[start : start + DECODED_AT_ONCE])
            found += [dict(zip(c.heard, c.probability.tolist(), strict=True)) for c in part]
        probability, first = np.zeros(len(spans)), 0
        for at, words in zip(usable, pieces, strict=True):
            heard = tuple(self.lexicon.ids.get(word, -2) for word in spans[at].heard)
            probability[at] = joined_probability(found[first : first + len(words)], heard)
            first += len(words)
        return probability

    def single_probabilities(self, spans: Sequence[Span]) -> Floats:
        """Return the probability of what was heard in each span if its words are heard one by one.

        It is 0 for a span with a word that is not in the vocabulary.
        """
        ids, probability = self.lexicon.ids, np.zeros(len(spans))
        for at, span in enumerate(spans):
            said, heard = ([ids.get(word, -1) for word in side] for side in (span.said, span.heard))
            if -1 not in said and -1 not in heard:
                probability[at] = self.single_words.probability(said, heard)
        return probability

    def decoded_probabilities(self, references: Sequence[Words], spans: Sequence[Span]) -> Floats:
        """Return the probability of what was heard in each span, if remembered or decoded."""
        regions = regions_of(spans, references, self.lexicon, self.ngrams)
        probability = np.zeros(len(spans))
        usable = [at for at, region in enumerate(regions) if region is not None]
        for start in range(0, len(usable), DECODED_AT_ONCE):
            places = usable[start : start + DECODED_AT_ONCE]
            found = self.choices([r for at in places if (r := regions[at]) is not None])
            for at, choices in zip(places, found, strict=True):
                heard = tuple(self.lexicon.ids.get(word, -2) for word in spans[at].heard)
                if heard in choices.heard:
                    probability[at] = choices.probability[choices.heard.index(heard)]
        return probability

    @cached_property
    def _inserted(self) -> tuple[Ints, Floats]:
        """The words of the most frequent insertions, and their shares."""
        ids = self.lexicon.ids
        row = self.learnt.spans.get("", {})
        counts = {ids[word]: count for word, count in row.items() if word in ids}
        if not counts:
            usual = np.flatnonzero(self.lexicon.known)
            share = np.exp(-self.ngrams.unigram[usual].astype(np.float64))
            order = np.argsort(-share, kind="stable")[:INSERTED_WORDS]
            counts = dict(zip(usual[order].tolist(), share[order].tolist(), strict=True))
        best = sorted(counts, key=lambda word: (-counts[word], word))[:INSERTED_WORDS]
        shares = np.array([counts[word] for word in best], np.float64)
        return np.array(best, np.int64), shares / shares.sum()

    def insert(self, gaps: NDArray[np.int32], random: Floats) -> Ints:
        """Return the word that is heard in each gap (two words before, one after)."""
        words, shares = self._inserted
        drawn = np.zeros(len(gaps), np.int64)
        for start in range(0, len(gaps), 1024):
            part = gaps[start : start + 1024]
            triples = np.empty((len(part), len(words), 2, 3), np.int32)
            triples[:, :, 0, :2] = part[:, None, :2]
            triples[:, :, 0, 2] = words
            triples[:, :, 1, 0] = part[:, 1][:, None]
            triples[:, :, 1, 1] = words
            triples[:, :, 1, 2] = part[:, 2][:, None]
            costs = self.decoder.ngram_costs(triples.reshape(-1, 3))
            cost = costs.reshape(len(part), len(words), 2).sum(axis=2).astype(np.float64)
            cost -= self.ngrams.unigram[words]
            weight = shares * np.exp(-self.learnt.weights["language"] * (cost - cost.min()))
            above = np.cumsum(weight, axis=1)
            at = (above <= random[start : start + 1024, None] * above[:, -1:]).sum(axis=1)
            drawn[start : start + 1024] = words[np.minimum(at, len(words) - 1)]
        return drawn


def words_apart(region: Region) -> list[Region]:
    """Return the words of a region, each as a region of its own."""
    row = (*region.before, *region.said, region.after)
    return [
        Region((row[at],), (row[at - 2], row[at - 1]), row[at + 1]) for at in range(2, len(row) - 1)
    ]


def joined_probability(words: Sequence[dict[Sequence_, float]], heard: Sequence_) -> float:
    """Return the probability that several words are heard as a sequence, over all divisions.

    >>> joined_probability([{(1,): 0.5, (1, 2): 0.1}, {(2, 3): 0.2, (3,): 0.4}], (1, 2, 3))
    0.14
    """
    after = [1.0] + [0.0] * len(heard)
    for choices in words:
        grown = [0.0] * len(after)
        for start, before in enumerate(after):
            if before:
                for size in range(min(2, len(heard) - start) + 1):
                    p = choices.get(heard[start : start + size], 0.0)
                    grown[start + size] += before * p
        after = grown
    return after[-1]


def context_of(ids: Ints, begin: int, end: int, start: int, stop: int) -> Region:
    """Return the region from `start` to `stop` of a sentence of word ids."""
    before = (
        int(ids[start - 2]) if start > 1 else begin,
        int(ids[start - 1]) if start else begin,
    )
    after = int(ids[stop]) if stop < len(ids) else end
    return Region(tuple(int(word) for word in ids[start:stop]), before, after)


def regions_of(
    spans: Sequence[Span], references: Sequence[Words], lexicon: Lexicon, ngrams: NgramTables
) -> list[Region | None]:
    """Return the regions of spans; None where the decoder cannot find what was heard."""
    found: list[Region | None] = []
    ids = lexicon.ids
    for span in spans:
        known = bool(span.said) and len(span.said) <= SAID_WORDS
        sentence = [ids.get(word, ngrams.unknown) for word in references[span.utterance]]
        stop = span.start + len(span.said)
        known = known and all(
            ids.get(word, -1) >= 0 and lexicon.pronounced[ids[word]] for word in span.said
        )
        region = context_of(np.array(sentence), ngrams.begin, ngrams.end, span.start, stop)
        found.append(region if known else None)
    return found


# Words that are misheard one by one: the part of a listener's errors that no decoder explains.
#
# A share of the stretches (`single`, fitted on held-out spans) is not decoded. Each of its words is
# deleted, or becomes a word that it became before, or any word that was ever heard wrongly; another
# word may follow. This gives every span of known words some probability.

DISCOUNT = 0.6
PRIOR = 2.0  # counts by which the deletions of a word are smoothed
Remembered = Mapping[tuple[int, ...], Mapping[tuple[int, ...], float]]


@dataclass(frozen=True, eq=False)
class SingleWords:
    """Substitutes, deletions and insertions of single words, from remembered spans (word ids)."""

    lexicon: Lexicon
    spans: Remembered

    @cached_property
    def _heard(self) -> Floats:
        """The probability of each word to be heard, whatever was said."""
        counts = np.where(self.lexicon.known, self.lexicon.frequency, 0.0)
        counts = 200.0 * (counts + 1e-7) / max(counts.sum() + 1e-7 * len(counts), 1e-9)
        counts[~self.lexicon.known] = 0.0
        for row in self.spans.values():
            for heard, count in row.items():
                np.add.at(counts, list(heard), count)
        shares: Floats = counts / counts.sum()
        return shares

    @cached_property
    def _cumulative(self) -> Floats:
        return np.cumsum(self._heard)

    @cached_property
    def insertion(self) -> float:
        """The probability that another word follows: from spans with one more word than said."""
        total = more = 1.0
        for said, row in self.spans.items():
            for heard, count in row.items():
                total += count * len(said)
                more += count * max(len(heard) - len(said), 0)
        return min(more / total, 0.3)

    @cached_property
    def _mean_deleted(self) -> float:
        rows = [row for said, row in self.spans.items() if len(said) == 1]
        total = sum(sum(row.values()) for row in rows)
        return (sum(row.get((), 0.0) for row in rows) + 0.1) / (total + 1.0)

    def _row(self, word: int) -> tuple[dict[int, float], float, float]:
        """Return remembered substitutes with probabilities, the rest, and that of a deletion."""
        row = self.spans.get((word,), {})
        total = sum(row.values())
        deleted = (row.get((), 0.0) + PRIOR * self._mean_deleted) / (total + PRIOR)
        counts = {heard[0]: count for heard, count in row.items() if len(heard) == 1}
        single = sum(counts.values())
        if not single:
            return {}, 1.0, deleted
        listed = {heard: (count - DISCOUNT) / (single + 1) for heard, count in counts.items()}
        listed = {heard: max(share, 1e-9) for heard, share in listed.items()}
        return listed, 1 - sum(listed.values()), deleted

    def probability(self, said: Sequence[int], heard: Sequence[int]) -> float:
        """Return the probability of the words heard, over all edits of the words said."""
        background = self._heard[list(heard)] if heard else np.zeros(0)
        after = np.zeros(len(heard) + 1)
        after[0] = 1.0
        for word in said:
            listed, rest, deleted = self._row(word)
            here = after * deleted
            if heard:
                own = np.array([listed.get(other, 0.0) for other in heard])
                here[1:] += after[:-1] * (1 - deleted) * (own + rest * background)
            grown = here * (1 - self.insertion)
            grown[1:] += here[:-1] * self.insertion * background
            after = grown
        return float(after[-1])

    def draw(self, said: Sequence[int], random: float) -> tuple[int, ...]:
        """Return what is heard for the words said; the random number decides all of it."""
        numbers = np.random.Generator(np.random.Philox(int(random * 2**62)))
        heard: list[int] = []
        for word in said:
            listed, rest, deleted = self._row(word)
            first, second, third, fourth = numbers.random(4).tolist()
            if first >= deleted:
                heard.append(self._substitute(listed, rest, second))
            if third < self.insertion:
                heard.append(self._background(fourth))
        return tuple(heard)

    def _substitute(self, listed: Mapping[int, float], rest: float, random: float) -> int:
        if random < rest:
            return self._background(random / rest)
        random -= rest
        for word, share in listed.items():
            if random < share:
                return word
            random -= share
        return self._background(0.5)

    def _background(self, random: float) -> int:
        cumulative = self._cumulative
        at = np.searchsorted(cumulative, random * cumulative[-1], side="right")
        return int(min(at, len(cumulative) - 1))
