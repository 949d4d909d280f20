"""Time of scoring with alternatives and equivalents: `make bench`.

Every utterance has two places where its reference and its hypothesis use different forms of
one class, so each of them needs the search. The classes are given as a list of equivalents, or as
alternatives in the references. CPU time is summed over threads.
Writes bench/results/alternatives.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import corpus
import misword
from timing import clock, machine, table

RESULTS = Path(__file__).parent / "results" / "alternatives.md"
PAIRS, CLASSES, PLACES = 20_000, 300, 2


def make_classes(rng: np.random.Generator, words: list[str]) -> list[list[str]]:
    """Return classes of two to four forms of one to three words, from the words of the corpus."""
    classes = []
    choices = np.array(words)
    for _ in range(CLASSES):
        sizes = rng.integers(1, 4, rng.integers(2, 5))
        classes.append([" ".join(rng.choice(choices, size)) for size in sizes])
    return classes


def insert(texts: list[list[str]], places: np.ndarray, phrases: list[str]) -> list[list[str]]:
    """Insert a phrase into each text, at a place given as a fraction of its length."""
    cuts = (round(place * len(text)) for text, place in zip(texts, places, strict=True))
    return [
        [*text[:at], phrase, *text[at:]]
        for text, at, phrase in zip(texts, cuts, phrases, strict=True)
    ]


def make() -> tuple[list[list[str]], list[str], list[str], list[str]]:
    """Return the classes, references of one form, references with alternatives, and hypotheses."""
    rng = np.random.default_rng(0)
    references, hypotheses = ([text.split() for text in side] for side in corpus.make(PAIRS))
    classes = make_classes(rng, sorted({word for text in references for word in text}))
    inline = references
    for _ in range(PLACES):
        places = rng.random(PAIRS)
        forms = [classes[number] for number in rng.integers(0, CLASSES, PAIRS)]
        references = insert(references, places, [listed[0] for listed in forms])
        inline = insert(inline, places, [f"{{ {' / '.join(listed)} }}" for listed in forms])
        hypotheses = insert(hypotheses, places, [listed[-1] for listed in forms])
    texts = [[" ".join(text) for text in side] for side in (references, inline, hypotheses)]
    return classes, texts[0], texts[1], texts[2]


def main() -> None:
    """Measure, and write the table."""
    classes, plain, inline, hypotheses = make()
    timings = [
        clock("neither", "", lambda: misword.score(plain, hypotheses, "wer")),
        clock(
            "equivalents",
            f"{CLASSES} classes",
            lambda: misword.score(plain, hypotheses, "wer", equivalents=classes),
        ),
        clock("alternatives", "", lambda: misword.score(inline, hypotheses, "wer")),
        clock(
            "both",
            f"{CLASSES} classes",
            lambda: misword.score(inline, hypotheses, "wer", equivalents=classes),
        ),
    ]
    rates = [
        misword.score(plain, hypotheses, "wer")["wer"],
        misword.score(plain, hypotheses, "wer", equivalents=classes)["wer"],
        misword.score(inline, hypotheses, "wer")["wer"],
    ]
    parts = [
        "# Alternatives and equivalents",
        f"`make bench`, {machine()}. {PAIRS:,} pairs of about {corpus.WORDS} words, all of which "
        'need the search for the best reading; strings in memory, `misword.score(..., "wer")`. '
        "Ratios are to the first row, which scores the same texts without that search. WER "
        + ", ".join(f"{100 * rate:.2f} %" for rate in rates)
        + " (neither, equivalents, alternatives).",
        table("Scoring with a choice of readings", timings),
    ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
