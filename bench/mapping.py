"""Time, memory and hit rates of mapping methods: `python bench/mapping.py`.

Each method runs from end to end (read the compressed vectors with an empty cache, train, write) in
a process of its own. Its CPU time, wall time and peak memory are measured; then hit@1 over the
covered test words by plain cosine and by CSLS, which is not part of the time. The tables also have
the numbers of the released code, measured earlier on two cores (shared/ALGORITHMS.md). Both sides
have one thread of BLAS: idle threads that wait for work would add to the CPU time. Writes
bench/results/mapping.md.

`--only NAME` measures only the methods of that name (`turn`: one iteration of self-learning), or
one row (`--only "en-de muse-s"`), and keeps the other numbers. `--seeds 10` runs vecmap-u with ten
seeds (mapping-seeds.md), `--large` runs it once with the released schedule, 20,000 words
(mapping-large.md), and `--games` runs muse-u at its defaults (mapping-games.md). The last two take
long.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from misword.bli.map import map_vectors, prepare
from misword.bli.mapping import SIDES, Mapping, export
from misword.bli.methods.procrustes import rotation, times_matrix
from misword.bli.retrievers import RETRIEVERS
from misword.bli.search.induction import induce, induced_pairs
from misword.core.workers import cores, row_blocks
from misword.io.lexicons import read_lexicon
from timing import machine

RESULTS = Path(__file__).parent / "results"
MEASURED = RESULTS / "mapping.json"
SHARED = Path(__file__).parents[2] / "shared" / "data"
TURNS = 6  # iterations of self-learning that are measured
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Pair:
    """Files of a pair of languages: vectors of both, training lexicon, test lexicon."""

    source: str
    target: str
    train: str
    test: str


PAIRS = {
    "pseudo": Pair(
        "bli/pseudo/en0.vec.gz", "bli/pseudo/en1.vec.gz", "bli/pseudo/train.txt",
        "bli/pseudo/test.txt",
    ),
    **{
        f"en-{other}": Pair(
            "vectors/en.vec.gz", f"vectors/{other}.vec.gz", f"bli/en-{other}.0-5000.txt",
            f"bli/en-{other}.5000-6500.txt",
        )
        for other in ("fr", "de")
    },
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A method on a pair of languages.

    `released` has CPU s, MB, hit@1 by nn and by csls of the released code. `export` also writes the
    mapped vectors as text; `cached` reads the vectors into the cache before the measurement.
    """

    pair: str
    method: str
    lexicon: bool = True
    export: bool = False
    cached: bool = False
    released: tuple[float | None, ...] = (None, None, None, None)


SLOW = ":cutoff=4000,patience=50"  # the patience of the released code
ROWS = [
    Row("pseudo", "procrustes"),
    Row("pseudo", "vecmap-s", released=(None, None, 71.93, 78.67)),
    Row("pseudo", "vecmap-s", export=True, released=(7.0, 214, 71.93, 78.67)),
    Row("pseudo", "misword-s"),
    Row("pseudo", "vecmap-u", False),
    Row("pseudo", f"vecmap-u{SLOW}", False, released=(328, 397, 71.87, 78.67)),
    Row("pseudo", "misword-u", False),
    Row("pseudo", "muse-s"),
    Row("pseudo", "muse-s:holdout=0"),
    Row("pseudo", "muse-s:normalize=none,holdout=0", released=(None, None, 61.67, 79.53)),
    Row("pseudo", "rcsls", released=(105, 1824, 72.33, 79.33)),
    *(
        row
        for pair, unsupervised, muse, rcsls in (("en-fr", 250, 255, 184), ("en-de", 284, None, 192))
        for row in (
            Row(pair, "procrustes"),
            Row(pair, "vecmap-s"),
            Row(pair, "vecmap-s:normalize=unit+center,source_reweight=0,target_reweight=1"),
            Row(pair, "misword-s"),
            Row(pair, f"vecmap-semi{SLOW}"),
            Row(pair, f"vecmap-i{SLOW}", False),
            Row(pair, "vecmap-u", False),
            Row(pair, f"vecmap-u{SLOW}", False, released=(unsupervised, None, None, None)),
            Row(pair, "misword-u", False),
            Row(pair, "muse-s"),
            Row(pair, "muse-s:holdout=0"),
            Row(pair, "muse-s:normalize=none,holdout=0", released=(muse, None, None, None)),
            Row(pair, "muse-i", False),
            Row(pair, "rcsls", released=(rcsls, None, None, None)),
        )
    ),
    Row("pseudo", "vecmap-s", export=True, cached=True, released=(7.0, 214, 71.93, 78.67)),
]
QUALITY_HEADER = ("pair", "method", "hit@1 nn", "hit@1 csls", "released: nn", "csls")
COST_HEADER = ("pair", "method", "CPU s", "wall s", "MB", "released: CPU s", "MB")


