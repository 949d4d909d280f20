"""All public results as they are shown: in a notebook, and with the same cells everywhere."""

from __future__ import annotations

import inspect
import io
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest

import misword
from arpa import write_arpa
from bilingual import gold
from drafts_made import headword, made_draft
from extras import needs
from misword.cli.rendering import print_result
from misword.core.display import Displayed
from misword.core.tables import Table, number
from misword.core.types import DisplayedResult, Result
from misword.io.dictionaries.entries import Dictionary, DictionaryEntry
from misword.report import render
from misword.report.kinds import KINDS
from misword.stat.descriptions import DESCRIPTIONS, describe
from spaces_made import turned

REFERENCES = ["the cat sat", "so we are going", "two by two", "on and on"]
HYPOTHESES = {"base": ["a cat sat", "so we're going", "to two", "on an on on"], "new": REFERENCES}
VECTORS = misword.WordVectors.of(["the", "cat", "sat", "two"], [[1, 0], [0, 1], [1, 1], [1, 2]])
ROW = {"reference": "a b", "hypA": "a", "votesA": 1, "hypB": "a b", "votesB": 6}
PAIRS = [("the cat sat", "the cat", 4.0), ("two cat", "the two", 2.0), ("sat", "two", 1.0)]


@cache
def mapping() -> misword.Mapping:
    source, target, pairs = turned(60, 6)
    return misword.map_vectors(source, target, lexicon=misword.Lexicon.of(pairs))


def triplets() -> dict[str, list[Any]]:
    return {name: [value] * 3 for name, value in ROW.items()}


def sentences() -> dict[str, list[Any]]:
    first, second, scores = map(list, zip(*PAIRS, strict=True))
    return {"s1": first, "s2": second, "score": scores}


def lists() -> list[list[str]]:
    return [[text, "the cat", ""] for text in HYPOTHESES["base"]]


def dictionary() -> Dictionary:
    words = zip("abcdefgh", "stuvwxyz", strict=True)
    return Dictionary.of(DictionaryEntry((f"word{a}",), ((f"mot{b}",),), "n") for a, b in words)


def gold_set() -> misword.GoldSet:
    words = [f"word{a}" for a in "abcdefgh"], [f"mot{b}" for b in "stuvwxyz"]
    sides = [misword.WordVectors.of(side, [[1.0, n] for n in range(8)]) for side in words]
    return misword.build("eo", "ia", dictionary(), *sides, audit=False, size=3)


@cache
def rescored() -> misword.Rescored:
    with TemporaryDirectory() as folder:
        model = write_arpa(Path(folder) / "model.arpa")
        return misword.rescore(lists(), f"ngram:{model}", cache=False)


@cache
def sharded(kind: str) -> Any:
    """A result of two shards, each with the texts of the other makers."""
    with TemporaryDirectory() as folder:
        for part in "ab":
            texts = {"reference": REFERENCES, **HYPOTHESES}
            frame = pl.DataFrame({name: column * 20 for name, column in texts.items()})
            frame = frame.with_row_index("id").with_columns(id=pl.format(part + "{}", "id"))
            frame.write_parquet(Path(folder) / f"{part}.parquet")
        source = partial(misword.shards, folder, engine="serial")
        if kind == "Oracle":
            return misword.oracle(source(hypothesis_column="base"))
        if kind == "Corruption":
            written = source(reference_column="reference", out=Path(folder) / "noisy")
            return misword.corrupt(written, 0.3, channel="uniform")
        make = misword.score if kind == "Scores" else misword.compare
        return make(source(hypothesis_column=["base", "new"]))


