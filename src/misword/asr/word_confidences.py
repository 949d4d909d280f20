"""How well confidences of hypothesis words predict correct words: tables for each system."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.types import Op
from misword.stat.calibration import (
    area_under_curve,
    calibration_bins,
    chance_error,
    expected_calibration_error,
    normalised_cross_entropy,
)
from misword.text.normalizers import normalize
from misword.text.texts import Texts

BINS = "confidence_bins"  # the table of bins; that of the measures is called `confidences`


class JudgedWords(NamedTuple):
    """The confidences of the words of one system, and whether each word is right.

    `without` is the number of its words that have no confidence.
    """

    confidences: NDArray[np.float64]
    right: NDArray[np.bool_]
    without: int


def confidence_tables(pairs: Pairs) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the measures of each system, and the bins of its confidences."""
    return pairs.once("confidence tables", lambda: _tables(pairs))


def _tables(pairs: Pairs) -> tuple[pl.DataFrame, pl.DataFrame]:
    measures, bins = [], []
    for system, words in judged_words(pairs):
        divided = calibration_bins(words.confidences, words.right)
        measures.append(
            {
                "system": system,
                "words": len(words.right),
                "without": words.without,
                "right": float(words.right.mean()) if len(words.right) else None,
                "confidence": float(words.confidences.mean()) if len(words.right) else None,
                "nce": normalised_cross_entropy(words.confidences, words.right),
                "ece": expected_calibration_error(divided),
                "by_chance": chance_error(divided),
                "auc": area_under_curve(words.confidences, words.right),
            }
        )
        bins += [
            (system, each.low, each.high, each.cases, each.mean, each.share) for each in divided
        ]
    names = ("system", "low", "high", "words", "confidence", "right")
    kinds = (pl.String, pl.Float64, pl.Float64, pl.Int64, pl.Float64, pl.Float64)
    schema = dict(zip(names, kinds, strict=True))
    shown = pl.DataFrame(measures, infer_schema_length=None).fill_nan(None)
    return shown, pl.DataFrame(bins, schema, orient="row")


def judged_words(pairs: Pairs) -> Iterator[tuple[str, JudgedWords]]:
    """Yield each system that has confidences, with its words; only best hypotheses count.

    A word is right if it is a hit of the alignment by unit costs, or in a forgiven block. A word
    that normalisation divides gives its confidence to its parts. If normalisation joins words of a
    hypothesis or moves them, its words have no confidence.
    """
    right, offsets = _right_words(pairs)
    values = _confidences(pairs, np.diff(offsets))
    best = (pairs.keys["rank"] == 1).to_numpy()
    systems = pairs.keys["system"]
    for system in systems.unique(maintain_order=True).to_list():
        rows = np.flatnonzero(best & (systems == system).to_numpy())
        places = [np.arange(offsets[row], offsets[row + 1]) for row in rows.tolist()]
        inside = np.concatenate(places) if places else np.zeros(0, np.int64)
        known = inside[~np.isnan(values[inside])]
        if len(known):
            yield system, JudgedWords(values[known], right[known], len(inside) - len(known))


def _right_words(pairs: Pairs) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return whether each hypothesis word is right, and the place of the first of each pair."""
    alignment = pairs.alignment(Word(), "misword", operations=True)
    operations = alignment.all_operations
    sizes = (operations != Op.DELETION).astype(np.int64)
    if len(alignment.forgiven):
        blocks = pairs.readings().blocks
        sizes[alignment.forgiven] = blocks.hypothesis_end - blocks.hypothesis_start
    sums = np.concatenate([[0], np.cumsum(sizes)])
    return np.repeat(operations == Op.HIT, sizes), sums[alignment.all_offsets]


def _confidences(pairs: Pairs, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the confidence of each hypothesis word of all pairs; nan if it has none."""
    from misword.io.transcripts.words import confidences_of  # scores of plain texts do not need it

    source = pairs.source.hypotheses
    rows = [text.split() for text in source["text"].to_list()]
    listed = confidences_of(pairs.source, source).to_list()
    parts = normalize(Texts.of(list(chain.from_iterable(rows))), pairs.reader.texts.chain).split()
    counts = iter([len(part.split()) for part in parts])
    values: list[float] = []
    for number, (words, given) in enumerate(zip(rows, listed, strict=True)):
        known = given if given is not None and len(given) == len(words) else [None] * len(words)
        divided = [value for value in known for _ in range(next(counts))]
        fits = len(divided) == sizes[number]
        values += (
            [np.nan if value is None else value for value in divided]
            if fits
            else [np.nan] * int(sizes[number])
        )
    found = np.array(values, np.float64)
    outside = found[(found < 0) | (found > 1)]
    if len(outside):
        raise InputError(
            f"a confidence is {outside[0]:g}",
            fix="confidences are from 0 to 1; turn logarithms into probabilities",
        )
    return found
