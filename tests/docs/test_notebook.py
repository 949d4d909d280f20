"""docs/notebooks: the code of each notebook runs, and its outputs are those of the code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extras import needs
from make_notebook import SOURCES, cells, executed, run

NAMES = [source.stem for source in SOURCES]


def stored(source: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(source.with_suffix(".ipynb").read_text("utf-8"))
    return found


def test_there_is_a_notebook_for_each_kind_of_user() -> None:
    assert NAMES == ["asr_engineer", "lexicographer", "researcher"]
    assert {path.stem for path in SOURCES[0].parent.glob("*.ipynb")} == set(NAMES)


@pytest.mark.slow
@needs("pandas")
@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_notebook_has_the_outputs_of_its_code(source: Path) -> None:
    """If this fails, run `python tools/make_notebook.py` and look at what changed."""
    assert executed(source) == source.with_suffix(".ipynb").read_text("utf-8")


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_cells_of_code_are_numbered_and_most_have_an_output(source: Path) -> None:
    code = [cell for cell in stored(source)["cells"] if cell["cell_type"] == "code"]
    assert sum(bool(cell["outputs"]) for cell in code) >= 8
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_results_are_shown_as_tables(source: Path) -> None:
    shown = [
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in stored(source)["cells"]
        for output in cell.get("outputs", ())
    ]
    assert any("<table>" in html for html in shown)
    assert source.stem != "asr_engineer" or any("forgiven: contractions" in html for html in shown)


@needs("nbformat")
@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_notebook_is_valid(source: Path) -> None:
    import nbformat

    nbformat.validate(stored(source))


def test_cells_are_divided_by_marks() -> None:
    source = "# %% [markdown]\n# # Title\n#\n# Text\n\n# %%\nx = 1\nx\n"
    assert list(cells(source)) == [(True, "# Title\n\nText"), (False, "x = 1\nx")]


def test_a_cell_shows_what_it_prints_and_its_last_value() -> None:
    names: dict[str, Any] = {}
    assert run("x = 2", names, 1) == []
    printed, value = run("print('a')\nx + 1", names, 2)
    assert printed["text"] == ["a\n"]
    assert value["data"] == {"text/plain": ["3"]}
