"""Small word vectors of two languages, made so that the nearest words are easily seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.embed.vectors.words import WordVectors
from misword.io.lexicons import Lexicon

# Directions of the targets; a source word is a mixture, its largest share the nearest target.
TARGET = {"chien": 0, "chienne": 1, "chat": 2, "maison": 3, "toit": 4}
SOURCE = {
    "dog": {"chien": 4, "chienne": 3},
    "cat": {"maison": 4, "chat": 3},
    "house": {"maison": 4, "toit": 3},
    "roof": {"chat": 4, "chien": 3},
    "nothing": {},
}
# dog has a translation out of the vocabulary, roof only such a one; unicorn has no vector;
# one pair is a duplicate.
GOLD = [
    ("dog", "chien"),
    ("dog", "chienne"),
    ("dog", "toutou"),
    ("cat", "chat"),
    ("house", "maison"),
    ("house", "demeure"),
    ("dog", "chien"),
    ("roof", "toiture"),
    ("unicorn", "licorne"),
]


def mapped_side(words: Sequence[str], rows: Sequence[Sequence[float]]) -> MappedSide:
    """Words and unit vectors."""
    vectors = WordVectors.of(words, np.array(rows, np.float32))
    units, _ = vectors.units(words, "exact")
    return MappedSide(vectors.vocabulary, units)


def mixture(shares: Mapping[str, float]) -> list[float]:
    """A weighted sum of the vectors of the targets."""
    return [shares.get(word, 0) for word in TARGET]


def open_mapping(name: str = "toy") -> OpenMapping:
    """The small vectors as an open mapping."""
    source = mapped_side(list(SOURCE), [mixture(shares) for shares in SOURCE.values()])
    target = mapped_side(list(TARGET), np.eye(len(TARGET)).tolist())
    return OpenMapping(source, target, name, (("mapping", name),))


def gold() -> Lexicon:
    """Nine lines, eight pairs, five headwords."""
    return Lexicon.of(GOLD, "gold.txt")


def write_vectors(folder: Path) -> tuple[Path, Path]:
    """The small vectors as files; the vector of `nothing` is zero and is left out."""
    paths = folder / "en.vec", folder / "fr.vec"
    sides = (
        {word: mixture(shares) for word, shares in SOURCE.items() if shares},
        {word: np.eye(len(TARGET))[at].tolist() for word, at in TARGET.items()},
    )
    for path, side in zip(paths, sides, strict=True):
        lines = [f"{len(side)} {len(TARGET)}"]
        lines += [" ".join([word, *map(str, row)]) for word, row in side.items()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def write_mapping(
    folder: Path,
    name: str = "toy.map",
    max_words: int | None = None,
    order: Sequence[int] = (0, 1, 2, 3, 4),
) -> Path:
    """A mapping file over these vectors: the identity, or one that permutes the targets."""
    from misword.bli.mapping import Mapping, MappingSide
    from misword.core.signature import Signature

    sides: list[MappingSide] = []
    for path in write_vectors(folder):
        vectors = WordVectors.open(path, max_words=max_words)
        size, width = len(vectors), vectors.dimension
        matrix = np.eye(width, dtype=np.float32)[list(order) if sides else range(width)]
        facts = (str(path), vectors.digest, vectors.format, size, max_words, ("unit",), ())
        sides.append(MappingSide(*facts, matrix))
    Mapping(sides[0], sides[1], Signature("by-hand", (("seed", "0"),))).write(folder / name)
    return folder / name


def write_lesson(folder: Path) -> None:
    """The files of docs/lexicons.md: mappings, gold lexicons, candidates, verdicts."""
    folder.mkdir(parents=True, exist_ok=True)
    write_mapping(folder, "en-fr.map")
    write_mapping(folder, "other.map", order=(2, 1, 0, 3, 4))
    lines = ["\t".join(pair) for pair in GOLD]
    (folder / "gold.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    kinds = ["animal" if source in ("dog", "cat", "unicorn") else "thing" for source, _ in GOLD]
    rows = [f"{a},{b},{kind}" for (a, b), kind in zip(GOLD, kinds, strict=True)]
    text = "\n".join(["source,target,kind", *rows])
    (folder / "gold.csv").write_text(text + "\n", encoding="utf-8")
    candidates = "dog\tchien\t1\ndog\ttoutou\t2\nroof\ttoit\t1\n"
    (folder / "tool.tsv").write_text(candidates, encoding="utf-8")
    verdicts = ["dog,chien,accept,chienne", "cat,maison,other,chat", "roof,chat,reject,"]
    text = "\n".join(["source,target,verdict,other", *verdicts])
    (folder / "verdicts.csv").write_text(text + "\n", encoding="utf-8")