MAKERS: dict[str, Callable[[], Any]] = {
    "Audit": lambda: misword.audit([("dog", "hund"), ("london", "london")], "en", "de"),
    "Benchmark": lambda: misword.bench(
        {"calls": (REFERENCES, HYPOTHESES), "talks": (REFERENCES, HYPOTHESES)}, bootstrap=20
    ),
    "CheckResult": lambda: misword.check(REFERENCES, ["", *HYPOTHESES["base"][1:]]),
    "Dictionary": dictionary,
    "Downstream": lambda: misword.task_robustness(
        REFERENCES,
        [sys.executable, "-c", "import sys; [print(len(line)) for line in sys.stdin]"],
        0.3,
        channel="uniform",
        trials=1,
    ),
    "Draft": lambda: made_draft(headword("cat", "chat", "chatte"), headword("dog", "chien")),
    "Fit": lambda: misword.fit(judged(), "wer,cer", bootstrap=0),
    "GateResult": lambda: misword.gate(
        REFERENCES,
        {"new": REFERENCES, "base": HYPOTHESES["base"]},
        max={"wer": 0.1},
        no_worse="cer",
    ),
    "GoldSet": gold_set,
    "References": lambda: misword.references(
        REFERENCES, HYPOTHESES, more_references=[HYPOTHESES["base"]], bootstrap=20
    ),
    "Rescored": rescored,
    "Comparison of shards": lambda: sharded("Comparison"),
    "Corruption of shards": lambda: sharded("Corruption"),
    "Oracle of shards": lambda: sharded("Oracle"),
    "Scores of shards": lambda: sharded("Scores"),
    "Tally": lambda: misword.score(REFERENCES, HYPOTHESES).tally(),
    "Agreement": lambda: misword.agree(triplets(), "wer", bootstrap=0),
    "Aligned": lambda: misword.align(REFERENCES, HYPOTHESES["base"]),
    "Combination": lambda: misword.combine(HYPOTHESES),
    "Comparison": lambda: misword.compare(
        REFERENCES * 10, {name: texts * 10 for name, texts in HYPOTHESES.items()}, "wer,cer"
    ),
    "Corpus": lambda: misword.corrupt(REFERENCES, 0.3, channel="uniform").corpus,
    "Correlations": lambda: misword.correlate(REFERENCES, HYPOTHESES, "wer,cer"),
    "Corruption": lambda: misword.corrupt(REFERENCES, [0.1, 0.3], channel="uniform"),
    "Evaluation": lambda: misword.evaluate(mapping(), gold_pairs(), 1, bootstrap=0, **sides()),
    "LearntNoise": lambda: misword.learn_noise(REFERENCES, HYPOTHESES["base"]),
    "Lexicon": lambda: gold(),
    "Mapping": lambda: mapping(),
    "MinimumRisk": lambda: misword.mbr(lists(), references=REFERENCES),
    "Oracle": lambda: misword.oracle(
        REFERENCES, [[text, ""] for text in HYPOTHESES["base"]], "wer"
    ),
    "Realism": lambda: misword.realism(REFERENCES, HYPOTHESES["base"], "uniform", bootstrap=0),
    "Result": lambda: misword.score(REFERENCES, HYPOTHESES).result(),
    "Robustness": lambda: misword.robust(
        sentences(), "mean", [0, 0.3], channel="uniform", vectors=VECTORS, trials=2, bootstrap=0
    ),
    "Scores": lambda: misword.score(REFERENCES, HYPOTHESES),
    "Segmentation": lambda: misword.segment(REFERENCES, " ".join(HYPOTHESES["base"])),
    "SystemTuning": lambda: misword.tune_systems(REFERENCES, HYPOTHESES, "wer", bootstrap=0),
    "Translations": lambda: misword.translate(mapping(), ["w0", "unknown"], 2, **sides()),
    "Tuning": lambda: misword.tune(
        REFERENCES, [[text, ""] for text in HYPOTHESES["base"]], resamples=0, bootstrap=0
    ),
    "WordVectors": lambda: VECTORS,
}


def judged() -> dict[str, list[Any]]:
    """Choices of people about two hypotheses of some references."""
    references = [f"the cat {place} sat on the mat" for place in range(24)]
    worse = [text.replace("the", "a") for text in references]
    better = [text.replace("mat", "hat") for text in references]
    votes = {"votesA": [2] * 24, "votesB": [5] * 24}
    return {"reference": references, "hypA": worse, "hypB": better, **votes}


def gold_pairs() -> misword.Lexicon:
    return misword.Lexicon.of(turned(60, 6)[2])


def sides() -> dict[str, Any]:
    source, target, _ = turned(60, 6)
    return {"source": source, "target": target}


def test_the_makers_are_all_public_results() -> None:
    public = {name for name in misword.__all__ if inspect.isclass(getattr(misword, name))}
    assert public - SOURCES <= set(MAKERS)


@pytest.mark.parametrize("kind", MAKERS)
def test_every_result_is_shown_in_a_few_lines(kind: str) -> None:
    made = MAKERS[kind]()
    assert isinstance(made, Displayed)
    name = kind.removesuffix(" of shards")
    assert type(made).__name__ == name
    assert repr(made).startswith(name.removesuffix("s"))
    assert len(repr(made).splitlines()) <= 13
    assert len(repr(made)) <= 2000
    assert made._repr_html_().startswith("<div><p>")
    assert len(made._repr_html_()) <= 20_000


# The same cell has the same text in all outputs, and a new column is in all of them.

# Described tables that the page shows as figures, or divides, and why.
NOT_ON_PAGE = {
    "matrix": "a heat map with the table of all coefficients",
    "downstream matrix": "a chart with the table of all coefficients",
    "stability": "a sentence",
    "suspects": "a list that a script makes",
    "levels": "a chart for each measure, with the table of its columns",
    "rates side by side": "the systems are side by side there, not the rates",
    "headwords": "an explorer, which the browser fills",
    "candidates": "an explorer, which the browser fills",
}
# Outputs for programs with data that no table shows.
OWN_DATA = {
    ("audit", "csv"): "each flag of each pair",
    ("gold-set", "csv"): "the pairs of each criterion",
    ("gold-set", "json"): "the file that describes the set",
}
# Public classes that are no results.
SOURCES = {"Shards"}


def described(kind: str) -> Result | None:
    """Return the result of a maker; None if its kind has no description."""
    made = MAKERS[kind]()
    result = made.result() if isinstance(made, DisplayedResult | misword.Tally) else None
    return result if result is not None and result.kind in DESCRIPTIONS else None


