"""What it costs to bring two languages into one space, and how good it is: `python
bench/mapping.py`.

Each method runs end to end (read the compressed vectors with an empty cache, train, write) in a
process of its own, whose CPU time, wall time and greatest memory are taken; then hit@1 over the
covered test words by plain cosine and by CSLS, which is not part of the time. Beside it what the
released code came to on two cores of another day (shared/ALGORITHMS.md). Writes
bench/results/mapping.md.

`--only NAME` runs the methods of that name; `--seeds 10` vecmap-u with as many seeds at cutoff
4,000 (mapping-seeds.md), `--large` once at its default of 20,000 words (mapping-large.md; both take
long).
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from misword.bli.export import export
from misword.bli.induction import induce
from misword.bli.map import map_vectors, prepare
from misword.bli.mapping import SIDES, Mapping
from misword.bli.mappings.learning import turned
from misword.bli.mappings.linear import cross, orthogonal
from misword.bli.products import Store
from misword.bli.retrievers import RETRIEVERS
from misword.io.lexicons import read_lexicon
from timing import machine

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Pair:
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
    """A method on a pair; `released` has CPU s, MB, hit@1 nn and csls of the released code."""

    pair: str
    method: str
    lexicon: bool = True
    export: bool = False
    cached: bool = False
    released: tuple[float | None, ...] = (None, None, None, None)


ROWS = [
    Row("pseudo", "procrustes"),
    Row("pseudo", "vecmap-s"),
    Row("pseudo", "vecmap-s", export=True, released=(12.0, 214, 71.93, 78.67)),
    Row("pseudo", "vecmap-u:cutoff=4000", False, released=(855, 397, 71.87, 78.67)),
    Row("pseudo", "muse-s", released=(900, None, 61.67, 79.53)),
    Row("pseudo", "rcsls", released=(103, 1824, 72.33, 79.33)),
    *(
        row
        for pair in ("en-fr", "en-de")
        for row in (
            Row(pair, "procrustes"),
            Row(pair, "vecmap-s"),
            Row(pair, "vecmap-s:normalize=unit+center,source_reweight=0,target_reweight=1"),
            Row(pair, "vecmap-semi:cutoff=4000"),
            Row(pair, "vecmap-i:cutoff=4000", False),
            Row(pair, "vecmap-u:cutoff=4000", False),
            Row(pair, "muse-s"),
            Row(pair, "muse-s:normalize=unit+center+unit"),
            Row(pair, "muse-i", False),
            Row(pair, "rcsls"),
        )
    ),
    Row("pseudo", "vecmap-s", export=True, cached=True, released=(12.0, 214, 71.93, 78.67)),
]
HEAD = (
    "| pair | method | CPU s | wall s | MB | hit@1 nn | hit@1 csls "
    "| released: CPU s | MB | nn | csls |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def child(*arguments: str) -> dict[str, Any]:
    """Run a measurement in a process of its own, with an empty cache of vectors."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--child", *arguments, "--folder", folder],
            env={**os.environ, "MISWORD_CACHE": folder},
            stdout=subprocess.PIPE,
            check=True,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measured(row: Row, folder: Path, seed: int) -> dict[str, Any]:
    """End to end, then how good it is."""
    pair = PAIRS[row.pair]
    train = SHARED / pair.train if row.lexicon else None
    out = folder / "made.map"
    if row.cached:
        prepare(SHARED / pair.source, SHARED / pair.target, row.method, lexicon=train)
    cpu, wall = time.process_time(), time.perf_counter()
    mapping = map_vectors(
        SHARED / pair.source, SHARED / pair.target, row.method, lexicon=train, out=out, seed=seed
    )
    if row.export:
        for which in SIDES:
            export(mapping.mapped(which), folder / f"{which}.vec")
    spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "mb": peak()}
    last = {name: value for record in mapping.trace for name, value in record.items()}
    return {**spent, **hits(Mapping.read(out), SHARED / pair.test), "trace": last}


def hits(mapping: Mapping, test: Path) -> dict[str, float]:
    """hit@1 of the covered words."""
    source, target = mapping.mapped("source"), mapping.mapped("target")
    lexicon = read_lexicon(test)
    left, right = source.find(lexicon.source), target.find(lexicon.target)
    both = (left >= 0) & (right >= 0)
    queries = np.unique(left[both])
    gold = left[both] * len(target) + right[both]
    found: dict[str, float] = {"words": len(queries)}
    for name in ("nn", "csls"):
        best = RETRIEVERS.create(name).retrieve(queries, source.rows, target.rows, 1).ids[:, 0]
        found[name] = 100 * float(np.isin(queries * len(target) + best, gold).mean())
    return found


