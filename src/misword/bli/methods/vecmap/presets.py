"""VecMap: supervised, semi-supervised, from identical tokens, unsupervised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from misword.bli.methods import Matrix, Pairs, Run, Trained
from misword.bli.methods.linear import cross, roots
from misword.bli.methods.vecmap.induction import induce
from misword.bli.methods.vecmap.self_learning import SelfLearning, dictionary, units
from misword.bli.methods.vecmap.steps import Treated
from misword.bli.spaces import Space, normalized
from misword.core.errors import InputError, OptionError

NUMERAL = re.compile("[0-9]+")
Seeding = Literal["lexicon", "identical", "none"]


@dataclass(frozen=True, slots=True)
class VecMapS(Treated):
    """VecMap from a lexicon: whitening, rotation, re-weighting, de-whitening; one pass.

    Directions on which the two languages agree count more than those on which they do not. Other
    papers' settings: `normalize=unit+center,source_reweight=0,target_reweight=1` (Artetxe 2018a),
    `whiten=false,source_reweight=0,target_reweight=0` (Artetxe 2016: plain Procrustes).

    Known problems: with fewer pairs than dimensions, nothing is known of the directions the pairs
    leave out, and they are dropped; `vecmap-semi` is made for small lexicons.

    Example: `misword map en.vec fr.vec --method vecmap-s --lexicon train.txt -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018, Generalizing and improving bilingual word embedding
    mappings with a multi-step framework of linear transformations (AAAI).
    """

    name: ClassVar[str] = "vecmap-s"
    seeding: ClassVar[Seeding] = "lexicon"

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Treat both sides once."""
        made = self.treat(source, target, seeds)
        run.step({"iteration": 1, "pairs": len(seeds)}, made.source, made.target)
        return made


@dataclass(frozen=True, slots=True)
class VecMapSemi(SelfLearning):
    """VecMap from a small lexicon: self-learning, as `vecmap-u`, but from these pairs.

    The lexicon is only the start: later dictionaries do not have to agree with it. Artetxe 2017:
    `whiten=false,source_reweight=0,target_reweight=0,direction=forward,csls=0,keep=1,patience=1`.

    Known problems: with thousands of pairs `vecmap-s` is as good at a fraction of the time.

    Example: `misword map en.vec fr.vec --method vecmap-semi --lexicon 25.txt -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2017, Learning bilingual word embeddings with (almost) no
    bilingual data (ACL); 2018 for all else.
    """

    name: ClassVar[str] = "vecmap-semi"
    seeding: ClassVar[Seeding] = "lexicon"

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Learn from the lexicon on."""
        return self.learn(source, target, seeds, run)


@dataclass(frozen=True, slots=True)
class VecMapI(SelfLearning):
    """VecMap from the tokens that both vocabularies have: names, numbers, loans.

    `tokens=numerals` takes tokens of digits only, which mean the same everywhere.

    Known problems: languages in different scripts share little, and false friends are in it.

    Example: `misword map en.vec fr.vec --method vecmap-i -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2017 (ACL), 2018 (ACL).
    """

    name: ClassVar[str] = "vecmap-i"
    seeding: ClassVar[Seeding] = "identical"

    tokens: Literal["all", "numerals"] = "all"

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Learn from the shared tokens on."""
        if self.tokens == "numerals":
            words = source.words
            digits = [NUMERAL.fullmatch(words[row]) is not None for row in seeds[:, 0].tolist()]
            seeds = seeds[np.array(digits)]
            if not len(seeds):
                raise InputError(
                    "no token of digits is in both vocabularies",
                    where=f"{source.name}, {target.name}",
                    fix="use tokens=all, or vecmap-u",
                )
        return self.learn(source, target, seeds, run)


@dataclass(frozen=True, slots=True)
class VecMapU(SelfLearning):
    """VecMap without any lexicon: words that are similar to others in the same way are a start.

    `start` words of each side are described by the sorted list of their similarities within the
    language; the nearest descriptions make the first dictionary, which is mostly wrong, and
    self-learning with pairs left out at random does the rest.

    Known problems: where the spaces have different shapes (distant languages, other domains, small
    corpora), it ends in a mapping that is no better than chance, and the objective does not show
    it: look at some translations, or measure with `--valid`.

    Example: `misword map en.vec fr.vec --method vecmap-u -o en-fr.map`

    Reference: Artetxe, Labaka, Agirre 2018, A robust self-learning method for fully unsupervised
    cross-lingual mappings of word embeddings (ACL).
    """

    name: ClassVar[str] = "vecmap-u"
    seeding: ClassVar[Seeding] = "none"

    start: int = 4000

    def check(self) -> None:
        """Refuse also a start from nothing."""
        SelfLearning.check(self)
        if self.start < 2:
            raise OptionError(f"start is {self.start}", fix="use some thousand words")

    def train(self, source: Space, target: Space, seeds: Pairs, run: Run) -> Trained:
        """Learn from a dictionary of words that look alike from afar."""
        begun = run.resume() is not None
        first = seeds if begun else self._first(source, target, run.workers)
        return self.learn(source, target, first, run)

    def _first(self, source: Space, target: Space, workers: int | None) -> Pairs:
        count = min(self.start, len(source), len(target))
        x, z = (described(space, count) for space in (source, target))
        return dictionary(induce(x, z, csls=self.csls, workers=workers), self.direction)


def described(space: Space, count: int) -> Matrix:
    """Words by how similar the other words of their language are, in order; normalised again.

    The square root of the similarity matrix X X^T is X (X^T X)^(-1/2) X^T: no large decomposition.
    """
    rows = space.rows[:count]
    every = np.column_stack([np.arange(count)] * 2)
    similar = rows @ roots(cross(rows, rows, every))[0].astype(np.float32) @ rows.T
    similar.sort(axis=1)
    normalized(similar, space.steps)
    return units(similar, space.steps)
