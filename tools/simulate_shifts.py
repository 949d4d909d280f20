"""How often `find_shifts` misses a planted shift, and finds one in files that have none.

    python tools/simulate_shifts.py                         writes bench/results/line-shifts.md
    python tools/simulate_shifts.py --pair NAME LEFT RIGHT  only prints; any line-parallel files

Each trial takes a random window of consecutive lines of two line-parallel files, of 30 to 2,600
lines, and plants at most one fault into the right side. A planted shift is found if a shift with its
offset begins within 5 lines of it. A false alarm is any shift of lines that have none.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import misword
from misword.asr.line_shifts.search import LineShift, find_shifts

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "bench" / "results" / "line-shifts.md"
FEWEST, MOST = 30, 2600
TOLERANCE = 5
OFFSETS = (1, 1, 2, 3, -1, -2, 5, -10, 50)
# Lines that a planted shift is long.
LENGTHS = ((3, 5), (6, 15), (16, 60), (61, MOST))

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Files:
    """Two line-parallel files."""

    name: str
    left: Lines
    right: Lines


@dataclass(frozen=True, slots=True)
class Planted:
    """A file with a fault: from line `first` (left, from 1) to `last` the offset is `offset`."""

    right: Lines
    first: int
    last: int
    offset: int


def plant(right: Lines, place: int, offset: int, length: int, other: Lines) -> Planted:
    """Shift `length` lines from `place` (from 0) on, by lines that are inserted or left out.

    If lines follow the stretch, the opposite is done at its end.
    """
    end = place + length
    if offset > 0:
        changed = [*right[:place], *other[:offset], *right[place:end], *right[end + offset :]]
        return Planted(changed, place + 1, end, offset)
    lost = -offset
    changed = [
        *right[:place],
        *right[place + lost : end + lost],
        *other[:lost],
        *right[end + lost :],
    ]
    return Planted(changed, place + lost + 1, min(end + lost, len(right)), offset)


def is_found(planted: Planted, shifts: Sequence[LineShift]) -> bool:
    """Whether a shift with the planted offset begins and ends near the planted lines."""
    first = (planted.first, planted.first + min(planted.offset, 0))
    return any(
        shift.offset == planted.offset
        and min(first) - TOLERANCE <= shift.first <= max(first) + TOLERANCE
        for shift in shifts
    )


def is_elsewhere(planted: Planted, shift: LineShift) -> bool:
    """Whether a found shift is none of the planted fault."""
    slack = TOLERANCE + abs(planted.offset)
    return shift.last < planted.first - slack or shift.first > planted.last + slack


@dataclass(slots=True)
class Counts:
    """Trials, false alarms, and found shifts by the length of the planted stretch."""

    clean: int = 0
    false_alarms: int = 0
    planted: np.ndarray = None  # type: ignore[assignment]
    found: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.planted, self.found = np.zeros(len(LENGTHS), int), np.zeros(len(LENGTHS), int)


def simulate(files: Files, trials: int, seed: int = 0, verbose: bool = False) -> Counts:
    """Count false alarms and found shifts in `trials` clean and `trials` changed windows."""
    rng = np.random.default_rng(seed)
    counts = Counts()
    for _ in range(trials):
        left, right = _window(rng, files)
        clean = find_shifts(left, right)
        counts.clean += 1
        counts.false_alarms += bool(clean)
        if clean and verbose:
            print("false", files.name, len(left), clean)
        for group, (shortest, longest) in enumerate(LENGTHS):
            offset = int(rng.choice(OFFSETS))
            length = int(rng.integers(shortest, longest + 1))
            room = len(left) - length - abs(offset)
            if room <= 0:
                continue
            place = int(rng.integers(0, room + 1))
            other = [files.right[int(k)] for k in rng.integers(0, len(files.right), abs(offset))]
            planted = plant(right, place, offset, length, other)
            shifts = find_shifts(left, planted.right)
            counts.planted[group] += 1
            counts.found[group] += is_found(planted, shifts)
            elsewhere = any(is_elsewhere(planted, shift) for shift in shifts)
            counts.clean += 1
            counts.false_alarms += elsewhere
            if verbose and elsewhere:
                print(
                    "elsewhere", files.name, len(left), planted.first, planted.last, offset, shifts
                )
            if verbose and group and not is_found(planted, shifts):
                print("missed", files.name, len(left), planted.first, planted.last, offset, shifts)
    return counts


def _window(rng: np.random.Generator, files: Files) -> tuple[Lines, Lines]:
    most = min(MOST, len(files.left))
    size = int(np.exp(rng.uniform(np.log(min(FEWEST, most)), np.log(most))))
    start = int(rng.integers(0, len(files.left) - size + 1))
    return files.left[start : start + size], files.right[start : start + size]


def corrupt(lines: Lines, rate: float, seed: int = 0) -> Lines:
    """Replace, delete and insert words at random, at a given word error rate."""
    rng = np.random.default_rng(seed)
    words = [word for line in lines for word in line.split()]
    changed = []
    for line in lines:
        kept: Lines = []
        for word in line.split():
            kind = rng.random() / rate
            drawn = words[int(rng.integers(len(words)))]
            kept += (
                [drawn]
                if kind < 0.6
                else []
                if kind < 0.8
                else [word, drawn]
                if kind < 1
                else [word]
            )
        changed.append(" ".join(kept))
    return changed


def datasets() -> Iterator[Files]:
    """Give the line-parallel files of the shared data."""
    yield from _wce()
    yield from _english()
    yield from _sentences()
    yield from _earnings()
    reference = _read(DATA / "wce-dev" / "ref.fr")[::3]
    for rate in (0.1, 0.3, 0.5, 0.7, 0.8):
        yield Files(f"French, {rate:.0%} of words replaced", reference, corrupt(reference, rate))


def _wce() -> Iterator[Files]:
    folder = DATA / "wce-dev"
    reference, edited = _read(folder / "ref.fr"), _read(folder / "post-edition.en")
    for system in ("01", "10", "20"):
        yield Files(f"wce hyp {system}", reference, _read(folder / f"hyp/scale_{system}.fr"))
    yield Files("wce slt", edited, _read(folder / "slt/1best.en"))
    yield Files("wce fr-en", reference, edited)
    yield Files("wce fr-en, one of three", reference[::3], edited[::3])
    rows = [json.loads(line) for line in _read(DATA / "wce-whisper" / "ref.jsonl")]
    best = {
        row["utt"]: row
        for row in map(json.loads, _read(DATA / "wce-whisper" / "nbest.jsonl"))
        if row["rank"] == 1
    }
    yield Files("whisper", [r["text"] for r in rows], [best[r["utt"]]["text"] for r in rows])
    yield Files(
        "whisper fr-en", [r["text"] for r in rows], [best[r["utt"]]["translation"] for r in rows]
    )


def _english() -> Iterator[Files]:
    for part in ("clean", "other"):
        rows = json.loads((DATA / "nbest" / f"librispeech-{part}.json").read_text("utf-8"))
        yield Files(
            f"librispeech {part}", [r["output"] for r in rows], [r["input"][0] for r in rows]
        )
        yield Files(
            f"librispeech {part}, 5th", [r["output"] for r in rows], [r["input"][-1] for r in rows]
        )
    rows = [json.loads(x) for x in _read(DATA / "leaderboard/voxpopuli-whisper-tiny.en.jsonl")]
    yield Files("voxpopuli", [r["text"] for r in rows], [r["pred_text"] for r in rows])


def _sentences() -> Iterator[Files]:
    rows = list(csv.reader(_read(DATA / "sts" / "stsb-en-dev.csv")))
    french = list(csv.reader(_read(DATA / "sts" / "stsb-fr-dev.csv")))
    yield Files("sts en", [r[0] for r in rows], [r[1] for r in rows])
    yield Files("sts fr", [r[0] for r in french], [r[1] for r in french])
    yield Files("sts en-fr", [r[0] for r in rows], [r[0] for r in french])
    sick = [line.split("\t") for line in _read(DATA / "sts" / "SICK_train.txt")[1:]]
    yield Files("sick", [r[1] for r in sick], [r[2] for r in sick])
    hats = [line.split("\t") for line in _read(DATA / "hats-dev.tsv")[1:]]
    yield Files("hats", [r[0] for r in hats], [r[1] for r in hats])


def _earnings() -> Iterator[Files]:
    for system in ("google", "speechmatics"):
        left: Lines = []
        right: Lines = []
        for path in sorted((DATA / "earnings21" / "nlp_references").glob("*.nlp"))[:4]:
            tokens = [line.split("|") for line in _read(path)[1:]]
            heard = [
                line.split("|")[0] for line in _read(DATA / "earnings21" / system / path.name)[1:]
            ]
            cut = cut_lines(tokens, heard)
            left += cut[0]
            right += cut[1]
        yield Files(f"earnings21 {system}", left, right)


def cut_lines(tokens: list[list[str]], heard: Lines) -> tuple[Lines, Lines]:
    """Cut a call at turns of speakers and after 12 words, and the hypothesis at the same places."""
    words = [row[0] for row in tokens]
    breaks = []
    since = 0
    for i, row in enumerate(tokens):
        if i and (row[1] != tokens[i - 1][1] or since >= 12):
            breaks.append(i)
            since = 0
        since += 1
    steps = misword.align([" ".join(words).lower()], [" ".join(heard).lower()]).steps(0)
    place_of, at, other = {}, 0, 0
    for step in steps:
        place_of.setdefault(at, other)
        at += step.kind != "insertion"
        other += step.kind != "deletion"
    edges = [0, *breaks, len(words)]
    places = [0, *(place_of[b] for b in breaks), len(heard)]
    left = [" ".join(words[a:b]) for a, b in zip(edges, edges[1:])]
    right = [" ".join(heard[a:b]) for a, b in zip(places, places[1:])]
    return left, right


def _read(path: Path) -> Lines:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def _row(files: Files, counts: Counts) -> str:
    found = " | ".join(
        f"{round(100 * f / p)}" if p else "" for f, p in zip(counts.found, counts.planted)
    )
    return (
        f"| {files.name} | {len(files.left):,} | {counts.false_alarms} / {counts.clean} | {found} |"
    )


def main() -> None:
    """Simulate all files and write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--pair", nargs=3, action="append", metavar=("NAME", "LEFT", "RIGHT"))
    options = parser.parse_args()
    given = [Files(n, _read(Path(a)), _read(Path(b))) for n, a, b in options.pair or []]
    for files in given or datasets():
        if options.only in files.name:
            print(_row(files, simulate(files, options.trials, verbose=options.verbose)), flush=True)


if __name__ == "__main__":
    main()
