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
    assert "nlp, srt, vtt, txt" in caught.value.fix
    with pytest.raises(OptionError, match="a file of the format 'csv' is not one recording"):
        read_corpus(tmp_path / "other", tmp_path / "other", input_format="csv")
    with pytest.raises(OptionError, match=r"no hypotheses: .* is a folder"):
        read_corpus(tmp_path / "other")


def test_two_files_of_one_recording(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", NLP.format("a"))
    write("ref/a.nlp.gz", gzip.compress(NLP.format("a").encode()))
    with pytest.raises(InputError, match=r"a\.nlp and a\.nlp\.gz are the same recording, 'a'"):
        read_corpus(tmp_path / "ref", tmp_path / "ref")
