"""Seed pairs: the rows of the word pairs that a method learns from.

They come from a lexicon, or from the words that both vocabularies have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.bli.arrays import Float32Array, RowNumbers, RowPairs
from misword.bli.spaces import Space, scale_to_unit
from misword.core.errors import InputError
from misword.core.formatting import counted
from misword.embed.vectors.neighbors import ROWS, blocks, nearest
from misword.io.lexicons import Lexicon


def from_lexicon(
    lexicon: Lexicon, source: Space, target: Space
) -> tuple[RowPairs, tuple[str, ...]]:
    """Return the pairs whose words both have a row, each once, and notes on what was left out.

    A word is looked up as it is written and, failing that, in lower case.
    """
    left, right = find_or_lower(source, lexicon.source), find_or_lower(target, lexicon.target)
    both = (left >= 0) & (right >= 0)
    if not both.any():
        raise _no_pairs(lexicon, source, target)
    covered = np.column_stack([left[both], right[both]])
    pairs = _distinct(covered)
    notes = [*lexicon.notes, f"{lexicon.name}: {len(pairs):,} of {len(lexicon):,} pairs are used"]
    for side, rows, words in (
        ("source", left, lexicon.source),
        ("target", right, lexicon.target),
    ):
        missing = len({words[i] for i in np.flatnonzero(rows < 0).tolist()})
        if missing:
            share = f"{missing:,} of its {len(set(words)):,} {side} words"
            notes.append(f"{lexicon.name}: no vector for {share}")
    if len(pairs) < len(covered):
        duplicates = counted(len(covered) - len(pairs), "duplicate pair")
        notes.append(f"{lexicon.name}: {duplicates} in another case: each counts once")
    return pairs, tuple(notes)


def identical(source: Space, target: Space) -> RowPairs:
    """Return a pair for every token that is in both vocabularies."""
    rows = target.find(source.words[: len(source)])
    shared = np.flatnonzero(rows >= 0)
    if not len(shared):
        raise InputError(
            "no token is in both vocabularies",
            where=f"{source.name}, {target.name}",
            fix="give a lexicon to a supervised method, or use an unsupervised one (vecmap-u)",
        )
    return np.column_stack([shared, rows[shared]])


def find_or_lower(space: Space, words: Sequence[str]) -> RowNumbers:
    """Return the row of each word, as it is written or in lower case; -1 where there is none."""
    rows = space.find(words)
    missing = np.flatnonzero(rows < 0)
    rows[missing] = space.find([words[i].lower() for i in missing.tolist()])
    return rows


def _distinct(pairs: RowPairs) -> RowPairs:
    """Return each pair once, in the order in which the pairs first occur."""
    _, first = np.unique(pairs, axis=0, return_index=True)
    return pairs[np.sort(first)]


def _no_pairs(lexicon: Lexicon, source: Space, target: Space) -> InputError:
    """Return the error for a lexicon of which no pair is covered, with the likely reason."""

    def coverage(space: Space, words: Sequence[str]) -> str:
        distinct = list(dict.fromkeys(words))
        covered = np.count_nonzero(find_or_lower(space, distinct) >= 0)
        return f"{covered:,} of its {len(distinct):,}"

    reverse = find_or_lower(source, lexicon.target), find_or_lower(target, lexicon.source)
    swapped = (reverse[0] >= 0) & (reverse[1] >= 0)
    return InputError(
        f"no pair of it is in the vocabularies: {coverage(source, lexicon.source)} source words "
        f"and {coverage(target, lexicon.target)} target words have a vector",
        where=lexicon.name,
        fix="its columns are swapped: name the two files of vectors in the other order"
        if swapped.any()
        else "check that it is for these languages, source first; or raise --max-words",
    )


# Hit rates during a training: a validation lexicon, or pairs held out of the training lexicon.


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """A validation lexicon, on which the hit rate of a mapping is measured.

    `queries` are rows of the source, each once. `gold` has all correct pairs of rows, each encoded
    as one number: source row times size of the target, plus target row.
    """

    source: Space
    target: Space
    queries: RowNumbers
    gold: RowNumbers

    @classmethod
    def of(cls, source: Space, target: Space, pairs: RowPairs) -> Validation:
        """Make a validation from pairs of rows."""
        gold = pairs[:, 0] * len(target) + pairs[:, 1]
        return cls(source, target, np.unique(pairs[:, 0]), gold)

    def hit(self, source: Float32Array, target: Float32Array, workers: int | None = None) -> float:
        """Return hit@1: the share of queries whose nearest target is a correct translation."""
        return float(self.correct(source, target, workers).mean())

    def correct(
        self, source: Float32Array, target: Float32Array, workers: int | None = None
    ) -> NDArray[np.bool_]:
        """Return for each query whether its nearest target is a correct translation.

        `source` and `target` are the matrices of both sides; nearest is by plain cosine.
        """
        identity = np.array_equal(target, np.eye(len(target), dtype=np.float32))
        queries = self.source.rows[self.queries] @ source
        targets = self._targets(None if identity else target)
        ids, _ = nearest(queries, targets, 1, workers)
        return np.isin(self.queries * len(self.target) + ids[:, 0], self.gold)

    def _targets(self, matrix: Float32Array | None) -> Iterator[Float32Array]:
        """Yield blocks of mapped target vectors of length one; `matrix` None is the identity."""
        are_unit = matrix is None and self.target.steps[-1:] == ("unit",)
        for block in blocks(self.target.rows, ROWS):
            if not are_unit:
                block = block.copy() if matrix is None else block @ matrix
                scale_to_unit(block)
            yield block


def headword_folds(pairs: RowPairs, folds: int, seed: int) -> RowNumbers:
    """Return the fold (0, 1, ...) of each pair: random, of equal size within one source word.

    All pairs of a source word are in one fold, so that no held-out word is a training word.

    >>> headword_folds(np.array([[7, 1], [7, 2], [8, 3]]), 2, seed=0).tolist()
    [0, 0, 1]
    """
    headwords, positions = np.unique(pairs[:, 0], return_inverse=True)
    return (np.random.default_rng(seed).permutation(len(headwords)) % folds)[positions]


# Digests of the word pairs that a mapping was learnt from, to find the words of a lexicon in them.
#
# A mapping keeps digests instead of the words, so that its file stays small, and so that a lexicon
# that may not be copied is not copied into it.

Digests = NDArray[np.uint64]
BYTES = 8  # of a digest: among a million words, an accidental match has a chance of 1 in 10^13
NAMES = ("training.pairs", "training.source", "training.target")  # arrays in a mapping's file


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPairs:
    """Sorted digests of the training pairs, and of the words of both sides, each once.

    Words are compared in lower case, since a word of a lexicon that has no vector is looked up in
    lower case. `swapped` is true if the languages of the mapping were exchanged.

    >>> trained = TrainingPairs.of([("dog", "chien"), ("dog", "chienne"), ("cat", "chat")])
    >>> len(trained), trained.has_pairs(["dog", "dog"], ["Chien", "chat"]).tolist()
    (3, [True, False])
    >>> trained.has_source(["Cat", "cow"]).tolist()
    [True, False]
    """

    pairs: Digests
    source: Digests
    target: Digests
    swapped: bool = False

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> TrainingPairs:
        """Make the digests of pairs of words."""
        kept = list(pairs)
        return cls(
            np.unique(_digests(_joined(kept))),
            np.unique(_digests(source for source, _ in kept)),
            np.unique(_digests(target for _, target in kept)),
        )

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> TrainingPairs | None:
        """Return the digests that the file of a mapping has, None if it is of an older version.

        Raises a ValueError if the arrays are damaged.
        """
        found = [arrays[name] for name in NAMES if name in arrays]
        if not found:
            return None
        if len(found) < len(NAMES) or any(
            array.dtype != np.uint64 or array.ndim != 1 for array in found
        ):
            raise ValueError("the digests of the training pairs are not lists of numbers")
        pairs, source, target = found
        return cls(pairs, source, target)

    def arrays(self) -> dict[str, Digests]:
        """Return the arrays that the file of a mapping has."""
        return dict(zip(NAMES, (self.pairs, self.source, self.target), strict=True))

    def __len__(self) -> int:
        return len(self.pairs)

    def swap(self) -> TrainingPairs:
        """Return the digests for the opposite direction of translation."""
        return TrainingPairs(self.pairs, self.target, self.source, not self.swapped)

    def has_pairs(self, source: Sequence[str], target: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each pair of words whether it was in the training."""
        sides = (target, source) if self.swapped else (source, target)
        return np.isin(_digests(_joined(zip(*sides, strict=True))), self.pairs)

    def has_source(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each word whether it was the source of a training pair."""
        return np.isin(_digests(words), self.source)

    def has_target(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each word whether it was the target of a training pair."""
        return np.isin(_digests(words), self.target)


def _joined(pairs: Iterable[tuple[str, str]]) -> Iterable[str]:
    return (f"{source}\t{target}" for source, target in pairs)


def _digests(texts: Iterable[str]) -> Digests:
    data = b"".join(
        sha256(text.lower().encode("utf-8", "surrogatepass")).digest()[:BYTES] for text in texts
    )
    return np.frombuffer(data, "<u8").astype(np.uint64)
