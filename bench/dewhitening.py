"""De-whitening by a power, on held-out words of training lexicons: `python bench/dewhitening.py`.

`vecmap-s` learns from a part of the source words of a training lexicon and translates 600 other
words of it, by CSLS, with several powers of de-whitening. The 600 words are drawn at random, or are
the rarest of the lexicon. The last column is the power that `misword-s` chooses from the same
training words. No test lexicon is read. Writes bench/results/dewhitening.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from misword.bli.arrays import RowNumbers, RowPairs
from misword.bli.map import PreparedTraining, prepare
from misword.bli.methods.misword_presets import PowerChoice
from misword.bli.methods.procrustes import mapped_units
from misword.bli.methods.vecmap import VecMapS
from misword.bli.retrievers.csls import CSLS
from timing import machine

SHARED = Path(__file__).parents[2] / "shared" / "data"
RESULT = Path(__file__).parent / "results" / "dewhitening.md"
REAL = "vectors/en.vec.gz"
XLING = "bli/xling/en-{0}/yacle.train.freq.5k.en-{0}.tsv"
LEXICONS = {
    "pseudo": ("bli/pseudo/en0.vec.gz", "bli/pseudo/en1.vec.gz", "bli/pseudo/train.txt"),
    "en-fr, MUSE": (REAL, "vectors/fr.vec.gz", "bli/en-fr.0-5000.txt"),
    "en-de, MUSE": (REAL, "vectors/de.vec.gz", "bli/en-de.0-5000.txt"),
    "en-fr, XLING": (REAL, "vectors/fr.vec.gz", XLING.format("fr")),
    "en-de, XLING": (REAL, "vectors/de.vec.gz", XLING.format("de")),
}
POWERS = (1.0, 0.75, 0.5, 0.25)
SIZES = (300, 1000, 2000, 5000)  # source words to learn from
HELD_OUT = 600


def hit(task: PreparedTraining, pairs: RowPairs, held_out: RowPairs, power: float) -> float:
    """Return hit@1 by CSLS of held-out words, in percent."""
    made = VecMapS(dewhiten=power).fit(task.source, task.target, pairs)
    x = mapped_units(task.source.rows, made.source)
    z = mapped_units(task.target.rows, made.target)
    queries = np.unique(held_out[:, 0])
    best = CSLS().retrieve(queries, x, z, 1).ids[:, 0]
    gold = held_out[:, 0] * len(z) + held_out[:, 1]
    return 100 * float(np.isin(queries * len(z) + best, gold).mean())


def split(words: RowNumbers, rarest: bool) -> tuple[RowNumbers, RowNumbers]:
    """Return the words to learn from, in random order, and the held-out words."""
    rng = np.random.default_rng(0)
    order = np.sort(words) if rarest else rng.permutation(words)
    return rng.permutation(order[:-HELD_OUT]), order[-HELD_OUT:]


def rows_of(name: str) -> list[str]:
    """Return the rows of a lexicon in the table."""
    left, right, lexicon = (SHARED / part for part in LEXICONS[name])
    task = prepare(left, right, "vecmap-s", lexicon=lexicon)
    rows, words = [], np.unique(task.seeds[:, 0])
    for rarest in (False, True):
        learnt, held = split(words, rarest)
        held_out = task.seeds[np.isin(task.seeds[:, 0], held)]
        for size in SIZES:
            pairs = task.seeds[np.isin(task.seeds[:, 0], learnt[:size])]
            hits = [f"{hit(task, pairs, held_out, power):.1f}" for power in POWERS]
            choice = PowerChoice(0.5, 3).choose(VecMapS(), task.source, task.target, pairs)
            which = "rarest" if rarest else "random"
            cells = [name, which, f"{min(size, len(learnt)):,}", *hits, f"{choice:g}"]
            rows.append(f"| {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    powers = [f"power {power:g}" for power in POWERS]
    header = ["lexicon", "held-out words", "words learnt from", *powers, "misword-s"]
    marks = [":--", ":--", *["--:"] * (len(header) - 2)]
    table = [f"| {' | '.join(cells)} |" for cells in (header, marks)]
    for name in LEXICONS:
        table += rows_of(name)
    text = [
        "# De-whitening by a power",
        f"`python bench/dewhitening.py`, {machine()}. hit@1 by CSLS in percent, of "
        f"{HELD_OUT} held-out words of training lexicons.",
        "\n".join(table),
    ]
    RESULT.write_text("\n\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
