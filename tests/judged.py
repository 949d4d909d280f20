"""Judgements for the tests of blends: planted weights, tables of choices, and files of blends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from misword.asr.metrics import METRICS
from misword.asr.people.blend_file import Blend, BlendedMetric, settings_of, write_blend
from misword.asr.people.judgements import Choices, Ratings
from misword.core.context import Context

NAMES = ("cer", "wil", "wer")
PLANTED = np.array([3.0, 1.0, 0.0])
SENTENCE = "the cat sat on a mat while two dogs ran to town for milk and bread"
WORDS = SENTENCE.split()


def planted_choices(
    seed: int = 0, rows: int = 400, references: int = 100, voters: int = 7, noise: float = 1.0
) -> Choices:
    """Choices by voters who mostly follow the planted weights; each has its random errors."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, 3))
    chance = 1 / (1 + np.exp(-features @ PLANTED / noise))
    for_a = rng.binomial(voters, chance)
    return Choices(
        NAMES,
        features,
        np.sort(np.arange(rows) % references),
        np.column_stack([for_a, voters - for_a]),
    )


def planted_ratings(seed: int = 0, rows: int = 300, references: int = 100) -> Ratings:
    """Ratings by people who follow the planted weights."""
    rng = np.random.default_rng(seed)
    features = -rng.random(size=(rows, 3))
    ratings = 4 + features @ PLANTED + rng.normal(0, 0.3, rows)
    return Ratings(NAMES, features, np.arange(rows) % references, ratings)


def choice_table(seed: int = 0, rows: int = 60, references: int = 20) -> pl.DataFrame:
    """Choices between texts: most voters choose the hypothesis with fewer wrong letters."""
    rng = np.random.default_rng(seed)
    table = []
    for row in range(rows):
        words = np.random.default_rng(row % references).choice(WORDS, 8).tolist()
        a, b = _spoilt(words, rng), _spoilt(words, rng)
        wrong = [sum(x != y for x, y in zip(words, text, strict=True)) for text in (a, b)]
        for_a = int(np.clip(4 + 2 * np.sign(wrong[1] - wrong[0]) + rng.integers(-1, 2), 0, 7))
        texts = {"reference": " ".join(words), "hypA": " ".join(a), "hypB": " ".join(b)}
        table.append({**texts, "votesA": for_a, "votesB": 7 - for_a})
    return pl.DataFrame(table)


def rating_table(seed: int = 0, rows: int = 60) -> pl.DataFrame:
    """Ratings from 0 to 8: the number of words that are right, and a little noise."""
    rng = np.random.default_rng(seed)
    table = []
    for row in range(rows):
        words = np.random.default_rng(row % 20).choice(WORDS, 8).tolist()
        hypothesis = _spoilt(words, rng)
        right = sum(x == y for x, y in zip(words, hypothesis, strict=True))
        texts = {"reference": " ".join(words), "hypothesis": " ".join(hypothesis)}
        table.append({**texts, "score": right + float(rng.normal(0, 0.1))})
    return pl.DataFrame(table)


def _spoilt(words: list[str], rng: np.random.Generator) -> list[str]:
    """Replace some words: by others, or by themselves with another last letter."""
    spoilt = list(words)
    for place in rng.choice(len(words), rng.integers(1, 6), replace=False):
        spoilt[place] = rng.choice(WORDS) if rng.random() < 0.5 else f"{spoilt[place][:-1]}x"
    return spoilt


def make_blend(weights: dict[str, float], lang: str = "") -> Blend:
    """A blend of metrics with the settings that they have here."""
    context = Context.of(lang or None)
    parts = [
        BlendedMetric(spec, weight, settings_of(METRICS.create(spec), context))
        for spec, weight in weights.items()
    ]
    return Blend(tuple(parts), lang)


def write_words(path: Path, cer: float = 0.75) -> str:
    """Write a blend of CER and WIL, and return its spec."""
    write_blend(make_blend({"cer": cer, "wil": 1 - cer}), path)
    return f"blend:file={path}"
