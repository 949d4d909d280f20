"""The note on errors that are differences of writing."""

from __future__ import annotations

import re
from typing import Any

import misword
from misword.asr.checking.writing_notes import LEAST_ERRORS, count_signs

REFERENCE = "we are paying twenty dollars uh for the colour"
HYPOTHESIS = "we're paying $20 for the color"


def notes(references: list[str], hypotheses: list[str], **options: Any) -> list[str]:
    scores = misword.score(references, hypotheses, "wer", **options)
    return [note for note in scores.notes if "differences of writing" in note]


def test_a_note_names_the_share_and_the_families() -> None:
    (note,) = notes([REFERENCE] * 20, [HYPOTHESIS] * 20)
    assert "about 100 % of the word errors" in note
    assert "--forgive writing" in note
    parts = dict(re.findall(r"(\w+) (\d+) %", note.partition("(")[2]))
    assert set(parts) <= {"numbers", "contractions", "fillers", "spelling"}
    assert len(parts) == 3


def test_no_note_if_the_errors_are_errors() -> None:
    assert notes(["the cat sat down"] * 20, ["a dog sat up"] * 20) == []


def test_no_note_on_few_errors() -> None:
    assert LEAST_ERRORS > 5
    assert notes([REFERENCE], [HYPOTHESIS]) == []


def test_no_note_if_differences_are_forgiven() -> None:
    assert notes([REFERENCE] * 20, [HYPOTHESIS] * 20, forgive="fillers") == []


def test_normalisation_is_the_same_in_the_look() -> None:
    texts = ["This, Is, A, Test,"] * 20, ["this is a test"] * 20
    assert len(notes(*texts)) == 1
    assert notes(*texts, normalize="lower,nopunct") == []


def test_the_share_is_that_of_forgiving_if_all_pairs_are_looked_at() -> None:
    references = [REFERENCE, "a b c d"] * 20
    hypotheses = [HYPOTHESIS, "a x c y"] * 20
    (note,) = notes(references, hypotheses)
    plain, forgiving = (
        misword.score(references, hypotheses, "wer", forgive=families)["wer"]
        for families in ("", "writing")
    )
    assert f"about {100 * (1 - forgiving / plain):.0f} %" in note


def test_the_sample_is_from_the_whole_corpus() -> None:
    """Only the second half has differences of writing."""
    references = ["the old cat sat down here"] * 1500 + [REFERENCE] * 1500
    hypotheses = ["a new dog ran off there"] * 1500 + [HYPOTHESIS] * 1500
    (note,) = notes(references, hypotheses)
    share = int(re.findall(r"about (\d+) %", note)[0])
    assert 30 < share < 70


def test_signs_of_another_writing() -> None:
    assert count_signs(["two cats sat"], ["a dog ran"]) == (6, 0)
    assert count_signs(["colour centre"], ["color center"]) == (4, 4)
    assert count_signs(["twenty dollars"], ["$20 dollars"]) == (2, 1)
    assert count_signs(["we're late uh"], ["we are late"]) == (4, 3)
    assert count_signs(["w12 w5"], ["w13 w6"]) == (4, 0)
    assert count_signs(["1,300 w5"], ["1300 w6"]) == (4, 2)