def child(*arguments: str) -> dict[str, Any]:
    """Run a measurement in a process of its own, with an empty cache of vectors."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--child", *arguments, "--folder", folder],
            env={**os.environ, **ONE_THREAD, "MISWORD_CACHE": folder},
            stdout=subprocess.PIPE,
            check=True,
        )
    numbers: dict[str, Any] = json.loads(done.stdout)
    return numbers


def measured(row: Row, folder: Path, seed: int) -> dict[str, Any]:
    """Return time and memory of a method from end to end, then its hit rates."""
    pair = PAIRS[row.pair]
    train = SHARED / pair.train if row.lexicon else None
    out = folder / "mapping.map"
    if row.cached:
        prepare(SHARED / pair.source, SHARED / pair.target, row.method, lexicon=train)
    before = time.process_time() if row.cached else 0.0  # imports count, filling the cache not
    wall = time.perf_counter()
    mapping = map_vectors(
        SHARED / pair.source, SHARED / pair.target, row.method, lexicon=train, output=out, seed=seed
    )
    if row.export:
        for which in SIDES:
            export(mapping.mapped(which), folder / f"{which}.vec")
    cost = {"cpu": time.process_time() - before, "wall": time.perf_counter() - wall, "mb": peak()}
    last = {name: value for record in mapping.trace for name, value in record.items()}
    return {**cost, **hits(Mapping.read(out), SHARED / pair.test), "trace": last}


def hits(mapping: Mapping, test: Path) -> dict[str, float]:
    """Return hit@1 of the covered words in percent, by cosine and by CSLS."""
    source, target = mapping.mapped("source"), mapping.mapped("target")
    lexicon = read_lexicon(test)
    left, right = source.find(lexicon.source), target.find(lexicon.target)
    both = (left >= 0) & (right >= 0)
    queries = np.unique(left[both])
    gold = left[both] * len(target) + right[both]
    rates: dict[str, float] = {"words": len(queries)}
    for name in ("nn", "csls"):
        best = RETRIEVERS.create(name).retrieve(queries, source.rows, target.rows, 1).ids[:, 0]
        rates[name] = 100 * float(np.isin(queries * len(target) + best, gold).mean())
    return rates


def iteration(cutoff: int = 20_000) -> dict[str, Any]:
    """Measure one iteration of self-learning: rotation, mapped source, next dictionary.

    Iterations follow each other as in the training. The first and the second are not counted: they
    take longer, since the search begins with the results of the iteration before. A bare product of
    that size is measured before each: one call of BLAS on each core, written to memory that is in
    use already, since the system clears new memory, which takes about as long as the product.
    """
    pair = PAIRS["pseudo"]
    files = (SHARED / pair.source, SHARED / pair.target)
    task = prepare(*files, "vecmap-semi", lexicon=SHARED / pair.train)
    x, z = task.source.rows[:cutoff], task.target.rows[:cutoff]
    product = np.zeros((len(x), len(z)), np.float32)
    seconds = {"cpu": list[float](), "wall": list[float](), "product": list[float]()}
    pairs, estimates = task.seeds, None

    def multiply(lo: int, hi: int) -> None:
        np.matmul(x[lo:hi], z.T, out=product[lo:hi])

    for number in range(TURNS):
        cpu = time.process_time()
        row_blocks(multiply, len(x), -(-len(x) // cores()))
        seconds["product"].append(time.process_time() - cpu)
        cpu, wall = time.process_time(), time.perf_counter()
        mapped = times_matrix(x, rotation(task.source, task.target, pairs))
        induced = induce(mapped, z, keep=0.1, iteration=number, earlier=estimates)
        pairs, estimates = induced_pairs(induced, "union"), induced.estimates
        seconds["cpu"].append(time.process_time() - cpu)
        seconds["wall"].append(time.perf_counter() - wall)
    mb = peak() - product.nbytes / 2**20
    return {name: min(values[2:]) for name, values in seconds.items()} | {"mb": mb}


def peak() -> float:
    """Return the peak memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(header: tuple[str, ...], rows: Iterable[Sequence[str]], left: int = 2) -> str:
    marks = [":--" if at < left else "--:" for at in range(len(header))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, marks, *rows))


