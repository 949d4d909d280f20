"""The page of an evaluation: its headline, its tables, and sections that are left out."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from bilingual import gold, open_mapping, write_lesson
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.bli.retrievers import RETRIEVERS
from misword.bli.seeds import TrainingPairs
from misword.cli.main import main
from misword.core.types import Result
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.results import read_result
from misword.report import render
from misword.report.kinds import headline
from misword.report.kinds.lexicons.evaluation import (
    FOUND,
    NO_SOURCE,
    NO_TARGET,
    NOT_FOUND,
    entry_data,
    slice_figure,
)
from misword.report.packing import Data
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.lexicons import rates_by_kind, rates_table


def result(
    *mappings: OpenMapping, lexicon: Lexicon | None = None, oov: str = "drop", times: int = 0
) -> Result:
    """The evaluation of mappings by nearest neighbours, with one candidate."""
    settings = EvaluationSettings((1,), oov, bootstrap=Bootstrap(times))
    parts = RETRIEVERS.create_all("nn")
    return evaluate_open(mappings, lexicon or gold(), parts, settings).result()


def narrower(mapping: OpenMapping, words: int) -> OpenMapping:
    """The same with fewer words."""
    source, target = (
        MappedSide(side.vocabulary.first(words), side.unit_vectors[:words])
        for side in (mapping.source, mapping.target)
    )
    return OpenMapping(source, target, "narrow", mapping.settings)


@pytest.mark.parametrize(
    ("oov", "sentence"),
    [
        ("drop", "toy nn: hit@1 66.7 % of 3 headwords, 2 left out."),
        ("source", "toy nn: hit@1 50.0 % of 4 headwords, 1 left out."),
        ("error", "toy nn: hit@1 40.0 % of 5 headwords."),
    ],
)
def test_one_mapping_in_a_sentence(oov: str, sentence: str) -> None:
    """The sentence has the hit rate, the number of headwords, and how many are left out."""
    assert headline(result(open_mapping(), oov=oov)) == sentence


def test_intervals_are_in_the_sentence() -> None:
    assert "66.7 % (95 % interval " in headline(result(open_mapping(), times=50))


def test_two_mappings_in_a_sentence() -> None:
    """Equal systems are both the highest and are not distinguishable."""
    assert headline(result(open_mapping("a"), open_mapping("b"), times=50)).endswith(
        "of 3 headwords, 2 left out; against a nn: b nn 0.0 points "
        "(not distinguishable, p = 1.000)."
    )
    assert headline(result(open_mapping("a"), open_mapping("b"))).startswith(
        "a nn and b nn have the highest"
    )


def test_rates_of_different_words_have_no_order() -> None:
    """A mapping with fewer words is not called better for leaving out unknown words."""
    sentence = headline(result(open_mapping(), narrower(open_mapping(), 2), times=50))
    assert sentence.startswith(
        "hit@1 is of 1 to 3 headwords, since the systems know different words"
    )
    assert "highest" not in sentence


def test_nothing_answerable_is_undefined() -> None:
    """Without an answerable headword the rate is undefined, and the page is still made."""
    made = result(open_mapping(), lexicon=Lexicon.of([("dog", "toutou")]))
    assert headline(made) == "hit@1 is undefined: no headword can be answered."
    assert "undefined" in render([made])


def unpacked(data: Data) -> list[int]:
    """The numbers of a packed array."""
    return list(map(int, np.frombuffer(b64decode(data["data"]), f"<{data['type']}")))


def test_entries_have_every_headword() -> None:
    """Gold words, ranks, candidates and outcomes of the small lexicon, by hand."""
    data = entry_data(result(open_mapping()))
    assert data is not None
    assert data["words"] == ["dog", "cat", "house", "roof", "unicorn"]
    assert unpacked(data["lengths"]) == [3, 1, 2, 1, 1]
    gold = [data["targets"][number] for number in unpacked(data["gold"])]
    assert gold[:4] == ["chien", "chienne", "toutou", "chat"]
    (system,) = data["systems"]
    assert system["name"] == "toy nn"
    assert unpacked(system["outcomes"]) == [FOUND, NOT_FOUND, FOUND, NO_TARGET, NO_SOURCE]
    assert unpacked(system["ranks"]) == [1, 0, 0, 0, 1, 0, 0, 0]
    candidates = [data["targets"][number] for number in unpacked(system["candidates"])]
    assert candidates == ["chien", "maison", "maison", "chat", ""]
    assert unpacked(system["right"]) == [1, 0, 1, 0, 0]


def test_words_of_entries_are_text() -> None:
    lexicon = Lexicon.of([("cat", "</script><b>chat</b>"), ("dog", "chien")])
    page = render([result(open_mapping(), lexicon=lexicon)])
    assert "\\u003c/script\\u003e\\u003cb\\u003echat" in page
    assert "<b>chat" not in page
    assert "All entries, found and not found" in page
    assert "Is one better than the first?" not in page
    assert "denisova2023" in page


def test_without_gold_pairs_there_are_no_entries() -> None:
    made = result(open_mapping())
    only_rates = Result("evaluation", {"rates": made.tables["rates"]}, made.provenance)
    assert "All entries, found and not found" not in render([only_rates])


def test_slices_in_a_chart_and_side_by_side() -> None:
    """The slice with the highest rate comes first; each system has its columns in the table."""
    rates = [
        {"system": system, "column": "pos", "value": value, "metric": "hit@1", "kind": "hit",
         "k": 1, "rate": rate + gain, "low": rate - 0.1, "high": rate + 0.1,
         "part": round((rate + gain) * whole), "whole": whole}
        for system, gain in (("a", 0.0), ("b", 0.25))
        for value, rate, whole in (("VERB", 0.2, 1000), ("NOUN", 0.6, 20))
    ]  # fmt: skip

    def sliced(rows: list[dict[str, Any]]) -> Result:
        return Result("evaluation", {"rates": pl.DataFrame(rows, infer_schema_length=None)})

    figure = slice_figure(sliced(rates), "pos", "slices-0")
    assert figure is not None
    points = figure.spec["data"]["values"]
    assert [(point["row"], point["series"], point["x"]) for point in points] == [
        ("NOUN (20)", "a", 60.0), ("NOUN (20)", "b", 85.0),
        ("VERB (1,000)", "a", 20.0), ("VERB (1,000)", "b", 45.0),
    ]  # fmt: skip
    undefined = sliced([row | {"rate": None} for row in rates])
    assert slice_figure(undefined, "pos", "slices-0") is None
    many = [row | {"value": str(i), "whole": i} for row in rates[:1] for i in range(40)]
    cut = slice_figure(sliced(many), "pos", "slices-0")
    assert cut is not None
    assert "10 smaller slices are in the table only" in cut.text
    shown = rates_by_kind(rates_table(sliced(rates), rates, value="pos"), "value")
    between = "95 % interval"
    assert shown.header() == ["pos", "rate", "of", "a, %", between, "b, %", between]
    assert shown.cells()[0][:4] == ["VERB", "hit@1", "1,000", "20.00"]


def test_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page has slices; the result folder gives the same headline later."""
    write_lesson(tmp_path)
    names = [str(tmp_path / name) for name in ("en-fr.map", "other.map", "gold.csv")]
    page, folder = tmp_path / "page.html", tmp_path / "out"
    more = ["--by", "kind", "--k", "1,2", "--report", str(page), "--out", str(folder)]
    assert main(["evaluate", *names, *more]) == 0
    text = page.read_text(encoding="utf-8")
    for part in ("Is one better than the first?", "by the columns of the lexicon", "animal"):
        assert part in text
    assert headline(read_result(folder)) in text.replace("\u00a0", " ")


def test_lexicons_slices_and_training_on_the_page(tmp_path: Path) -> None:
    """Rates by lexicon, differences on slices, and how much of the lexicon was in training."""
    write_lesson(tmp_path / "lexicon")
    gold_csv = read_lexicon(tmp_path / "lexicon" / "gold.csv")
    trained = TrainingPairs.of([("dog", "chien")])
    mappings = [replace(open_mapping(name), training_pairs=trained) for name in ("a", "b")]
    settings = EvaluationSettings((1,), by=("kind",), bootstrap=Bootstrap(20))
    parts = RETRIEVERS.create_all("nn")
    page = render([evaluate_open(mappings, [gold_csv, gold()], parts, settings).result()])
    for text in ("Is it the same on other lexicons?", "corrected for all comparisons on slices",
                 "headwords in training", "gold.txt"):  # fmt: skip
        assert text in page
    alone = render([result(open_mapping())])
    assert "Is it the same on other lexicons?" not in alone
    assert "headwords in training" not in alone
