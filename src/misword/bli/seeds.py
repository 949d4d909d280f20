"""Seed pairs: the rows of the word pairs that a method learns from.

They come from a lexicon, or from the words that both vocabularies have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misword.bli.arrays import RowNumbers, RowPairs
from misword.bli.spaces import Space
from misword.core.errors import InputError
from misword.io.files.sources import counted
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
        doubled = counted(len(covered) - len(pairs), "pair")
        notes.append(f"{lexicon.name}: {doubled} doubled in another case: each counts once")
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
        fix="its columns are the other way round: swap the two files of vectors"
        if swapped.any()
        else "check that it is for these languages, source first; or raise --max-words",
    )