def quality_cells(row: Row, numbers: dict[str, Any]) -> list[str]:
    """Return the cells of a row in the table of hit rates."""
    words = f"{row.pair}, {numbers['words']:,} words"
    rates = [f"{numbers[name]:.2f}" for name in ("nn", "csls")]
    return [words, f"`{row.method}`", *rates, *(_cell(value) for value in row.released[2:])]


def cost_cells(row: Row, numbers: dict[str, Any]) -> list[str]:
    """Return the cells of a row in the table of times and memory."""
    name = f"`{row.method}`" + (", both sides written as text" if row.export else "")
    name += ", vectors in the cache" if row.cached else ""
    costs = [f"{numbers['cpu']:.1f}", f"{numbers['wall']:.1f}", f"{numbers['mb']:.0f}"]
    return [row.pair, name, *costs, *(_cell(value) for value in row.released[:2])]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def run(row: Row, seed: int = 0) -> dict[str, Any]:
    number = str(ROWS.index(row)) if row in ROWS else json.dumps(vars(row))
    numbers = child("row", number, "--seed", str(seed))
    cells = quality_cells(row, numbers) + cost_cells(row, numbers)[2:]
    print(*cells, file=sys.stderr, flush=True)
    return numbers


def measure_all(only: str) -> dict[str, Any]:
    """Measure all rows, or only those of one method (or `turn`); return all measurements."""
    measurements: dict[str, Any] = json.loads(MEASURED.read_text("utf-8")) if only else {}
    for row in ROWS:
        if only in ("", row.method.partition(":")[0], key(row)):
            measurements[key(row)] = run(row)
    if only in ("", "turn"):
        measurements["turn"] = child("iteration")
    known = {key(row) for row in ROWS} | {"turn"}
    measurements = {name: value for name, value in measurements.items() if name in known}
    text = json.dumps(measurements, indent=1, sort_keys=True) + "\n"
    MEASURED.write_text(text, encoding="utf-8")
    return measurements


def key(row: Row) -> str:
    return " ".join([row.pair, row.method, *["exported"] * row.export, *["cached"] * row.cached])


