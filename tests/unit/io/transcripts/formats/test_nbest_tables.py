"""N-best lists in tables and in HyPoradise's JSON."""

from __future__ import annotations

import json

import pytest

from misword.core.errors import InputError, MiswordError
from misword.io.transcripts.read import read_corpus
from nbest_reading import ListReader, Write, rows


def test_json_lines_with_features(write: Write, both: ListReader) -> None:
    write(
        "h.jsonl",
        '{"utt": "b", "rank": 1, "text": "sat", "score": -1, "lm": 2, "translation": "assis"}\n'
        '{"utt": "a", "rank": 2, "text": "cat", "score": -3.5, "lm": 4, "translation": "chat"}\n'
        '{"utt": "a", "rank": 1, "text": "the cat", "score": -2, "lm": 3, "translation": "le"}\n',
    )
    corpus = both("h.jsonl")
    assert rows(corpus, "score", "lm", "translation") == [
        ("a", 1, "the cat", -2.0, 3, "le"),
        ("a", 2, "cat", -3.5, 4, "chat"),
        ("b", 1, "sat", -1.0, 2, "assis"),
    ]
    assert corpus.features == ["score", "lm"]
    assert both.notes == ()


def test_lines_without_ranks_are_in_their_order(write: Write, both: ListReader) -> None:
    write("h.csv", "utt,text,score\na,the cat,-1\na,cat,-2\nb,sat,-1\nb,set,-1.5\n")
    assert rows(both("h.csv")) == [
        ("a", 1, "the cat"), ("a", 2, "cat"), ("b", 1, "sat"), ("b", 2, "set"),
    ]  # fmt: skip


def test_scores_of_one_hypothesis_each(write: Write, both: ListReader) -> None:
    write("h.csv", "utt,text,score\nb,sat,-1.5\na,cat,-2\n")
    assert rows(both("h.csv"), "score") == [("a", 1, "cat", -2.0), ("b", 1, "sat", -1.5)]


@pytest.mark.parametrize(
    "content",
    [
        "utt,text,score\na,x,1\na,y,0.5\nb,z,1\nc,w,1\n",  # most ids are there once
        "utt,text,score\na,x,1\nb,z,1\na,y,1\nb,w,1\n",  # not together
        "utt,text\na,x\na,y\nb,z\nb,w\n",  # nothing says that these are lists
    ],
)
def test_repeated_ids_that_are_no_lists(content: str, write: Write, both: ListReader) -> None:
    write("h.csv", content)
    with pytest.raises(InputError, match="duplicate id"):
        both("h.csv")


def test_costs_become_scores(write: Write, both: ListReader) -> None:
    write("h.csv", "utt,rank,text,score\na,1,the cat,2\na,2,cat,3\nb,1,sat,1\nb,2,set,4\n")
    assert rows(both("h.csv"), "score")[0] == ("a", 1, "the cat", -2.0)
    assert both.notes[0].endswith("score rises with the rank; it is read as a cost, -score")


def test_ranks_from_zero(write: Write, both: ListReader) -> None:
    write("h.csv", "utt,rank,text\na,0,x\na,1,y\nb,0,z\n")
    assert rows(both("h.csv")) == [("a", 1, "x"), ("a", 2, "y"), ("b", 1, "z")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("utt,rank,text\na,1,x\na,3,y\nb,1,z\n", r"h.csv:3: utterance 'a'.* none of rank 2"),
        ("utt,rank,text\na,1,x\na,1,y\nb,1,z\n", r"h.csv:3: duplicate rank 1 of utterance 'a'"),
        ("utt,rank,text,score\na,2,x,1\nb,1,z,1\n", r"h.csv:2: .*none of rank 1"),
        ("utt,rank,text,score\na,1,x,1\na,2,y,nan\nb,1,z,1\n", r"h.csv:3: score is not finite"),
        ("utt,rank,text,lm\na,1,x,1\na,2,y,inf\nb,1,z,1\n", r"h.csv:3: lm is not finite"),
        ("utt,rank,text,score\na,1,x,1\na,2,y,bad\nb,1,z,1\n", r"h.csv:3: score is not a number"),
        ("utt,rank,text\na,1,x\na,2,y\nb,1,z\nc,1,w\n", r"r.csv lacks 'c'"),
        ("utt,rank,text\na,1,x\na,2,y\n", r"h.csv lacks 'b'"),
    ],
)
def test_lists_that_are_refused(content: str, message: str, write: Write, both: ListReader) -> None:
    write("h.csv", content)
    with pytest.raises(MiswordError, match=message):
        both("h.csv")


def test_nan_in_json_lines(write: Write, both: ListReader) -> None:
    write("h.jsonl", '{"utt": "a", "rank": 1, "text": "x", "score": NaN}\n' * 2)
    with pytest.raises(InputError, match=r"h.jsonl:2: duplicate rank 1 of utterance 'a'"):
        both("h.jsonl")
    write("h.jsonl", '{"utt": "a", "rank": 1, "text": "x", "score": NaN}\n')
    with pytest.raises(InputError, match=r"h.jsonl:1: score is not finite"):
        both("h.jsonl")


HYPORADISE = [
    {"instruction": "?", "input": ["the cat", "cat"], "output": "the cat"},
    {"instruction": "?", "input": ["sat", "set down", "sat"], "output": "sat down"},
]


def test_hyporadise_has_both_sides(write: Write) -> None:
    path = write("h.json", json.dumps(HYPORADISE, indent=1))
    corpus, notes = read_corpus(path, nbest=True)
    assert corpus.references.select("utt", "text").rows() == [("1", "the cat"), ("2", "sat down")]
    assert rows(corpus) == [
        ("1", 1, "the cat"), ("1", 2, "cat"),
        ("2", 1, "sat"), ("2", 2, "set down"), ("2", 3, "sat"),
    ]  # fmt: skip
    assert notes == ()
    assert corpus.features == []
    best, notes = read_corpus(path)
    assert best.hypotheses["text"].to_list() == ["the cat", "sat"]
    assert notes[0].endswith("(3 left out)")


def test_hyporadise_with_other_references_and_ids(write: Write, both: ListReader) -> None:
    named = [{**item, "id": name} for item, name in zip(HYPORADISE, "ab", strict=True)]
    write("h.json", json.dumps(named))
    assert rows(both("h.json"))[:2] == [("a", 1, "the cat"), ("a", 2, "cat")]
    write("h.json", json.dumps(HYPORADISE))
    assert rows(both("h.json", references="x\ny\n"))[0] == ("1", 1, "the cat")
    with pytest.raises(MiswordError, match="has ids"):
        both("h.json")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"input": [], "output": "a"}], "item 1: 'input' is not a list, or is empty"),
        ([HYPORADISE[0], {"input": ["a"]}], "item 2: no 'input' or no 'output'"),
        ([{"input": ["a", 3], "output": "a"}], "item 1: a text is not a string"),
        ([{**HYPORADISE[0], "id": "x"}] * 2, "item 2: duplicate id 'x'"),
    ],
)
def test_hyporadise_that_is_refused(items: list[object], message: str, write: Write) -> None:
    with pytest.raises(InputError, match=message):
        read_corpus(write("h.json", json.dumps(items)))


def test_truncated_hyporadise(write: Write) -> None:
    with pytest.raises(InputError, match="not JSON"):
        read_corpus(write("h.json", json.dumps(HYPORADISE)[:-20]))
