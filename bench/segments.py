"""Cuts of recordings at the segments of references: sums, boundary words, translations, cost.

`python bench/segments.py` writes bench/results/segments.md. It needs the data of ../shared,
mweralign and Chromium; parts without their needs are left out.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import misword
from misword.alignment.engine import align
from misword.alignment.segments import AlignedRecording, Times, cut_hypothesis
from misword.core.lazy import pl
from misword.core.types import Op, Segments
from misword.text.texts import Texts
from misword.text.tokens import encode_lists, encode_words
from timing import machine

SHARED = Path(__file__).parents[2] / "shared" / "data"
RESULTS = Path(__file__).parent / "results" / "segments.md"
CHROMIUM = "/usr/bin/chromium"
VENDORS = ("amazon", "google", "microsoft", "speechmatics")
LINES = 50  # of a pseudo-talk
KINDS = ("substitutions", "insertions", "deletions")
# A boundary word is judged by words of others at most so many words from the boundary.
NEAR = 3

LOADED = "performance.timing.loadEventEnd - performance.timing.navigationStart"

Ints = NDArray[np.int64]


def of_recordings(scores: misword.Scores) -> pl.DataFrame:
    """Return the errors of each system and recording."""
    table = scores.table
    recording = table["recording"] if "recording" in table.columns else table["utt"]
    errors = pl.sum_horizontal(f"wer.{kind}" for kind in KINDS).alias("errors")
    rows = table.select("system", recording.alias("recording"), errors)
    return rows.group_by("system", "recording").sum().sort("system", "recording")


def sums() -> Iterator[str]:
    """Yield the comparison of whole calls with the sums of their turns."""
    folder = SHARED / "earnings21"
    paths = folder / "nlp_references", [folder / name for name in VENDORS]
    yield "## Earnings-21, ten calls: sums of turns\n"
    settings: list[tuple[str, dict[str, Any]]] = [
        ("plain, `--normalize lower,nopunct`", {"normalize": "lower,nopunct"}),
        ("`--forgive writing --lang en`", {"forgive": "writing", "lang": "en"}),
    ]
    for title, options in settings:
        scores = {}
        for mode in ("recording", "transfer"):
            corpus, _ = misword.read_corpus(*paths, segments=mode)
            scores[mode] = misword.score(corpus, metrics="wer", **options)
        whole, parts = (of_recordings(scores[mode]) for mode in ("recording", "transfer"))
        same = int((whole["errors"] == parts["errors"]).sum())
        yield (
            f"{title}: {same} of {len(whole)} counts of errors (four systems, ten calls) are "
            f"equal; {scores['transfer'].size:,} turns.\n"
        )
        yield "| system | errors of calls | sum over turns | WER % | interval by turn |"
        yield "|:--|--:|--:|--:|:--|"
        summary = scores["transfer"].summary()
        for row in summary.sort("rate").to_dicts():
            counts = [f.filter(system=row["system"])["errors"].sum() for f in (whole, parts)]
            yield (
                f"| {row['system']} | {counts[0]:,} | {counts[1]:,} | {100 * row['rate']:.2f} "
                f"| {100 * row['low']:.2f} to {100 * row['high']:.2f} |"
            )
        yield ""
        for other, base in (("speechmatics", "microsoft"), ("amazon", "microsoft")):
            chosen = scores["transfer"].filter(pl.col("system").is_in([base, other]))
            found = misword.compare(chosen, baseline=base)
            yield f"- {found.overview().title.removeprefix('Comparison: ')}"
        yield ""


@dataclass
class Call:
    """The alignment of one system's words with the reference of a call."""

    begin: NDArray[np.float64]
    end: NDArray[np.float64]
    ops: NDArray[np.uint8]

    @property
    def partners(self) -> dict[int, int]:
        """The hypothesis word of each reference word that is right."""
        said = np.cumsum(self.ops != Op.INSERTION) - 1
        heard = np.cumsum(self.ops != Op.DELETION) - 1
        hits = self.ops == Op.HIT
        return dict(zip(said[hits].tolist(), heard[hits].tolist(), strict=True))

    def side(self, border: int, middle: float, partners: Mapping[int, int]) -> str:
        """Return on which side of a border a time is, by the words of this system."""
        before = [border - 1 - k for k in range(NEAR) if border - 1 - k in partners]
        after = [border + k for k in range(NEAR) if border + k in partners]
        if not before or not after:
            return ""
        edge = self.end[partners[before[0]]] + self.begin[partners[after[0]]]
        return "left" if middle < edge / 2 else "right"


