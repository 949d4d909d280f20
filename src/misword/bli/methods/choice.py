"""`--method auto`: the mapping method that suits a lexicon and two vocabularies.

With a lexicon of some size, methods are compared on words that are held out of it. Otherwise the
size of the lexicon, or the scripts of the languages, decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from misword.bli.arrays import RowPairs
from misword.bli.methods import METHODS, MappingMatrices, Method
from misword.bli.methods.misword_presets import held_out_hits, not_worse
from misword.bli.spaces import Space
from misword.core.formatting import percent
from misword.core.progress import progress
from misword.text.scripts import scripts_of

AUTO = "auto"
NORMALIZE = "unit+center+unit"  # of all methods that are compared
# The first that is not worse than the best is taken: of the methods that are equally good on words
# of a lexicon, those before others were better on rarer words, or take less time.
COMPARED = ("misword-r", "misword-s", "procrustes")
FEW_PAIRS, UNSUPERVISED = "vecmap-semi", "misword-u"
FEWEST_WORDS = 100  # of a lexicon that are compared on, by `FOLDS` folds
FOLDS = 2
FREQUENT = 1_000  # words whose letters say the script of a language

# Trains a method on some pairs.
Train = Callable[[Method, RowPairs], MappingMatrices]


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen method, and a sentence on what was tried and why it was chosen."""

    method: Method
    note: str


def choose_method(
    source: Space,
    target: Space,
    pairs: RowPairs | None,
    train: Train,
    seed: int = 0,
    workers: int | None = None,
) -> Choice:
    """Choose a method for two spaces; `pairs` are those of the lexicon, None without one."""
    if pairs is None:
        return Choice(METHODS.create(UNSUPERVISED), _without_lexicon(source, target))
    words = len(np.unique(pairs[:, 0]))
    if words < FEWEST_WORDS:
        note = (
            f"method {FEW_PAIRS}: it is made for lexicons of few words, and {words} are too few to "
            "compare methods on held-out ones"
        )
        return Choice(METHODS.create(FEW_PAIRS), note)
    return _compared(source, target, pairs, train, seed, workers)


def _compared(
    source: Space, target: Space, pairs: RowPairs, train: Train, seed: int, workers: int | None
) -> Choice:
    """Choose by hit@1 on held-out words of the lexicon."""
    methods = [METHODS.create(name) for name in COMPARED]
    found = []
    with progress("comparing methods", len(methods)) as step:
        for method in methods:

            def fit(some: RowPairs, method: Method = method) -> MappingMatrices:
                return train(method, some)

            found.append(held_out_hits(fit, source, target, pairs, FOLDS, seed, workers))
            step(1)
    best = max(found, key=np.count_nonzero)
    chosen = next(number for number, hits in enumerate(found) if not_worse(hits, best))
    rates = [
        f"{percent(float(hits.mean()), 1)} % by {name}"
        for name, hits in zip(COMPARED, found, strict=True)
    ]
    reason = (
        "the best"
        if found[chosen] is best
        else "not worse than the best by more than one standard error, and listed before it"
    )
    note = (
        f"method {COMPARED[chosen]}: {reason} on {len(best):,} words of the lexicon, each held out "
        f"of the training; hit@1 is {', '.join(rates)}"
    )
    return Choice(methods[chosen], note)


def _without_lexicon(source: Space, target: Space) -> str:
    scripts = [main_script(space.words[:FREQUENT]) for space in (source, target)]
    note = f"method {UNSUPERVISED}: there is no lexicon"
    if scripts[0] != scripts[1]:
        return f"{note}, and the scripts differ ({scripts[0]}, {scripts[1]}): only vectors are used"
    return f"{note}; if it fails, vecmap-i learns from the words that both languages write alike"


def main_script(words: Sequence[str]) -> str:
    """Return the script of most letters of some words; `none` if there are no letters.

    >>> main_script(["der", "и", "die", "das"])
    'latin'
    """
    counts: Counter[str] = Counter()
    for word in words:
        counts += scripts_of(word)
    return counts.most_common(1)[0][0] if counts else "none"
