"""Time of comparing two systems against scoring them: `python bench/comparing.py`

100,000 pairs of about 20 words for each of two systems, WER and CER; writes
bench/results/comparing.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import misword
from corpus import make
from timing import clock, machine, table

RESULTS = Path(__file__).parent / "results" / "comparing.md"


def main() -> None:
    refs, base = make()
    corrected = (np.random.default_rng(1).random(len(refs)) < 0.5).tolist()
    rows = zip(refs, base, corrected, strict=True)
    new = [ref if correct else hyp for ref, hyp, correct in rows]
    systems = {"base": base, "new": new}
    few = {name: texts[:6000] for name, texts in systems.items()}
    misword.compare(refs[:6000], few, "wer,cer").result()
    timings = [
        clock(
            "score, with intervals",
            "two systems",
            lambda: misword.score(refs, systems, "wer,cer").summary(),
        ),
        clock(
            "compare, with all tables",
            "the same, tests, slices, contrasts",
            lambda: misword.compare(refs, systems, "wer,cer").result(words=False),
        ),
    ]
    head = f"# Comparing\n\n`python bench/comparing.py`, {machine()}. Ratios are to the first row."
    RESULTS.write_text(f"{head}\n\n{table('100,000 utterances', timings)}\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
