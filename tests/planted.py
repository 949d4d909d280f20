"""Mistakes that are planted into sound data, for the tests of `misword check`."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import polars as pl

import misword

DEMO = Path(misword.__file__).parent / "demo"
SYSTEMS = {"en": "whisper-tiny", "fr": "whisper-base-beam"}


class Texts(NamedTuple):
    """References and the hypotheses of one system."""

    references: list[str]
    hypotheses: list[str]


Plant = Callable[[Texts], Texts]


def demo(lang: str) -> Texts:
    """The demonstration corpus of a language."""
    files = (DEMO / lang / f"{name}.csv" for name in ("ref", SYSTEMS[lang]))
    return Texts(*(pl.read_csv(file)["text"].to_list() for file in files))


def every(step: int, change: Callable[[str], str]) -> Plant:
    """Change every `step`-th hypothesis."""

    def plant(texts: Texts) -> Texts:
        changed = [
            change(text) if row % step == 0 else text for row, text in enumerate(texts.hypotheses)
        ]
        return Texts(texts.references, changed)

    return plant


def removed(line: int, number: int = 1) -> Plant:
    """Remove lines from the hypotheses; `line` counts from 1."""

    def plant(texts: Texts) -> Texts:
        hyps = texts.hypotheses
        return Texts(texts.references, hyps[: line - 1] + hyps[line - 1 + number :])

    return plant


def inserted(line: int, number: int = 1) -> Plant:
    """Insert lines before a line of the hypotheses: copies of earlier ones."""

    def plant(texts: Texts) -> Texts:
        hyps = texts.hypotheses
        return Texts(texts.references, hyps[: line - 1] + hyps[:number] + hyps[line - 1 :])

    return plant


def swapped(start: int, middle: int, end: int) -> Plant:
    """Exchange lines `start` to `middle - 1` and `middle` to `end - 1` of the hypotheses."""

    def plant(texts: Texts) -> Texts:
        hyps = texts.hypotheses
        a, b, c = start - 1, middle - 1, end - 1
        return Texts(texts.references, hyps[:a] + hyps[b:c] + hyps[a:b] + hyps[c:])

    return plant


def shuffled(texts: Texts) -> Texts:
    """Put the hypotheses in a random order."""
    hyps = list(texts.hypotheses)
    random.Random(1).shuffle(hyps)
    return Texts(texts.references, hyps)


def copied(start: int, end: int) -> Plant:
    """Replace hypotheses by their references."""

    def plant(texts: Texts) -> Texts:
        refs, hyps = texts
        return Texts(refs, hyps[:start] + refs[start:end] + hyps[end:])

    return plant


def duplicate_block(start: int, end: int) -> Plant:
    """Append a copy of a block of both sides."""
    return lambda texts: Texts(*(side + side[start:end] for side in texts))


def duplicate_lines(number: int) -> Plant:
    """Insert copies of some long lines of both sides at other places."""

    def plant(texts: Texts) -> Texts:
        rng = random.Random(2)
        rows = [row for row, text in enumerate(texts.references) if len(text.split()) > 9]
        order = list(range(len(texts.references)))
        for row in rng.sample(rows, number):
            order.insert(rng.randrange(len(order)), row)
        return Texts(*([side[row] for row in order] for side in texts))

    return plant


def nearly_duplicate(number: int) -> Plant:
    """Append lines of both sides with their last word changed."""

    def plant(texts: Texts) -> Texts:
        rows = [row for row, text in enumerate(texts.references) if len(text.split()) > 11]
        chosen = rows[:number]
        return Texts(
            texts.references + [f"{texts.references[row].rsplit(' ', 1)[0]} x" for row in chosen],
            texts.hypotheses + [texts.hypotheses[row] for row in chosen],
        )

    return plant


def emptied(start: int, end: int) -> Plant:
    """Make hypotheses empty."""

    def plant(texts: Texts) -> Texts:
        hyps = texts.hypotheses
        return Texts(texts.references, hyps[:start] + [""] * (end - start) + hyps[end:])

    return plant


def first_half(text: str) -> str:
    words = text.split()
    return " ".join(words[: len(words) // 2])


def as_subwords(text: str) -> str:
    """Divide long words as byte-pair encodings do."""
    return " ".join(f"{word[:3]}@@ {word[3:]}" if len(word) > 5 else word for word in text.split())


def as_cp1252(text: str) -> str:
    """Read the UTF-8 bytes of a text as cp1252, and as Latin-1 where that has no character."""
    decoded = []
    for byte in text.encode():
        try:
            decoded.append(bytes([byte]).decode("cp1252"))
        except UnicodeDecodeError:
            decoded.append(chr(byte))
    return "".join(decoded)


def decomposed(text: str) -> str:
    return normalize("NFD", text)


def in_cyrillic(text: str) -> str:
    """Write a text with Cyrillic letters, one for each Latin letter."""
    return text.lower().translate({ord("a") + i: chr(ord("а") + i) for i in range(26)})


def with_homoglyphs(text: str) -> str:
    return text.replace("a", "а").replace("e", "е")
