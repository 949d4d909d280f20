"""Show how misword's modules depend on each other, and which modules a command runs through.

    python tools/import_graph.py                      imports between folders, and cycles
    python tools/import_graph.py asr/nbest            what each module of a folder is for
    python tools/import_graph.py --figures            sizes: modules, lines, share of imports
    python tools/import_graph.py --dot graph.dot      the imports as a graph for Graphviz
    python tools/import_graph.py --walk score REF HYP --metrics wer,wer-s

All import statements count: those within functions and those under `TYPE_CHECKING` too. The exit
code is 1 if modules import each other in a cycle. `--walk` runs a command in a child process and
prints the modules of misword in the order of the first call into them.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"
PACKAGE = "misword"
# Imported modules by importing module.
Graph = dict[str, set[str]]

# Runs a command and writes the visited modules and the greatest depth of calls to a file. Modules
# count from their first call of a function on; their import alone does not count.
TRACER = """
import json, sys, threading
from inspect import CO_OPTIMIZED
from misword.cli.main import main

output, *arguments = sys.argv[1:]
modules, thread = {}, threading.local()
deepest = 0

def trace(frame, event, argument):
    global deepest
    name = frame.f_globals.get("__name__", "")
    if event not in ("call", "return") or name.partition(".")[0] != "misword":
        return
    code, step = frame.f_code, 1 if event == "call" else -1
    if code.co_name == "<module>":  # calls while a module is imported do not count
        thread.imports = getattr(thread, "imports", 0) + step
    is_function = code.co_flags & CO_OPTIMIZED and code.co_filename != "<string>"
    if getattr(thread, "imports", 0) or not is_function:  # nor does code that dataclasses make
        return
    thread.depth = getattr(thread, "depth", 0) + step
    if event == "call":
        modules.setdefault(name, None)
        deepest = max(deepest, thread.depth)

threading.setprofile(trace)
sys.setprofile(trace)
try:
    code = main(arguments)
except SystemExit as exit:
    code = exit.code
finally:
    sys.setprofile(None)
    with open(output, "w") as file:
        json.dump({"modules": list(modules), "depth": deepest}, file)
sys.exit(code)
"""


def import_graph(source: Path = SOURCE, package: str = PACKAGE) -> Graph:
    """Return the modules of the package that each of its modules imports."""
    files = {module_name(path, source): path for path in sorted((source / package).rglob("*.py"))}
    return {
        name: set(imported_modules(path.read_text("utf-8"), files.keys())) - {name}
        for name, path in files.items()
    }


def module_name(path: Path, source: Path) -> str:
    """Return the name of the module in a file; a package has the name of its folder."""
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(text: str, modules: Iterable[str]) -> Iterator[str]:
    """Yield those of `modules` that a source text imports, anywhere in it."""
    names = set(modules)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from names.intersection(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:  # a name may be a module or something within a module
                submodule = f"{node.module}.{alias.name}"
                yield from names.intersection([submodule if submodule in names else node.module])


def cycles(graph: Graph) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others.

    >>> cycles({"a": {"b"}, "b": {"a", "c"}, "c": set()})
    [['a', 'b']]
    """
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted(other for other in reach[name] if name in reach[other]))
        for name in graph
        if name in reach[name]
    }
    return [list(group) for group in sorted(groups)]


def _reachable(graph: Graph, start: str) -> set[str]:
    """Return the modules that `start` imports, directly or through others."""
    reached: set[str] = set()
    pending = [start]
    while pending:
        for name in graph[pending.pop()] - reached:
            reached.add(name)
            pending.append(name)
    return reached


def folder_imports(graph: Graph) -> Counter[tuple[str, str]]:
    """Return the number of imports from each folder to each other folder."""
    folders = {name: _folder(name, graph) for name in graph}
    return Counter(
        (folders[name], folders[other])
        for name, others in graph.items()
        for other in others
        if folders[name] != folders[other]
    )


