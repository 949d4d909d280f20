"""Utterances joined by recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import InputError, MismatchError
from misword.core.types import Corpus
from misword.io.transcripts.read import read_corpus
from misword.io.transcripts.words import texts_of

Write = Callable[[str, str | bytes], Path]

STM = "f1 1 ann 2.0 3.0 <o> c d\nf1 1 bob 0.0 1.0 <o> a b\nf2 1 ann 0.0 1.0 <o> e\n"


def joined(*paths: Path, **options: Any) -> Corpus:
    return read_corpus(paths[0], paths[1:], **{"join": "recording", **options})[0]


def texts(corpus: Corpus) -> list[str]:
    return corpus.hypotheses["text"].to_list()


def test_segments_are_joined_in_the_order_of_their_times(write: Write) -> None:
    path = write("a.stm", STM)
    corpus, notes = read_corpus(path, path, join="recording")
    assert corpus.references.select("utt", "text", "file").rows() == [
        ("f1", "a b c d", "f1"), ("f2", "e", "f2"),
    ]  # fmt: skip
    assert texts(corpus) == ["a b c d", "e"]
    assert notes == (f"{path}: 3 utterances joined into 2 recordings",)


def test_both_sides_may_be_divided_differently(write: Write) -> None:
    reference = write("a.stm", STM)
    other = write("b.stm", "f2 1 x 0.0 0.4 <o>\nf1 1 x 0.0 9.0 <o> a b c d\nf2 1 x 0.5 1.0 <o> e\n")
    corpus = joined(reference, other)
    assert texts(corpus) == ["a b c d", "e"]
    assert misword.score(corpus, metrics="wer").summary(bootstrap=0)["rate"].to_list() == [0]


def test_channels_follow_each_other(write: Write) -> None:
    path = write("a.stm", "f 2 x 0.0 1.0 <o> c\nf 1 x 0.5 1.0 <o> b\nf 1 x 0.0 0.5 <o> a\n")
    assert joined(path, path).references["text"].to_list() == ["a b c"]
    ctm = write("b.ctm", "f 1 0.6 0.1 b\nf 1 0.1 0.1 a\nf 2 0.2 0.1 c\n")
    assert texts(joined(path, ctm)) == ["a b c"]


def test_metadata_that_differ_within_a_recording_are_left_out(write: Write) -> None:
    path = write(
        "a.csv", "id,recording,noise,speaker,text\n1,r,car,x,a\n2,r,car,y,b\n3,s,bus,x,c\n"
    )
    corpus = joined(path, path)
    assert corpus.references.columns == ["utt", "text", "recording", "noise"]
    assert corpus.references.rows() == [("r", "a b", "r", "car"), ("s", "c", "s", "bus")]


def test_any_column_can_be_named(write: Write) -> None:
    path = write("a.csv", "id,speaker,text\n1,x,a\n2,y,b\n3,x,\n4,x,c\n")
    assert joined(path, path, join="speaker").references.select("utt", "text").rows() == [
        ("x", "a c"), ("y", "b"),
    ]  # fmt: skip


def test_hypotheses_take_recording_and_order_from_the_references(write: Write) -> None:
    reference = write("a.csv", "id,recording,begin,text\nu1,r,10,b\nu2,r,9,a\nu3,s,0,c\n")
    kaldi = write("h.txt", "u3 C\nu1 B\nu2 A\n")
    whole = write("w.txt", "r1x\n")
    corpus = joined(reference, kaldi)
    assert corpus.references["text"].to_list() == ["a b", "c"]
    assert texts(corpus) == ["A B", "C"]
    with pytest.raises(InputError, match="no column 'recording' to join"):
        joined(reference, whole, hypothesis_format="lines")


def test_hypotheses_may_be_whole_recordings(write: Write) -> None:
    corpus = joined(write("a.stm", STM), write("h.trn", "E (f2)\nA B (f1)\n"))
    assert texts(corpus) == ["A B", "E"]


def test_lines_are_joined_by_position(write: Write) -> None:
    reference = write("a.csv", "recording,text\nr,a\ns,b\nr,c\n")
    hypotheses = write("h.txt", "A\nB\nC\n")
    corpus = joined(reference, hypotheses)
    assert corpus.references.select("utt", "text").rows() == [("r", "a c"), ("s", "b")]
    assert texts(corpus) == ["A C", "B"]


def test_the_recording_may_come_from_metadata(write: Write) -> None:
    reference = write("text", "u1 b\nu2 a\nu3 c\n")
    segments = write("segments", "u2 r 0.00 1.5\nu1 r 1.50 2\nu3 s 0 1\n")
    corpus = joined(reference, reference, metadata=[segments])
    assert corpus.references.select("utt", "text").rows() == [("r", "a b"), ("s", "c")]
    assert texts(corpus) == ["a b", "c"]
    reco = write("utt2recording", "u1 r\nu2 r\nu3 s\n")
    assert joined(reference, reference, metadata=[reco]).references["utt"].to_list() == ["r", "s"]


def test_chunks_of_a_manifest_are_scored_against_the_text_of_the_session(write: Write) -> None:
    rows = [
        {"id": "s_1", "parent_id": "s", "chunk_index": 1, "text": "a b c", "pred_text": " c "},
        {"id": "s_0", "parent_id": "s", "chunk_index": 0, "text": "a b c", "pred_text": "a b"},
        {"id": "s_2", "parent_id": "s", "chunk_index": 2, "text": "a b c", "pred_text": ""},
        {"id": "t", "text": "d d", "pred_text": "d d"},
        {"id": "v_0", "parent_id": "v", "chunk_index": 0, "text": "e e", "pred_text": "e"},
        {"id": "v_1", "parent_id": "v", "chunk_index": 1, "text": "e e", "pred_text": "e"},
    ]
    path = write("m.jsonl", "\n".join(map(json.dumps, rows)))
    corpus, _ = read_corpus(path, join="recording")
    assert corpus.references["utt"].to_list() == ["s", "t", "v"]
    assert corpus.references["text"].to_list() == texts(corpus) == ["a b c", "d d", "e e"]


def test_equal_utterances_of_a_recording_are_all_kept(write: Write) -> None:
    path = write("a.csv", "id,recording,text\n1,r,yes\n2,r,yes\n")
    assert joined(path, path).references["text"].to_list() == ["yes yes"]


def test_files_of_one_recording_stay_as_they_are(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", "token|speaker\nx|1\ny|1\n")
    corpus = joined(tmp_path / "ref", write("h.csv", "recording,text\na,x\na,y\n"))
    assert texts(corpus) == ["x y"]
    assert corpus.words is not None


def test_words_are_joined_as_texts(write: Write) -> None:
    ctm = write("h.ctm", "f1 B 0 1 c\nf1 A 1 1 b\nf1 A 0 1 a\n")
    corpus = joined(write("r.csv", "recording,text\nf1,a b c\n"), ctm)
    words = corpus.words_of("h")
    assert words is not None
    assert words.select("utt", "place", "word", "channel").rows() == [
        ("f1", 0, "a", "A"), ("f1", 1, "b", "A"), ("f1", 2, "c", "B"),
    ]  # fmt: skip
    assert texts_of(words)["text"].to_list() == texts(corpus)


def test_missing_columns_and_recordings(write: Write) -> None:
    reference = write("a.stm", STM)
    with pytest.raises(InputError, match="no column 'noise' to join utterances by; it has: utt"):
        joined(reference, reference, join="noise")
    with pytest.raises(InputError, match="no column 'text' to join"):
        joined(reference, reference, join="text")
    one = write("b.stm", "f1 1 ann 0.0 3.0 <o> a\n")
    with pytest.raises(MismatchError, match="lacks 'f2'"):
        joined(reference, one)
    empty = write("c.csv", "recording,text\nr,a\n,b\n")
    assert joined(empty, empty).references["utt"].to_list() == ["r", ""]


@given(st.lists(st.tuples(st.sampled_from("rst"), st.sampled_from(["", "a", "b c"])), min_size=1))
def test_joining_loses_no_word(tmp_path_factory: pytest.TempPathFactory, rows: Any) -> None:
    path = tmp_path_factory.mktemp("join") / "a.csv"
    path.write_text("recording,text\n" + "".join(f"{r},{t}\n" for r, t in rows))
    frame = joined(path, path).references
    expected = {r: " ".join(t for name, t in rows if name == r).split() for r, _ in rows}
    assert {utt: text.split() for utt, text in frame.select("utt", "text").rows()} == expected