def printed(result: Result, form: str) -> str:
    """Return what a command prints."""
    out = io.StringIO()
    print_result(result, form, file=out)
    return unescape(out.getvalue())


def cells_of_html(html: str) -> set[str]:
    """Return the texts of all cells of tables."""
    cells = re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", html, re.DOTALL)
    return {unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in cells}


def numbers(table: Table) -> Iterator[str]:
    """Yield the texts of the cells of numbers."""
    for column in table.shown():
        if not column.is_text:
            yield from filter(None, map(column.cell, table.rows))


@pytest.mark.parametrize("kind", MAKERS)
def test_a_cell_has_the_same_text_everywhere(kind: str) -> None:
    result = described(kind)
    if result is None:
        return
    tables = [table for table in describe(result.kind).tables(result) if table.rows]
    terminal, marked = printed(result, "table"), printed(result, "md")
    notebook = cells_of_html(MAKERS[kind]()._repr_html_())
    page = cells_of_html(render([result])) if result.kind in KINDS.names() else None
    for place, table in enumerate(tables):
        for cell in numbers(table.first()):
            assert cell in terminal
            assert cell in marked.replace("\\", "")
            assert place or cell in notebook
            if page is not None and table.name not in NOT_ON_PAGE:
                # A chart and its table leave out what is undefined.
                assert cell in page or cell == "undefined", table.name


@pytest.mark.parametrize("kind", MAKERS)
def test_a_new_column_is_in_every_output(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The main table gets a column that is computed from the rows."""
    result = described(kind)
    if result is None:
        return
    description = describe(result.kind)
    main = next(name for name in description.main if name in result.tables)
    first = next(table for table in description.tables(result) if table.rows)
    added = number("added", of=lambda row: 4321.5)
    made: Any = Table.__init__

    def with_column(table: Table, name: str, columns: Any, rows: Any, **more: Any) -> None:
        is_new = name in (main, first.name) and "added" not in [column.key for column in columns]
        made(table, name, [*columns, added] if is_new else columns, rows, **more)

    monkeypatch.setattr(Table, "__init__", with_column)
    assert "4,321.50" in MAKERS[kind]()._repr_html_()
    assert "4,321.50" in repr(MAKERS[kind]())
    for form in ("table", "md"):
        assert "4,321.50" in printed(result, form), form
    for form in ("csv", "json"):
        has_column = "4321.5" in printed(result, form)
        assert has_column != ((result.kind, form) in OWN_DATA), form
    if result.kind in KINDS.names() and first.name not in NOT_ON_PAGE:
        assert "4,321.50" in cells_of_html(render([result]))


@needs("pandas")
@pytest.mark.parametrize("kind", MAKERS)
def test_results_with_tables_become_frames_of_pandas(kind: str) -> None:
    made = MAKERS[kind]()
    if isinstance(made, DisplayedResult):
        frame, table = made.to_pandas(), made.main_table()
        assert list(frame.columns) == table.columns
        assert len(frame) == len(table) > 0
        name = next(iter(made.result().tables))
        assert list(made.to_pandas(name).columns) == made.result().tables[name].columns


@pytest.mark.parametrize("kind", MAKERS)
def test_results_record_the_version_that_their_signatures_lack(kind: str) -> None:
    made = MAKERS[kind]()
    if isinstance(made, DisplayedResult):
        assert made.result().provenance["misword"] == misword.__version__


@needs("pandas")
def test_steps_become_a_frame_of_pandas() -> None:
    frame = misword.align(["a b"], ["a c"]).to_pandas()
    assert frame["kind"].tolist() == ["hit", "substitution"]


def test_long_results_are_short_in_a_notebook() -> None:
    texts = [" ".join(f"w{i}x{j}" for j in range(300)) for i in range(200)]
    others = [text.replace("1", "2") for text in texts]
    for made in (misword.align(texts, others), misword.score(texts, others)):
        assert len(repr(made)) < 2000
        assert len(made._repr_html_()) < 300_000
    assert "... 200 more" in misword.align(texts, others)._repr_html_()
    assert "... 190 more" in misword.align(texts, others)._repr_html_()


def test_alignments_have_the_colours_of_the_report() -> None:
    references = ["we are in", "<b> cat", "a b", "a"]
    hypotheses = ["we're in", "<b> dog", "a", "a b"]
    aligned = misword.align(references, hypotheses, forgive="contractions")
    html = aligned._repr_html_()
    assert 'title="forgiven: contractions"' in html
    assert "background:#d9e8fa" in html
    for kind, line in (("substitution", "solid"), ("deletion", "dotted"), ("insertion", "dashed")):
        assert f'title="{kind}"' in html
        assert f"{line} #7f2d00" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "1 forgiven" in repr(aligned)


def test_colours_follow_the_cost() -> None:
    vectors = misword.WordVectors.of(["cat", "cats", "dog"], [[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    near = misword.align(["cat"], ["cats"], "wer-e", vectors=vectors)._repr_html_()
    far = misword.align(["cat"], ["dog"], "wer-e", vectors=vectors)._repr_html_()
    assert "background:#fff3e8" in near
    assert "background:#ffb06b" in far
