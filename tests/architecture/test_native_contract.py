"""The C kernels, their header and the declarations in Python agree; the C is portable."""

from __future__ import annotations

import ctypes
import re
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import misword
from build_native import FLAGS, SOURCE, WARNINGS, WHEELS, ZIG, Target, build, local_compiler
from misword.native.library import BYTES, RESULT, ArrayParameter, library

PACKAGE = Path(misword.__file__).parent
PROTOTYPE = re.compile(r"^MISWORD_EXPORT (\w+)\s+(\w+)\(([^)]*)\);", re.MULTILINE)
STRUCTURE = re.compile(r"^typedef struct \{([^}]*)\} (\w+);", re.MULTILINE)
FIELDS = re.compile(r"(?:const )?(\w+) ([^;]+);")
DECLARATION = re.compile(r"\b(?:kernel|procedure)\(\s*\"(misword_\w+)\"")
RESULTS = {"int": ctypes.c_int, "void": None}
NUMBERS = {
    "int64_t": ctypes.c_int64,
    "int32_t": ctypes.c_int32,
    "uint64_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
}
ITEMS: dict[str, list[Any]] = {
    "uint8_t": [np.uint8, np.bool_],
    "int8_t": [np.int8],
    "uint16_t": [np.uint16],
    "int32_t": [np.int32],
    "uint32_t": [np.uint32],
    "int64_t": [np.int64],
    "uint64_t": [np.uint64],
    "float": [np.float32],
    "double": [np.float64],
}
TEXT = re.sub(r"/\*.*?\*/", "", (SOURCE / "kernels.h").read_text("utf-8"), flags=re.DOTALL)
HEADER = {
    name: (result, [] if parameters == "void" else re.split(r",\s*", parameters.strip()))
    for result, name, parameters in PROTOTYPE.findall(TEXT)
}
SOURCES = sorted(map(str, SOURCE.glob("*.c")))


def structures() -> dict[str, list[tuple[str, Any]]]:
    """Name of each structure of the header, and the names and types of its fields."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for body, structure in STRUCTURE.findall(TEXT):
        found[structure] = [
            (name.strip(" *"), ctypes.c_void_p if "*" in name else NUMBERS[item])
            for item, names in FIELDS.findall(body)
            for name in names.split(",")
        ]
    return found


STRUCTURES = structures()


def declared() -> list[tuple[str, str]]:
    """Name of each kernel that a module declares, and the name of the module."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        if path.name != "library.py":
            found += [(name, module) for name in DECLARATION.findall(path.read_text("utf-8"))]
    return found


def test_every_function_is_declared_once_in_python() -> None:
    """A library has one object for each function: a second declaration would replace the first."""
    names = [name for name, _ in declared()]
    assert len(names) == len(set(names))
    assert {*names, "misword_runs_avx2"} == set(HEADER)


@pytest.mark.parametrize(("name", "module"), declared())
def test_declarations_are_those_of_the_header(name: str, module: str) -> None:
    import_module(module)
    function = getattr(library(), name)
    result, parameters = HEADER[name]
    assert function.restype is RESULTS[result]
    assert len(function.argtypes) == len(parameters)
    for parameter, kind in zip(parameters, function.argtypes, strict=True):
        assert fits(parameter, kind), parameter


def fits(parameter: str, kind: Any) -> bool:
    """Whether a parameter as the header writes it has this type in Python."""
    match = re.fullmatch(r"(const )?(\w+) (\*?)\w+", parameter)
    assert match, parameter
    constant, item, is_pointer = match.groups()
    if not is_pointer:
        return kind is NUMBERS[item]
    if item in STRUCTURES:
        return list(kind._type_._fields_) == STRUCTURES[item]
    if kind is BYTES:
        return bool(constant)
    if kind is RESULT:
        return not constant and item == "int64_t"
    assert isinstance(kind, ArrayParameter)
    allowed = [np.dtype(dtype) for dtype in ITEMS.get(item, [])]
    return kind.out != bool(constant) and (item == "void" or set(kind.dtypes) <= set(allowed))


def test_other_types_do_not_fit() -> None:
    out = ArrayParameter((np.dtype(np.int32),), out=True, optional=False)
    assert fits("int32_t *ids", out)
    assert not fits("const int32_t *ids", out)
    assert not fits("int64_t *ids", out)
    assert fits("int32_t width", ctypes.c_int32)
    assert not fits("int64_t width", ctypes.c_int32)
    assert fits("const int32_t *tokens", BYTES)
    assert not fits("int32_t *tokens", BYTES)
    assert fits("int64_t *errors", RESULT)
    assert not fits("int32_t *errors", RESULT)


def test_the_library_exports_every_function_of_the_header() -> None:
    assert len(HEADER) > 5
    for name in HEADER:
        assert hasattr(library(), name)


def test_every_c_function_of_the_contract_is_in_the_header() -> None:
    text = "".join(Path(path).read_text("utf-8") for path in SOURCES)
    defined = re.findall(r"^(?:int|void) (misword_\w+)\(", text, re.MULTILINE)
    assert set(defined) == set(HEADER)


def test_the_local_compiler_has_no_warning(tmp_path: Path) -> None:
    compiler = local_compiler()
    if compiler is None:
        pytest.skip("needs a C compiler")
    build(tmp_path, compiler=compiler, flags=WARNINGS)


@pytest.mark.parametrize("target", WHEELS.values(), ids=lambda target: target.zig)
def test_no_target_has_a_warning(target: Target, tmp_path: Path) -> None:
    """Each target of the wheels, for its plain processor and with AVX2 if it has a build for it."""
    pytest.importorskip("ziglang")
    check = [*ZIG, *FLAGS, *WARNINGS, "-O0", "-target", target.zig, "-c"]
    # zig makes one object file of all sources of a command; it cannot for Windows.
    commands = [[source] for source in SOURCES] if target.suffix == ".dll" else [SOURCES]
    for sources in commands:
        for flags in target.variants.values():
            subprocess.run([*check, *flags, *sources], cwd=tmp_path, check=True)
