"""Punctuation, capitals and the WER of formatted text, on examples worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.formatting import split_punctuation
from misword.core.errors import OptionError
from misword.stat.tallies.class_rates import mark_counts

TOKENS = ["Yes", "yes", "yes,", "Yes.", ",", "no", "No", "NO?", "--"]
texts = st.lists(st.sampled_from(TOKENS), max_size=6).map(" ".join)


def totals(reference: str, hypothesis: str, metric: str) -> dict[str, int]:
    row = misword.score([reference], [hypothesis], metric).summary(bootstrap=0).to_dicts()[0]
    return {name: value for name, value in row.items() if isinstance(value, int)}


def counts(reference: str, hypothesis: str, metric: str) -> tuple[int, ...]:
    row = totals(reference, hypothesis, metric)
    return tuple(row[name] for name in ("hits", "substitutions", "insertions", "deletions"))


@pytest.mark.parametrize(
    ("word", "core", "marks"),
    [
        ("well,", "well", {"comma"}),
        ("¿Qué", "Qué", {"other"}),
        ("what?!", "what", {"question", "exclamation"}),
        ("so...", "so", {"other"}),
        ("“Yes.”", "Yes", {"period", "other"}),
        ("boys'", "boys", set()),
        ("th-", "th", set()),
        ("word—", "word", {"dash"}),
        ("-", "", {"dash"}),
        ("3.5%,", "3.5%", {"comma"}),
        ("سلام؟", "سلام", {"question"}),
        ("twenty-one", "twenty-one", set()),
    ],
)
def test_a_word_is_divided(word: str, core: str, marks: set[str]) -> None:
    assert (split_punctuation(word).core, set(split_punctuation(word).marks)) == (core, marks)


def test_marks_are_right_wrong_missing_and_added() -> None:
    # The comma is right, the full stop is replaced, one mark is added, the last one is missing.
    reference, hypothesis = "Well, yes. I do know.", "well, yes? I, do know"
    assert counts(reference, hypothesis, "punctuation") == (1, 1, 1, 1)
    assert misword.score([reference], [hypothesis], "punctuation")["punctuation"] == 1.0


def test_marks_at_a_wrong_word_are_compared_and_at_a_missing_word_are_not() -> None:
    assert counts("I see, Anna.", "I sea, Anna.", "punctuation") == (2, 0, 0, 0)
    row = totals("Oh, I see.", "I see.", "punctuation")
    assert (row["hits"], row["reference"], row["unaligned"]) == (1, 1, 1)


def test_marks_that_stand_alone_belong_to_the_word_before() -> None:
    assert counts("yes , I do .", "yes, I do.", "punctuation") == (2, 0, 0, 0)
    assert counts("— yes", "yes", "punctuation") == (0, 0, 0, 1)
    assert counts("...", "", "punctuation") == (0, 0, 0, 0)


def test_each_mark_has_precision_and_recall() -> None:
    summary = misword.score(["a, b, c. d?"], ["a, b c, d?"], "punctuation").summary(bootstrap=0)
    kinds = {each.kind: each for each in mark_counts(summary.to_dicts()[0])}
    assert list(kinds) == ["comma", "period", "question", "all"]
    comma, period = kinds["comma"], kinds["period"]
    assert (comma.precision, comma.recall, comma.f, comma.error_rate) == (0.5, 0.5, 0.5, 1.0)
    assert (period.precision, period.recall, period.f) == (None, 0.0, 0.0)
    # The comma in place of the full stop is one error of all marks together.
    assert kinds["all"].errors == 2


def test_capitals_of_equal_words() -> None:
    reference, hypothesis = "Anna met IBM in new York", "anna met Ibm In new York"
    assert counts(reference, hypothesis, "capitals") == (1, 1, 1, 1)
    assert misword.score([reference], [hypothesis], "capitals")["capitals"] == 1.0


def test_capitals_of_other_words_do_not_count() -> None:
    assert counts("Anna came", "hannah came", "capitals") == (0, 0, 0, 0)


def test_errors_of_formatted_words_are_divided() -> None:
    row = totals("Well, yes. I do know Anna", "well, yes i do, no Anna .", "formatted")
    names = ("wrong_words", "only_case", "only_punctuation", "case_and_punctuation")
    assert [row[name] for name in names] == [1, 2, 3, 0]
    assert [totals("Yes.", "yes", "formatted")[name] for name in names] == [0, 0, 0, 1]


def test_two_forms_of_a_word_are_aligned_rather_than_two_words() -> None:
    row = totals("A, b", "a", "formatted")
    assert (row["wrong_words"], row["case_and_punctuation"]) == (1, 1)
    row = totals("b A,", "a", "formatted")
    assert (row["wrong_words"], row["case_and_punctuation"]) == (1, 1)


@given(texts, texts)
def test_the_parts_add_up_to_the_wer(reference: str, hypothesis: str) -> None:
    scores = misword.score([reference], [hypothesis], "wer,formatted")
    assert scores.statistics("wer")[0, 1:].sum() == scores.statistics("formatted")[0, 4:].sum()
    np.testing.assert_equal(scores["wer"], scores["formatted"])


@given(texts, texts)
def test_all_marks_are_compared_or_unaligned(reference: str, hypothesis: str) -> None:
    row = totals(reference, hypothesis, "punctuation")
    at_words = sum(row[name] for name in row if name.endswith((".in_reference", ".in_hypothesis")))
    both = 2 * (row["hits"] + row["substitutions"]) + row["insertions"] + row["deletions"]
    assert at_words == both


def test_a_side_without_marks_has_a_note() -> None:
    notes = misword.score(["Yes, I do."], ["yes i do"], "punctuation,capitals").notes
    assert "punctuation: the hypotheses have no punctuation at aligned words" in notes
    assert "capitals: the hypotheses have no capitals at equal words" in notes


def test_a_tie_rule_is_refused() -> None:
    with pytest.raises(OptionError, match="leave out ties"):
        misword.score(["a"], ["a"], "formatted:ties=jiwer")
