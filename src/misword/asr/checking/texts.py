"""The texts that are checked, and pairs of texts that are compared line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.checking.quick_notes import plain_texts
from misword.asr.line_shifts.search import LineShift, find_shifts
from misword.core.context import Context
from misword.core.types import Alignment, Op
from misword.text.texts import Texts
from misword.text.tokens import encode_words

# Whether paired lines of two texts are more similar than lines that are paired at random.

SAMPLE = 2_000  # pairs that are compared
FEWEST = 30  # pairs that a decision needs
LOW = 0.25  # texts with a lower similarity may be unrelated
# Standard errors by which related lines are more similar than lines paired at random.
ALIKE = 2.5
PERMUTATIONS = 5

Words = Sequence[Sequence[str]]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Likeness:
    """The mean share of common words of paired lines, and of lines paired at random.

    `is_random` is true if the paired lines are not significantly more similar than random pairs.
    """

    paired: float
    at_random: float
    is_random: bool


def likeness(left: Words, right: Words, rows: Rows) -> Likeness:
    """Compare the pairs of rows of two texts with random pairs."""
    rows = sampled(rows)
    similarities = _similarities(left, right, rows)
    paired = _mean(similarities)
    if paired >= LOW or len(rows) < FEWEST:
        return Likeness(paired, 0.0, False)
    random = np.mean(list(_random_similarities(left, right, rows)), axis=0)
    differences = (similarities - random)[~np.isnan(similarities - random)]
    if len(differences) < FEWEST:
        return Likeness(paired, _mean(random), False)
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5
    return Likeness(paired, _mean(random), bool(differences.mean() < ALIKE * error))


def mean_similarity(left: Words, right: Words, rows: Rows) -> float:
    """Return the mean share of common words of pairs of rows; 1 if it is not defined."""
    return _mean(_similarities(left, right, sampled(rows)))


def sampled(rows: Rows) -> Rows:
    """Return some of the rows, evenly spaced."""
    return rows[:: max(1, len(rows) // SAMPLE)]


def _random_similarities(left: Words, right: Words, rows: Rows) -> Iterator[NDArray[np.float64]]:
    """Yield the similarities of the left texts to right texts in random order."""
    generator = np.random.default_rng(0)
    for _ in range(PERMUTATIONS):
        mates = generator.permutation(rows[:, 1])
        yield _similarities(left, right, np.stack([rows[:, 0], mates], axis=1))


def _similarities(left: Words, right: Words, rows: Rows) -> NDArray[np.float64]:
    """Return the share of common words of each pair of rows; nan if a text is empty."""
    return np.array([_common(left[i], right[j]) for i, j in rows.tolist()])


def _mean(similarities: NDArray[np.float64]) -> float:
    """Return the mean of the defined similarities; 1 if all are nan."""
    defined = similarities[~np.isnan(similarities)]
    return float(defined.mean()) if len(defined) else 1.0


def _common(left: Sequence[str], right: Sequence[str]) -> float:
    """Return twice the common words divided by all words; nan if a text is empty."""
    if not left or not right:
        return float("nan")
    ours, theirs = set(left), set(right)
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))


# Checked texts, and pairs of them.


Side = Literal["reference", "hypothesis", "translation", "translation reference"]


@dataclass(frozen=True)
class CheckedText:
    """One file or column of texts.

    Attributes:
        name: the file as the user named it, or the name of the system.
        side: what the texts are.
        texts: one text for each utterance.
        lines: the line of each utterance in the file, from 1.
        ids: the ids of the utterances, or None.
        path: the file, for commands; empty for texts in memory.
        format: the format of the file (`lines`, `kaldi`, ...).
    """

    name: str
    side: Side
    texts: Sequence[str]
    lines: Sequence[int]
    ids: Sequence[str] | None = None
    path: str = ""
    format: str = "lines"

    @classmethod
    def of(cls, name: str, side: Side, texts: Sequence[str]) -> CheckedText:
        """Make a checked text of texts in memory."""
        return cls(name, side, texts, range(1, len(texts) + 1))

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def plain(self) -> list[str]:
        """The texts in lower case without punctuation."""
        return plain_texts(self.texts)

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each plain text."""
        return [text.split() for text in self.plain]

    @property
    def is_lines(self) -> bool:
        """Whether the texts are the plain lines of a file."""
        return self.format == "lines" and bool(self.path)


