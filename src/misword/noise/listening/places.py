"""Where a recogniser errs: the probability of each word to be misheard.

The log odds of an error of a word are a linear function of its features: how rare it is, how many
phonemes it has, its neighbours, its place, whether the word before it is wrong (so errors come in
runs), and a random effect of the utterance (so some utterances are clean and others bad). The
weights are fitted by maximum likelihood; the random effect is normal and integrated by
Gauss-Hermite quadrature (EM over its nodes). Each word has a deviation of its own, smoothed
towards 0. To reach another word error rate, the same number is added to all log odds.

Reference: R. D. Bock, M. Aitkin, Marginal maximum likelihood estimation of item parameters:
application of an EM algorithm, Psychometrika 46, 1981.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from misword.noise.arrays import Flags, Floats, Ints

# The features of a word that do not depend on other errors, then those that do.
FIXED = (
    "constant",
    "rare",  # 8 - Zipf frequency
    "very rare",  # how far the Zipf frequency is below 3
    "phonemes",
    "one or two phonemes",
    "first",
    "last",
    "rare before",
    "rare after",
    "words",  # logarithm of the number of words of the utterance
    "confusable",  # how likely other words are that sound alike (`Listener.confusable`)
)
DYNAMIC = ("wrong before", "two wrong before", "utterance")
FEATURES = (*FIXED, *DYNAMIC)
INSERTION = "insertion"  # the log odds of an insertion in a gap, beside the constant
MOST_ZIPF, RARE_ZIPF = 8.0, 3.0
NODES, NODE_WEIGHTS = (
    np.polynomial.hermite_e.hermegauss(11)[0],
    np.polynomial.hermite_e.hermegauss(11)[1] / np.sqrt(2 * np.pi),
)
EM_ROUNDS, NEWTON_ROUNDS = 12, 1
RIDGE = 1.0
SHAPED_ROWS, SHAPE_DRAWS, SHAPE_SEED = 3_000, 2, 3
SHAPE_STEPS, SHIFT_STEPS = 8, 12  # of bisections
DEVIATION_PRIOR = 6.0  # expected errors by which the deviation of a word is smoothed
# Weights of a recogniser of which nothing is known: set by hand, near some that were fitted.
DEFAULTS: dict[str, float] = {
    "constant": -2.5,
    "rare": 0.5,
    "very rare": 0.3,
    "phonemes": -0.4,
    "one or two phonemes": 0.3,
    "first": 0.3,
    "last": 0.0,
    "rare before": 0.0,
    "rare after": 0.1,
    "words": -0.1,
    "confusable": 0.0,
    "wrong before": 1.3,
    "two wrong before": 0.0,
    "utterance": 0.9,
    "insertion": -2.0,
}


@dataclass(frozen=True, slots=True, eq=False)
class Utterances:
    """The words of utterances in one flat array: Zipf frequencies, phonemes, offsets of rows.

    `confusable` says how likely other words are that sound alike, out of context.
    """

    zipf: Floats
    phonemes: Ints
    offsets: Ints
    confusable: Floats

    @property
    def rows(self) -> Ints:
        """The utterance of each word."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def features(self) -> Floats:
        """Return the columns `FIXED` of all words."""
        rare = MOST_ZIPF - np.clip(self.zipf, 0, MOST_ZIPF)
        rows, lengths = self.rows, np.diff(self.offsets)
        first, last = np.zeros(len(rare)), np.zeros(len(rare))
        filled = lengths > 0
        first[self.offsets[:-1][filled]] = 1
        last[self.offsets[1:][filled] - 1] = 1
        mean = 3.0
        before = np.where(first > 0, mean, np.roll(rare, 1))
        after = np.where(last > 0, mean, np.roll(rare, -1))
        return np.stack(
            [
                np.ones(len(rare)),
                rare - mean,
                np.maximum(RARE_ZIPF - self.zipf, 0),
                np.minimum(self.phonemes, 12) / 4,
                (self.phonemes <= 2).astype(np.float64),
                first,
                last,
                before - mean,
                after - mean,
                np.log(np.maximum(lengths, 1))[rows] - 2.0 if len(rows) else np.zeros(0),
                self.confusable,
            ],
            axis=1,
        )


