"""Alternatives in hypotheses: the reading of each hypothesis that is scored.

A hypothesis may contain alternatives (`{ a / b }`), as the references do: sclite's ctm files have
them, and rules of a GLM file make them. As in sclite, the pair of a reading of the reference and a
reading of the hypothesis with the fewest word errors is scored.

The readings of a reference are listed one by one. For each of them, the search that otherwise
chooses the reading of a reference (`asr/readings.py`) chooses the reading of the hypothesis: the
number of errors is the same if the two sides are exchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Ties, align
from misword.asr.alternatives import Signs
from misword.asr.equivalents import NOTHING, Equivalents
from misword.asr.forgiving.choice import Choice
from misword.asr.forgiving.texts import ComparedTexts
from misword.asr.readings import Reader
from misword.core.errors import InputError
from misword.text.normalizers import Chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    from polars import Series

# Readings of a reference that are compared with a hypothesis that has alternatives itself.
MOST_READINGS = 4096


def note_on_alternatives(signs: Signs) -> str:
    """Return a note on the hypotheses with alternatives, which are scored by their best reading."""
    several = np.count_nonzero(np.diff(signs.offsets))
    return (
        f"hypotheses with alternatives ({{ a / b }}): {several:,}; of each, the reading with the "
        "fewest errors is scored"
    )


def choose_hypotheses(
    index: NDArray[np.int64],
    signs: tuple[Signs, Signs],
    chain: Chain,
    ids: Series,
    ties: Ties,
    workers: int | None,
) -> Texts:
    """Return the hypotheses with one reading of each; those that had several are normalised.

    `signs` are those of the references and hypotheses before normalisation; `index` has the rows of
    each pair, with every hypothesis at most once; `ids` are the ids of the references. The
    costs of the tie rule `ties` decide.
    """
    of_references, of_hypotheses = signs
    pairs = index[np.diff(of_hypotheses.offsets)[index[:, 1]] > 0]
    rows = np.unique(pairs[:, 0])
    segments = of_references.segments.split() if len(of_references) else []
    listed = {
        row: list_readings(*_row(of_references, segments, row), ids[row]) for row in rows.tolist()
    }
    readings = Texts.of(text for texts in listed.values() for text in texts)
    first = dict(zip(listed, np.cumsum([0, *map(len, listed.values())]).tolist(), strict=False))
    compared = np.array(
        [
            (hypothesis, first[row] + number)
            for row, hypothesis in pairs.tolist()
            for number in range(len(listed[row]))
        ],
        np.int64,
    )
    exchanged = ComparedTexts.of(of_hypotheses.texts, readings, of_hypotheses, chain)
    chosen = Reader(exchanged, compared, Equivalents(()), workers, ties).read(Choice())
    tokens = chosen.utterances.words
    costs = align(*tokens, pairs=chosen.index, ties=ties, operations=False, workers=workers).costs
    best = _first_of_least(costs, compared[:, 0])
    texts, read = of_hypotheses.texts.split(), chosen.utterances.references.split()
    for pair in best.tolist():
        texts[compared[pair, 0]] = read[chosen.index[pair, 0]]
    return Texts.of(texts)


def _first_of_least(costs: NDArray[np.float64], owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each owner the number of the first of its rows with the lowest cost."""
    order = np.lexsort((costs, owners))  # rows of equal cost keep their order
    _, first = np.unique(owners[order], return_index=True)
    return order[first]


def _row(signs: Signs, segments: list[str], row: int) -> tuple[list[str], str]:
    """Return the segments of a reference and the signs between them."""
    if not len(signs):
        return [signs.texts.split()[row]], ""
    lo, hi = signs.offsets[row], signs.offsets[row + 1]
    kinds = signs.kinds[lo:hi].tobytes().decode()
    return segments[lo + row : hi + row + 1], kinds


def list_readings(segments: list[str], kinds: str, utt: str) -> list[str]:
    """Return all readings of a text with alternatives, in the order in which they are written.

    `kinds` are the signs between the segments: `{`, `/` and `}`.

    >>> list_readings(["so", "um", "@", "we"], "{/}", "u1")
    ['so um we', 'so we']
    """
    outer: list[tuple[list[str], list[str]]] = []  # what precedes each open group, and its readings
    readings = [segments[0].strip()]
    for kind, segment in zip(kinds, segments[1:], strict=True):
        if kind == "{":
            outer.append((readings, []))
            readings = [""]
        elif kind == "/":
            outer[-1][1].extend(readings)
            readings = [""]
        else:
            before, group = outer.pop()
            readings = [f"{start} {end}".strip() for start in before for end in group + readings]
        words = [word for word in segment.split() if not outer or word != NOTHING]
        readings = [f"{reading} {' '.join(words)}".strip() for reading in readings]
        if len(readings) > MOST_READINGS:
            raise InputError(
                f"the reference has more than {MOST_READINGS:,} readings, and its hypothesis has "
                "alternatives too",
                where=f"utterance {utt!r}",
                fix="divide the utterance, or leave alternatives out of the hypothesis",
            )
    return readings
