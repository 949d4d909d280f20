"""Folders with a file for each recording, and files of one recording."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]

NLP = "token|speaker\n{}|1\n"


def test_files_are_utterances_and_folders_are_systems(write: Write, tmp_path: Path) -> None:
    for system, word in (("ref", "a"), ("x", "b"), ("y", "c")):
        write(f"{system}/one.nlp", NLP.format(word))
        write(f"{system}/two.nlp", NLP.format(word * 2))
    paths = [tmp_path / name for name in ("ref", "x", "y")]
    corpus, notes = read_corpus(paths[0], paths[1:])
    assert corpus.references.rows() == [("one", "a"), ("two", "aa")]
    assert corpus.systems == ["x", "y"]
    assert corpus.hypotheses["text"].to_list() == ["b", "bb", "c", "cc"]
    assert corpus.words is not None
    assert corpus.words.select("system", "utt", "word").rows() == [
        *(("", "one", "a"), ("", "two", "aa")),
        *(("x", "one", "b"), ("x", "two", "bb")),
        *(("y", "one", "c"), ("y", "two", "cc")),
    ]
    assert notes == ()


def test_folders_of_different_formats(write: Write, tmp_path: Path) -> None:
    write("ref/b.nlp", NLP.format("b"))
    write("ref/a.nlp.gz", gzip.compress(NLP.format("a").encode()))
    write("text/a.txt", "one\n two \n")
    write("text/b.txt", "\n")
    write("vtt/a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na\n")
    write("vtt/b.vtt", "WEBVTT\n")
    write("vtt/README.md", "captions\n")
    write("vtt/.hidden", "x")
    corpus, notes = read_corpus(tmp_path / "ref", [tmp_path / "text", tmp_path / "vtt"])
    assert corpus.references.rows() == [("a", "a"), ("b", "b")]
    assert corpus.hypotheses["text"].to_list() == ["one two", "", "a", ""]
    assert notes == (f"{tmp_path / 'vtt'}: 1 file of other formats than vtt left out",)


def test_a_missing_recording_is_an_error(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", NLP.format("a"))
    write("ref/b.nlp", NLP.format("b"))
    write("hyp/a.nlp", NLP.format("a"))
    with pytest.raises(MismatchError, match=r"hyp lacks 'b' \(.*ref\)"):
        read_corpus(tmp_path / "ref", tmp_path / "hyp")


def test_one_file_against_one_file_needs_no_equal_names(write: Write) -> None:
    reference = write("reference.nlp", NLP.format("a"))
    vtt = write("whisper.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nb\n")
    lines = write("plain.txt", "c\n")
    corpus, _ = read_corpus(reference, [vtt, lines])
    assert corpus.references.rows() == [("reference", "a")]
    assert corpus.hypotheses["text"].to_list() == ["b", "c"]


def test_a_folder_with_a_file_of_another_name(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", NLP.format("a"))
    write("hyp/b.nlp", NLP.format("a"))
    with pytest.raises(MismatchError, match="different ids"):
        read_corpus(tmp_path / "ref", tmp_path / "hyp")


def test_the_format_can_be_named(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", NLP.format("a"))
    write("ref/a.txt", "plain\n")
    corpus, _ = read_corpus(tmp_path / "ref", tmp_path / "ref", input_format="lines")
    assert corpus.references.rows() == [("a", "plain")]


def test_folders_that_cannot_be_read(write: Write, tmp_path: Path) -> None:
    write("kaldi/text", "u1 a\n")
    with pytest.raises(InputError, match="this is a folder") as caught:
        read_corpus(tmp_path / "kaldi", tmp_path / "kaldi")
    assert caught.value.fix == f"did you mean {tmp_path / 'kaldi' / 'text'}?"
    write("other/a.md", "a\n")
    with pytest.raises(InputError, match="this is a folder") as caught:
        read_corpus(tmp_path / "other", tmp_path / "other")
    assert "speechmatics" in caught.value.fix
    assert caught.value.fix.endswith("seglst, trn, stm, ctm, txt")
    with pytest.raises(OptionError, match="a file of the format 'csv' is not one recording"):
        read_corpus(tmp_path / "other", tmp_path / "other", input_format="csv")
    with pytest.raises(OptionError, match=r"no hypotheses: .* is a folder"):
        read_corpus(tmp_path / "other")


def test_two_files_of_one_recording(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", NLP.format("a"))
    write("ref/a.nlp.gz", gzip.compress(NLP.format("a").encode()))
    with pytest.raises(InputError, match=r"a\.nlp and a\.nlp\.gz are the same recording, 'a'"):
        read_corpus(tmp_path / "ref", tmp_path / "ref")


SRT = "1\n00:00:01,000 --> 00:00:02,000\na b\n\n2\n00:00:02,000 --> 00:00:03,000\nc\n"
STM = "f 1 ann 0 1 a b\nf 1 bob 1 2 c\n"


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        (("r.txt", "a b\nc\n\n"), ("h.srt", SRT)),
        (("r.srt", SRT), ("h.txt", "a b\n\nc\n")),
        (("r.nlp", NLP.format("a b c")), ("h.txt", "a\nb\nc\n")),
        (("r.txt", "a b c\n"), ("h.nlp", NLP.format("a b c"))),
        (("r.nlp", NLP.format("a b c")), ("h.stm", STM)),
        (("r.srt", SRT), ("h.ctm", "f 1 0 1 a\nf 1 1 1 b\nf 1 2 1 c\n")),
        (("r.csv", "id,text\nx,a b c\n"), ("h.srt", SRT)),
    ],
)
def test_one_recording_on_each_side_is_paired_whatever_its_format(
    reference: tuple[str, str], hypothesis: tuple[str, str], write: Write
) -> None:
    corpus, _ = read_corpus(write(*reference), [write(*hypothesis)])
    assert corpus.references["text"].to_list() == ["a b c"]
    assert corpus.hypotheses["text"].to_list() == ["a b c"]
    for system in ("", "h"):
        words = corpus.words_of(system)
        if words is not None:
            assert words["utt"].unique().to_list() == corpus.references["utt"].to_list()


def test_plain_texts_of_several_systems_are_the_same_recording(write: Write) -> None:
    hypotheses = [write("a.srt", SRT), write("b.txt", "a b c\n"), write("c.txt", "a\nb\n")]
    corpus, notes = read_corpus(write("r.txt", "a b\nc\n"), hypotheses)
    assert corpus.hypotheses["text"].to_list() == ["a b c", "a b c", "a b"]
    assert any("2 lines joined into the text of one recording" in note for note in notes)


def test_segments_of_references_are_not_joined_with_a_recording(write: Write) -> None:
    files = write("r.stm", STM), write("h.srt", SRT)
    with pytest.raises(MismatchError, match="different ids"):
        read_corpus(*files, segments="as-they-are")
    corpus, _ = read_corpus(*files)
    assert corpus.references["recording"].unique().to_list() == corpus.hypotheses["utt"].to_list()


@pytest.mark.parametrize(
    ("name", "first", "second", "count"),
    [
        ("ctm", "f 1 0 1 a 0.5\n", "g 1 0 1 b 0.5\n", 2),
        ("stm", "f 1 s 0 1 a\nf 1 s 1 2 b\n", "g 1 s 0 1 c\n", 3),
        ("trn", "a (x-1)\n", "b (y-1)\n", 2),
        (
            "seglst.json",
            '[{"session_id": "f", "speaker": "s", "words": "a"}]',
            '[{"session_id": "g", "speaker": "s", "words": "b"}]',
            2,
        ),
    ],
)
def test_folders_of_files_with_several_utterances(
    name: str, first: str, second: str, count: int, write: Write, tmp_path: Path
) -> None:
    write(f"ref/1.{name}", first)
    write(f"ref/2.{name}", second)
    corpus, _ = read_corpus(tmp_path / "ref", tmp_path / "ref")
    assert corpus.references.height == count
    assert corpus.references["text"].to_list() == corpus.hypotheses["text"].to_list()
    write(f"ref/3.{name}", second)
    with pytest.raises(InputError, match="duplicate id"):
        read_corpus(tmp_path / "ref", tmp_path / "ref")


def test_a_folder_of_ctm_is_divided_by_a_folder_of_stm(write: Write, tmp_path: Path) -> None:
    for name in "fg":
        write(f"ref/{name}.stm", f"{name} 1 s 0 1 a\n{name} 1 s 1 2 b\n")
        write(f"hyp/{name}.ctm", f"{name} 1 0.2 0.2 x\n{name} 1 1.2 0.2 y\n")
    corpus, _ = read_corpus(tmp_path / "ref", tmp_path / "hyp")
    assert corpus.hypotheses["text"].to_list() == ["x", "y", "x", "y"]
    write("hyp/z.ctm", "z 1 0 1 w\n")
    with pytest.raises(MismatchError, match="words of file 'z'"):
        read_corpus(tmp_path / "ref", tmp_path / "hyp")


def test_extra_recordings_are_named_and_left_out(write: Write, tmp_path: Path) -> None:
    for side, names in (("ref", "ab"), ("hyp", "bc")):
        for name in names:
            write(f"{side}/{name}.nlp", NLP.format(name))
    corpus, notes = read_corpus(tmp_path / "ref", tmp_path / "hyp", missing="skip")
    assert corpus.references["utt"].to_list() == ["b"]
    assert len(notes) == 2
    assert "'c'" in notes[0]
    assert "'a'" in notes[1]
