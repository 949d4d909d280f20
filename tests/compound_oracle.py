"""Word errors where words may be written apart, by plain dynamic programming.

The rule of kaldialign with `merge_compounds=True`: k >= 2 successive words of one side match one
word of the other side at no cost if their concatenation is that word. The number of errors is that
of the cheapest alignment with these steps beside hits, substitutions, insertions and deletions.
Several words never match several words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache


def merged_errors(reference: Sequence[str], hypothesis: Sequence[str]) -> int:
    """The fewest errors of a pair, found by trying every last step."""

    @cache
    def errors(i: int, j: int) -> int:
        if not (i and j):
            return i + j
        steps = [
            errors(i - 1, j - 1) + (reference[i - 1] != hypothesis[j - 1]),
            errors(i - 1, j) + 1,
            errors(i, j - 1) + 1,
        ]
        steps += [errors(i - k, j - 1) for k in _joined(reference[:i], hypothesis[j - 1])]
        steps += [errors(i - 1, j - k) for k in _joined(hypothesis[:j], reference[i - 1])]
        return min(steps)

    return errors(len(reference), len(hypothesis))


def kaldialign_counts(
    reference: Sequence[str], hypothesis: Sequence[str]
) -> tuple[int, int, int, int]:
    """Hits, substitutions, insertions and deletions as kaldialign splits them.

    A hit or substitution is taken only if it is cheaper than both other steps, a deletion only if
    it is cheaper than an insertion, and a merge only if it is cheaper than all three: first one of
    reference words, the shortest first, then one of hypothesis words. Words of a merge are hits.
    """
    rows, columns = len(reference) + 1, len(hypothesis) + 1
    cells: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for i in range(rows):
        for j in range(columns):
            if not (i and j):
                cells[i, j] = (i + j, 0, j, i)
                continue
            differ = int(reference[i - 1] != hypothesis[j - 1])
            diagonal = _plus(cells[i - 1, j - 1], substitutions=differ)
            deletion = _plus(cells[i - 1, j], deletions=1)
            insertion = _plus(cells[i, j - 1], insertions=1)
            best = deletion if deletion[0] < insertion[0] else insertion
            if diagonal[0] < min(deletion[0], insertion[0]):
                best = diagonal
            merges = [cells[i - k, j - 1] for k in _joined(reference[:i], hypothesis[j - 1])]
            merges += [cells[i - 1, j - k] for k in _joined(hypothesis[:j], reference[i - 1])]
            for merge in merges:
                best = merge if merge[0] < best[0] else best
            cells[i, j] = best
    _, substitutions, insertions, deletions = cells[rows - 1, columns - 1]
    return len(reference) - substitutions - deletions, substitutions, insertions, deletions


def _plus(
    cell: tuple[int, int, int, int], substitutions: int = 0, insertions: int = 0, deletions: int = 0
) -> tuple[int, int, int, int]:
    added = substitutions + insertions + deletions
    return cell[0] + added, cell[1] + substitutions, cell[2] + insertions, cell[3] + deletions


def _joined(words: Sequence[str], whole: str) -> Iterator[int]:
    """Yield the numbers k >= 2 of last words whose concatenation is `whole`."""
    text = words[-1]
    for k in range(2, len(words) + 1):
        text = words[-k] + text
        if len(text) > len(whole):
            return
        if text == whole:
            yield k
