"""Vectors of two made-up languages: one is a rotated copy of the other, with or without noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from misword.embed.vectors.words import WordVectors


def turned(
    count: int = 300, dimension: int = 12, noise: float = 0.0, seed: int = 0
) -> tuple[WordVectors, WordVectors, list[tuple[str, str]]]:
    """Words w0, w1, ... and v0, v1, ..., which mean the same in pairs, in another order.

    Topics of different sizes make the space uneven, so that it fits another one in one way only.
    """
    rng = np.random.default_rng(seed)
    scales = 1 / np.sqrt(1 + np.arange(dimension))
    topics = rng.standard_normal((20, dimension)) * scales
    words = topics[rng.choice(20, count, p=np.arange(1, 21) / 210)]
    rows = words + 0.7 * rng.standard_normal((count, dimension)) * scales + 0.3
    rotation, _ = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    others = (rows + noise * rng.standard_normal(rows.shape)) @ rotation
    order = rng.permutation(count)
    source = WordVectors.of([f"w{i}" for i in range(count)], rows)
    target = WordVectors.of([f"v{i}" for i in order], others[order])
    return source, target, [(f"w{i}", f"v{i}") for i in range(count)]


def write_turned(folder: Path) -> None:
    """The files of docs/mapping.md: vectors of two languages, pairs of words."""
    source, target, pairs = turned(120, 8, noise=0.2)
    folder.mkdir(parents=True, exist_ok=True)
    write_vectors(source, folder / "en.vec")
    write_vectors(target, folder / "fr.vec")
    for name, some in (("train.txt", pairs[:60]), ("valid.txt", pairs[60:])):
        text = "".join(f"{a} {b}\n" for a, b in some)
        (folder / name).write_text(text, encoding="utf-8")


def write_vectors(vectors: WordVectors, path: Path) -> Path:
    """Vectors as word2vec text."""
    rows = (" ".join(f"{number:.5f}" for number in row) for row in vectors.matrix.tolist())
    lines = [f"{word} {row}" for word, row in zip(vectors.words, rows, strict=True)]
    head = f"{len(vectors)} {vectors.dimension}"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path
