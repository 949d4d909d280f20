"""Checks that a wheel holds the right libraries and that its platform tag is true.

A library must export the functions of `kernels.h` and nothing else, need only libraries that every
such system has, and run on the oldest version of the system that the tag promises.
"""

from __future__ import annotations

import re
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import lief

from build_native import SOURCE, Target

LIBRARY_SUFFIXES = (".so", ".dylib", ".dll", ".pyd", ".lib", ".pdb")
EXPORT = re.compile(r"^MISWORD_EXPORT \w+\s+(\w+)\(", re.MULTILINE)
lief.logging.disable()  # it reports fields of macOS files that are absent by design
MACHINES = {
    "x86_64": {"X86_64", "AMD64"},  # the second name is that of Windows
    "aarch64": {"AARCH64", "ARM64"},  # the second name is that of macOS
}


def check_wheel(path: Path, target: Target) -> None:
    """Raise AssertionError if the wheel does not fit its target."""
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
        names = wheel.namelist()
        assert "misword/native/library.py" in names, path
        assert not [name for name in names if name.endswith((".c", ".h"))], path
        libraries = {name for name in names if name.endswith(LIBRARY_SUFFIXES)}
        expected = {f"misword/native/{name}{target.suffix}" for name in target.variants}
        assert libraries == expected, libraries
        for name in libraries:
            CHECKS[target.suffix](wheel.extract(name, folder), target)


def check_source_distribution(path: Path) -> None:
    """Raise AssertionError if what the build needs is missing, or a compiled library is there."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {f"src/misword/native/{source.name}" for source in SOURCE.glob("*.[ch]")}
    needed = {"hatch_build.py", "tools/build_native.py", "pyproject.toml", *sources}
    assert needed <= names, needed - names
    assert not [name for name in names if name.endswith(LIBRARY_SUFFIXES)], path


def _check_elf(path: str, target: Target) -> None:
    library: Any = lief.ELF.parse(path)
    _check_machine(library.header.machine_type, target)
    _check_exports({symbol.name for symbol in library.exported_symbols})
    assert set(library.libraries) <= {"libc.so.6", "libm.so.6"}, list(library.libraries)
    oldest = _version(target.zig.partition("gnu.")[2])
    for requirement in library.symbols_version_requirement:
        for symbol in requirement.get_auxiliary_symbols():
            system, _, version = symbol.name.partition("_")
            assert system == "GLIBC", symbol.name
            assert _version(version) <= oldest, symbol.name


def _check_mach_o(path: str, target: Target) -> None:
    libraries: Any = lief.MachO.parse(path)
    library = libraries.at(0)
    _check_machine(library.header.cpu_type, target)
    _check_exports({symbol.name.lstrip("_") for symbol in library.exported_symbols})
    needed = {item.name for item in library.libraries}
    assert needed == {f"@rpath/{Path(path).name}", "/usr/lib/libSystem.B.dylib"}, needed
    # Systems before macOS 10.14 read another field of the file.
    build = library.build_version
    minimum = build.minos if build else library.version_min.version
    assert tuple(minimum[:2]) == _version(target.zig.partition("macos.")[2]), minimum
    # macOS on arm64 loads signed libraries only; the linker signs them itself.
    assert target.machine != "aarch64" or library.has_code_signature, path


def _check_pe(path: str, target: Target) -> None:
    library: Any = lief.PE.parse(path)
    _check_machine(library.header.machine, target)
    _check_exports({entry.name for entry in library.get_export().entries})
    for item in library.imports:  # the C library is a part of Windows 10 and newer
        assert re.fullmatch(r"kernel32\.dll|api-ms-win-crt-.*", item.name.lower()), item.name


def _check_machine(machine: Any, target: Target) -> None:
    assert machine.name in MACHINES[target.machine], machine


def _check_exports(names: set[str]) -> None:
    """Check the exported functions; names that a linker adds do not begin with `misword_`."""
    functions = {name for name in names if name.startswith("misword_")}
    declared = set(EXPORT.findall((SOURCE / "kernels.h").read_text("utf-8")))
    assert functions == declared, functions ^ declared


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


CHECKS = {".so": _check_elf, ".dylib": _check_mach_o, ".dll": _check_pe}
