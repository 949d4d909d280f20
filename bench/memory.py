"""Peak memory and time of `misword score` on large inputs: `make bench`.

The texts are those of bench/corpus.py, written to temporary files. Each command is a process of its
own; its peak is the largest resident set. Writes bench/results/memory.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import corpus
from timing import machine

RESULTS = Path(__file__).parent / "results" / "memory.md"
PART, PARTS, COPIES = 50_000, 10, 10
LONG = 200_000
COMMAND = [sys.executable, "-m", "misword", "score"]


def main() -> None:
    """Write the files, run the commands and write the table."""
    with tempfile.TemporaryDirectory() as name:
        folder, rows = Path(name), []
        pairs = f"{PART * PARTS * COPIES:,} pairs"
        for words in (4, 8):
            files = write_corpus(folder, words)
            size = sum(path.stat().st_size for path in files) / 1e6
            for metrics in ("wer,cer", "wer"):
                what = f"{pairs} of about {words} words ({size:.0f} MB)"
                rows.append(measure(what, metrics, files))
            for path in files:
                path.unlink()
        files = write_texts(folder, *corpus.make(1, LONG))
        what = f"one pair of {LONG:,} words, 15 % errors"
        rows += [measure(what, metrics, files) for metrics in ("wer", "wer,cer")]
    head = "| input | metrics | peak MB | CPU s |\n|:--|:--|--:|--:|"
    title = "# Memory of large inputs"
    origin = (
        f"`python bench/memory.py`, {machine()}. Plain lines, with intervals of 1,000 resamples."
    )
    RESULTS.write_text("\n".join([title, "", origin, "", head, *rows, ""]), "utf-8")


def write_corpus(folder: Path, words: int) -> tuple[Path, Path]:
    """Write the references and hypotheses of all pairs; each part is repeated."""
    paths = folder / "ref.txt", folder / "hyp.txt"
    with paths[0].open("w") as references, paths[1].open("w") as hypotheses:
        for seed in range(PARTS):
            sides = corpus.make(PART, words, seed)
            for file, side in zip((references, hypotheses), sides, strict=True):
                file.write(("\n".join(side) + "\n") * COPIES)
    return paths


def write_texts(folder: Path, references: list[str], hypotheses: list[str]) -> tuple[Path, Path]:
    """Write some references and hypotheses."""
    paths = folder / "ref.txt", folder / "hyp.txt"
    for path, side in zip(paths, (references, hypotheses), strict=True):
        path.write_text("\n".join(side) + "\n", "utf-8")
    return paths


def measure(what: str, metrics: str, files: tuple[Path, Path]) -> str:
    """Run a command and return its row of the table."""
    words = [*COMMAND, *map(str, files), "--metrics", metrics, "--format", "json"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the command failed: {' '.join(words)}")
    peak, cpu = usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime
    row = f"| {what} | {metrics} | {peak:,.0f} | {cpu:.1f} |"
    print(row, file=sys.stderr)
    return row


if __name__ == "__main__":
    main()
