"""Compile the C kernels: `python tools/build_native.py [--sanitize] [--out FOLDER]`.

Uses the compiler of the machine (`$CC`, else `cc`) or, where there is none, the package `ziglang`.
The build of the wheel and of an editable install (`hatch_build.py`) calls the functions of this
file, so it needs only the standard library.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "misword" / "native"
# Numbers must not depend on the compiler: no contraction of a product and a sum into one step.
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
SANITIZERS = ["-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"]
NO_RECOVERY = ["-fno-sanitize-recover=all"]
ZIG = [sys.executable, "-m", "ziglang", "cc"]


@dataclass(frozen=True, slots=True)
class Target:
    """A machine to compile for: its processor, the suffix of a library, and flags for zig."""

    machine: str
    suffix: str
    flags: tuple[str, ...] = ()

    @property
    def variants(self) -> dict[str, list[str]]:
        """The names of the libraries, without suffix, and the flags of each."""
        if self.machine != "x86_64":
            return {"_kernels": []}
        return {"_kernels": [], "_kernels_avx2": ["-march=x86-64-v3"]}


def this_machine() -> Target:
    """Return the machine that runs this program."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return Target(machine, suffix)


def local_compiler() -> list[str] | None:
    """Return the command of the machine's C compiler; None if it has none that works."""
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(command[0]) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "trial.c"
        source.write_text("#include <stdlib.h>\nint trial(void) { return abs(-1); }\n")
        trial = [*command, "-shared", "-fPIC", str(source), "-o", str(source.with_suffix(".so"))]
        works = subprocess.run(trial, capture_output=True, check=False).returncode == 0
    return command if works else None


def build(
    folder: Path,
    *,
    target: Target | None = None,
    compiler: list[str] | None = None,
    flags: list[str] | None = None,
) -> list[Path]:
    """Compile all libraries of a target into a folder; return their paths."""
    target = target or this_machine()
    compiler = compiler or local_compiler() or ZIG
    sources = sorted(map(str, SOURCE.glob("*.c")))
    folder.mkdir(parents=True, exist_ok=True)
    built = []
    for name, own in target.variants.items():
        path = folder / f"{name}{target.suffix}"
        # A library that is loaded by a running process must not be overwritten in place.
        fresh = path.with_name(f"{path.name}.new")
        options = [*FLAGS, *own, *target.flags, *(flags or [])]
        if target.suffix != ".dll":
            options.append("-fPIC")
        command = [*compiler, *options, "-shared", *sources, "-o", str(fresh), "-lm"]
        subprocess.run(command, check=True)
        fresh.replace(path)
        built.append(path)
    return built


def main() -> None:
    """Compile for this machine."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=SOURCE, help="folder of the libraries")
    parser.add_argument("--sanitize", action="store_true", help="with run-time checks of memory")
    arguments = parser.parse_args()
    flags = [*WARNINGS, *(SANITIZERS + NO_RECOVERY if arguments.sanitize else [])]
    for path in build(arguments.out, flags=flags):
        print(path)


if __name__ == "__main__":
    main()
