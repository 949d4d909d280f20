"""Several references of one utterance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.corpus import with_merged_references
from misword.core.errors import MismatchError, OptionError
from misword.core.types import Corpus
from misword.io.transcripts.alternatives import either_text
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]


def texts_of(corpus: Corpus) -> list[str]:
    return with_merged_references(corpus).references["text"].to_list()


def test_each_utterance_is_scored_against_the_nearest_reference(write: Write) -> None:
    first = write("a.txt", "u1 the cat sat\nu2 hello\n")
    second = write("b.txt", "u2 hullo\nu1 a cat sat down\n")
    hypothesis = write("h.txt", "u1 a cat sat\nu2 hullo\n")
    corpus, _ = read_corpus(first, hypothesis, more_references=[second], merge="whole")
    assert texts_of(corpus) == ["{ the cat sat / a cat sat down }", "{ hello / hullo }"]
    scores = misword.score(corpus, metrics="wer")
    row = scores.summary(bootstrap=0).row(0, named=True)
    assert (row["substitutions"], row["deletions"], row["insertions"]) == (1, 0, 0)
    assert row["reference"] == 4  # "the cat sat" comes first among equally near readings
    assert "|references:2-whole|" in str(scores.columns[0].signature)


def test_references_are_merged_by_spans(write: Write) -> None:
    first = write("a.txt", "u1 the cat sat\nu2 hello\n")
    second = write("b.txt", "u2 hullo\nu1 a cat sat down\n")
    hypothesis = write("h.txt", "u1 a cat sat\nu2 hullo\n")
    corpus, _ = read_corpus(first, hypothesis, more_references=[second])
    assert texts_of(corpus) == ["{ the / a } cat sat { @ / down }", "{ hello / hullo }"]
    scores = misword.score(corpus, metrics="wer")
    assert scores["wer"] == 0
    assert "|references:2-any|" in str(scores.columns[0].signature)


def test_the_agreement_of_references_and_what_they_forgive() -> None:
    scores = misword.score(
        ["a b c d", "e f"], {"s": ["a b c x", "e g"]}, "wer",
        more_references=[["a b c x", "e f"], ["a b c x", "e h"]],
    )  # fmt: skip
    table = scores.result(bootstrap=0).tables["references"]
    rows = {(row["kind"], row["name"]): row for row in table.to_dicts()}
    rates = [rows["reference", f"reference {n}"]["rate"] for n in (1, 2, 3)]
    assert rates == pytest.approx([1 / 6, 0, 1 / 6])
    system = rows["system", "s"]
    assert (system["rate"], system["alone"]) == pytest.approx((1 / 6, 2 / 6))
    assert system["forgiven"] == pytest.approx(0.5)


def test_equal_texts_are_listed_once(write: Write) -> None:
    first, second = write("a.txt", "a  b\nc\n"), write("b.txt", "a b\nd\n")
    corpus, _ = read_corpus(first, first, more_references=[second, first])
    assert texts_of(corpus) == ["a  b", "{ c / d }"]
    notes = misword.score(corpus, metrics="wer").notes
    assert "1 of 3 references are copies of others and do not count" in notes


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
        scores = misword.score(
            references[0], [hypothesis], "wer", more_references=references[1:], merge="whole"
        )
        row = scores.summary(bootstrap=0).row(0, named=True)
        return int(row["substitutions"] + row["deletions"] + row["insertions"])

    right = ["gonna go", "going to go", "{laugh} we will go", "{laugh} we 'll go"]
    assert [errors(text) for text in right] == [0, 0, 0, 0]
    assert errors("gonna will go") == 1
    assert errors("{laugh} going go") > 0


def test_words_that_would_be_signs_are_left_out(write: Write) -> None:
    first = write("a.txt", "and / or\nmail @ home\nsame / text\n{ a / b } / c/@ d/e\n")
    second = write("b.txt", "x\ny\nsame / text\nz\n")
    corpus, _ = read_corpus(first, first, more_references=[second])
    assert texts_of(corpus) == [
        "{ and or / x }", "{ mail home / y }", "same / text", "{ { a / b } d/e / z }",
    ]  # fmt: skip
    assert (
        "4 words / or @ left out of places where references differ, where they are signs of "
        "alternatives" in misword.score(corpus, metrics="wer").notes
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
