"""The import graph of the package has no cycle, and the tool that draws it works."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parent.parent.parent / "tools" / "import_graph.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("import_graph", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_cycles(tool: ModuleType) -> None:
    assert tool.cycles(tool.import_graph()) == []


def test_all_kinds_of_imports_count(tool: ModuleType, tmp_path: Path) -> None:
    texts = {
        "__init__": "",
        "a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p import b\n",
        "b": "def f():\n    from p.c import x\n",
        "c": "import p.a\n",
        "d": "import p.a, json\n",
    }
    (tmp_path / "p").mkdir()
    for name, text in texts.items():
        (tmp_path / "p" / f"{name}.py").write_text(text)
    graph = tool.import_graph(tmp_path, "p")
    assert graph == {"p": set(), "p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": {"p.a"}, "p.d": {"p.a"}}
    assert tool.cycles(graph) == [["p.a", "p.b", "p.c"]]


def test_folders_are_drawn(tool: ModuleType) -> None:
    graph = {"p.a": {"p.b", "p.b.x"}, "p.a.y": {"p.b.x"}, "p.b": set(), "p.b.x": {"p.b"}}
    imports = tool.folder_imports(graph)
    assert imports == {("p.a", "p.b"): 3}
    assert tool.text_graph(imports) == "p.a\n      3 p.b"
    assert '"p.a" -> "p.b" [label=3];' in tool.dot_graph(imports)


def test_walk_of_a_command(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("the cat sat\n")
    (tmp_path / "hyp.txt").write_text("the hat sat\n")
    files = [str(tmp_path / name) for name in ("ref.txt", "hyp.txt")]
    command = [sys.executable, str(TOOL), "--walk", "score", *files, "--metrics", "wer"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *modules, last = done.stdout.splitlines()
    assert modules[0] == "misword.cli.main"
    assert "misword.asr.metrics.edit_rate" in modules
    assert last.startswith(f"{len(modules)} modules, greatest depth of calls ")


def test_contents_of_a_room(tool: ModuleType) -> None:
    rows = list(tool.contents("alignment"))
    assert any(row.startswith("engine.py ") and row.rstrip().endswith(".") for row in rows)


def test_a_folder_has_few_modules(tool: ModuleType) -> None:
    """Small parts of one subject share a file, and a group of files has a folder of its own."""
    sizes = tool.figures()
    assert sizes["modules"] <= 578
    assert sizes["most modules in a folder"] <= 16
