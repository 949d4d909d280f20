"""CPU time of `misword.audit` on a lexicon of 10,000 pairs: `make bench`.

The pairs are the first 10,000 of MUSE's training dictionary for English and German
(../shared/data/bli); vectors are those of ../shared/data/vectors. Writes bench/results/audit.md.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import misword
from misword.io.lexicons import Lexicon, read_lexicon
from timing import clock, machine

DATA = Path(__file__).parents[2] / "shared" / "data"
RESULTS = Path(__file__).parent / "results" / "audit.md"
PAIRS = 10_000
SOURCE, TARGET = (DATA / "vectors" / f"{lang}.vec.gz" for lang in ("en", "de"))


def main() -> None:
    """Time the names alone, all flags, and all flags with vectors and a training lexicon."""
    gold, training = (
        read_lexicon(DATA / "bli" / f"en-de.{part}.txt") for part in ("0-5000", "5000-6500")
    )
    gold = Lexicon(gold.source[:PAIRS], gold.target[:PAIRS], gold.lines[:PAIRS], gold.name)
    audit = partial(misword.audit, gold, "en", "de")
    everything = partial(audit, training=training, source_vectors=SOURCE, target_vectors=TARGET)
    timings = [
        clock("proper nouns", "", partial(audit, flags="proper-noun"), times=1),
        clock("flags without vectors and training", "", audit, times=1),
        clock("with vectors and a training lexicon", "", everything, times=1),
    ]
    about = "spaCy and HanTa are loaded by the first run that needs them."
    head = f"# Audit of {PAIRS:,} pairs\n\n{machine()}. {about}"
    rows = [f"| {timing.name} | {timing.cpu:.1f} |" for timing in timings]
    RESULTS.write_text("\n".join([head, "", "| work | CPU s |", "|:--|--:|", *rows, ""]), "utf-8")


if __name__ == "__main__":
    main()
