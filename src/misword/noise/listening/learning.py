"""Learn a simulated listener from a recogniser's hypotheses (`misword learn-noise`).

Counts are taken from all error spans. The weights of the decoder's terms are fitted by two-fold
cross-validation: what is counted in one part of the sentences decodes the spans of the other part,
and the weights are those under which the words that were heard are most likely among the sequences
that the decoder finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log10
from typing import NamedTuple

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed import frequencies
from misword.noise import wordlists
from misword.noise.aligned_corpus import AlignedCorpus, Span, SpannedCorpus, Words
from misword.noise.arrays import Floats, Ints
from misword.noise.learn import mixing_weight
from misword.noise.listening.decoder import Decoder, Lexicon, Search
from misword.noise.listening.learnt import (
    DEFAULT_DELETIONS,
    DEFAULT_WEIGHTS,
    DELETION_CLASSES,
    MOST_SINGLE,
    WEIGHTS,
    LearntListening,
    deletion_class,
)
from misword.noise.listening.listener import Listener, regions_of, terms_of
from misword.noise.listening.models import (
    NgramTables,
    Sounds,
    count_bigrams,
    counted_tables,
    learn_sounds,
    read_arpa,
)
from misword.noise.listening.places import FIXED, deviations, fit_places, match_shape
from misword.noise.listening.spelling import (
    LEAST_SHARE,
    MOST_WORDS,
    class_of,
    invented_shares,
    invented_spellings,
    spelling_rates,
)
from misword.noise.phonology import Phonology

SIZE = 50_000  # words of the list wordfreq
DELETION_PRIOR = 20.0  # spans by which the shares of deletions are smoothed
LEAST_DEVIATION = 0.05
LEAST_FITTED = 30  # spans without which the weights stay as they are
MOST_FITTED = 6_000  # spans that are decoded to fit the weights
RIDGE = 1.0
# The search has no spelling: what is spelt alike sounds alike, so the sound takes its part.
SPELLING_IN_SOUND = 0.07
FOLD_SEED = 2
ALTERNATIVE = 0.25  # the count of a span of a hypothesis of a lower rank


@dataclass(frozen=True, eq=False)
class Setting:
    """What a listener needs beside what it learns: phonemes, word list, language model."""

    lang: str
    phonology: Phonology
    vocabulary: str
    size: int
    lm: str = ""
    search: Search = field(default_factory=Search)

    def lexicon(self, heard: set[str], said: set[str]) -> Lexicon:
        """Return the vocabulary with pronunciations."""
        listed: Sequence[str] = ()
        if self.vocabulary:
            listed = wordlists.load(self.vocabulary, self.lang, self.size, sorted(said))
        return Lexicon.build(self.phonology, listed, self.shares, heard, said)

    def listed(self, spanned: SpannedCorpus) -> Sequence[str]:
        """Return the words of the word list."""
        if not self.vocabulary:
            return ()
        said = sorted({word for words in spanned.references for word in words})
        return wordlists.load(self.vocabulary, self.lang, self.size, said)

    @property
    def shares(self) -> Mapping[str, float]:
        """The relative frequencies of words, empty if the language has no list."""
        if self.vocabulary != wordlists.WORDFREQ:
            return {}
        return frequencies.load_frequencies(wordlists.WORDFREQ, self.lang, {}).shares

    def listener(
        self,
        learnt: LearntListening,
        lexicon: Lexicon,
        bigrams: Mapping[tuple[str, str], float],
        ngrams: NgramTables | None = None,
        invented: Mapping[int, Mapping[int, float]] | None = None,
    ) -> Listener:
        """Return the listener of a vocabulary, with a language model of all bigrams."""
        if ngrams is None:
            if self.lm:
                ngrams = read_arpa(self.lm, lexicon.words)
            else:
                ngrams = counted_tables(lexicon.words, lexicon.frequency, bigrams)
        sounds = self.sounds(learnt, lexicon.symbols)
        search = replace(
            self.search,
            sound=max(
                learnt.weights["sound"] + SPELLING_IN_SOUND * learnt.weights["spelling"], 0.1
            ),
            language=max(learnt.weights["language"] + learnt.weights.get("common", 0.0) / 2, 0.0),
            word=learnt.weights["word"],
        )
        zipf = zipf_of(lexicon, ngrams)
        unknown = np.zeros(len(lexicon.words))
        decoder = Decoder(lexicon, ngrams, sounds, search)
        return Listener(lexicon, decoder, learnt, zipf, unknown, invented or {})

    def sounds(self, learnt: LearntListening, symbols: Sequence[str]) -> Sounds:
        """Return the phoneme channel for the phonemes of a vocabulary."""
        heard = np.array(
            [[learnt.heard_sounds.get(p, {}).get(q, 0.0) for q in symbols] for p in symbols]
        )
        missed, added = (
            np.array([counts.get(p, 0.0) for p in symbols])
            for counts in (learnt.missed_sounds, learnt.added_sounds)
        )
        return Sounds.of_counts(symbols, heard, missed, added, self.phonology.part.alphabet)


def with_inventions(
    learnt: LearntListening, lexicon: Lexicon, said: Iterable[str]
) -> tuple[Lexicon, dict[int, dict[int, float]]]:
    """Return the vocabulary with invented spellings of words, and their probabilities."""
    shares = {name: share for name, share in learnt.invented.items() if share >= LEAST_SHARE}
    if not (shares and learnt.spellings):
        return lexicon, {}
    ids, written = lexicon.ids, dict[str, int]()
    probability: dict[int, dict[int, float]] = {}
    for word in sorted(said):
        number = ids.get(word, -1)
        if number < 0 or not lexicon.pronounced[number] or len(written) >= MOST_WORDS:
            continue
        share = shares.get(class_of(log10(max(lexicon.frequency[number], 1e-9)) + 9), 0.0)
        spelt = invented_spellings(word, learnt.spellings, ids) if share else {}
        if spelt:
            probability[number] = {
                written.setdefault(other, len(ids) + len(written)): share * p
                for other, p in spelt.items()
            }
    return lexicon.with_written(list(written)), probability


def zipf_of(lexicon: Lexicon, ngrams: NgramTables) -> Floats:
    """Return the Zipf frequency of each word: the logarithm of its number in a billion words."""
    share = lexicon.frequency
    if not share.any():
        share = np.exp(-ngrams.unigram[: len(lexicon.words)].astype(np.float64))
    zipf: Floats = np.log10(np.maximum(share, 1e-9)) + 9
    return zipf


def learn_listening(corpus: AlignedCorpus, setting: Setting) -> LearntListening:
    """Learn a listener from a recogniser's hypotheses, of all ranks."""
    spanned = SpannedCorpus.of(corpus)
    if not any(span.said and span.heard for span in spanned.spans):
        raise InputError(
            "there is no substitution to learn from",
            fix="give a recogniser's hypotheses beside the references",
        )
    heard = {word for words in spanned.hypotheses for word in words}
    heard |= {word for span in spanned.alternatives for word in span.heard}
    said = {word for words in spanned.references for word in words}
    lexicon = setting.lexicon(heard, said)
    weights, single, apart = _fit_weights(spanned, lexicon, setting)
    counted = _count(spanned, lexicon, setting)
    learnt = replace(counted, weights=weights, single=single, apart=apart)
    learnt = _with_places(learnt, spanned, lexicon, setting)
    return _with_spellings(learnt, spanned, lexicon, setting)