def methods(measurements: dict[str, Any]) -> str:
    """Return the page on all methods."""
    measured_rows = [(row, measurements[key(row)]) for row in ROWS if key(row) in measurements]
    turn = measurements["turn"]
    ratio = f"{turn['cpu'] / turn['product']:.2f}"
    turns = [
        ["misword", f"{turn['cpu']:.2f}", ratio, f"{turn['wall']:.2f}", f"{turn['mb']:.0f}"],
        ["one bare product of that size", f"{turn['product']:.2f}", "1.00", "", ""],
        ["released code", "27.5", "", "", "3492"],
    ]
    return "\n\n".join(
        [
            "# Mapping",
            f"`python bench/mapping.py`, {machine()}, shared with other work: CPU seconds count. "
            "The released code's figures are from another day on a machine of this kind: vecmap-u "
            "at cutoff 4,000 with its own schedule (hit rates at 3,000), muse-s with its "
            "evaluations. One thread of BLAS on both sides.",
            "## How good",
            "hit@1 over the covered words of the test lexicon, in percent.",
            table(
                QUALITY_HEADER,
                [quality_cells(row, one) for row, one in measured_rows if not row.export],
            ),
            "## How fast",
            "End to end in a process of its own with an empty cache: read, train, write.",
            table(COST_HEADER, [cost_cells(row, one) for row, one in measured_rows]),
            "## One turn of self-learning, 20,000 words of 300 dimensions on each side",
            table(("", "CPU s", "times the product", "wall s", "MB"), turns, 1),
        ]
    )


def seeds(count: int) -> str:
    """Return the page on vecmap-u with different seeds."""
    row = Row("pseudo", "vecmap-u", False)
    runs = [run(row, seed) for seed in range(count)]
    names = ("seed", "turns", "objective", "hit@1 nn", "hit@1 csls", "CPU s", "wall s")
    rows = [
        [str(seed), f"{one['trace']['iteration']}", f"{one['trace']['objective']:.4f}"]
        + [f"{one[name]:.2f}" for name in ("nn", "csls", "cpu", "wall")]
        for seed, one in enumerate(runs)
    ]
    successes = sum(one["csls"] >= 78 for one in runs)
    return "\n\n".join(
        [
            "# vecmap-u with different seeds",
            f"`python bench/mapping.py --seeds {count}`, {machine()}. bli/pseudo, "
            f"`vecmap-u`: {successes} of {count} seeds at 78 or above by CSLS.",
            table(names, rows, 0),
        ]
    )


def large() -> str:
    """Return the page on vecmap-u with the released schedule."""
    row = Row("pseudo", "vecmap-u:schedule=released", False, released=(11_000, 3492, None, None))
    numbers = run(row)
    turns = numbers["trace"]["iteration"]
    return "\n\n".join(
        [
            "# vecmap-u with the released schedule",
            f"`python bench/mapping.py --large`, {machine()}. {turns} turns. "
            "The released code's time is 27.5 CPU s for each of about 400 turns.",
            table(QUALITY_HEADER, [quality_cells(row, numbers)]),
            table(COST_HEADER, [cost_cells(row, numbers)]),
        ]
    )


def games() -> str:
    """Return the page on muse-u at its defaults."""
    runs = [(row, run(row)) for row in (Row(pair, "muse-u", False) for pair in PAIRS)]
    names = ("pair", "starts", "objective", "chance")
    starts = [
        [row.pair, f"{one['trace']['start'] + 1}"]
        + [f"{one['trace'][name]:.3f}" for name in ("objective", "chance")]
        for row, one in runs
    ]
    return "\n\n".join(
        [
            "# muse-u at its defaults",
            f"`python bench/mapping.py --games`, {machine()}. The objective is that of the last "
            "start.",
            table(QUALITY_HEADER, [quality_cells(row, one) for row, one in runs]),
            table(names, starts, 1),
            table(COST_HEADER, [cost_cells(row, one) for row, one in runs]),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--seeds", type=int, default=0, metavar="N")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--games", action="store_true")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, *which = options.child
        if what == "iteration":
            numbers = iteration()
        else:
            row = Row(**json.loads(which[0])) if which[0][0] == "{" else ROWS[int(which[0])]
            numbers = measured(row, Path(options.folder), options.seed)
        print(json.dumps(numbers))
        return
    if options.seeds:
        name, text = "mapping-seeds.md", seeds(options.seeds)
    elif options.large:
        name, text = "mapping-large.md", large()
    elif options.games:
        name, text = "mapping-games.md", games()
    else:
        name, text = "mapping.md", methods(measure_all(options.only))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
