"""The section on Equation 1: probabilities and phonological distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misword.noise.phonology import Edits, Kernel, Phonology, distance_probabilities
from studies.common.conclusions import Conclusion, Section, compared
from studies.common.markdown import number, page, paragraph, table
from studies.voleti2019 import published
from studies.voleti2019.candidates import NOTEBOOK, SYRIA, candidates_of
from studies.voleti2019.materials import GLOVE

# Words whose distances from "Syria" are among those that the notebook prints.
NEAR_SYRIA = ("sharia", "korea", "siberia", "libya")
# Probabilities are printed with four digits, and so is sigma.
ROUNDING = 1e-4


def probabilities() -> Section:
    """Return the section on Equation 1 and the notebook's example."""
    distances = np.array(published.SYRIA)
    kernels: tuple[Kernel, Kernel] = ("gaussian", "paper")
    found = {kernel: distance_probabilities(distances[None], kernel)[0] for kernel in kernels}
    printed = published.SYRIA_FIRST, published.SYRIA_LAST
    ends = {kernel: (values[0], values[-1]) for kernel, values in found.items()}
    statuses = {kernel: compared(both, printed, ROUNDING) for kernel, both in ends.items()}
    rows = [
        [number(d), str(count), *(f"{found[kernel][place]:.4f}" for kernel in kernels)]
        for d, place, count in _distinct(published.SYRIA)
    ]
    text = f"""Equation 1 is P = α exp(-d / σ²), where d is the phonological distance and σ its mean
    over the candidates. The notebook that the authors released computes exp(-d² / (2 σ²)), for at
    most 15 candidates with d below 60. It prints 15 distances for *Syria*, σ =
    {published.SYRIA_SIGMA} (their mean is {number(float(distances.mean()))}), and probabilities
    from {printed[0]} to {printed[1]}. They follow from the second formula to
    {_error(ends["gaussian"], printed)}; Equation 1 misses them by up to
    {_error(ends["paper"], printed)}. Both are here: `kernel=gaussian`, the default, and
    `kernel=paper`."""
    return Section(
        page(
            "## Equation 1: the probability of a substitution",
            paragraph(text),
            table(["d", "candidates", "P by the notebook", "P by Equation 1"], rows),
            paragraph(_candidates_text()),
            paragraph(_distances_text()),
        ).strip(),
        (
            Conclusion(
                "Equation 1, printed example",
                "the notebook's probabilities follow from exp(-d² / (2 σ²))",
                statuses["gaussian"],
            ),
            Conclusion(
                "Equation 1, printed example",
                "the notebook's probabilities follow from Equation 1",
                statuses["paper"],
            ),
        ),
        (
            f"misword corrupt text.txt --wer 0.3 --lang en --vectors build/studies/{GLOVE} "
            "--channel voleti:kernel=paper -o noisy.txt",
        ),
    )


def _distinct(distances: Sequence[float]) -> list[tuple[float, int, int]]:
    """Return each distance, its first place and how often it is there."""
    return [(d, distances.index(d), distances.count(d)) for d in dict.fromkeys(distances)]


def _error(ours: Sequence[float], printed: Sequence[float]) -> str:
    """Return the greatest difference of two lists of probabilities."""
    return f"{max(abs(a - b) for a, b in zip(ours, printed, strict=True)):.5f}"


def _candidates_text() -> str:
    found = candidates_of(NOTEBOOK, SYRIA)
    shown = ", ".join(f"{each.word} {number(each.distance)}" for each in found)
    return f"""The words of the notebook's candidates are not here. With GloVe vectors (6B, 50
    dimensions, first 30,000 words) our candidates of *Syria* and their distances are: {shown}."""


def _distances_text() -> str:
    """Return the distances of some words from `Syria`, by both ways to count edits."""
    features, single = (near_distances(way) for way in ("features", "single"))
    among = sum(d in published.SYRIA for d in features.values())
    shown = [
        ", ".join(f"{word} {number(d)}" for word, d in found.items())
        for found in (features, single)
    ]
    return f"""Distances by Hayes' features, where an opposite value costs 1 and a value that only
    one phoneme specifies costs 0.25: {shown[0]}. These words were chosen because their distances
    are among the printed ones ({among} of {len(NEAR_SYRIA)}), so they show that these distances
    can occur, not that these are the notebook's candidates. The paper calls them
    "single-feature edits"; if each edit costs 1 (`edits=single`), they are {shown[1]}, and the
    printed fractions could not occur."""


def near_distances(edits: Edits) -> dict[str, float]:
    """Return the phonological distance of some words from `Syria`.

    >>> near_distances("features")["sharia"]
    6.25
    """
    sounds = Phonology("en", edits=edits).pronounce([SYRIA, *NEAR_SYRIA])
    pairs = np.array([[0, n + 1] for n in range(len(NEAR_SYRIA))])
    return dict(zip(NEAR_SYRIA, sounds.distances(pairs).tolist(), strict=True))