def iteration(cutoff: int = 20_000) -> dict[str, Any]:
    """One turn of self-learning at full size: the map, the turned source, the next dictionary."""
    pair = PAIRS["pseudo"]
    task = prepare(SHARED / pair.source, SHARED / pair.target, "vecmap-u")
    x, z = task.source.rows[:cutoff], task.target.rows[:cutoff]
    count = min(len(x), len(z))
    pairs = np.column_stack([np.arange(2 * count) % count] * 2)
    best, store = {"cpu": np.inf, "wall": np.inf}, Store()
    for turn in range(3):  # the first also compiles
        cpu, wall = time.process_time(), time.perf_counter()
        matrix = orthogonal(cross(x, z, pairs)).astype(np.float32)
        induce(turned(x, matrix, None), z, csls=10, keep=0.1, seed=0, turn=turn, store=store)
        best["cpu"] = min(best["cpu"], time.process_time() - cpu)
        best["wall"] = min(best["wall"], time.perf_counter() - wall)
    found = {**best, "mb": peak()}
    cpu = time.process_time()
    _ = x @ z.T
    return {**found, "product": time.process_time() - cpu}


def peak() -> float:
    """The greatest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def shown(row: Row, found: dict[str, Any]) -> str:
    name = f"`{row.method}`" + (", both sides written as text" if row.export else "")
    name += ", vectors in the cache" if row.cached else ""
    released = ["" if value is None else f"{value:g}" for value in row.released]
    cells = [
        f"{row.pair} ({found['words']:,} words)", name, f"{found['cpu']:.1f}",
        f"{found['wall']:.1f}", f"{found['mb']:.0f}", f"{found['nn']:.2f}", f"{found['csls']:.2f}",
        *released,
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def run(row: Row, seed: int = 0) -> dict[str, Any]:
    number = str(ROWS.index(row)) if row in ROWS else json.dumps(vars(row))
    found = child("row", number, "--seed", str(seed))
    print(shown(row, found), file=sys.stderr, flush=True)
    return found


def methods(only: str) -> str:
    rows = [row for row in ROWS if only in ("", row.method.partition(":")[0])]
    lines = [shown(row, run(row)) for row in rows]
    turn = child("iteration")
    return "\n\n".join(
        [
            "# Mapping",
            f"`python bench/mapping.py`, {machine()}. End to end with an empty cache: read, train, "
            "write; hit@1 over the covered words of the test lexicon. The released code's figures "
            "are from another run on a machine of this kind.",
            "\n".join([HEAD, *lines]),
            "## One turn of self-learning, 20,000 words of 300 dimensions on each side",
            "| | CPU s | wall s | MB |\n|:--|--:|--:|--:|\n"
            f"| misword | {turn['cpu']:.2f} | {turn['wall']:.2f} | {turn['mb']:.0f} |\n"
            f"| one bare product of that size | {turn['product']:.2f} | | |\n"
            "| released code | 43 | 60 | 3492 |",
        ]
    )


def seeds(count: int) -> str:
    row = Row("pseudo", "vecmap-u:cutoff=4000", False)
    lines, good = [], 0
    for seed in range(count):
        found = run(row, seed)
        good += found["csls"] >= 78
        cells = [str(seed), f"{found['trace']['iteration']}", f"{found['trace']['objective']:.4f}"]
        cells += [f"{found[name]:.2f}" for name in ("nn", "csls", "cpu", "wall")]
        lines.append("| " + " | ".join(cells) + " |")
    names = ["seed", "turns", "objective", "hit@1 nn", "hit@1 csls", "CPU s", "wall s"]
    head = "\n".join(f"| {' | '.join(cells)} |" for cells in (names, ["--:"] * len(names)))
    return "\n\n".join(
        [
            "# vecmap-u with different seeds",
            f"`python bench/mapping.py --seeds {count}`, {machine()}. bli/pseudo, "
            f"`vecmap-u:cutoff=4000`: {good} of {count} seeds at 78 or above by CSLS.",
            "\n".join([head, *lines]),
        ]
    )


def large() -> str:
    row = Row("pseudo", "vecmap-u", False, released=(17_200, 3492, None, None))
    found = run(row)
    return "\n\n".join(
        [
            "# vecmap-u at its defaults",
            f"`python bench/mapping.py --large`, {machine()}. {found['trace']['iteration']} turns. "
            "The released code's time is 43 CPU s for each of about 400 turns.",
            "\n".join([HEAD, shown(row, found)]),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--seeds", type=int, default=0, metavar="N")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, *which = options.child
        if what == "iteration":
            found = iteration()
        else:
            row = Row(**json.loads(which[0])) if which[0][0] == "{" else ROWS[int(which[0])]
            found = measured(row, Path(options.folder), options.seed)
        print(json.dumps(found))
        return
    if options.seeds:
        name, text = "mapping-seeds.md", seeds(options.seeds)
    elif options.large:
        name, text = "mapping-large.md", large()
    else:
        name, text = "mapping.md", methods(options.only)
    if options.only:
        print(text)
        return
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
