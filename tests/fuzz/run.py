"""Run fuzzed cases: `python tests/fuzz/run.py --runs 100000 --seed 1`, or `make fuzz`.

The seed and the number of a case decide it. Each case that fails is written as a folder in
build/fuzz with its files; `--cases FOLDER` runs it again.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
# One thread each: a child that is forked has only the thread that forked it.
os.environ |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}

from fuzz.cases import INDEX, Case  # noqa: E402
from fuzz.children import SEED_CACHE, Failure, Make, rate, run_cases  # noqa: E402
from fuzz.command_lines import command_case  # noqa: E402
from fuzz.readers import reader_case  # noqa: E402
from fuzz.seeds import read_seeds, write_seeds  # noqa: E402

DRIVERS = {"readers": reader_case, "commands": command_case}
FOUND = ROOT / "build" / "fuzz"
PROGRESS_SECONDS = 5


def main() -> int:
    """Run the cases and return 1 if one failed."""
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="misword-fuzz-") as folder:
        if options.cases:
            folders = sorted(path.parent for path in options.cases.resolve().rglob(INDEX))
            make: Make = lambda number: Case.load(folders[number])  # noqa: E731
            numbers = range(len(folders))
        else:
            make = maker(options.seed, made_seeds(Path(folder)), options.only)
            numbers = range(options.start, options.start + options.runs)
        return 1 if run(make, numbers, Path(folder), options) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000, help="number of cases")
    parser.add_argument("--seed", type=int, default=0, help="seed of all cases")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--only", choices=DRIVERS, help="readers or command lines; default: both")
    parser.add_argument("--cases", type=Path, help="run the saved cases in this folder instead")
    return parser.parse_args()


def made_seeds(folder: Path) -> dict[str, bytes]:
    """Return the seeds. A process of its own makes them, because polars starts threads."""
    desk = folder / "seeds"
    desk.mkdir()
    process = os.fork()
    if process == 0:
        os.environ["MISWORD_CACHE"] = str(folder / SEED_CACHE)
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            write_seeds(desk)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(process, 0)
    if status:
        raise SystemExit("the seeds cannot be made")
    return read_seeds(desk)


def maker(seed: int, seeds: dict[str, bytes], only: str | None) -> Make:
    """Return the function that makes the case of a number: two calls of readers, then a command."""

    def make(number: int) -> Case:
        name = only or ("commands" if number % 3 == 2 else "readers")
        return DRIVERS[name](Random(f"{seed} {number}"), seeds)

    return make


def run(make: Make, numbers: range, folder: Path, options: argparse.Namespace) -> list[Failure]:
    """Run all cases, print the progress, and write the cases that fail."""
    start = shown = time.monotonic()
    done, failures = 0, []
    for result in run_cases(make, numbers, folder, options.jobs):
        done += 1
        if isinstance(result, Failure):
            failures.append(result)
            print(f"\n{saved_failure(make(result.number), result, options)}", flush=True)
        if time.monotonic() - shown > PROGRESS_SECONDS:
            shown = time.monotonic()
            print(progress(done, start, failures), flush=True)
    print(progress(done, start, failures))
    return failures


def progress(done: int, start: float, failures: list[Failure]) -> str:
    return f"{done:,} cases, {rate(done, start)}, {len(failures)} failed"


def saved_failure(case: Case, failure: Failure, options: argparse.Namespace) -> str:
    """Write a case that failed, unless it was read; return what failed and how to run it again."""
    folder = options.cases
    if not folder:
        folder = FOUND / f"seed{options.seed}-{options.only or 'all'}-{failure.number}"
        case.save(folder, failure.problem)
    again = f"run it again: python tests/fuzz/run.py --cases {folder}"
    return f"{case.target} {case.words}\n{failure.problem}\n{again}"


if __name__ == "__main__":
    sys.exit(main())
