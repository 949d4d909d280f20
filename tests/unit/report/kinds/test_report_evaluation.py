"""The page of an evaluation: its headline, its tables, and sections that are left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bilingual import gold, open_mapping, write_lesson
from misword.bli.evaluate import evaluate_open
from misword.bli.evaluation.settings import EvaluationSettings
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.bli.retrievers import RETRIEVERS
from misword.bli.training_pairs import TrainingPairs
from misword.cli.main import main
from misword.core.types import Result
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.results import read_result
from misword.report import render
from misword.report.kinds import headline
from misword.stat.bootstrap import Bootstrap


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
        "hit@1 is of 1 to 3 headwords, since the mappings know different words"
    )
    assert "highest" not in sentence


def test_nothing_answerable_is_undefined() -> None:
    """Without an answerable headword the rate is undefined, and the page is still made."""
    made = result(open_mapping(), lexicon=Lexicon.of([("dog", "toutou")]))
    assert headline(made) == "hit@1 is undefined: no headword can be answered."
    assert "undefined" in render([made])


def test_the_page_shows_missed_headwords_as_text() -> None:
    lexicon = Lexicon.of([("cat", "<b>chat</b>"), ("dog", "chien"), ("roof", "toit")])
    page = render([result(open_mapping(), lexicon=lexicon)])
    assert "&lt;b&gt;chat&lt;/b&gt;" in page
    assert "<b>chat" not in page
    assert "What was not found" in page
    assert "Is one better than the first?" not in page
    assert "denisova2023" in page


def test_without_missed_headwords_there_is_no_section() -> None:
    assert "What was not found" not in render(
        [result(open_mapping(), lexicon=Lexicon.of([("dog", "chien")]))]
    )


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