def _count(spanned: SpannedCorpus, lexicon: Lexicon, setting: Setting) -> LearntListening:
    """Count spans, phonemes and bigrams."""
    spans: dict[str, dict[str, float]] = {}
    for listed, weight in ((spanned.spans, 1.0), (spanned.alternatives, ALTERNATIVE)):
        for span in listed:
            said, words = " ".join(span.said), " ".join(span.heard)
            if not said:  # words are inserted one by one
                for word in span.heard:
                    row = spans.setdefault("", {})
                    row[word] = row.get(word, 0.0) + weight
                continue
            row = spans.setdefault(said, {})
            row[words] = row.get(words, 0.0) + weight
    pairs = _phoneme_pairs([*spanned.spans, *spanned.alternatives], lexicon)
    alphabet = setting.phonology.part.alphabet
    symbols = lexicon.symbols
    substituted, missed, added = learn_sounds(symbols, alphabet, *pairs)
    return LearntListening(
        setting.lang,
        setting.vocabulary,
        len(spanned.references),
        sum(map(len, spanned.references)),
        deletions=_deletion_shares(spanned.spans, lexicon),
        heard_sounds={
            p: {q: float(substituted[i, j]) for j, q in enumerate(symbols) if substituted[i, j]}
            for i, p in enumerate(symbols)
            if substituted[i].any()
        },
        missed_sounds={p: float(missed[i]) for i, p in enumerate(symbols) if missed[i]},
        added_sounds={p: float(added[i]) for i, p in enumerate(symbols) if added[i]},
        spans={said: dict(sorted(row.items())) for said, row in sorted(spans.items())},
        bigrams={
            " ".join(pair): count
            for pair, count in sorted(count_bigrams(spanned.hypotheses).items())
        },
    )


