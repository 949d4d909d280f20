"""Run fuzzed cases: `python tests/fuzz/run.py --runs 100000 --seed 1`, or `make fuzz`.

The seed and the number of a case decide it. Each case that fails is written as a folder in
build/fuzz with its files; `--case FOLDER` runs it again.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
# One thread each: a child that is forked has only the thread that forked it.
os.environ |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}

from fuzz.cases import Case  # noqa: E402
from fuzz.children import Failure, rate, run_cases  # noqa: E402
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
        if options.case:
            case = Case.load(options.case)
            results = list(run_cases(lambda number: case, range(1), Path(folder)))
            return report([result for result in results if isinstance(result, Failure)])
        seeds = made_seeds(Path(folder))
        make = maker(options.seed, seeds, options.only)
        numbers = range(options.start, options.start + options.runs)
        return report(run(make, numbers, Path(folder), options))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000, help="number of cases")
    parser.add_argument("--seed", type=int, default=0, help="seed of all cases")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--only", choices=DRIVERS, help="readers or command lines; default: both")
    parser.add_argument("--case", type=Path, help="run the case in this folder")
    return parser.parse_args()


def made_seeds(folder: Path) -> dict[str, bytes]:
    """Return the seeds. A process of its own makes them, because polars starts threads."""
    desk = folder / "seeds"
    desk.mkdir()
    process = os.fork()
    if process == 0:
        os.environ["MISWORD_CACHE"] = str(folder / "cache")
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


def maker(seed: int, seeds: dict[str, bytes], only: str | None) -> Callable[[int], Case]:
    """Return the function that makes the case of a number: two calls of readers, then a command."""

    def make(number: int) -> Case:
        name = only or ("commands" if number % 3 == 2 else "readers")
        return DRIVERS[name](Random(f"{seed} {number}"), seeds)

    return make


def run(
    make: Callable[[int], Case], numbers: range, folder: Path, options: argparse.Namespace
) -> list[Failure]:
    """Run all cases, print the progress, and write the cases that fail."""
    start = shown = time.monotonic()
    done, failures = 0, []
    for result in run_cases(make, numbers, folder, options.jobs):
        done += 1
        if isinstance(result, Failure):
            failures.append(result)
            case = make(result.number)
            target = FOUND / f"seed{options.seed}-{options.only or 'all'}-{result.number}"
            case.save(target, result.problem)
            print(f"\n{case.target} {case.words}\n{result.problem}\nrun it again: {again(target)}")
        if time.monotonic() - shown > PROGRESS_SECONDS:
            shown = time.monotonic()
            print(progress(done, start, failures), flush=True)
    print(progress(done, start, failures))
    return failures


def progress(done: int, start: float, failures: list[Failure]) -> str:
    return f"{done:,} cases, {rate(done, start)}, {len(failures)} failed"


def again(folder: Path) -> str:
    return f"python tests/fuzz/run.py --case {folder}"


def report(failures: list[Failure]) -> int:
    for failure in failures:
        print(failure.problem)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
