"""What draws errors into blocks of text: the contract of samplers and listeners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from misword.noise.aligned_corpus import Span, SpannedCorpus
from misword.noise.arrays import Floats, Ints
from misword.noise.corruption.drawing import CorruptedBlock
from misword.noise.corruption.protection import Protection
from misword.noise.corruption.row_keys import Keys
from misword.noise.corruption.sampler import TokenShapes
from misword.noise.corruption.text_block import TextBlock
from misword.noise.error_model import Mix


class Drawer(Protocol):
    """What draws errors into blocks: a `Sampler` by words, or a listener by stretches of words.

    The words that can be substituted or deleted have a weight above 0; both weights have one number
    for each row of `shapes`, the last one for row -1, a word that is not known.
    """

    @property
    def protection(self) -> Protection | None:
        """The words that may not be changed."""

    @property
    def vocabulary(self) -> Sequence[str]:
        """The words by their ids in `WordEdits`."""

    @property
    def substitution_weight(self) -> Floats:
        """How likely a word is to be substituted."""

    @property
    def deletion_weight(self) -> Floats:
        """How likely a word is to be deleted."""

    def shapes(self, tokens: list[str]) -> TokenShapes:
        """Return the shapes of tokens."""

    def details(self, rows: Ints, ids: Ints) -> tuple[Floats, Floats, Floats]:
        """Return probability, phonological and semantic distance of words and substitutes."""

    def insertion_probability(self, ids: Ints) -> Floats:
        """Return the probability of each word to be the inserted one."""


class BlockDrawer(Drawer, Protocol):
    """Draws all errors of a block by itself."""

    @property
    def mix(self) -> Mix:
        """The shares of the kinds of errors, as far as they are known before drawing."""

    def protected(self, protection: Protection | None) -> BlockDrawer:
        """Return the same drawer with other protected words."""

    def corrupted(
        self, block: TextBlock, key: tuple[int, float, int], errors: int
    ) -> CorruptedBlock:
        """Return a block with this number of errors; `key` decides the random numbers."""

    def span_probabilities(self, corpus: SpannedCorpus, spans: Sequence[Span]) -> Floats:
        """Return the probability of what was heard in each real span (`misword realism`)."""

    def row_noise(self, sample: TextBlock, keys: Keys, wer: float, seed: int) -> DrawsRows:
        """Return the noise that gives a sample of rows a word error rate."""


class DrawsRows(Protocol):
    """Draws errors into rows, each by its key alone."""

    @property
    def target_wer(self) -> float:
        """The word error rate that was asked for."""

    @property
    def rates(self) -> tuple[float, ...]:
        """The numbers that decide how many errors are drawn."""

    def draw(self, block: TextBlock, keys: Keys) -> CorruptedBlock:
        """Return the rows of a block, which have these keys, with errors."""
