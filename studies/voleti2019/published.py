"""What Voleti et al. 2019 and the notebook that they released print."""

from __future__ import annotations

from typing import NamedTuple

CONTENTS = {
    "Equation 1": "probability of a substitution",
    "Algorithm 1": "random replacement of words at a given WER",
    "Table 1": "examples of corrupted sentences",
    "Figure 1": "similarity of corrupted and original sentences over WER",
    "Table 2": "correlation with human scores at 0, 10 and 30 % WER, and PCC30 / PCC0",
    "Figure 2": "the correlations of Table 2 as bars",
}

# The notebook's candidates of "Syria": their phonological distances, sigma as printed, and the
# probabilities of the first and of the last candidate.
SYRIA = (5.75, 5.75, 6.25, 6.5, 10.25, 11, 11.25, 11.25, *[11.75] * 3, *[12.25] * 4)
SYRIA_SIGMA = 10.15
SYRIA_FIRST, SYRIA_LAST = 0.0941, 0.0533

# Original and corrupted sentences; the paper says that the WER is 30 %.
TABLE_1 = (
    ("Obama holds out over Syria strike.", "Obama helps out every Sharia strike."),
    ("Russia warns Ukraine against EU deal.", "Russia warns Euro against EU deal."),
    (
        "Gov. Linda Lingle and members of her staff were at the Navy base and watched the launch.",
        "Gov. Cindy Lingle add mentors of her staffs were at the NASA base and watched the "
        "launcher.",
    ),
    ("I have had the same problem.", "Eyes have had the same progress."),
    ("A white cat looking out of a window.", "A white cat letting out of a window."),
)

# The encoders of the paper and ours; InferSent (INF-FT) is not here.
ENCODERS = {
    "mean": "AVG-W2V",
    "mean-stop": "AVG-W2V-STOP",
    "sif": "SIF-W2V",
    "usif": "USIF-W2V",
    "subspace": "SUBS-W2V-STOP",
}
INFERSENT = "INF-FT"
# The mean similarity at a WER of 50 %, as the text says.
SIMILARITY_AT_50 = {"mean": 0.776, "mean-stop": 0.742, "sif": 0.592, "usif": 0.633}


class Cells(NamedTuple):
    """A row of Table 2: Pearson x 100 at 0, 10 and 30 % WER, and PCC30 / PCC0 in percent."""

    clean: float
    ten: float
    thirty: float
    ratio: float


STSB, SICK = "STS-benchmark", "SICK"
TABLE_2 = {
    ("AVG-W2V", SICK): Cells(72.84, 64.44, 49.18, 67.52),
    ("AVG-W2V", STSB): Cells(67.40, 59.23, 45.64, 67.72),
    ("AVG-W2V-STOP", SICK): Cells(71.30, 62.67, 49.09, 68.85),
    ("AVG-W2V-STOP", STSB): Cells(68.61, 62.15, 49.99, 72.85),
    ("SIF-W2V", SICK): Cells(73.44, 65.93, 52.60, 71.63),
    ("SIF-W2V", STSB): Cells(70.39, 63.51, 52.06, 73.96),
    ("USIF-W2V", SICK): Cells(73.70, 66.06, 52.71, 71.51),
    ("USIF-W2V", STSB): Cells(69.95, 62.85, 51.11, 73.07),
    ("SUBS-W2V-STOP", SICK): Cells(66.10, 59.28, 46.94, 71.02),
    ("SUBS-W2V-STOP", STSB): Cells(71.58, 65.36, 53.05, 74.10),
    (INFERSENT, SICK): Cells(75.94, 68.95, 56.56, 74.48),
    (INFERSENT, STSB): Cells(74.77, 67.88, 55.60, 74.36),
}


def ratio_follows(cells: Cells) -> bool:
    """Return whether the printed ratio follows from the printed columns within their rounding.

    >>> ratio_follows(TABLE_2["AVG-W2V", SICK])
    True
    """
    lowest = 100 * (cells.thirty - 0.005) / (cells.clean + 0.005)
    highest = 100 * (cells.thirty + 0.005) / (cells.clean - 0.005)
    return lowest - 0.005 <= cells.ratio <= highest + 0.005


def lowest_at_thirty(corpus: str) -> str:
    """Return the encoder with the lowest printed correlation at 30 % WER.

    >>> lowest_at_thirty(STSB), lowest_at_thirty(SICK)
    ('AVG-W2V', 'SUBS-W2V-STOP')
    """
    of_corpus = {name: cells for (name, where), cells in TABLE_2.items() if where == corpus}
    return min(of_corpus, key=lambda name: of_corpus[name].thirty)
