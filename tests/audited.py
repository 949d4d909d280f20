"""A small gold lexicon with its resources, for the documentation and the tests of `audit`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

GOLD = [
    ("source", "target", "pos"), ("dog", "hund", "noun"), ("house", "haus", "noun"),
    ("water", "wasser", "noun"), ("tree", "baum", "noun"), ("car", "auto", "noun"),
    ("green", "grün", "adjective"), ("drive", "fahren", "verb"), ("drive", "treiben", "verb"),
    ("london", "london", "name"), ("stefan", "stefan", "name"), ("ice cream", "eis", "noun"),
    ("computer", "computer", "noun"),
]  # fmt: skip
TRAINING = [("green", "grün"), ("drive", "lenken"), ("blue", "blau")]
OTHER = [("house", "gebäude"), ("car", "wagen"), ("dog", "hund")]
PARADIGMS = [("Hund", "Hunde", "N;NOM;PL"), ("Haus", "Häuser", "N;NOM;PL")]
FIRST = [
    ("dog", "hunde"), ("house", "gebäude"), ("water", "wasser"), ("tree", "baum"),
    ("car", "wagen"), ("green", "grün"), ("drive", "fahren"), ("london", "paris"),
    ("stefan", "peter"), ("computer", "rechner"),
]  # fmt: skip
SECOND = [
    ("dog", "hund"), ("house", "haus"), ("water", "feuer"), ("tree", "wald"),
    ("car", "fahrrad"), ("green", "grün"), ("drive", "fahren"), ("london", "london"),
    ("stefan", "stefan"), ("computer", "computer"),
]  # fmt: skip


def write_audited(folder: Path) -> Path:
    """Write lexicons, a dictionary, paradigms and the answers of two systems."""
    folder.mkdir()
    tables: dict[str, Iterable[Sequence[str]]] = {
        "gold.tsv": GOLD,
        "train.txt": TRAINING,
        "other.tsv": OTHER,
        "deu.tsv": PARADIGMS,
        "first.tsv": [("word", "candidate"), *FIRST],
        "second.tsv": [("word", "candidate"), *SECOND],
    }
    for name, rows in tables.items():
        text = "".join("\t".join(row) + "\n" for row in rows)
        (folder / name).write_text(text, "utf-8")
    return folder