def _folder(name: str, graph: Graph) -> str:
    """Return the folder of a module: the module itself if it is a package."""
    is_package = any(other.startswith(f"{name}.") for other in graph)
    return name if is_package else name.rpartition(".")[0]


def text_graph(imports: Mapping[tuple[str, str], int]) -> str:
    """Return the imports between folders as text."""
    lines = []
    for folder in sorted({first for first, _ in imports}):
        lines.append(folder)
        others = sorted((other, count) for (first, other), count in imports.items()
                        if first == folder)  # fmt: skip
        lines += [f"    {count:3} {other}" for other, count in others]
    return "\n".join(lines)


def dot_graph(imports: Mapping[tuple[str, str], int]) -> str:
    """Return the imports between folders in the DOT language of Graphviz."""
    edges = [f'  "{a}" -> "{b}" [label={count}];' for (a, b), count in sorted(imports.items())]
    return "\n".join(["digraph imports {", "  rankdir=LR;", "  node [shape=box];", *edges, "}"])


def contents(room: str, source: Path = SOURCE, package: str = PACKAGE) -> Iterator[str]:
    """Yield the files of a folder with their lines and the first line of their docstrings."""
    folder = source / package / room
    if not folder.is_dir():
        raise SystemExit(f"no such folder: {folder}")
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text("utf-8")
        about = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        yield f"{path.relative_to(folder)!s:36} {text.count(chr(10)):5}  {about}"


def figures(source: Path = SOURCE, package: str = PACKAGE) -> dict[str, float]:
    """Return the number of modules and lines, the share of import lines, and the fullest folder."""
    texts = {path: path.read_text("utf-8") for path in (source / package).rglob("*.py")}
    lines = {path: text.count("\n") for path, text in texts.items()}
    loose = Counter(path.parent for path in texts if path.name != "__init__.py")
    imports = sum(
        node.end_lineno - node.lineno + 1
        for text in texts.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom) and node.end_lineno is not None
    )
    total = sum(lines.values())
    in_cli = sum(count for path, count in lines.items() if "cli" in path.relative_to(source).parts)
    return {
        "modules": len(texts),
        "lines": total,
        "lines of cli": in_cli,
        "lines of imports, %": round(100 * imports / total, 1),
        "most modules in a folder": max(loose.values()),
    }


def walk(arguments: Sequence[str]) -> tuple[list[str], int, int]:
    """Run a command; return the modules in order of first call, the depth, and the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "walk.json"
        command = [sys.executable, "-c", TRACER, str(output), *arguments]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if not output.exists():
            raise SystemExit(done.returncode or 1)
        trace = json.loads(output.read_text("utf-8"))
    return trace["modules"], trace["depth"], done.returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("room", nargs="?", help="a folder of the package, such as asr/nbest")
    parser.add_argument("--figures", action="store_true", help="show the sizes of the package")
    parser.add_argument("--dot", metavar="FILE", help="write the graph of folders for Graphviz")
    parser.add_argument("--walk", nargs=argparse.REMAINDER, metavar="COMMAND",
                        help="show the modules that a command of misword runs through")  # fmt: skip
    options = parser.parse_args(arguments)
    if options.walk:
        modules, depth, code = walk(options.walk)
        print(*modules, sep="\n")
        print(f"{len(modules)} modules, greatest depth of calls {depth}")
        return code
    if options.room:
        print(*contents(options.room), sep="\n")
        return 0
    if options.figures:
        print(*(f"{name}: {value:,}" for name, value in figures().items()), sep="\n")
        return 0
    graph = import_graph()
    imports = folder_imports(graph)
    print(text_graph(imports))
    if options.dot:
        Path(options.dot).write_text(dot_graph(imports) + "\n", encoding="utf-8")
    groups = cycles(graph)
    for group in groups:
        print(f"cycle: {' '.join(group)}")
    print(f"{len(graph)} modules, {sum(map(len, graph.values()))} imports, {len(groups)} cycles")
    return 1 if groups else 0


if __name__ == "__main__":
    sys.exit(main())