@dataclass(frozen=True)
class TextPair:
    """Two texts whose lines are paired.

    `translated` says whether the right text is a translation of the left one; otherwise both are in
    one language.
    """

    left: CheckedText
    right: CheckedText
    translated: bool = False

    @property
    def by_id(self) -> bool:
        """Whether lines are matched by id."""
        return self.left.ids is not None and self.right.ids is not None

    @cached_property
    def named_rows(self) -> NDArray[np.int64]:
        """Pairs of rows (from 0) with the same id, or in the same place if there are no ids."""
        if self.left.ids is None or self.right.ids is None:
            size = min(len(self.left), len(self.right))
            return np.stack([np.arange(size)] * 2, axis=1)
        places = {name: row for row, name in enumerate(self.right.ids)}
        pairs = [(row, places[name]) for row, name in enumerate(self.left.ids) if name in places]
        return np.array(pairs, np.int64).reshape(-1, 2)

    @cached_property
    def shifts(self) -> list[LineShift]:
        """The stretches in which the lines of one text are shifted against the other.

        If lines are matched by id, texts are shifted against their ids; lines then count in the
        order of the left file.
        """
        left: Sequence[str] = self.left.texts
        right: Sequence[str] = self.right.texts
        if self.by_id:
            left = [left[row] for row in self.named_rows[:, 0].tolist()]
            right = [right[row] for row in self.named_rows[:, 1].tolist()]
        return find_shifts(left, right)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Pairs of rows (from 0) whose texts belong together, with shifts taken into account."""
        named = self.named_rows
        if not self.shifts:
            return named
        size = len(named) if self.by_id else len(self.left)
        offsets = np.zeros(size, np.int64)
        for shift in self.shifts:
            offsets[shift.first - 1 : shift.last] = shift.offset
        mates = np.arange(size) + offsets
        valid = (mates >= 0) & (mates < (len(named) if self.by_id else len(self.right)))
        ours, theirs = np.flatnonzero(valid), mates[valid]
        if self.by_id:
            return np.stack([named[ours, 0], named[theirs, 1]], axis=1)
        return np.stack([ours, theirs], axis=1)

    @cached_property
    def likeness(self) -> Likeness:
        """The similarity of the paired rows, compared with random pairs."""
        return likeness(self.left.words, self.right.words, self.rows)

    @cached_property
    def alignment(self) -> Alignment:
        """The alignment of the plain words of the rows that belong together."""
        left, right = encode_words([Texts.of(self.left.plain), Texts.of(self.right.plain)])
        return align(left, right, pairs=self.rows)

    @cached_property
    def errors(self) -> NDArray[np.int64]:
        """The number of word errors of each pair of rows."""
        return np.asarray(self.alignment.counts[:, 1:].sum(axis=1))

    @cached_property
    def left_words(self) -> NDArray[np.int64]:
        """The number of words in the left text of each pair of rows."""
        counts = self.alignment.counts
        return np.asarray(counts[:, [Op.HIT, Op.SUBSTITUTION, Op.DELETION]].sum(axis=1))

    @cached_property
    def right_words(self) -> NDArray[np.int64]:
        """The number of words in the right text of each pair of rows."""
        counts = self.alignment.counts
        return np.asarray(counts[:, [Op.HIT, Op.SUBSTITUTION, Op.INSERTION]].sum(axis=1))

    @cached_property
    def error_rate(self) -> float:
        """The word error rate of the pairs of rows."""
        return float(self.errors.sum() / max(1, self.left_words.sum()))


@dataclass(frozen=True)
class CheckedTexts:
    """All texts of one run.

    Attributes:
        references: the references.
        hypotheses: the hypotheses of each system.
        translations: the translations of each system's hypotheses.
        translation_references: the reference translations.
        training: texts that a system was trained on.
        context: the language, and word vectors.
    """

    references: CheckedText
    hypotheses: Sequence[CheckedText] = ()
    translations: Sequence[CheckedText] = ()
    translation_references: CheckedText | None = None
    training: Sequence[CheckedText] = ()
    context: Context = field(default_factory=Context)

    @cached_property
    def files(self) -> list[CheckedText]:
        """The texts that are checked."""
        last = self.translation_references
        files = [self.references, *self.hypotheses, *self.translations]
        return files if last is None else [*files, last]

    @cached_property
    def pairs(self) -> list[TextPair]:
        """The pairs of texts in the same language: hypotheses or translations with references."""
        pairs = [TextPair(self.references, text) for text in self.hypotheses]
        if self.translation_references is not None:
            pairs += [TextPair(self.translation_references, text) for text in self.translations]
        return pairs

    @cached_property
    def matching_pairs(self) -> list[TextPair]:
        """Those of `pairs` whose lines are more similar than random lines.

        Checks of single lines use these pairs only: in the others, every line would be wrong.
        """
        return [pair for pair in self.pairs if not pair.likeness.is_random]

    @cached_property
    def translated_pairs(self) -> list[TextPair]:
        """The pairs of a text and its translation."""
        pairs = [
            TextPair(source, target, translated=True)
            for source, target in zip(self.hypotheses, self.translations, strict=False)
        ]
        if self.translation_references is not None:
            pairs.append(TextPair(self.references, self.translation_references, translated=True))
        return pairs

    def partners(self, text: CheckedText) -> Iterator[TextPair]:
        """Yield the pairs in the same language that contain a text."""
        for pair in self.pairs:
            if text is pair.left or text is pair.right:
                yield pair