def _calls() -> Iterator[tuple[dict[str, Call], Ints]]:
    folder = SHARED / "earnings21"
    paths = folder / "nlp_references", [folder / name for name in VENDORS]
    corpus, _ = misword.read_corpus(*paths, segments="as-they-are")
    assert corpus.words is not None
    clean = pl.col("word").str.to_lowercase().str.replace_all(r"[^\w']", "")
    words = corpus.words.with_columns(clean).filter(pl.col("word") != "")
    for (_,), rows in words.group_by("utt", maintain_order=True):
        ours = rows.filter(system="")
        borders = np.flatnonzero(np.diff(ours["segment"].to_numpy())) + 1
        calls = {}
        for name in VENDORS:
            theirs = rows.filter(system=name)
            tokens = encode_lists([ours["word"].to_list(), theirs["word"].to_list()])
            sides = tokens.take(np.array([0])), tokens.take(np.array([1]))
            begin, end = (theirs[side].fill_null(np.nan).to_numpy() for side in ("begin", "end"))
            calls[name] = Call(begin, end, align(*sides).operations(0))
        yield calls, borders


def extremes(path: AlignedRecording, borders: Ints, words: int) -> tuple[Ints, Ints]:
    """Return the first and the last place that each border may have."""
    numbers = np.arange(len(borders) + 1, dtype=np.float64)
    at_once = Times(np.zeros(words), np.zeros(words))
    near_left, near_right = (Times(times, times) for times in (1 + numbers, 1 + numbers[::-1]))
    first = cut_hypothesis(path, borders, at_once, near_right)
    return first, cut_hypothesis(path, borders, at_once, near_left)


def boundary_words() -> Iterator[str]:
    """Yield on which side of a border words without a partner are put, and where they belong."""
    counts = {name: dict.fromkeys(("words", "left", "right", "silence", "default"), 0)
              for name in VENDORS}  # fmt: skip
    for calls, borders in _calls():
        partners = {name: call.partners for name, call in calls.items()}
        for name, call in calls.items():
            path, found = AlignedRecording.of(call.ops), counts[name]
            cuts = cut_hypothesis(path, borders, Times(call.begin, call.end))
            usual = cut_hypothesis(path, borders)
            first, last = extremes(path, borders, len(call.begin))
            for border, lo, hi, cut, plain in zip(
                *(array.tolist() for array in (borders, first, last, cuts, usual)), strict=True
            ):
                for word in range(lo, hi):
                    middle = (call.begin[word] + call.end[word]) / 2
                    if np.isnan(middle):  # Microsoft's files have no times
                        continue
                    others = [other for other in VENDORS if other != name]
                    votes = [
                        side
                        for other in others
                        if (side := calls[other].side(border, middle, partners[other]))
                    ]
                    if len(votes) < 2 or len(set(votes)) > 1:
                        continue
                    found["words"] += 1
                    found[votes[0]] += 1
                    found["silence"] += (votes[0] == "left") == (word < cut)
                    found["default"] += (votes[0] == "left") == (word < plain)
    yield "## Words between two turns\n"
    yield (
        "Words that may stand on either side of a border of two turns without another number of "
        "errors, and of which two or more other recognisers agree on "
        f"the side: the time of the word against their nearest right words, at most {NEAR} words "
        "from the border. Right: put on that side by the longest silence, and without times.\n"
    )
    yield "| system | words | belong left | belong right | by silence | without times |"
    yield "|:--|--:|--:|--:|--:|--:|"
    for name, row in counts.items():
        if not row["words"]:
            continue
        yield f"| {name} | {' | '.join(map(str, row.values()))} |"
    yield ""


