"""docs/notebook.ipynb: its code runs, and its outputs are those of the code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extras import needs
from make_notebook import NOTEBOOK, SOURCE, cells, notebook, run, text_of


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NOTEBOOK.read_text("utf-8"))
    return found


@needs("pandas")
def test_the_notebook_has_the_outputs_of_its_code() -> None:
    """If this fails, run `python tools/make_notebook.py` and look at what changed."""
    assert text_of(notebook(SOURCE.read_text("utf-8"))) == NOTEBOOK.read_text("utf-8")


def test_every_cell_of_code_has_an_output(stored: dict[str, Any]) -> None:
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 8
    assert all(cell["outputs"] for cell in code)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


def test_results_are_shown_as_tables_and_alignments_in_colour(stored: dict[str, Any]) -> None:
    shown = [
        "".join(output["data"].get("text/html", ""))
        for cell in stored["cells"]
        for output in cell.get("outputs", ())
    ]
    assert sum("<table>" in html for html in shown) >= 2
    assert any("forgiven: contractions" in html for html in shown)


@needs("nbformat")
def test_the_notebook_is_valid() -> None:
    import nbformat

    nbformat.validate(nbformat.read(NOTEBOOK, 4))


def test_cells_are_divided_by_marks() -> None:
    source = "# %% [markdown]\n# # Title\n#\n# Text\n\n# %%\nx = 1\nx\n"
    assert list(cells(source)) == [(True, "# Title\n\nText"), (False, "x = 1\nx")]


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    names: dict[str, Any] = {}
    assert run("x = 2", names, 1) == []
    printed, value = run("print('a')\nx + 1", names, 2)
    assert printed["text"] == ["a\n"]
    assert value["data"] == {"text/plain": ["3"]}
