"""Accuracy, speed and memory of corruption: `python bench/corrupt.py`.

Realised word error rates on STS-benchmark dev and SICK, and on 100,000 sentences of both; sentences
per second on one core, when the error model is already computed; the memory of a million sentences.
Writes bench/results/corrupt.md.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import misword
from misword.core.context import Context
from misword.noise.corrupt import build_error_model, draw_all
from misword.noise.corruption.targets import read_mix
from misword.noise.error_model import ErrorModel, Mix
from timing import machine

RESULTS = Path(__file__).parent / "results" / "corrupt.md"
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
VECTORS = SHARED / "vectors" / "en.vec.gz"
TARGET_WERS = (0.05, 0.1, 0.3, 0.5)
MIX = "s=0.7,d=0.2,i=0.1"
MILLION, MANY, RUNS = 1_000_000, 100_000, 3


def sts() -> list[str]:
    with (SHARED / "sts" / "stsb-en-dev.csv").open(encoding="utf-8") as file:
        return [text for row in csv.reader(file) for text in row[:2]]


def sick() -> list[str]:
    sentences = []
    for name in ("SICK_train.txt", "SICK_trial.txt"):
        lines = (SHARED / "sts" / name).read_text("utf-8").split("\n")[1:]
        sentences += [text for line in lines if line for text in line.split("\t")[1:3]]
    return sentences


def realised(name: str, texts: Sequence[str], model: ErrorModel, mix: Mix | None) -> list[str]:
    """Return rows with each target WER and the WER that `misword score` counts."""
    rows = []
    for level in draw_all(texts, model, TARGET_WERS, mix=mix, seed=7):
        (scored,) = (
            misword.score(texts, level.texts, "wer", alternatives=False)
            .summary(bootstrap=0)
            .to_dicts()
        )
        counts = (scored["substitutions"], scored["deletions"], scored["insertions"])
        assert scored["rate"] == level.realised.wer
        target = level.realised.target
        capacity = target.capacity
        cells = (
            name, MIX if mix else "s=1", f"{100 * target.wer:.0f}", f"{100 * scored['rate']:.4f}",
            *(f"{count:,}" for count in (*counts, capacity.words, capacity.left_alone)),
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def speed(texts: Sequence[str], model: ErrorModel, wer: float, mix: Mix | None) -> str:
    """Return a row with sentences per second on one core, for all steps of `draw_all`."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        draw_all(texts, model, [wer], mix=mix, workers=1)
        best = min(best, time.process_time() - start)
    shown = MIX if mix else "s=1"
    return f"| {100 * wer:.0f} | {shown} | {best:.2f} | {len(texts) / best:,.0f} |"


def command(path: Path, *options: str) -> tuple[float, float]:
    """Return CPU seconds and peak MB of `misword corrupt` on a file."""
    # The peak comes from /proc: that of getrusage is inherited from the parent process.
    script = (
        "import json, sys, time; from misword.cli.main import main; code = main(sys.argv[1:]); "
        "peak = open('/proc/self/status').read().split('VmHWM:')[1].split()[0]; "
        "print(json.dumps([time.process_time(), int(peak) / 1024]), file=sys.stderr); "
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "corrupt", str(path), "--wer", "0.3", *options],
        capture_output=True, text=True, check=True, env=dict(os.environ),
    )  # fmt: skip
    cpu, peak = json.loads(done.stderr.strip().split("\n")[-1])
    return cpu, peak


def memory(texts: Sequence[str]) -> list[str]:
    """Return rows with the memory for files of different sizes."""
    voleti = ("--lang", "en", "--vectors", str(VECTORS))
    runs = [
        ("uniform", MILLION, ("--channel", "uniform")),
        ("voleti", MILLION // 10, voleti),
        ("voleti", MILLION, voleti),
    ]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "text.txt", str(Path(folder) / "noisy.txt")
        for name, size, options in runs:
            path.write_text("".join(f"{text}\n" for text in islice(cycle(texts), size)), "utf-8")
            cpu, peak = command(path, *options, "-o", target, "--input-format", "lines")
            cells = (name, f"{size:,}", f"{cpu:.1f}", f"{size / cpu:,.0f}", f"{peak:,.0f}")
            rows.append(f"| {' | '.join(cells)} |")
    return rows


def main() -> None:
    corpora = {"STS-B dev": sts(), "SICK": sick()}
    both = [text for texts in corpora.values() for text in texts]
    many = list(islice(cycle(both), MANY))
    model = build_error_model(both, "voleti", Context.of("en", VECTORS))
    assert isinstance(model, ErrorModel), "the channel is one of words"
    mix = read_mix(MIX)
    rates = [
        row
        for name, texts in {**corpora, f"{MANY:,} sentences": many}.items()
        for row in (*realised(name, texts, model, None), *realised(name, texts, model, mix))
    ]
    speeds = [speed(many, model, wer, one_mix) for one_mix in (None, mix) for wer in (0.1, 0.3)]
    parts = [
        "# Corrupting",
        f"`python bench/corrupt.py`, {machine()}. Channel voleti with vectors of 30,000 words.",
        "### Realised rates\n\nAs `misword score` counts them.\n\n"
        "| corpus | mix | asked % | WER % | sub | del | ins | words | no candidate |\n"
        "|:--|:--|--:|--:|--:|--:|--:|--:|--:|\n" + "\n".join(rates),
        f"### Speed\n\n{MANY:,} sentences in memory, one core, the table at hand, best of {RUNS}."
        "\n\n| asked % | mix | CPU s | sentences a second |\n|--:|:--|--:|--:|\n"
        + "\n".join(speeds),
        "### Memory\n\n`misword corrupt --wer 0.3 -o FILE`, sentences repeat.\n\n"
        "| channel | sentences | CPU s | sentences a CPU s | peak MB |\n|:--|--:|--:|--:|--:|\n"
        + "\n".join(memory(both)),
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