def fit_places(words: Utterances, wrong: Flags, insertions: int) -> tuple[dict[str, float], Floats]:
    """Return the weights of the features, given which words are wrong.

    The second result is the expected error of each word, given the errors before it.
    """
    fixed, rows = words.features(), words.rows
    starts = words.offsets[:-1]
    first = np.zeros(len(wrong) + 1, bool)
    first[starts] = True
    second = np.roll(first, 1)[:-1] | first[:-1]
    before = np.where(first[:-1], False, np.roll(wrong, 1))
    two = np.where(second, False, np.roll(wrong, 2)) & before
    design = np.concatenate([fixed, before[:, None], two[:, None]], axis=1).astype(np.float64)
    target, count = wrong.astype(np.float64), len(starts)
    weights = np.zeros(design.shape[1] + 1)
    weights[0] = np.log(max(target.mean(), 1e-4))
    weights[-1] = 0.8
    expected = np.zeros(len(wrong))
    filled = np.flatnonzero(np.diff(words.offsets) > 0)
    for _ in range(EM_ROUNDS):
        base = design @ weights[:-1]
        logits = base[:, None] + weights[-1] * NODES
        signs = np.where(wrong, 1.0, -1.0)[:, None]
        likelihood = -np.logaddexp(0, -signs * logits)
        total = np.zeros((count, len(NODES)))
        total[filled] = np.add.reduceat(likelihood, starts[filled], axis=0)
        total += np.log(NODE_WEIGHTS)
        total -= total.max(axis=1, keepdims=True)
        posterior = np.exp(total)
        posterior /= posterior.sum(axis=1, keepdims=True)
        share = posterior[rows]
        for _ in range(NEWTON_ROUNDS):
            logits = (design @ weights[:-1])[:, None] + weights[-1] * NODES
            p = 1 / (1 + np.exp(-logits))
            residual, curvature = share * (target[:, None] - p), share * p * (1 - p)
            gradient = np.append(design.T @ residual.sum(axis=1), (residual * NODES).sum())
            hessian = np.zeros((len(weights),) * 2)
            hessian[:-1, :-1] = design.T @ (design * curvature.sum(axis=1)[:, None])
            cross = design.T @ (curvature * NODES).sum(axis=1)
            hessian[:-1, -1] = hessian[-1, :-1] = cross
            hessian[-1, -1] = (curvature * NODES**2).sum()
            penalty = np.full(len(weights), RIDGE)
            penalty[0] = 0.0
            step = np.linalg.solve(hessian + np.diag(penalty + 1e-6), gradient - penalty * weights)
            weights = weights + np.clip(step, -2, 2)
            expected = (share * p).sum(axis=1)
    weights[-1] = abs(weights[-1])
    gaps = max(int((~wrong).sum()) + count, 1)
    found = dict(zip(FEATURES, weights.tolist(), strict=True))
    share_of_gaps = (insertions + 0.5) / (gaps + 1)
    found[INSERTION] = float(np.log(share_of_gaps / (1 - share_of_gaps)) - weights[0])
    return found, expected


def deviations(words: Sequence[str], wrong: Flags, expected: Floats) -> dict[str, float]:
    """Return the deviation of each word's log odds: of its errors from the expected ones."""
    observed: dict[str, float] = {}
    predicted: dict[str, float] = {}
    for word, is_wrong, p in zip(words, wrong.tolist(), expected.tolist(), strict=True):
        observed[word] = observed.get(word, 0.0) + is_wrong
        predicted[word] = predicted.get(word, 0.0) + p
    return {
        word: float(np.log((observed[word] + DEVIATION_PRIOR) / (p + DEVIATION_PRIOR)))
        for word, p in predicted.items()
    }


