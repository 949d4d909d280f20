"""The running example of Le et al. 2016: Tables 1 to 3, and vectors that have its distances."""

from __future__ import annotations

import numpy as np

import misword

REF = "un ordre westphalien d' engagements parmi des nations souveraines"
HYP = "un nord westphalie un d' engagement parmi de nation souveraine"
# Distances of each reference word (rows) to each hypothesis word (columns).
DISTANCES = """
un          0 - - 0 - - - - - -
ordre       - 1.01 1.07 .93 1.15 .89 1.07 1.03 1.05 1.01
westphalien - .79 .72 .76 1.0 1.23 .91 .83 .72 .80
d'          - 1.05 1.18 .48 0 - - - - -
engagements - .94 .97 1.18 1.2 .47 1.18 1.08 1.09 .98
parmi       - .77 .86 1.11 1.0 1.2 0 - - -
des         - 1.04 1.08 1.0 .48 1.09 - .34 1.19 .82
nations     - .87 .79 .92 1.05 .94 - .96 .78 .94
souveraines - .92 .84 1.16 .94 .97 - .85 .84 .43
"""
# Alignments: A for equal words, S, I and D for substitutions, insertions and deletions. Costs of
# the steps, and the rate in percent, as printed.
TABLE_1 = ("A I S S A S A S S S", (0, 1, 1, 1, 0, 1, 0, 1, 1, 1), 78)
TABLE_2 = ("A I S S A S A S S S", (0, 1, 1.07, 0.75, 0, 0.47, 0, 0.35, 0.78, 0.43), 54)
TABLE_3_PATH = ("A S S I A S A S S S", (0, 1.01, 0.73, 1, 0, 0.47, 0, 0.35, 0.78, 0.43), 53)
# The least costs of all beginnings of the reference (rows) and of the hypothesis (columns).
TABLE_3 = """
0 1 2 3 4 5 6 7 8 9
1 1.01 2.01 2.93 3.93 4.89 5.89 6.89 7.89 8.89
2 1.79 1.74 2.74 3.74 4.74 5.74 6.72 7.61 8.61
3 2.79 2.74 2.21 2.74 3.74 4.74 5.74 6.74 7.74
4 3.79 3.74 3.21 3.42 3.21 4.21 5.21 6.21 7.21
5 4.77 4.65 4.21 4.21 4.21 3.21 4.21 5.21 6.21
6 5.77 5.65 5.21 4.68 5.21 4.21 3.55 4.55 5.55
7 6.77 6.57 6.21 5.68 5.63 5.21 4.55 4.34 5.34
8 7.77 7.57 7.21 6.68 6.63 6.21 5.55 5.34 4.76
"""


def printed_vectors() -> misword.WordVectors:
    """Return vectors that have the printed distances.

    What the tables do not say is filled in by alternating projections, until the matrix of cosines
    is one that vectors can have.
    """
    words = list(dict.fromkeys(REF.split() + HYP.split()))
    printed = np.eye(len(words))
    fixed = printed > 0
    for line in DISTANCES.strip().splitlines():
        word, *row = line.split()
        for other, distance in zip(HYP.split(), row, strict=True):
            if distance != "-" and other != word:
                i, j = words.index(word), words.index(other)
                printed[i, j] = printed[j, i] = 1 - float(distance)
                fixed[i, j] = fixed[j, i] = True
    cosines = printed
    for _ in range(500):
        values, axes = np.linalg.eigh(cosines)
        cosines = np.where(fixed, printed, axes * np.maximum(values, 0.01) @ axes.T)
    return misword.WordVectors.of(words, np.linalg.cholesky(cosines))
