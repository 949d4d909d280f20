"""Run tests with kernels that check each memory access and each operation on integers.

    python tools/run_sanitized.py [arguments of pytest]

The kernels are compiled by gcc with the address and the undefined-behaviour sanitizer into
`build/sanitize`. Without gcc, the package `ziglang` compiles them with the second sanitizer only.
Python allocates the memory of each object separately (PYTHONMALLOC), so that a kernel that reads
beyond an array is seen. Before the tests run, two wrong calls of a kernel must be reported.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from build_native import WARNINGS, ZIG, build
from misword.native.library import library

FOLDER = Path(__file__).resolve().parent.parent / "build" / "sanitize"
REPORT = FOLDER / "report"  # the sanitizers append a dot and the number of the process
FLAGS = ["-g", "-O1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
WRONG_CALL = """
import numpy as np
from misword.native.library import INTEGER, array, procedure
numbers = array(np.uint64)
rehash = procedure("misword_rehash_words", numbers, INTEGER, numbers, INTEGER)
rehash(np.ones(3, np.uint64), {bits}, np.zeros(3 << 4, np.uint64), 4)
"""


def main() -> None:
    """Compile, check that the sanitizers work, and run the tests."""
    # The library that misword uses here: the AVX2 build where that runs, else the baseline.
    name = Path(library()._name).name
    shutil.rmtree(FOLDER, ignore_errors=True)
    runtime = gcc_runtime()
    sanitizers = "address,undefined" if runtime else "undefined"
    flags = [*WARNINGS, *FLAGS, f"-fsanitize={sanitizers}"]
    build(FOLDER, compiler=["gcc"] if runtime else ZIG, flags=flags)
    environment = sanitized_environment(FOLDER / name, runtime)
    check_detection(environment, bits=200, message="shift exponent")
    if runtime:
        check_detection(environment, bits=4, message="heap-buffer-overflow")
    else:
        print("note: no gcc with libasan here: memory accesses are not checked", flush=True)
    tests = subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:]], env=environment)
    print(take_reports(), end="")
    sys.exit(tests.returncode)


def gcc_runtime() -> list[str]:
    """Return the paths of the sanitizers' libraries of gcc; an empty list if there are none."""
    if shutil.which("gcc") is None:
        return []
    found = []
    for name in ("libasan.so", "libubsan.so"):
        command = ["gcc", f"-print-file-name={name}"]
        found.append(subprocess.run(command, capture_output=True, text=True).stdout.strip())
    return found if all(map(os.path.isabs, found)) else []  # gcc repeats a name that it cannot find


def sanitized_environment(path: Path, runtime: list[str]) -> dict[str, str]:
    """Return the environment variables of a process that uses the library at this path."""
    # The standard error of a test is captured and lost if the process ends: write to files.
    options = f"log_path={REPORT}:print_stacktrace=1"
    return {
        **os.environ,
        "MISWORD_KERNELS": str(path),
        "LD_PRELOAD": " ".join(runtime),
        "PYTHONMALLOC": "malloc",
        # Python does not free all memory at its end. Tests check what is done when an allocation
        # fails, so it must not end the process.
        "ASAN_OPTIONS": f"{options}:detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": options,
    }


def check_detection(environment: dict[str, str], bits: int, message: str) -> None:
    """Exit if a wrong call of a kernel does not end the process with this message."""
    command = [sys.executable, "-c", WRONG_CALL.format(bits=bits)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    if not done.returncode or message not in done.stderr + take_reports():
        sys.exit(f"the sanitizers do not work: no report of {message}")


def take_reports() -> str:
    """Return the text of all reports, and remove them."""
    reports = ""
    for path in sorted(FOLDER.glob(f"{REPORT.name}.*")):
        reports += path.read_text("utf-8")
        path.unlink()
    return reports


if __name__ == "__main__":
    main()
