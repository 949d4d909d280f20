"""Tags of references: nlp files, columns of spans, BIO tags."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import misword
from misword.asr.entities.tags import spans_of_characters, spans_of_tags, spans_of_words
from misword.core.errors import InputError, MiswordError, OptionError


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("O B-X I-X O", [(1, 3, "X")]),
        ("B-X B-X I-Y I-Y", [(0, 1, "X"), (1, 2, "X"), (2, 4, "Y")]),
        ("I-X I-X O I-X", [(0, 2, "X"), (3, 4, "X")]),
        ("S-X B-Y E-Y E-Z", [(0, 1, "X"), (1, 3, "Y"), (3, 4, "Z")]),
        ("U-X L-X B-X L-X", [(0, 1, "X"), (1, 2, "X"), (2, 4, "X")]),
        ("O O O O", []),
    ],
)
def test_tags_of_words_are_spans(tags: str, spans: list[tuple[int, int, str]]) -> None:
    assert list(spans_of_tags(tags.split(), 4)) == spans


def test_bad_tags_are_refused() -> None:
    with pytest.raises(InputError, match="3 tags for 2 words"):
        list(spans_of_tags(["O"] * 3, 2))
    with pytest.raises(InputError, match="'X' is not a BIO tag"):
        list(spans_of_tags(["X", "O"], 2))


@pytest.mark.parametrize(
    "value", ["[[0, 99, 'X']]", '[[0, 99, "X"]]', '[[3, 3, "X"]]', "[[0, 1]]", '[[0, 1, ""]]',
              '[[2, 3, "X"]]', "[[true, 2, 1]]", "[1]"],
)  # fmt: skip
def test_bad_spans_are_refused(value: str) -> None:
    with pytest.raises(InputError):
        list(spans_of_characters(value, "ab cd"))


def test_a_span_has_the_words_that_it_touches() -> None:
    assert list(spans_of_characters('[[1, 4, "X"], [3, 5, "Y"]]', "ab cd")) == [
        (0, 2, "X"), (1, 2, "Y"),
    ]  # fmt: skip


def test_words_of_nlp_files_with_one_id_are_a_span() -> None:
    tags = [["1:DATE"], ["1:DATE", "2:YEAR"], [], ["1:DATE"], ["3:YEAR"]]
    words = pl.DataFrame({"utt": ["a"] * 4 + ["b"], "place": [0, 1, 2, 3, 0], "entities": tags})
    spans = spans_of_words(words, pl.Series(["b", "a"]))
    found = zip(spans.row, spans.start, spans.end, spans.class_of, strict=True)
    assert [(r, s, e, spans.classes[c]) for r, s, e, c in found] == [
        (0, 0, 1, "YEAR"), (1, 0, 2, "DATE"), (1, 3, 4, "DATE"), (1, 1, 2, "YEAR"),
    ]  # fmt: skip
    with pytest.raises(OptionError, match="type of the entity '7'"):
        spans_of_words(words.with_columns(entities=pl.Series([["7"]] * 5)), pl.Series(["a", "b"]))


def score(tags: list[str], **options: Any) -> pl.DataFrame:
    references = ["Mr. Bob Smith, of New York", "no names"]
    hypotheses = ["mr bob the smith of york", "no names"]
    scores = misword.score(
        references, hypotheses, "wer", metadata={"entities": tags}, entities="tags", **options
    )
    assert scores.metadata == []
    return scores.entities(bootstrap=0)


def test_normalizers_keep_tags_at_their_words() -> None:
    row = score(["O B-PER I-PER O B-LOC I-LOC", ""], normalize="lower,nopunct").to_dicts()
    assert [(r["class"], r["words"], r["deletions"], r["insertions"], r["found"]) for r in row] == [
        ("LOC", 2, 1, 0, 0), ("PER", 2, 0, 1, 0),
    ]  # fmt: skip
    assert row[1]["rate"] == 0.5
    assert row[1]["precision"] is None


def test_forgiven_differences_are_no_errors() -> None:
    rates = score(["S-PER O O O O O", "O O"], forgive="writing")
    assert rates.select("class", "rate", "recall").rows() == [("PER", 0.0, 1.0)]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"entities": "tag"}, "unknown source of entities 'tag'"),
        ({"entities": "tags:other"}, "no column 'other'"),
        ({"entities": "tags", "normalize": "whisper"}, "cannot be mapped to words"),
        ({"entities": "spacy"}, "needs the language"),
    ],
)
def test_what_cannot_be_read_is_refused(options: dict[str, Any], what: str) -> None:
    tags = {"entities": ["B-X O", "O O O O O"]}
    texts = ["twenty one", "he will pay five dollars"]
    with pytest.raises(MiswordError, match=what):
        misword.score(texts, texts, "wer", metadata=tags, **options)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ('[[0, 6, "A"], [4, 9, "B"]]', "two spans cross: A of words 1 to 2"),
        ('[[0, 99, "A"]]', r"\[0, 99, 'A'\] is not within the text, which has 10 characters"),
        ('[[3, 4, "A"]]', "has no word"),
        ("O O", "2 tags for 3 words"),
        ("O O PER", "'PER' is not a BIO tag"),
        ('[[0, 3, "A"', "not a list of spans"),
    ],
)
def test_mistakes_in_a_column_name_the_utterance(value: str, what: str) -> None:
    texts = ["fine", "one two 3é"]
    tags = {"entities": ["S-X", value]}
    with pytest.raises(InputError, match=what) as info:
        misword.score(texts, texts, "wer", metadata=tags, entities="tags", ids=["u1", "u2"])
    assert "utterance 'u2'" in str(info.value)


def test_alternatives_beside_a_column_of_tags_are_refused() -> None:
    tags = {"entities": ["B-X O O O O"]}
    with pytest.raises(OptionError, match="has alternatives"):
        misword.score(["{ a / b }"], ["a"], "wer", metadata=tags, entities="tags")