def node_of(random: Floats) -> Floats:
    """Return a random effect for each uniform random number: a node of the quadrature."""
    cumulative = np.cumsum(NODE_WEIGHTS)
    at = np.searchsorted(cumulative / cumulative[-1], random, side="right")
    return NODES[np.minimum(at, len(NODES) - 1)]


def draw_wrong(
    odds: Floats, weights: dict[str, float], threshold: Floats, offsets: Ints, barred: Flags
) -> Flags:
    """Return which words are wrong: those whose log odds exceed the threshold of their draw.

    `odds` has the log odds without the dynamic features, but with the effect of the utterance.
    The words of a row are decided one after the other, because each depends on the one before it.
    """
    wrong = np.zeros(len(odds) + 2, bool)  # two words before the first one
    lengths = np.diff(offsets)
    one, two = weights["wrong before"], weights["two wrong before"]
    order = np.argsort(-lengths, kind="stable")
    longest = int(lengths.max(initial=0))
    alive = np.searchsorted(-lengths[order], -np.arange(longest), side="left")
    for place in range(longest):
        at = offsets[:-1][order[: alive[place]]] + place
        extra = np.zeros(len(at))
        if place:
            previous = wrong[at + 1]
            extra += one * previous
            if place > 1:
                extra += two * (previous & wrong[at])
        wrong[at + 2] = (odds[at] + extra > threshold[at]) & ~barred[at]
    return wrong[2:]


def match_shape(
    weights: dict[str, float], odds: Floats, wrong: Flags, offsets: Ints
) -> dict[str, float]:
    """Return weights under which clean utterances and runs are as frequent as they really are.

    The likelihood looks at one word after the other; what is drawn word by word may differ from the
    truth in what many words together decide. So the weights of the utterance and of the word before
    are changed until texts that are drawn have the real share of clean utterances, and of wrong
    words beside wrong words. `odds` has the log odds of the words without the dynamic features.
    """
    rows = min(len(offsets) - 1, SHAPED_ROWS)
    offsets = offsets[: rows + 1]
    odds, wrong = odds[: offsets[-1]], wrong[: offsets[-1]]
    if not wrong.any():
        return weights
    random = np.random.Generator(np.random.Philox(SHAPE_SEED))
    draws = random.random((SHAPE_DRAWS, len(odds) + rows))
    owner = np.repeat(np.arange(rows), np.diff(offsets))
    clean, beside = _shape(wrong, offsets)
    changed = dict(weights)

    def drawn(name: str, value: float) -> tuple[float, float]:
        changed[name] = value
        found = []
        for numbers in draws:
            thresholds = np.log(numbers[: len(odds)]) - np.log1p(-numbers[: len(odds)])
            effects = changed["utterance"] * node_of(numbers[len(odds) :])[owner]
            free = np.zeros(len(odds), bool)
            low, high = -6.0, 6.0
            for _ in range(SHIFT_STEPS):
                shift = (low + high) / 2
                one = draw_wrong(odds + effects + shift, changed, thresholds, offsets, free)
                low, high = (shift, high) if one.sum() < wrong.sum() else (low, shift)
            found.append(_shape(one, offsets))
        return tuple(np.mean(found, axis=0))

    for _ in range(2):
        for place, name, target, most in (
            (0, "utterance", clean, 2.5),
            (1, "wrong before", beside, 4.0),
        ):
            low, high = 0.0, most
            for _ in range(SHAPE_STEPS):
                middle = (low + high) / 2
                below = drawn(name, middle)[place] < target
                low, high = (middle, high) if below else (low, middle)
            changed[name] = (low + high) / 2
    return changed


def _shape(wrong: Flags, offsets: Ints) -> tuple[float, float]:
    """Return the share of utterances without wrong words, and of wrong words beside others."""
    lengths = np.diff(offsets)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    by_row = np.bincount(owner[wrong], minlength=len(lengths))
    after = np.append((owner[1:] == owner[:-1]) & wrong[1:] & wrong[:-1], False)
    beside = after | np.append(False, after[:-1])
    return float((by_row[lengths > 0] == 0).mean()), float(
        beside[wrong].mean()
    ) if wrong.any() else 0
