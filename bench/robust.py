"""Robustness of sentence encoders, compared with Voleti et al.: `python bench/robust.py`

Their study (2019, Figure 1 and Table 2) on STS-benchmark dev and SICK. The vectors are small (100
numbers, 30,000 words), so that all correlations are lower than in the paper; only the order of the
encoders is compared. Other runs show whether this order depends on how SIF is fitted, on the
channel, on the language, and on deletions and insertions. InferSent is left out, because its
weights are not available here. Reads ../shared/data and writes bench/results/robust.md. With names
of runs as arguments only these are run, and the other sections of the file stay.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from misword.noise.error_model import Mix
from misword.noise.robust import Robustness, robust

RESULTS = Path(__file__).parent / "results" / "robust.md"
SHARED = Path(__file__).parents[2] / "shared" / "data"
WORDS = "mean,mean-stop,sif,usif,subspace,subspace:stop=wordfreq"
LISTS = "sif:frequencies=wordfreq,usif:frequencies=wordfreq"
MODELS = "use,transformer"
PAPER = {0.0, 0.1, 0.3, 0.5}
STEPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
FEW = (0.0, 0.1, 0.3, 0.5)


@dataclass(frozen=True)
class Run:
    """One study: the title of its table, its sentences, and the options of `misword.robust`."""

    title: str
    corpus: str
    encoders: str
    target_wers: tuple[float, ...] = FEW
    trials: int = 5
    lang: str = "en"
    channel: str = "voleti"
    refit: bool = False
    mix: Mix | None = None

    def run(self) -> Robustness:
        """Run the study."""
        options: dict[str, Any] = {"lang": self.lang, "channel": self.channel, "refit": self.refit}
        vectors = SHARED / f"vectors/{self.lang}.vec.gz"
        pairs = SHARED / "sts" / self.corpus
        return robust(pairs, self.encoders, self.target_wers, trials=self.trials, vectors=vectors,
                      mix=self.mix, **options)  # fmt: skip

    @property
    def command(self) -> str:
        """The command line that runs the same study."""
        words = [f"misword robust {self.corpus} --vectors {self.lang}.vec.gz --lang {self.lang}"]
        words += [f"--encoders {self.encoders} --wer {','.join(map(str, self.target_wers))}"]
        words += [f"--trials {self.trials}"] if self.trials != 5 else []
        words += [f"--channel {self.channel}"] if self.channel != "voleti" else []
        words += ["--refit"] if self.refit else []
        if self.mix:
            shares = self.mix.substitutions, self.mix.deletions, self.mix.insertions
            words += ["--mix s={:g},d={:g},i={:g}".format(*shares)]
        return " ".join(words)


HEAD = (
    "# Encoders under noise\n\n`python bench/robust.py`: Pearson x 100 with people's scores at "
    "each word error rate, the mean over trials; what is left at 30 % with its 95 % interval over "
    "trials; the mean similarity of a sentence with its noisy self at 50 %; the slope of the "
    "similarity by a straight line, a point of WER, and R2 of that line.\n\n"
)
STSB, SICK = "stsb-en-dev.csv", "SICK_train.txt"
RUNS = {
    "stsb": Run("STS-benchmark dev, fitted on the clean sentences", STSB, WORDS, STEPS),
    "stsb-refit": Run("STS-benchmark dev, fitted on each noisy corpus", STSB, "sif,usif", STEPS,
                      refit=True),
    "stsb-models": Run("STS-benchmark dev, sentence models", STSB, MODELS, FEW, 3),
    "sick": Run("SICK train, fitted on the clean sentences", SICK, WORDS, FEW, 3),
    "sick-refit": Run("SICK train, fitted on each noisy corpus", SICK, "sif,usif", FEW, 3,
                      refit=True),
    "sick-lists": Run("SICK train, frequencies of the language", SICK, LISTS, FEW, 3),
    "uniform": Run("STS-benchmark dev, channel uniform", STSB, WORDS, FEW, channel="uniform"),
    "phonetic": Run("STS-benchmark dev, channel phonetic", STSB, WORDS, FEW, channel="phonetic"),
    "mix": Run("STS-benchmark dev, also deletions and insertions", STSB, WORDS, FEW,
               mix=Mix(0.7, 0.2, 0.1)),
    "french": Run("STS-benchmark dev in French", "stsb-fr-dev.csv", WORDS, FEW, lang="fr"),
}  # fmt: skip


def main() -> None:
    names = sys.argv[1:] or list(RUNS)
    if not SHARED.is_dir():
        sys.exit(f"skipped: needs sts/ and vectors/ in {SHARED}")
    parts = earlier_sections()
    for name in names:
        cpu, wall = time.process_time(), time.perf_counter()
        result = RUNS[name].run()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        print(f"{name}: CPU {cpu:.0f} s, wall {wall:.0f} s", file=sys.stderr)
        parts[RUNS[name].title] = section(RUNS[name], result, cpu)
        text = "\n".join(parts[run.title] for run in RUNS.values() if run.title in parts)
        RESULTS.write_text(HEAD + text, encoding="utf-8")


def earlier_sections() -> dict[str, str]:
    """Return the sections that the file has from an earlier run, by title."""
    text = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
    pieces = [f"## {piece.rstrip()}\n" for piece in text.split("## ")[1:]]
    return {piece.partition("\n")[0].removeprefix("## "): piece for piece in pieces}


def section(run: Run, result: Robustness, cpu: float) -> str:
    """Return a section: a table with a row for each encoder, and a summary in words."""
    wers = [wer for wer in run.target_wers if wer in PAPER]
    header = [run.title, *(f"PCC at {100 * wer:g} %" for wer in wers), "PCC30 / PCC0, %",
              "similarity at 50 %", "slope", "R2"]  # fmt: skip
    lines = []
    for line in result.lines.iter_rows(named=True):
        levels = result.levels.filter(encoder=line["encoder"])
        at = {row["wer"]: row for row in levels.iter_rows(named=True)}
        low, high = at[0.3]["ratio_low"], at[0.3]["ratio_high"]
        ratio = f"{100 * at[0.3]['ratio']:.1f} ({100 * low:.1f} to {100 * high:.1f})"
        cells = [line["encoder"], *(f"{100 * at[wer]['pearson']:.2f}" for wer in wers), ratio]
        cells += [f"{at[0.5]['similarity']:.3f}", f"{line['slope'] / 100:.5f}", f"{line['r2']:.4f}"]
        lines.append(f"| {' | '.join(cells)} |")
    marks = "|".join([":--", *["--:"] * (len(header) - 1)])
    table = "\n".join([f"| {' | '.join(header)} |", f"|{marks}|", *lines])
    size = result.levels["pairs"][0]
    about = f"`{run.command}` ({size:,} pairs, {cpu:.0f} CPU s)"
    return f"## {run.title}\n\n{about}\n\n{table}\n\n{summary(result)}\n"


def summary(result: Robustness) -> str:
    """Return the encoders whose similarity falls least and most, the least R2, and their order."""
    lines = result.lines.sort("slope", descending=True)["encoder"].to_list()
    noisy = result.levels.filter(wer=0.3).sort("pearson", descending=True)
    order = [f"{label} {100 * pcc:.1f}" for label, pcc in noisy.select("encoder", "pearson").rows()]
    least = result.lines.select(pl.col("r2").min()).item()
    return (
        f"Similarity falls least for {lines[0]}, most for {lines[-1]}; R2 is {least:.4f} or more. "
        f"PCC at 30 %: {', '.join(order)}."
    )


if __name__ == "__main__":
    main()