def _with_places(
    learnt: LearntListening, spanned: SpannedCorpus, lexicon: Lexicon, setting: Setting
) -> LearntListening:
    """Return the listener with the fitted places of errors."""
    said = {word for row in spanned.references for word in row}
    if setting.vocabulary:  # what was heard here would make the words confusable for which it was
        lexicon = setting.lexicon(set(), said)
    listener = setting.listener(learnt, lexicon, count_bigrams(spanned.references))
    listener, ids = listener.with_confusable(said), lexicon.ids
    flat = [word for words in spanned.references for word in words]
    numbers = np.array([ids.get(word, -1) for word in flat], np.int64)
    lengths = np.array([len(words) for words in spanned.references], np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    wrong = np.zeros(len(flat), bool)
    for span in spanned.spans:
        start = offsets[span.utterance] + span.start
        wrong[start : start + len(span.said)] = True
    utterances = listener.utterances(numbers, offsets)
    insertions = sum(not span.said for span in spanned.spans)
    places, expected = fit_places(utterances, wrong, insertions)
    own = deviations(flat, wrong, expected)
    odds = utterances.features() @ np.array([places[name] for name in FIXED])
    places = match_shape(places, odds + np.array([own[word] for word in flat]), wrong, offsets)
    return replace(
        learnt,
        places={name: round(value, 6) for name, value in places.items()},
        deviations={w: round(d, 4) for w, d in sorted(own.items()) if abs(d) >= LEAST_DEVIATION},
    )


def _with_spellings(
    learnt: LearntListening, spanned: SpannedCorpus, lexicon: Lexicon, setting: Setting
) -> LearntListening:
    """Return the listener with the invented spellings; none if the language has no word list."""
    listed = set(setting.listed(spanned))
    if not listed:
        return learnt
    listed |= {word for words in spanned.references for word in words}
    weighted = [(span, 1.0) for span in spanned.spans]
    weighted += [(span, ALTERNATIVE) for span in spanned.alternatives]
    zipf = zipf_of(lexicon, counted_tables(lexicon.words, lexicon.frequency, {}))
    by_word = dict(zip(lexicon.words, zipf.tolist(), strict=True))
    return replace(
        learnt,
        spellings=spelling_rates(weighted, listed),
        invented=invented_shares(spanned.spans, by_word, listed),
    )


def _deletion_shares(spans: Sequence[Span], lexicon: Lexicon) -> dict[str, float]:
    """Return the share of deletions among the spans of each class, smoothed by the defaults."""
    total, deleted = Counter[str](), Counter[str]()
    for span in spans:
        ids = [lexicon.ids.get(word, -1) for word in span.said]
        if ids and -1 not in ids:
            size = sum(int(lexicon.lengths[number]) for number in ids)
            name = deletion_class(len(ids), size)
            total[name] += 1
            deleted[name] += not span.heard
    return {
        name: (deleted[name] + DELETION_PRIOR * DEFAULT_DELETIONS[name])
        / (total[name] + DELETION_PRIOR)
        for name in DELETION_CLASSES
    }


def _phoneme_pairs(spans: Sequence[Span], lexicon: Lexicon) -> tuple[list[Ints], list[Ints]]:
    """Return the phonemes said and heard in the spans whose words have pronunciations."""
    sides: tuple[list[Ints], list[Ints]] = ([], [])
    for span in spans:
        if not (span.said and span.heard):
            continue
        rows = [_phonemes(words, lexicon) for words in (span.said, span.heard)]
        if all(row is not None for row in rows):
            for side, row in zip(sides, rows, strict=True):
                assert row is not None
                side.append(row)
    return sides


def _phonemes(words: Words, lexicon: Lexicon) -> Ints | None:
    ids = [lexicon.ids.get(word, -1) for word in words]
    if -1 in ids:
        return None
    parts = [lexicon.phonemes(number) for number in ids]
    return np.concatenate(parts) if all(len(part) for part in parts) else None


def _fit_weights(
    spanned: SpannedCorpus, lexicon: Lexicon, setting: Setting
) -> tuple[dict[str, float], float, float]:
    """Return the weights of decoded sequences, and the shares `single` and `apart`.

    They are fitted by cross-validation.
    """
    random = np.random.Generator(np.random.Philox(FOLD_SEED))
    fold = random.integers(0, 2, int(spanned.sentence.max(initial=0)) + 1)[spanned.sentence]
    parts = [
        (spanned.select((fold != n).tolist()), spanned.select((fold == n).tolist())) for n in (0, 1)
    ]
    said_counts = count_bigrams(spanned.references)
    folds = []
    for train, test in parts:
        if train.spans and test.spans:
            counts = Counter(said_counts)
            counts.update(count_bigrams(train.hypotheses))
            ngrams = (
                None if setting.lm else counted_tables(lexicon.words, lexicon.frequency, counts)
            )
            folds.append((_count(train, lexicon, setting), test, ngrams))
    weights = dict(DEFAULT_WEIGHTS)
    for number in range(3):
        listeners = [
            (setting.listener(replace(learnt, weights=weights), lexicon, {}, ngrams), test)
            for learnt, test, ngrams in folds
        ]
        if number == 2:
            return weights, *_shares(listeners)
        fitted = [one for pair in listeners for one in _candidates(pair[1], pair[0], lexicon)]
        if sum(one.found for one in fitted) < LEAST_FITTED:
            break
        weights = _most_likely(fitted)
    default = LearntListening(setting.lang)
    return weights, default.single, default.apart


def _shares(listeners: Sequence[tuple[Listener, SpannedCorpus]]) -> tuple[float, float]:
    """Return the shares of spans heard as single words and word by word.

    Under these shares the held-out spans are most likely. Words out of context have a limit.
    """
    columns: list[list[Floats]] = [[], [], [], []]
    for listener, test in listeners:
        spans = [span for span in test.spans if span.said][: MOST_FITTED // 2]
        found = (
            listener.single_probabilities(spans),
            listener.apart_probabilities(test.references, spans),
            listener.decoded_probabilities(test.references, spans),
            np.array([len(span.said) > 1 for span in spans], np.float64),
        )
        for column, values in zip(columns, found, strict=True):
            column.append(values)
    single, apart, decoded, several = map(np.concatenate, columns)
    chosen = several > 0
    share = mixing_weight(apart[chosen], decoded[chosen]) if chosen.any() else 0.0
    together = np.where(chosen, share * apart + (1 - share) * decoded, decoded)
    alone = min(mixing_weight(single, together), MOST_SINGLE)
    return round(alone, 6), round(share, 6)


class Fitted(NamedTuple):
    """The terms of the sequences found for a span, of the one that was heard, and if it is found.

    The sound and language terms of a sequence that is not found are not known.
    """

    terms: Floats
    truth: Floats
    found: bool


def _candidates(test: SpannedCorpus, listener: Listener, lexicon: Lexicon) -> list[Fitted]:
    """Return what the decoder finds for the spans of a test part."""
    spans = [span for span in test.spans if span.said and span.heard][: MOST_FITTED // 2]
    regions = regions_of(spans, test.references, lexicon, listener.ngrams)
    kept = [(s, r) for s, r in zip(spans, regions, strict=True) if r is not None]
    if not kept:
        return []
    heard = listener.decoder.hear(listener.stretches([region for _, region in kept]))
    terms = terms_of(heard, *listener.sizes([region for _, region in kept]))
    fitted = []
    for row, (span, _) in enumerate(kept):
        words = [lexicon.ids.get(word, -2) for word in span.heard]
        count = int(heard.found[row])
        if not count or len(words) > heard.words.shape[2]:
            continue
        target = np.full(heard.words.shape[2], -1)
        target[: len(words)] = words
        at = np.flatnonzero((heard.words[row, :count] == target).all(axis=1))
        more, fewer = len(words) > len(span.said), len(words) < len(span.said)
        truth = np.array([0.0, 0.0, 0.0, len(words), more, fewer, 0.0])
        if len(at):
            truth = terms[row, at[0]]
        fitted.append(Fitted(terms[row, :count], truth, bool(len(at))))
    return fitted


def _most_likely(fitted: Sequence[Fitted]) -> dict[str, float]:
    """Return the weights under which the true sequences are most likely, by Newton's method."""
    start = np.array([DEFAULT_WEIGHTS[name] for name in WEIGHTS])
    weights = start.copy()
    found = [one for one in fitted if one.found]
    for _ in range(30):
        gradient, hessian = RIDGE * (start - weights), RIDGE * np.eye(len(weights))
        for one in found:
            p = _probability(one.terms, weights)
            mean = p @ one.terms
            gradient += mean - one.truth
            centred = one.terms - mean
            hessian += (centred * p[:, None]).T @ centred
        step = np.linalg.solve(hessian, gradient)
        weights = weights + np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < 1e-4:
            break
    weights = _with_lengths(weights, fitted)
    return {name: round(float(w), 6) for name, w in zip(WEIGHTS, weights, strict=True)}


def _with_lengths(weights: Floats, fitted: Sequence[Fitted]) -> Floats:
    """Return weights under which more and fewer words are heard than said as often as in truth.

    Sequences that the decoder does not find are longer than others; they count here too.
    """
    places = [WEIGHTS.index("more"), WEIGHTS.index("fewer")]
    wanted = np.mean([one.truth[places] for one in fitted], axis=0) + 1 / len(fitted)
    changed = weights.copy()
    for _ in range(20):
        drawn = np.mean(
            [_probability(one.terms, changed) @ one.terms[:, places] for one in fitted], axis=0
        )
        step = 0.7 * np.log((drawn + 1 / len(fitted)) / wanted)
        near = np.clip(changed[places] + step, weights[places] - 2, weights[places] + 2)
        changed[places] = near
    return changed


def _probability(terms: Floats, weights: Floats) -> Floats:
    cost = terms @ weights
    p = np.exp(-(cost - cost.min()))
    shares: Floats = p / p.sum()
    return shares


def setting_of(
    context: Context, vocabulary: str, size: int, phonemizer: str = "auto", lm: str = ""
) -> Setting:
    """Return the checked setting of a listener."""
    if not context.lang:
        raise OptionError("a listener needs a language", fix="name it: --lang en")
    phonology = Phonology(context.lang, phonemizer)
    phonology.check()
    if vocabulary:
        wordlists.check(vocabulary, context.lang)
    return Setting(context.lang, phonology, vocabulary, size, lm)
