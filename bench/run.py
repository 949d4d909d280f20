"""Run the benchmarks and mark their results with the commit: `make bench`.

    python bench/run.py                all of them
    python bench/run.py spine startup  some of them
    python bench/run.py --list         their names and commands

A benchmark that fails does not stop the others. At the end the pages that quote tables of results
get the new rows (bench/quotes.py), and a list says what could not be run, and which results are
therefore those of another commit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import quotes
import stamps

ROOT = Path(__file__).parent.parent
# The benchmarks in the order in which they are run: the short ones that most pages quote first.
# A name stands for bench/NAME.py.
COMMANDS: dict[str, list[str]] = {
    name: [f"bench/{name}.py"]
    for name in (
        *("spine", "growth", "startup", "memory", "alternatives", "loading", "meaning"),
        *("significance", "comparing", "oracle", "tune", "mbr", "rescore", "entities"),
        *("entity_orders", "forgive", "phonology", "corrupt", "realism"),
        *("retrieval", "mapping", "reranking", "dewhitening", "better_map", "auto_method"),
        *("draft", "lexicon", "audit"),
        *("robust", "report", "report_pages", "hats", "scale", "chaos"),
        *("recogniser_output", "segments", "severity", "references", "listen", "speakers", "times"),
    )
} | {
    "number_values": ["bench/number_values.py", "--out", "bench/results/number_values.md"],
    "better_map_reranked": ["bench/better_map.py", "--reranked", "1"],
    "neural": ["bench/neural.py", "--int8"],
    "install_sizes": ["tools/measure_sizes.py"],
    "intervals": ["tools/simulate_intervals.py"],
    "verdicts": ["tools/simulate_verdicts.py"],
    "shifts": ["tools/simulate_shifts.py"],
    "loops": ["tools/simulate_loops.py"],
    "prior": ["tools/simulate_prior.py"],
    "benchmarks": ["tools/simulate_benchmarks.py"],
    "changes": ["tools/simulate_changes.py"],
}


def main() -> int:
    """Run the chosen benchmarks; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks (default: all)")
    parser.add_argument("--list", action="store_true", help="print the names and commands")
    parser.add_argument("--patience", type=float, default=3600, help="seconds for each (3600)")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{name:16} {' '.join(words)}" for name, words in COMMANDS.items()))
        return 0
    if unknown := [name for name in options.names if name not in COMMANDS]:
        parser.error(f"unknown: {', '.join(unknown)}; --list prints the names")
    failures = {}
    for name in options.names or COMMANDS:
        if reason := run(name, options.patience):
            failures[name] = reason
    quotes.main()
    print(summary(failures), flush=True)
    return 1 if failures else 0


def run(name: str, patience: float) -> str:
    """Run a benchmark and stamp what it wrote; return why it failed, empty if it did not."""
    before = {path: path.stat().st_mtime_ns for path in stamps.results()}
    print(f"== {name}", flush=True)
    start = time.monotonic()
    command = [sys.executable, *COMMANDS[name]]
    reason = ""
    try:
        done = subprocess.run(
            command, cwd=ROOT, stderr=subprocess.PIPE, text=True, timeout=patience, check=False
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            reason = lines[-1]
    except subprocess.TimeoutExpired:
        reason = f"not finished after {patience:g} seconds"
    written = [path for path in stamps.results() if before.get(path) != path.stat().st_mtime_ns]
    if not reason:
        stamp = stamps.now()
        for path in written:
            path.write_text(stamps.stamped(path.read_text("utf-8"), stamp), "utf-8")
    names = ", ".join(path.name for path in written) or "no page of results"
    print(f"   {reason or names}; {time.monotonic() - start:.0f} s", flush=True)
    return reason


def summary(failures: dict[str, str]) -> str:
    """Return what could not be run, and how old all results are."""
    lines = [f"could not be run: {name}: {reason}" for name, reason in failures.items()]
    return "\n".join([*(lines or ["all chosen benchmarks were run"]), "", stamps.ages()])


if __name__ == "__main__":
    sys.exit(main())
