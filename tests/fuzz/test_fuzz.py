"""A bounded run of both drivers, all past crashes, and faults that the harness must find."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import polars as pl
import pytest

from fuzz.cases import COMMAND, Case
from fuzz.children import changed_inputs, judge
from fuzz.mutation import mutated
from fuzz.own_file_mutation import mutated_own_files
from fuzz.readers import OWN_READERS, READERS, TARGETS
from fuzz.seeds import OWN, read_seeds, write_seeds
from misword.core.types import Result
from misword.io.results import write_result

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and limits the memory")

HERE = Path(__file__).parent
CRASHES = sorted(path.parent for path in HERE.glob("crashes/*/case.json"))
PLANTED = """
import os, sys
sys.path[:0] = {paths!r}
from pathlib import Path
from fuzz import children, readers
from fuzz.cases import Case

def hang():
    while True: pass

def fill(): return bytearray(3 << 30)

readers.READERS |= dict(hang=hang, fill=fill, abort=os.abort, divide=lambda: 1 / 0, good=int)
children.CPU_SECONDS = 1
names = ["good", "hang", "fill", "abort", "divide", "good"]
make = lambda number: Case(names[number], [])
for result in children.run_cases(make, range(len(names)), Path({folder!r}), jobs={jobs}):
    if isinstance(result, children.Failure):
        print(names[result.number], result.problem.split("\\n")[0])
    else:
        print(names[result])
"""


def run(*options: str) -> str:
    command = [sys.executable, str(HERE / "run.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    return done.stdout


def test_fuzzed_readers_and_commands() -> None:
    """Part of the run of `make fuzz`, with a fixed seed."""
    assert "1,500 cases" in run("--runs", "1500", "--seed", "0", "--jobs", "2")


def test_past_crashes() -> None:
    assert CRASHES
    assert f"{len(CRASHES)} cases" in run("--cases", str(HERE / "crashes"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_faults_are_found(tmp_path: Path, jobs: int) -> None:
    paths = [str(HERE.parent), str(HERE.parents[1] / "src")]
    script = PLANTED.format(paths=paths, folder=str(tmp_path), jobs=jobs)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    found = sorted(line.strip() for line in done.stdout.splitlines())
    assert found == [
        "abort ended by exit code -6",
        "divide Traceback (most recent call last):",
        "fill Traceback (most recent call last):",
        "good",
        "good",
        "hang ended by 10 s of CPU time",
    ], done.stderr


@pytest.mark.parametrize(
    ("code", "output", "errors", "problem"),
    [
        (0, b"{}", "note: a", ""),
        (2, b"", "misword score: a", ""),
        (70, b"", "", "exit code 70"),
        (-11, b"", "", "exit code -11"),
        (2, b"", "Traceback (most recent call last)", "Traceback"),
        (2, b"", "thread panicked at src/a.rs", "panicked"),
        (2, b"", "misword score: not enough memory", "memory"),
        (2, b"", "a\x1b[2J", "character"),
        (2, b"", "a" * 30_000, "30000 characters"),
        (0, b"{'a'}", "", "no JSON"),
        (0, b'{"a": NaN}', "", "no JSON"),
    ],
)
def test_the_end_of_a_command_is_judged(
    code: int, output: bytes, errors: str, problem: str
) -> None:
    found = judge(["score", "--format", "json"], code, output, errors)
    assert problem in found if problem else not found


def test_inputs_that_were_changed_are_found(tmp_path: Path) -> None:
    files = {"ref.txt": b"a", "hyp.txt": b"b", "old/result.json": b"{}", "gone.txt": b"c"}
    case = Case(COMMAND, ["score", "ref.txt", "hyp.txt", "--out", "old"], files)
    case.write_files(tmp_path)
    (tmp_path / "hyp.txt").write_bytes(b"x")
    (tmp_path / "old/result.json").write_bytes(b"x")
    (tmp_path / "gone.txt").unlink()
    assert changed_inputs(case, tmp_path) == ["hyp.txt", "gone.txt"]


def test_cases_are_saved_and_loaded(tmp_path: Path) -> None:
    case = Case(COMMAND, ["score", "\udcff", "a/b.txt"], {"a/b.txt": b"\x00\xff"})
    case.save(tmp_path / "case", "a problem")
    assert Case.load(tmp_path / "case") == case


def test_mutations_depend_on_the_seed_alone() -> None:
    data = b"utt,text\n1,the cat\n"
    made = [mutated(data, Random(seed)) for seed in range(200)]
    assert made == [mutated(data, Random(seed)) for seed in range(200)]
    assert len(set(made)) > 150


def test_seeds_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed that is refused would make all its mutations useless."""
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    desk = tmp_path / "desk"
    desk.mkdir()
    monkeypatch.chdir(desk)  # which is restored at the end
    write_seeds(desk)
    for target in TARGETS:
        more = [choices[0] for choices in target.more]
        for name in target.inputs[0]:
            others = [choices[0] for choices in target.inputs[1:]]
            READERS[target.reader](name, *others, *more)
    for name in OWN:
        reader = OWN_READERS.get(name, "read_result")
        READERS[reader](name, *([""] if reader == "read_vectors" else []))


def test_changes_of_own_files_depend_on_the_seed_alone(tmp_path: Path) -> None:
    write_result(Result("score", {"rates": pl.DataFrame({"x": [1, 2]})}, {}), tmp_path / "scored")
    files = read_seeds(tmp_path)
    made = [mutated_own_files(files, Random(seed)) for seed in range(50)]
    assert made == [mutated_own_files(files, Random(seed)) for seed in range(50)]
    assert sum(files != changed for changed in made) > 40
