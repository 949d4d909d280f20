"""How often hypotheses of recognisers are flagged, and how many planted loops are found.

    python tools/simulate_loops.py                     writes bench/results/loops.md
    python tools/simulate_loops.py --pair NAME REF HYP prints rows for other files

The texts are those of tools/simulate_shifts.py, and every hypothesis of the N-best lists. The table
of flags says how many of the hypotheses have each flag. A trial of the table of loops takes a
random pair whose hypothesis is not flagged, and repeats a random phrase of it, so that the phrase
stands there so many times in succession. The loop is found if the hypothesis is then flagged as a
loop. Hypotheses of less than two words are not drawn.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import misword
from misword.asr.checking.suspicious import RULES, flagged_table
from misword.asr.corpus import make_corpus
from misword.asr.pairs import prepare
from simulate_shifts import DATA, ROOT, Files, Lines, _earnings, _english, _read

RESULTS = ROOT / "bench" / "results" / "loops.md"
TRIALS = 20_000
SIZES = (2, 8)  # words of a phrase
TIMES = (3, 50)
VENDORS = ("google", "amazon", "microsoft", "speechmatics")


def all_files() -> Iterator[Files]:
    """Yield references and hypotheses of recognisers, over 100,000 pairs."""
    references = _read("wce-dev/ref.fr")
    for path in sorted((DATA / "wce-dev" / "hyp").iterdir()):
        yield Files("wce-dev, 20 outputs of one recogniser", references, _read(path))
    rows = {row["utt"]: row["text"] for row in map(json.loads, _read("wce-whisper/ref.jsonl"))}
    listed = [json.loads(line) for line in _read("wce-whisper/nbest.jsonl")]
    yield Files("wce-whisper, 5-best lists", [rows[row["utt"]] for row in listed],
                [row["text"] for row in listed])  # fmt: skip
    for part in ("clean", "other"):
        lists = json.loads((DATA / "nbest" / f"librispeech-{part}.json").read_text("utf-8"))
        said = [row["output"] for row in lists for _ in row["input"]]
        heard = [text for row in lists for text in row["input"]]
        yield Files(f"LibriSpeech {part}, 5-best lists", said, heard)
    yield from list(_english())[2:]
    for vendor in VENDORS:
        yield _earnings(vendor)


def flags_of(references: Sequence[str], hypotheses: Sequence[str]) -> list[tuple[int, str]]:
    """Return the number and the flag of each flagged hypothesis."""
    ids = [str(number) for number in range(len(references))]
    table = flagged_table(prepare(make_corpus(references, hypotheses, ids=ids)))
    return [(int(utt), name) for utt, name in table.select("utt", "flag").iter_rows()]


def plant(words: list[str], random: np.random.Generator) -> list[str]:
    """Return the words with a loop at a random place."""
    size = int(random.integers(SIZES[0], min(SIZES[1], len(words)) + 1))
    start = int(random.integers(0, len(words) - size + 1))
    times = int(random.integers(TIMES[0], TIMES[1] + 1))
    stop = start + size
    return words[:stop] + words[start:stop] * (times - 1) + words[stop:]


def found_loops(pairs: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Return the number of planted loops, and of those that are found."""
    random = np.random.default_rng(0)
    drawn = random.choice(len(pairs), min(TRIALS, len(pairs)), replace=False).tolist()
    planted = [
        (reference, " ".join(plant(hypothesis.split(), random)))
        for reference, hypothesis in (pairs[number] for number in drawn)
    ]
    flagged = flags_of([left for left, _ in planted], [right for _, right in planted])
    return len(planted), len({number for number, name in flagged if name == "loop"})


def table(files: Iterator[Files]) -> Iterator[str]:
    """Yield the lines of the tables."""
    sizes: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {}
    sound: list[tuple[str, str]] = []
    for each in files:
        sizes[each.name] += len(each.left)
        flagged = flags_of(each.left, each.right)
        counts.setdefault(each.name, Counter()).update(name for _, name in flagged)
        numbers = {number for number, _ in flagged}
        sound += [
            pair for number, pair in enumerate(zip(each.left, each.right, strict=True))
            if number not in numbers and len(pair[1].split()) >= SIZES[0]
        ]  # fmt: skip
    yield f"| pairs | number | {' | '.join(RULES)} |"
    yield "|:--|--:" + "|--:" * len(RULES) + "|"
    for name, size in sizes.items():
        yield f"| {name} | {size:,} | {' | '.join(f'{counts[name][rule]:,}' for rule in RULES)} |"
    totals = sum(counts.values(), Counter())
    yield f"| all | {sizes.total():,} | {' | '.join(f'{totals[rule]:,}' for rule in RULES)} |"
    planted, found = found_loops(sound)
    yield ""
    yield f"Planted loops: {planted:,}; found: {found:,} ({100 * found / planted:.2f} %)."


def main() -> None:
    """Write the tables, or print those of other files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--pair", nargs=3, metavar=("NAME", "REF", "HYP"))
    options = parser.parse_args()
    if options.pair:
        name, *paths = options.pair
        left, right = (Path(path).read_text("utf-8").splitlines() for path in paths)
        print("\n".join(table(iter([Files(name, Lines(left), Lines(right))]))))
        return
    head = [
        "# Flags of hypotheses on real transcripts, and planted loops",
        "",
        f"misword {misword.__version__}, `python tools/simulate_loops.py`. Planted phrases have "
        f"{SIZES[0]} to {SIZES[1]} words and stand {TIMES[0]} to {TIMES[1]} times.",
        "",
    ]
    lines = [*head, *table(all_files())]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
