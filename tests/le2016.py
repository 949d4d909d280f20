"""The running example of Le et al. 2016 as files, for the examples of the documentation."""

from __future__ import annotations

from pathlib import Path

from studies.le2016.running_example import HYP, REF, printed_vectors


def write_files(folder: Path) -> None:
    """The example as files: ref.txt, hyp.txt, fr.vec."""
    folder.mkdir()
    vectors = printed_vectors()
    rows = [
        " ".join([word, *(f"{value:.6f}" for value in vectors[word])]) for word in vectors.words
    ]
    head = f"{len(vectors)} {vectors.dimension}"
    for name, lines in (("ref.txt", [REF]), ("hyp.txt", [HYP]), ("fr.vec", [head, *rows])):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
