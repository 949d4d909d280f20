"""Several references of one utterance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import MismatchError, OptionError
from misword.io.transcripts.alternatives import either_text
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]


def test_each_utterance_is_scored_against_the_nearest_reference(write: Write) -> None:
    first = write("a.txt", "u1 the cat sat\nu2 hello\n")
    second = write("b.txt", "u2 hullo\nu1 a cat sat down\n")
    hypothesis = write("h.txt", "u1 a cat sat\nu2 hullo\n")
    corpus, _ = read_corpus(first, hypothesis, more_references=[second])
    assert corpus.references["text"].to_list() == [
        "{ the cat sat / a cat sat down }", "{ hello / hullo }",
    ]  # fmt: skip
    scores = misword.score(corpus, metrics="wer")
    row = scores.summary(bootstrap=0).row(0, named=True)
    assert (row["substitutions"], row["deletions"], row["insertions"]) == (1, 0, 0)
    assert row["reference"] == 4  # "the cat sat" comes first among equally near readings


def test_equal_texts_are_listed_once(write: Write) -> None:
    first, second = write("a.txt", "a  b\nc\n"), write("b.txt", "a b\nd\n")
    corpus, _ = read_corpus(first, first, more_references=[second, first])
    assert corpus.references["text"].to_list() == ["a  b", "{ c / d }"]


def test_columns_in_memory() -> None:
    scores = misword.score(
        ["the cat", "x"], ["a cat", "y"], "wer", more_references=[["a cat", "z"], ["", "y"]]
    )
    assert scores.summary(bootstrap=0)["rate"].to_list() == [0]


def test_an_empty_reference_is_an_alternative() -> None:
    scores = misword.score(["um"], [""], "wer", more_references=[[""]])
    row = scores.summary(bootstrap=0).row(0, named=True)
    assert (row["deletions"], row["reference"]) == (0, 0)


def test_alternatives_inside_references_nest() -> None:
    def errors(hypothesis: str) -> int:
        references = ["{ gonna / going to } go"], ["{laugh} we { will / 'll } go"]
        scores = misword.score(references[0], [hypothesis], "wer", more_references=references[1:])
        row = scores.summary(bootstrap=0).row(0, named=True)
        return int(row["substitutions"] + row["deletions"] + row["insertions"])

    right = ["gonna go", "going to go", "{laugh} we will go", "{laugh} we 'll go"]
    assert [errors(text) for text in right] == [0, 0, 0, 0]
    assert errors("gonna will go") == 1
    assert errors("{laugh} going go") > 0


def test_words_that_would_be_signs_are_left_out(write: Write) -> None:
    first = write("a.txt", "and / or\nmail @ home\nsame / text\n{ a / b } / c/@ d/e\n")
    second = write("b.txt", "x\ny\nsame / text\nz\n")
    corpus, notes = read_corpus(first, first, more_references=[second])
    assert corpus.references["text"].to_list() == [
        "{ and or / x }", "{ mail home / y }", "same / text", "{ { a / b } d/e / z }",
    ]  # fmt: skip
    assert notes == (
        "4 words / or @ left out of utterances with several references, where they are signs of "
        "alternatives",
    )
    assert misword.score(["a / b"], ["a"], "wer", more_references=[["c"]]).table["wer.deletions"][0]


def test_other_ids_and_sizes_are_refused(write: Write) -> None:
    first, second = write("a.txt", "u1 a\nu2 b\n"), write("b.txt", "u1 a\nu3 b\n")
    with pytest.raises(MismatchError, match="different ids"):
        read_corpus(first, first, more_references=[second])
    with pytest.raises(MismatchError, match="2 references, 1 more references"):
        misword.score(["a", "b"], ["a", "b"], "wer", more_references=[["a"]])
    with pytest.raises(OptionError, match="switched off"):
        misword.score(["a"], ["a"], "wer", more_references=[["b"]], alternatives=False)
    with pytest.raises(OptionError, match="a Corpus has its own references"):
        misword.score(read_corpus(first, first)[0], None, "wer", more_references=[["b"]])


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d/e", "{f}"]), max_size=6).map(" ".join)


@given(WORDS, WORDS, WORDS)
def test_the_errors_are_those_of_the_nearest_reference(first: str, second: str, said: str) -> None:
    def errors(reference: str) -> int:
        row = misword.score([reference], [said], "wer").table.row(0, named=True)
        return sum(int(row[f"wer.{name}"]) for name in ("substitutions", "deletions", "insertions"))

    assert errors(either_text([first, second])[0]) == min(errors(first), errors(second))
