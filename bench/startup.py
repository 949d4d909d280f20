"""Whole processes of misword and of jiwer, from the start of Python to its end: `make bench`.

Both packages are installed in new virtual environments, as a user installs them. CPU time is that
of a process with all its threads; the least of a few runs counts. Commands take turns, so that a
busy machine slows down all of them. Writes bench/results/startup.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import corpus
from timing import Timing, machine, table

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "startup.md"
ROUNDS = 5
COUNTS = "S, D, I"
INTERVAL = "S, D, I, interval"
SMALL = "import misword; misword.score(['a b c', 'd e'], ['a x c', 'd e'])"
SINGLE = "import misword; misword.wer('the cat sat', 'the cat sad')"
FEW = 60  # lines of small files
PACKAGES = 200
JIWER = """
import sys, jiwer
from pathlib import Path
references, hypotheses = (Path(p).read_text("utf-8").splitlines() for p in sys.argv[1:])
print(jiwer.process_words(references, hypotheses))
"""


@dataclass
class Command:
    """A command, with its arguments and environment; `prepare` is called before each run."""

    name: str
    note: str
    words: list[str]
    environment: dict[str, str]
    prepare: Callable[[], None] = lambda: None

    def run(self) -> tuple[float, float]:
        """Return the CPU seconds and the wall seconds of one run."""
        self.prepare()
        before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(self.words, env=self.environment, capture_output=True, check=True)
        wall, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return used, wall


def measure(commands: list[Command]) -> list[Timing]:
    """Return the least times of each command; the commands take turns."""
    runs = [[command.run() for command in commands] for _ in range(ROUNDS)]
    timings = []
    for command, times in zip(commands, zip(*runs, strict=True), strict=True):
        cpu, wall = (min(values) for values in zip(*times, strict=True))
        timings.append(Timing(command.name, command.note, cpu, wall))
        print(f"{command.name:60} cpu {cpu:6.3f} s  wall {wall:6.3f} s", file=sys.stderr)
    return timings


def install(folder: Path, package: str) -> Path:
    """Install a package in a new virtual environment; return the folder of its programs."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    programs = folder / "bin"
    pip = [str(programs / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", package], check=True)
    return programs


def write_files(folder: Path) -> list[str]:
    """Write the corpus of the benchmarks as two files of lines; return their paths."""
    paths = [folder / "ref.txt", folder / "hyp.txt"]
    for path, texts in zip(paths, corpus.make(), strict=True):
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return list(map(str, paths))


def from_files(folder: Path, misword: Path, jiwer: Path) -> list[Timing]:
    """Time scoring of files; the caches of each first run are empty."""
    files = write_files(folder)
    home, package = folder / "home", folder / "package"
    environment = clean_environment(home)
    uncompiled = {**environment, "PYTHONPATH": str(package)}
    installed = next(misword.parent.glob("lib/*/site-packages/misword"))

    def empty_caches() -> None:
        shutil.rmtree(home, ignore_errors=True)

    def without_bytecode() -> None:
        empty_caches()
        shutil.rmtree(package, ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(installed, package / "misword", ignore=ignored)

    score = [str(misword / "misword"), "score", *files, "--metrics", "wer"]
    script = [str(jiwer / "python"), "-c", JIWER, *files]
    program = [str(jiwer / "jiwer"), "-r", files[0], "-h", files[1]]
    return measure(
        [
            Command("`misword score`, first run", INTERVAL, score, environment, empty_caches),
            Command("`misword score`, second run", INTERVAL, score, environment),
            Command(
                "`misword score`, first run of an editable install, without `.pyc` files",
                INTERVAL,
                score,
                uncompiled,
                without_bytecode,
            ),
            Command("`jiwer -r ref.txt -h hyp.txt`", "rate", program, environment),
            Command("`jiwer.process_words` of the lines", COUNTS, script, environment),
        ]
    )


def small_processes(folder: Path, misword: Path) -> list[Timing]:
    """Time processes that read no large file."""
    environment = clean_environment(folder / "home")
    python, program = str(misword / "python"), str(misword / "misword")
    files = [folder / name for name in ("few-ref.txt", "few-hyp.txt")]
    for path, texts in zip(files, corpus.make(FEW), strict=True):
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    words = {
        f"`misword score` of two files of {FEW} lines": [program, "score", *map(str, files)],
        "`import misword`, score two sentences": [python, "-c", SMALL],
        "`import misword`, `wer` of two sentences": [python, "-c", SINGLE],
        "`misword --help`": [program, "--help"],
        "`misword score --help`": [program, "score", "--help"],
        "`misword parts`": [program, "parts"],
        "Python alone": [python, "-c", "pass"],
        "`import numpy`": [python, "-c", "import numpy"],
        "`import polars`": [python, "-c", "import polars"],
    }
    timings = measure([Command(name, "", line, environment) for name, line in words.items()])
    add_packages(next(misword.parent.glob("lib/*/site-packages")))
    more = [Command(f"{name}, {PACKAGES} more packages", "", words[name], environment)
            for name in (next(iter(words)), "`misword parts`")]  # fmt: skip
    return timings + measure(more)


def add_packages(site: Path) -> None:
    """Make an environment like that of a large project: packages with entry points."""
    for number in range(PACKAGES):
        info = site / f"package_{number}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: package-{number}\nVersion: 1.0\n", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(
            f"[console_scripts]\nprogram-{number} = package_{number}:main\n", encoding="utf-8"
        )


def clean_environment(home: Path) -> dict[str, str]:
    """Return an environment without settings of Python, and with all caches in `home`."""
    kept = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
    return {**kept, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}


def sizes(misword: Path) -> str:
    """Return a table of the packages of an installation: megabytes on disk."""
    site = next(misword.parent.glob("lib/*/site-packages"))
    packages = {dist.name: _megabytes(dist) for dist in distributions(path=[str(site)])}
    total = sum(packages.values())
    ordered = sorted(packages.items(), key=lambda item: -item[1])
    rows = [f"| {name} | {size:.0f} |" for name, size in ordered if size >= 1]
    head = f"### Size of a plain install\n\n| | MB |\n|:--|--:|\n| all | {total:.0f} |\n"
    return head + "\n".join(rows)


def _megabytes(package: Distribution) -> float:
    paths = {Path(str(package.locate_file(file))) for file in package.files or ()}
    return sum(path.stat().st_blocks * 512 for path in paths if path.exists()) / 2**20


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        misword = install(folder / "misword", str(ROOT))
        jiwer = install(folder / "jiwer", "jiwer==4.0.0")
        parts = [
            "# Whole processes, from start to end",
            f"`make bench`, {machine()}. Packages in new virtual environments; CPU seconds of the "
            f"process with all its threads, the least of {ROUNDS} runs. Ratios are to the first "
            "row of a table.",
            table(f"Files of {corpus.PAIRS:,} lines", from_files(folder, misword, jiwer)),
            table("Small processes", small_processes(folder, misword)),
            sizes(misword),
        ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
