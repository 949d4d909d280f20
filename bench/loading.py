"""Loading word vectors, misword and gensim: `python bench/loading.py`.

200,000 x 300 random vectors as text in a temporary folder, already in the page cache. Machines
differ and are shared: compare ratios, not seconds. CPU time is summed over threads. Writes
bench/results/loading.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from misword.embed.vectors.words import WordVectors
from timing import Timing, clock, machine

RESULTS = Path(__file__).parent / "results" / "loading.md"
ROWS, DIMENSION = 200_000, 300
LARGE, LOOKED_UP = 2_000_000, 30_000


def write(path: Path) -> None:
    """Write random vectors with six decimals, about as fastText does."""
    rng = np.random.default_rng(0)
    spell = "{:.6f}".format
    with path.open("w") as out:
        out.write(f"{ROWS} {DIMENSION}\n")
        for lo in range(0, ROWS, 1000):
            block = rng.normal(0, 0.1, (1000, DIMENSION)).tolist()
            out.writelines(
                f"word{lo + i} {' '.join(map(spell, row))}\n" for i, row in enumerate(block)
            )


def first_load(path: Path, cache: Path) -> WordVectors:
    shutil.rmtree(cache, ignore_errors=True)
    return WordVectors.open(path)


def loading(path: Path, cache: Path) -> list[Timing]:
    gensim_load = KeyedVectors.load_word2vec_format
    return [
        clock("misword, first load, into the store", "", lambda: first_load(path, cache), 3),
        clock("misword, without the store", "", lambda: WordVectors.open(path, keep=False), 3),
        clock("misword, second load", "", lambda: WordVectors.open(path), 5),
        clock("gensim load_word2vec_format", "", lambda: gensim_load(str(path)), 1),
    ]


CHILD = """
import sys, time
start = time.perf_counter()
from misword.embed.vectors.words import WordVectors
imported = time.perf_counter()
vectors = WordVectors.open(sys.argv[1])
opened = time.perf_counter()
with open("/proc/self/status") as status:  # getrusage would have the peak of the parent process
    peak = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
print(imported - start, opened - imported, peak, vectors.matrix.nbytes / 2**20)
"""


def child(path: Path) -> list[float]:
    """Return, in a new process: seconds to import and to open, MB of the peak and of the array."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(part) for part in done.stdout.split()]


def searching(path: Path) -> list[Timing]:
    """Time the look-up of words among two million, and of neighbours among 200,000."""
    names = [f"wort-{i * 7919 % LARGE}" for i in range(LARGE)]
    large = WordVectors.of(names, np.ones((LARGE, 1), np.float32))
    words = [f"wort-{i * 101}" for i in range(LOOKED_UP)]
    vectors = WordVectors.open(path)
    return [
        clock(f"{LOOKED_UP:,} words among {LARGE:,}", "", lambda: large.units(words), 3),
        clock(f"10 neighbours among {ROWS:,}", "", lambda: vectors.neighbors("word7"), 3),
    ]


def table(timings: list[Timing], base: Timing | None) -> str:
    head = "| | CPU s | wall s |" + (" CPU, times faster | wall, times faster |" if base else "")
    marks = "|:--|--:|--:|" + ("--:|--:|" if base else "")
    rows = [f"| {t.name} | {t.cpu:.4f} | {t.wall:.4f} |" for t in timings]
    if base is not None:
        # Opening vectors that are in the store reads no numbers: no ratio for such short times.
        ratios = [
            f" {base.cpu / t.cpu:.1f} | {base.wall / t.wall:.1f} |" if t.cpu > 0.01 else " | |"
            for t in timings
        ]
        rows = [row + ratio for row, ratio in zip(rows, ratios, strict=True)]
    return "\n".join([head, marks, *rows])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, cache = Path(folder) / "large.vec", Path(folder) / "cache"
        os.environ["MISWORD_CACHE"] = str(cache)
        write(path)
        size = path.stat().st_size / 1e6
        timings = loading(path, cache)
        shutil.rmtree(cache)
        first, second = child(path), child(path)
        searches = searching(path)
    fresh = {"first": first, "second": second}
    starts = [f"| {name} | {t[0]:.3f} | {t[1]:.4f} | {t[2]:.0f} |" for name, t in fresh.items()]
    parts = [
        "# Loading word vectors",
        f"`python bench/loading.py`, {machine()}. {ROWS:,} x {DIMENSION} numbers as text, "
        f"{size:.0f} MB.",
        table(timings, timings[-1]),
        f"### A fresh process\n\nThe array itself has {first[3]:.0f} MB.\n\n"
        "| load | import s | open s | peak MB |\n|:--|--:|--:|--:|\n" + "\n".join(starts),
        "### Searching\n\n" + table(searches, None),
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
