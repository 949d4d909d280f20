"""The running example of Le et al. 2016, whose tables several tests check."""

from __future__ import annotations

from pathlib import Path

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


def le_vectors() -> misword.WordVectors:
    """Vectors that have the printed distances.

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


def write_files(folder: Path) -> None:
    """The example as files: ref.txt, hyp.txt, fr.vec."""
    folder.mkdir()
    vectors = le_vectors()
    rows = [
        " ".join([word, *(f"{value:.6f}" for value in vectors[word])]) for word in vectors.words
    ]
    head = f"{len(vectors)} {vectors.dimension}"
    for name, lines in (("ref.txt", [REF]), ("hyp.txt", [HYP]), ("fr.vec", [head, *rows])):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
