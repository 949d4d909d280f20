"""Results of noise and lexicons: every output shows the same cells, from one description."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import misword
from audited import write_audited
from bilingual import gold, open_mapping
from dictionary_files import write_gold_lesson
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.retrievers import RETRIEVERS
from misword.cli.rendering import print_result, text_rows
from misword.core.types import DisplayedResult, Result
from misword.report import render
from misword.report.kinds import KINDS
from misword.report.tables import page_cells
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions import DESCRIPTIONS, describe
from spaces_made import turned

REFERENCES = ["the cat sat", "so we are going", "two by two", "on and on"] * 3
HYPOTHESES = ["a cat sat", "so we're going", "to two", "on an on on"] * 3
VECTORS = misword.WordVectors.of(["the", "cat", "sat", "two"], [[1, 0], [0, 1], [1, 1], [1, 2]])
PAIRS = {
    "s1": ["the cat sat", "two cat", "sat"],
    "s2": ["the cat", "the two", "two"],
    "score": [4.0, 2.0, 1.0],
}


def corruption(folder: Path) -> DisplayedResult:
    return misword.corrupt(REFERENCES, [0.1, 0.3], channel="uniform")


def learnt_noise(folder: Path) -> DisplayedResult:
    return misword.learn_noise(REFERENCES, HYPOTHESES)


def realism(folder: Path) -> DisplayedResult:
    return misword.realism(REFERENCES, HYPOTHESES, "uniform", bootstrap=20, confidence=0.9)


def robustness(folder: Path) -> DisplayedResult:
    return misword.robust(
        PAIRS, "mean", [0, 0.3], channel="uniform", vectors=VECTORS, trials=2, bootstrap=20
    )


def audit(folder: Path) -> DisplayedResult:
    files = write_audited(folder / "audit")
    made = misword.audit(files / "gold.tsv", "en", "de", training=files / "train.txt")
    return made.compare_systems([files / "first.tsv", files / "second.tsv"], 1, bootstrap=20)


def evaluation(folder: Path) -> DisplayedResult:
    settings = EvaluationSettings((1, 2), bootstrap=Bootstrap(20))
    mappings = [open_mapping("a"), open_mapping("b")]
    return evaluate_open(mappings, gold(), RETRIEVERS.create_all("nn"), settings)


def gold_set(folder: Path) -> DisplayedResult:
    write_gold_lesson(folder / "dictionary")
    files = [folder / "dictionary" / name for name in ("cs-sk.tei", "cs.vec", "sk.vec")]
    return misword.build("cs", "sk", *files, size=4, pos="NOUN,VERB", audit=False)


@cache
def mapping() -> misword.Mapping:
    source, target, pairs = turned(60, 6)
    return misword.map_vectors(source, target, lexicon=misword.Lexicon.of(pairs))


def translations(folder: Path) -> DisplayedResult:
    source, target, _ = turned(60, 6)
    return misword.translate(mapping(), ["w0", "unknown"], 2, source=source, target=target)


def draft(folder: Path) -> DisplayedResult:
    source, target, _ = turned(60, 6)
    return misword.draft_lexicon(mapping(), ["w0", "w1"], 2, source=source, target=target)


MAKERS: dict[str, Callable[[Path], DisplayedResult]] = {
    "audit": audit,
    "corruption": corruption,
    "draft": draft,
    "evaluation": evaluation,
    "gold-set": gold_set,
    "learnt-noise": learnt_noise,
    "realism": realism,
    "robustness": robustness,
    "translations": translations,
}


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> DisplayedResult:
    """A result of each kind."""
    return MAKERS[request.param](tmp_path)


def printed(result: Result, form: str) -> str:
    out = io.StringIO()
    print_result(result, form, file=out)
    return out.getvalue()


def test_outputs_show_the_same_cells(made: DisplayedResult) -> None:
    """The terminal, Markdown, the notebook and the page have the cells of the description."""
    result = made.result()
    tables = [table for table in describe(result.kind).tables(result) if table.rows]
    assert tables
    shown, marked, html = printed(result, "table"), printed(result, "md"), made._repr_html_()
    for place, table in enumerate(tables):
        on_page = page_cells(None, table)[1]
        assert [[cell.shown for cell in line] for line in on_page] == table.cells(page=True)
        for line in text_rows(table.first()):
            assert all(cell in shown for cell in line)
            numbers = [cell for cell in line if cell.replace(".", "").isdigit()]
            assert all(f"| {cell} |" in marked for cell in numbers)
            assert place or all(f">{cell}<" in html for cell in numbers)


def test_data_for_programs_is_complete(made: DisplayedResult) -> None:
    """JSON has the facts and tables that the description names; CSV is a table."""
    result, description = made.result(), describe(made.result().kind)
    data = json.loads(printed(result, "json"))
    assert set(description.facts).intersection(result.provenance) <= set(data)
    for name, table in description.data.items():
        assert (table in result.tables) == (name in data)
        assert len(data.get(name, ())) == len(result.tables.get(table, ()))
    header, *rows = csv.reader(io.StringIO(printed(result, "csv")))
    assert rows
    assert {len(row) for row in rows} == {len(header)}


def test_pages_and_notebooks_have_one_headline(made: DisplayedResult) -> None:
    """The sentence of the description is the title in a notebook and the headline of the page."""
    result = made.result()
    assert made.description is describe(result.kind)
    headline = made.description.headline(result)
    assert headline
    assert repr(made).startswith(f"{type(made).__name__}: {headline[:40]}")
    if result.kind in KINDS.names():
        assert headline in render([result]).replace("\u00a0", " ")


def test_every_page_has_a_description() -> None:
    assert set(KINDS.names()) <= set(DESCRIPTIONS)
