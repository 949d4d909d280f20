"""Compile the C kernels: `python tools/build_native.py [--out FOLDER]`.

Uses the compiler of the machine (`$CC`, else `cc`) or, where there is none, the package `ziglang`.
The build of a wheel and of an editable install (`hatch_build.py`) calls the functions of this
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "misword" / "native"
# Numbers must not depend on the compiler: no contraction of a product and a sum into one step.
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden"]
# The level x86-64-v3 without what changes no code here; older compilers do not know its name.
AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
ZIG = [sys.executable, "-m", "ziglang", "cc"]
NO_COMPILER = (
    "misword's kernels cannot be compiled. The C compiler of this machine ($CC, else cc) is "
    "missing or does not work, and the package ziglang, which has one, is not installed. "
    "Install a C compiler, or run: pip install ziglang"
)


@dataclass(frozen=True, slots=True)
class Target:
    """A machine to compile for: its processor, the suffix of a library, the name that zig uses.

    Without a name for zig, it is the machine that runs this program.
    """

    machine: str
    suffix: str
    zig: str = ""

    @property
    def variants(self) -> dict[str, list[str]]:
        """The names of the libraries, without suffix, and the flags of each."""
        libraries: dict[str, list[str]] = {"_kernels": []}
        if self.machine == "x86_64":
            libraries["_kernels_avx2"] = AVX2
        return libraries

    def flags(self, name: str, *, zig: bool) -> list[str]:
        """The flags of this target for one of its libraries; zig needs more than `cc`."""
        found = [] if self.suffix == ".dll" else ["-fPIC"]
        if zig and not self.zig:
            found.append("-mcpu=baseline")  # else zig compiles for the processor that it runs on
        elif zig:
            found += ["-target", self.zig, "-s"]
            if self.suffix == ".dylib":  # else the path of the build is written into the library
                found.append(f"-Wl,-install_name,@rpath/{name}{self.suffix}")
        return found


# The platform tag of each wheel and the target that makes the tag true: the version of glibc or of
# macOS is the oldest that runs the library.
WHEELS = {
    "manylinux_2_17_x86_64.manylinux2014_x86_64": Target("x86_64", ".so", "x86_64-linux-gnu.2.17"),
    "manylinux_2_17_aarch64.manylinux2014_aarch64": Target(
        "aarch64", ".so", "aarch64-linux-gnu.2.17"
    ),
    "macosx_10_13_x86_64": Target("x86_64", ".dylib", "x86_64-macos.10.13"),
    "macosx_11_0_arm64": Target("aarch64", ".dylib", "aarch64-macos.11.0"),
    "win_amd64": Target("x86_64", ".dll", "x86_64-windows-gnu"),
}


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


def compiler_for(target: Target) -> list[str]:
    """Return the command that compiles for a target: zig, if it is another machine."""
    command = None if target.zig else local_compiler()
    if command is None and find_spec("ziglang") is None:
        raise RuntimeError(NO_COMPILER)
    return command or ZIG


def build(
    folder: Path,
    *,
    target: Target | None = None,
    compiler: list[str] | None = None,
    flags: list[str] | None = None,
) -> list[Path]:
    """Compile all libraries of a target into a folder; return their paths."""
    target = target or this_machine()
    compiler = compiler or compiler_for(target)
    sources = sorted(map(str, SOURCE.glob("*.c")))
    folder.mkdir(parents=True, exist_ok=True)
    # A running process may have loaded the library at its path: the new one replaces that file as a
    # whole. Other files that a linker writes beside the library stay in the temporary folder.
    with tempfile.TemporaryDirectory(dir=folder) as fresh:

        def compile_variant(name: str) -> Path:
            path = Path(fresh) / f"{name}{target.suffix}"
            own = target.flags(name, zig=compiler == ZIG)
            options = [*FLAGS, *target.variants[name], *own, *(flags or [])]
            _run([*compiler, *options, "-shared", *sources, "-o", str(path), "-lm"])
            return path.replace(folder / path.name)

        with ThreadPoolExecutor() as pool:
            return list(pool.map(compile_variant, target.variants))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


def main() -> None:
    """Compile for this machine, with all warnings as errors."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=SOURCE, help="folder of the libraries")
    arguments = parser.parse_args()
    try:
        for path in build(arguments.out, flags=WARNINGS):
            print(path)
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
