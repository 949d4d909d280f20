"""How often `find_shifts` misses a planted shift, and finds one in files that have none.

    python tools/simulate_shifts.py                         writes bench/results/line-shifts.md
    python tools/simulate_shifts.py --pair NAME LEFT RIGHT  prints rows for other files

A trial takes a random window of 30 to 2,600 consecutive lines of two line-parallel files, as it is
and with a shift of some lines: lines are inserted into the right file at one place, and as many are
removed at another. A shift is found if its offset is right and it begins within 5 lines of the
planted one. A false alarm is a window without a shift in which one is found, or a window with a
shift in which another one is found elsewhere.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

import misword
from misword.asr.line_shifts.search import LineShift, find_shifts

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "bench" / "results" / "line-shifts.md"
TRIALS = 20
# The shortest and the longest window.
FEWEST, MOST = 30, 2600
# The first line of a shift that is found may be this far from the planted one.
TOLERANCE = 5
OFFSETS = (1, 1, 1, 2, 3, -1, -2, 5, -10, 50)
# Numbers of lines that a planted shift has.
LENGTHS = ((3, 5), (6, 15), (16, 60), (61, MOST))
# Words in a line of a call.
LINE_WORDS = 12

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Files:
    """Two line-parallel files."""

    name: str
    left: Lines
    right: Lines


@dataclass(frozen=True, slots=True)
class Planted:
    """A right file in which lines `first` to `last` of the left one have an offset."""

    right: Lines
    first: int
    last: int
    offset: int


@dataclass(slots=True)
class Counts:
    """Windows, false alarms, and planted and found shifts by length."""

    windows: int = 0
    false_alarms: int = 0
    planted: list[int] = field(default_factory=lambda: [0] * len(LENGTHS))
    found: list[int] = field(default_factory=lambda: [0] * len(LENGTHS))


def plant(right: Lines, place: int, offset: int, length: int, inserted: Lines) -> Planted:
    """Shift `length` lines from `place` (from 0) on: insert lines before and remove as many after.

    If the offset is negative, lines are removed before and inserted after.
    """
    end = place + length
    if offset > 0:
        changed = [*right[:place], *inserted, *right[place:end], *right[end + offset :]]
        return Planted(changed, place + 1, end, offset)
    start, stop = place - offset, end - offset
    changed = [*right[:place], *right[start:stop], *inserted, *right[stop:]]
    return Planted(changed, start + 1, stop, offset)


def is_found(planted: Planted, shifts: Sequence[LineShift]) -> bool:
    """Whether a shift with the planted offset begins near the planted lines."""
    return any(
        shift.offset == planted.offset and abs(shift.first - planted.first) <= TOLERANCE
        for shift in shifts
    )


def is_elsewhere(planted: Planted, shift: LineShift) -> bool:
    """Whether a found shift has no line of the planted one, nor of its neighbours."""
    slack = TOLERANCE + abs(planted.offset)
    return shift.last < planted.first - slack or shift.first > planted.last + slack


def simulate(files: Files, trials: int, seed: int = 0) -> Counts:
    """Count false alarms and found shifts in windows of two files."""
    rng = np.random.default_rng(seed)
    counts = Counts()
    for _ in range(trials):
        left, right = _window(rng, files)
        counts.windows += 1
        counts.false_alarms += bool(find_shifts(left, right))
        for group, (shortest, longest) in enumerate(LENGTHS):
            offset = int(rng.choice(OFFSETS))
            room = len(left) - abs(offset)
            if room <= shortest:
                continue
            length = int(rng.integers(shortest, min(longest, room) + 1))
            place = int(rng.integers(0, room - length + 1))
            inserted = [files.right[k] for k in rng.integers(0, len(files.right), abs(offset))]
            planted = plant(right, place, offset, length, inserted)
            shifts = find_shifts(left, planted.right)
            counts.windows += 1
            counts.false_alarms += any(is_elsewhere(planted, shift) for shift in shifts)
            counts.planted[group] += 1
            counts.found[group] += is_found(planted, shifts)
    return counts


def _window(rng: np.random.Generator, files: Files) -> tuple[Lines, Lines]:
    """Return consecutive lines; short windows are as frequent as long ones."""
    most = min(MOST, len(files.left))
    size = int(np.exp(rng.uniform(np.log(FEWEST), np.log(most))))
    start = int(rng.integers(0, len(files.left) - size + 1))
    return files.left[start : start + size], files.right[start : start + size]


def corrupt(lines: Lines, rate: float, seed: int = 0) -> Lines:
    """Replace, delete and insert words at random: a share `rate` of all words."""
    rng = np.random.default_rng(seed)
    words = [word for line in lines for word in line.split()]
    changed = []
    for line in lines:
        heard: Lines = []
        for word in line.split():
            drawn, kind = words[int(rng.integers(len(words)))], rng.random() / rate
            if kind < 0.6:
                heard.append(drawn)
            elif kind >= 0.8:
                heard += [word, drawn] if kind < 1 else [word]
        changed.append(" ".join(heard))
    return changed


def datasets() -> Iterator[Files]:
    """Give the line-parallel files of the shared data."""
    yield from _wce()
    yield from _english()
    yield from _sentences()
    for system in ("google", "speechmatics"):
        yield _earnings(system)
    reference = _read("wce-dev/ref.fr")[::3]
    for rate in (0.1, 0.5, 0.7, 0.8):
        changed = corrupt(reference, rate)
        yield Files(f"French, {rate:.0%} of the words wrong", reference, changed)


def _wce() -> Iterator[Files]:
    reference, edited = _read("wce-dev/ref.fr"), _read("wce-dev/post-edition.en")
    for system in ("01", "10", "20"):
        yield Files(f"wce-dev, system {system}", reference, _read(f"wce-dev/hyp/scale_{system}.fr"))
    yield Files("wce-dev, translations", edited, _read("wce-dev/slt/1best.en"))
    yield Files("wce-dev, French and English", reference, edited)
    yield Files("wce-dev, French and English, every third line", reference[::3], edited[::3])
    rows = [json.loads(line) for line in _read("wce-whisper/ref.jsonl")]
    listed = map(json.loads, _read("wce-whisper/nbest.jsonl"))
    best = {row["utt"]: row for row in listed if row["rank"] == 1}
    texts = [row["text"] for row in rows]
    yield Files("wce-whisper", texts, [best[row["utt"]]["text"] for row in rows])
    translations = [best[row["utt"]]["translation"] for row in rows]
    yield Files("wce-whisper, French and English", texts, translations)


def _english() -> Iterator[Files]:
    for part in ("clean", "other"):
        rows = json.loads((DATA / "nbest" / f"librispeech-{part}.json").read_text("utf-8"))
        references = [row["output"] for row in rows]
        yield Files(f"LibriSpeech {part}", references, [row["input"][0] for row in rows])
    rows = [json.loads(line) for line in _read("leaderboard/voxpopuli-whisper-tiny.en.jsonl")]
    yield Files("VoxPopuli", [row["text"] for row in rows], [row["pred_text"] for row in rows])


def _sentences() -> Iterator[Files]:
    english = list(csv.reader(_read("sts/stsb-en-dev.csv")))
    french = list(csv.reader(_read("sts/stsb-fr-dev.csv")))
    sick = [line.split("\t") for line in _read("sts/SICK_train.txt")[1:]]
    hats = [line.split("\t") for line in _read("hats-dev.tsv")[1:]]
    yield Files("STS, English", [row[0] for row in english], [row[1] for row in english])
    yield Files("STS, French", [row[0] for row in french], [row[1] for row in french])
    yield Files("STS, English and French", [row[0] for row in english], [row[0] for row in french])
    yield Files("SICK", [row[1] for row in sick], [row[2] for row in sick])
    yield Files("HATS", [row[0] for row in hats], [row[1] for row in hats])


def _earnings(system: str) -> Files:
    left: Lines = []
    right: Lines = []
    for path in sorted((DATA / "earnings21" / "nlp_references").glob("*.nlp")):
        tokens = [line.split("|") for line in _read(path)[1:]]
        heard = [line.split("|")[0] for line in _read(f"earnings21/{system}/{path.name}")[1:]]
        cut = cut_lines([row[0] for row in tokens], [row[1] for row in tokens], heard)
        left += cut[0]
        right += cut[1]
    return Files(f"earnings21, {system}", left, right)


def cut_lines(words: Lines, speakers: Lines, heard: Lines) -> tuple[Lines, Lines]:
    """Cut a text where the speaker changes or a line is full, and the hypothesis accordingly."""
    edges = [0]
    for place in range(1, len(words)):
        turn = speakers[place] != speakers[place - 1]
        if turn or place - edges[-1] == LINE_WORDS:
            edges.append(place)
    aligned = misword.align([" ".join(words).lower()], [" ".join(heard).lower()])
    place_of, place, other = {len(words): len(heard)}, 0, 0
    for step in aligned.steps(0):
        place_of.setdefault(place, other)
        place += step.kind != "insertion"
        other += step.kind != "deletion"
    ranges = list(pairwise([*edges, len(words)]))
    left = [" ".join(words[start:stop]) for start, stop in ranges]
    right = [" ".join(heard[place_of[start] : place_of[stop]]) for start, stop in ranges]
    return left, right


def _read(path: str | Path) -> Lines:
    return (DATA / path).read_text("utf-8").removesuffix("\n").split("\n")


def _row(files: Files, counts: Counts) -> str:
    pairs = zip(counts.found, counts.planted, strict=True)
    shares = [f"{100 * found / planted:.0f}" if planted else "" for found, planted in pairs]
    cells = [files.name, f"{len(files.left):,}", str(counts.windows), str(counts.false_alarms)]
    return "| " + " | ".join([*cells, *shares]) + " |"


def main() -> None:
    """Simulate all files, and write the table or print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--pair", nargs=3, action="append", metavar=("NAME", "LEFT", "RIGHT"))
    options = parser.parse_args()
    given = [
        Files(name, _read(Path(left).absolute()), _read(Path(right).absolute()))
        for name, left, right in options.pair or []
    ]
    rows = []
    for files in given or datasets():
        rows.append(_row(files, simulate(files, options.trials)))
        print(rows[-1], flush=True)
    if given:
        return
    lengths = [f"{low} to {high}" if high < MOST else f"over {low - 1}" for low, high in LENGTHS]
    head = ["files", "lines", "windows", "false alarms", *(f"found, % of {x}" for x in lengths)]
    parts = [
        "# Planted shifts of lines",
        "`python tools/simulate_shifts.py`. Windows of 30 to 2,600 lines of line-parallel files, "
        f"as they are and with one shift, by {', '.join(map(str, sorted(set(OFFSETS))))} lines. "
        "The last columns are the shares of shifts that are found within 5 lines, by the number "
        "of lines that are shifted.",
        "\n".join([f"| {' | '.join(head)} |", "|:--" + "|--:" * (len(head) - 1) + "|", *rows]),
    ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
