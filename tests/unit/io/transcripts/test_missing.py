"""Utterances without a hypothesis, N-best lists, and several systems in one table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]
REFERENCES = "id,text\n1,a b\n2,c\n3,d e f\n"
NBEST = """\
{"utt": "1", "rank": 2, "text": "worse"}
{"utt": "1", "rank": 1, "text": "best"}
{"utt": "2", "rank": 1, "text": "only"}
"""


def texts(corpus: object) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = corpus.hypotheses.select("system", "utt", "text").rows()  # type: ignore[attr-defined]
    return rows


def test_missing_is_an_error_that_names_the_ways_out(write: Write) -> None:
    paths = write("r.csv", REFERENCES), [write("h.csv", "id,text\n1,a b\n3,d\n")]
    with pytest.raises(MismatchError, match=r"lacks '2'") as caught:
        read_corpus(*paths)
    assert "--missing skip" in caught.value.fix
    assert "--missing delete" in caught.value.fix


def test_missing_delete(write: Write) -> None:
    paths = write("r.csv", REFERENCES), [write("h.csv", "id,text\n3,d\n1,a b\n")]
    corpus, notes = read_corpus(*paths, missing="delete")
    assert texts(corpus) == [("h", "1", "a b"), ("h", "2", ""), ("h", "3", "d")]
    assert notes == (
        "h: 1 of 3 utterances without a hypothesis; their words count as deletions: '2'",
    )


def test_missing_skip_leaves_out_the_same_utterances_of_all_systems(write: Write) -> None:
    first, second = write("x.csv", "id,text\n1,a\n3,d\n"), write("y.csv", "id,text\n3,D\n2,C\n")
    corpus, notes = read_corpus(write("r.csv", REFERENCES), [first, second], missing="skip")
    assert corpus.references["utt"].to_list() == ["3"]
    assert texts(corpus) == [("x", "3", "d"), ("y", "3", "D")]
    assert notes == (
        "2 of 3 utterances lack a hypothesis and are left out (x lacks 1, y lacks 1): '1', '2'",
    )


def test_nothing_missing_gives_no_note(write: Write) -> None:
    paths = write("r.csv", REFERENCES), [write("h.csv", "id,text\n2,c\n1,a\n3,d\n")]
    for rule in ("error", "skip", "delete"):
        corpus, notes = read_corpus(*paths, missing=rule)
        assert corpus.references.height == 3
        assert notes == ()


def test_ids_that_the_references_lack_are_left_out_on_request(write: Write) -> None:
    paths = write("r.csv", REFERENCES), [write("h.csv", "id,text\n1,a\n9,x\n")]
    for rule in ("error", "delete"):
        with pytest.raises(MismatchError, match=r"lacks '9'") as caught:
            read_corpus(*paths, missing=rule)
        assert "--missing skip" in caught.value.fix
    corpus, notes = read_corpus(*paths, missing="skip")
    assert corpus.references["utt"].to_list() == ["1"]
    assert f"{paths[1][0]}: 1 utterance left out, without a reference: '9'" in notes


def test_positions_cannot_be_missing(write: Write) -> None:
    with pytest.raises(MismatchError, match="by position"):
        read_corpus(write("r.txt", "a\nb\n"), [write("h.txt", "a\n")], missing="delete")


def test_no_utterance_is_left(write: Write) -> None:
    first, second = write("x.csv", "id,text\n1,a\n"), write("y.csv", "id,text\n2,c\n")
    with pytest.raises(InputError, match="no utterance has a hypothesis of every system"):
        read_corpus(write("r.csv", REFERENCES), [first, second], missing="skip")


def test_unknown_rule(write: Write) -> None:
    with pytest.raises(OptionError, match="'skp'") as caught:
        read_corpus(write("r.csv", REFERENCES), missing="skp")  # type: ignore[arg-type]
    assert "did you mean 'skip'" in caught.value.fix


def test_null_is_a_missing_hypothesis(write: Write) -> None:
    rows = (
        '{"id": 1, "text": "a", "x": "a", "y": null}\n{"id": 2, "text": "b", "x": "", "y": "b"}\n'
    )
    path = write("both.jsonl", rows)
    with pytest.raises(InputError, match="null in column 'y'"):
        read_corpus(path, hypothesis_column=["x", "y"])
    corpus, notes = read_corpus(path, hypothesis_column=["x", "y"], missing="skip")
    assert texts(corpus) == [("x", "2", ""), ("y", "2", "b")]
    assert "y lacks 1" in notes[0]


def test_n_best_lists_are_read_as_their_best(write: Write) -> None:
    corpus, notes = read_corpus(write("r.csv", "id,text\n1,a\n2,b\n"), [write("h.jsonl", NBEST)])
    assert texts(corpus) == [("h", "1", "best"), ("h", "2", "only")]
    (note,) = notes
    assert note.endswith("N-best lists; only the best hypothesis of each is read (1 left out)")


@pytest.mark.parametrize(
    "rows",
    [
        "utt,text\n1,a\n1,b\n2,c\n",  # without ranks, nobody knows which is the best
        "utt,rank,text\n1,1,a\n1,1,b\n2,1,c\n",  # two are the best
        "utt,rank,text\n1,first,a\n1,second,b\n2,first,c\n",
    ],
)
def test_other_repeated_ids_stay_an_error(rows: str, write: Write) -> None:
    with pytest.raises(InputError, match=r"duplicate (id|rank)"):
        read_corpus(write("r.csv", "id,text\n1,a\n2,b\n"), [write("h.csv", rows)])


def test_repeated_references_stay_an_error(write: Write) -> None:
    with pytest.raises(InputError, match="duplicate id"):
        read_corpus(write("r.jsonl", NBEST), [write("h.csv", "id,text\n1,a\n2,b\n")])


def test_several_columns_of_one_table(write: Write) -> None:
    path = write("t.csv", "id,text,tiny,large,snr\n1,a b,a,a b,5\n2,c,d,c,9\n")
    corpus, _ = read_corpus(path, hypothesis_column=["tiny", "Large"])
    assert texts(corpus) == [
        ("tiny", "1", "a"), ("tiny", "2", "d"), ("Large", "1", "a b"), ("Large", "2", "c"),
    ]  # fmt: skip
    assert corpus.metadata == ["snr"]
    corpus, _ = read_corpus(path, hypothesis_column=["tiny", "large"], names=["t", "l"])
    assert corpus.systems == ["t", "l"]


def test_several_columns_of_a_file_of_hypotheses(write: Write) -> None:
    table = write("t.csv", "id,tiny,large\n2,d,c\n1,a,a b\n")
    corpus, _ = read_corpus(write("r.csv", "id,text\n1,a b\n2,c\n"), [table],
                            hypothesis_column=["large", "tiny"])  # fmt: skip
    assert texts(corpus)[:2] == [("large", "1", "a b"), ("large", "2", "c")]


@pytest.mark.parametrize(
    ("columns", "files", "message"),
    [
        (["tiny", "tiny"], 0, "two systems are called 'tiny'"),
        (["tiny", "none"], 0, "no column 'none'"),
        (["tiny", "large"], 2, "2 columns and 2 files"),
    ],
)
def test_columns_that_cannot_be_read(
    columns: list[str], files: int, message: str, write: Write
) -> None:
    path = write("t.csv", "id,text,tiny,large\n1,a b,a,a b\n")
    with pytest.raises((OptionError, InputError), match=message):
        read_corpus(path, [path] * files, hypothesis_column=columns)