@contextmanager
def silent() -> Iterator[None]:
    """Send what C code writes to standard error to nowhere."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def translations() -> Iterator[str]:
    """Yield the cut of pseudo-talks beside that of mweralign."""
    try:
        import mweralign
        import sacrebleu
    except ModuleNotFoundError:
        yield "## Translations\n\nLeft out: needs mweralign and sacrebleu.\n"
        return
    folder = SHARED / "wce-dev"
    names = "post-edition.en", "slt/1best.en"
    said, heard = ((folder / name).read_text().splitlines() for name in names)
    starts = range(0, len(said), LINES)

    def row(name: str, cut: list[str], cpu: float, base: float) -> str:
        sides = encode_words([Texts.of(said), Texts.of(cut)])
        errors = int(align(*sides, operations=False).costs.sum())
        bleu = sacrebleu.corpus_bleu(cut, [said]).score
        chrf = sacrebleu.corpus_chrf(cut, [said]).score
        same = sum(a.split() == b.split() for a, b in zip(cut, heard, strict=True))
        shown = f"{cpu:.3f} | {cpu / base:.3f}" if cpu else " | "
        return f"| {name} | {errors:,} | {bleu:.3f} | {chrf:.3f} | {same:,} | {shown} |"

    clock = time.process_time()
    with silent():
        peers = [
            mweralign.align_texts("\n".join(said[at : at + LINES]),
                                  " ".join(line.strip() for line in heard[at : at + LINES]))
            for at in starts
        ]  # fmt: skip
    base = time.process_time() - clock
    cut = [line.strip() for text in peers for line in text.split("\n")][: len(said)]
    yield f"## Translations\n\nwce-dev joined to talks of {LINES} lines; {len(said):,} lines.\n"
    yield "| | word errors | BLEU | chrF | lines as they were | CPU s | ratio |"
    yield "|:--|--:|--:|--:|--:|--:|--:|"
    yield row("the lines themselves", heard, 0.0, base)
    yield row(f"mweralign {mweralign.__version__}", cut, base, base)
    talks = [f"{at:04}" for at in starts]
    whole = [" ".join(heard[at : at + LINES]) for at in starts]
    rows = {
        "utt": [str(number) for number in range(len(said))],
        "text": said,
        "recording": [talks[number // LINES] for number in range(len(said))],
    }
    texts = pl.DataFrame({"utt": talks, "text": talks})
    hypotheses = misword.Corpus.of(texts, {"one": pl.Series(whole)}).hypotheses
    corpus = misword.Corpus(pl.DataFrame(rows), hypotheses, None, Segments("transfer"))
    for costs in ("words", "spelling"):
        clock = time.process_time()
        found = misword.segment(corpus, costs=costs)
        cpu = time.process_time() - clock
        parts = found.texts()["text"].to_list()
        yield row(f"misword segment --costs {costs}", parts, cpu, base)
    yield ""


def long_recording(folder: Path, words: int = 100_000) -> None:
    """Write a reference in turns and a hypothesis of one text with 40 % errors."""
    drawn = random.Random(1)
    vocabulary = [f"w{number}" for number in range(20_000)]
    weights = [1 / (number + 5) for number in range(20_000)]
    said = drawn.choices(vocabulary, weights, k=words)
    heard: list[str] = []
    for word in said:
        chance = drawn.random()
        if chance < 0.28:
            heard.append(drawn.choice(vocabulary))
        elif chance >= 0.35:
            heard += [word, *([drawn.choice(vocabulary)] if chance < 0.40 else [])]
    lines: list[str] = []
    at, rate = 0, 0.36  # ten hours
    while at < words:
        size = drawn.randint(1, 60)
        text = " ".join(said[at : at + size])
        lines.append(f"talk 1 spk{len(lines) % 7} {at * rate:.2f} {(at + size) * rate:.2f} {text}")
        at += size
    (folder / "ref.stm").write_text("\n".join(lines) + "\n")
    (folder / "hyp.csv").write_text(f"id,text\ntalk,{' '.join(heard)}\n")


def cost() -> Iterator[str]:
    """Yield CPU seconds and memory of a score with turns, and the time in which its page opens."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        long_recording(folder)
        command = [sys.executable, "-m", "misword", "score", "ref.stm", "hyp.csv"]
        command += ["--metrics", "wer"]
        yield from _cost_rows(command, folder)
        yield from _page(folder / "page.html")


def _cost_rows(command: list[str], folder: Path) -> Iterator[str]:
    yield "## A recording of ten hours\n"
    yield "100,000 words in turns of 1 to 60 words, 40 % errors, one hypothesis.\n"
    yield "| | CPU s | MB |\n|:--|--:|--:|"
    for title, options in (
        ("score with turns", []),
        ("score of the whole (`--segments recording`)", ["--segments", "recording"]),
        ("score with turns and page", ["--report", "page.html"]),
    ):
        best: tuple[float, float] = float("inf"), float("inf")
        for _ in range(3):
            nowhere = subprocess.DEVNULL
            run = [*command, *options]
            child = subprocess.Popen(run, cwd=folder, stdout=nowhere, stderr=nowhere)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            assert status == 0, title
            best = min(best, (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
        yield f"| {title} | {best[0]:.2f} | {best[1]:.0f} |"
    yield ""


def _page(path: Path) -> Iterator[str]:
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        return
    if not Path(CHROMIUM).exists():
        return
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        paints, loads = [], []
        for _ in range(5):
            page: Any = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            entry = "performance.getEntriesByType('paint')[0].startTime"
            page.wait_for_timeout(500)
            paints.append(page.evaluate(entry))
            loads.append(page.evaluate(LOADED))
            page.close()
        browser.close()
    size = path.stat().st_size / 1e6
    yield (
        f"The page of {size:.1f} MB has its first paint after {median(paints):.0f} ms and is "
        f"loaded after {median(loads):.0f} ms (medians of five loads, headless Chromium).\n"
    )


def main() -> None:
    # Processes are measured first: the memory of a child begins with that of its parent.
    parts = (cost, sums, boundary_words, translations)
    body = "\n".join(line for part in parts for line in part())
    text = f"# Recordings cut into segments\n\n`python bench/segments.py`, {machine()}.\n\n{body}"
    RESULTS.write_text(text.rstrip() + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
