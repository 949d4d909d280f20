"""Notebooks as pages: the text, the code and the stored outputs of their cells.

The notebooks are those of tools/make_notebook.py, which have two kinds of outputs: printed text,
and a value as text and possibly as HTML.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def notebook_page(path: Path) -> str:
    """Return a notebook as Markdown, with a link to its file at the end."""
    notebook = json.loads(path.read_text("utf-8"))
    parts = [part for cell in notebook["cells"] for part in _cell_parts(cell)]
    link = f"This page as a notebook for Jupyter: {{download}}`{path.name}`."
    return "\n\n".join([*parts, link, ""])


def _cell_parts(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the text of a cell, or its code and its outputs."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield text
        return
    yield f"```python\n{text}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", "")})
        if html := "".join(data.get("text/html", "")):
            yield f'<div class="output">\n{html}\n</div>'.replace("\n\n", "\n")
        else:
            yield f"```text\n{''.join(data['text/plain']).rstrip()}\n```"
