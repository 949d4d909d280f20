"""Write the notebooks of docs/notebooks from the Python files beside them, with all outputs.

    python tools/make_notebook.py [NAME ...]

A source has a line `# %%` before each cell of code and `# %% [markdown]` before each cell of text.
The cells run in this process, one after the other, in an empty folder, and need no Jupyter. The
output of a cell is what it prints, and the value of its last line if that is an expression.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
SOURCES = sorted(FOLDER.glob("*.py"))
MARK = re.compile(r"^# %%( \[markdown\])?\n", re.MULTILINE)


def notebook(source: str, folder: Path) -> dict[str, Any]:
    """Return the notebook of a source, in the form of nbformat 4.5, with all outputs.

    `folder` is the working directory of the cells.
    """
    namespace: dict[str, Any] = {}
    made, executed = [], 0
    for number, (is_text, content) in enumerate(cells(source), 1):
        cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}, "source": lines(content)}
        if is_text:
            cell["cell_type"] = "markdown"
        else:
            executed += 1
            with chdir(folder):
                outputs = run(content, namespace, executed)
            cell |= {"cell_type": "code", "execution_count": executed, "outputs": outputs}
        made.append(cell)
    language = {"name": "python"}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": language}
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def cells(source: str) -> Iterator[tuple[bool, str]]:
    """Yield for each cell whether it is text, and its content."""
    _, *parts = MARK.split(source)
    for mark, content in zip(parts[::2], parts[1::2], strict=True):
        is_text = mark is not None
        yield (
            is_text,
            re.sub(r"^# ?", "", content.strip(), flags=re.M) if is_text else content.strip(),
        )


def run(code: str, namespace: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell and return its outputs: the printed text, and the value of its last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(text)})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data = {"text/html": lines(value._repr_html_()), **data}
        facts = {"execution_count": number, "metadata": {}, "output_type": "execute_result"}
        outputs.append({"data": data, **facts})
    return outputs


def lines(text: str) -> list[str]:
    """Return the lines of a text with their line ends, as notebooks store them."""
    return text.splitlines(keepends=True)


def text_of(made: dict[str, Any]) -> str:
    """Return a notebook as the text of its file."""
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def executed(source: Path) -> str:
    """Return the text of the notebook that belongs to a source."""
    with TemporaryDirectory() as folder:
        return text_of(notebook(source.read_text("utf-8"), Path(folder)))


if __name__ == "__main__":
    for source in SOURCES:
        if source.stem in (sys.argv[1:] or source.stem):
            source.with_suffix(".ipynb").write_text(executed(source), "utf-8")
