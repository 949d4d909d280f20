"""Corrections of words in transcript files: each format keeps everything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.corrections import Correction, corrected_text, write_corrected
from misword.io.transcripts.read import read_transcript

Write = Callable[[str, str | bytes], Path]
MET = Correction(1, 2, "meet", "met")
ADDED = Correction(2, 2, "", "him at")
GONE = Correction(0, 1, "we", "")
TEXT = "we meet ten"


def corrected(path: Path, *corrections: Correction, utt: str = "u1") -> str:
    target = path.with_name(f"new-{path.name}")
    write_corrected(path, target, {utt: corrections}, Columns("reference"))
    return target.read_text()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.txt", "we  meet ten\nso\n", "met him at ten\nso\n"),
        ("text", "u1  we meet ten\nu2 so\n", "u1  met him at ten\nu2 so\n"),
        ("a.trn", "we meet ten (u1)\nso (u2)\n", "met him at ten (u1)\nso (u2)\n"),
        ("a.csv", "utt,n,text\nu1,5,we meet ten\n", "utt,n,text\nu1,5,met him at ten\n"),
        (
            "a.jsonl",
            '{"utt": "u1", "n": 5, "text": "we meet ten"}\n',
            '{"utt": "u1", "n": 5, "text": "met him at ten"}\n',
        ),
        (
            "a.stm",
            ";; a comment\nf A s 0.0 2.5 <o,f0> we meet ten\nf A s 3 4 so\n",
            ";; a comment\nf A s 0.0 2.5 <o,f0> met him at ten\nf A s 3 4 so\n",
        ),
    ],
)
def test_formats(write: Write, name: str, before: str, after: str) -> None:
    utt = {"a.stm": "f-A-0.0-2.5", "a.txt": "1"}.get(name, "u1")
    assert corrected(write(name, before), MET, ADDED, GONE, utt=utt) == after


def test_nlp_files_keep_the_metadata_of_other_words(write: Write) -> None:
    header = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"
    before = f"{header}we|1|0.1|0.2||LC|[]|[]\nmeet|1|0.3|0.4||LC|[]|['5']\nten|2|1|2|.|LC|[]|[]\n"
    found = corrected(write("call.nlp", before), MET, ADDED, GONE, utt="call")
    assert found == (
        f"{header}met|1|0.3|0.4||LC|[]|['5']\nhim|1|||||[]|[]\nat|1|||||[]|[]\nten|2|1|2|.|LC|[]|[]\n"
    )


SRT = (
    "1\n00:00:01,000 --> 00:00:02,000\n<i>we meet</i>\nten\n\n"
    "2\n00:00:03,000 --> 00:00:04,000\n{}\n"
)


def test_subtitles_keep_their_cues(write: Write) -> None:
    found = corrected(write("a.srt", SRT.format("so")), MET, ADDED, GONE, utt="a")
    expected = SRT.format("so").replace("<i>we meet</i>", "<i> met him at</i>")
    assert found == expected
    same = corrected(write("b.srt", SRT.format("so")), utt="b")
    assert same == SRT.format("so")


def test_subtitles_whose_words_are_not_in_their_lines(write: Write, tmp_path: Path) -> None:
    path, target = write("a.srt", SRT.format("A&amp;B")), tmp_path / "new"
    notes = write_corrected(path, target, {"a": [MET]}, Columns("reference"))
    assert target.read_text() == "a we met ten A&B\n"
    assert "it is written as kaldi" in notes[0]


def test_a_folder_of_recordings(write: Write, tmp_path: Path) -> None:
    header = "token|speaker|tags\n"
    for name in ("one", "two"):
        write(f"refs/{name}.nlp", f"{header}we|1|[]\nmeet|1|[]\n")
    target = tmp_path / "fixed"
    write_corrected(tmp_path / "refs", target, {"two": [MET]}, Columns("reference"))
    assert (target / "one.nlp").read_text() == (tmp_path / "refs/one.nlp").read_text()
    assert (target / "two.nlp").read_text() == f"{header}we|1|[]\nmet|1|[]\n"


def test_other_words_and_overlaps_are_refused(write: Write, tmp_path: Path) -> None:
    path, target = write("text", "u1 we met ten\n"), tmp_path / "new"
    with pytest.raises(InputError, match="another version"):
        write_corrected(path, target, {"u1": [MET]}, Columns("reference"))
    both = [Correction(1, 2, "met", "meet"), Correction(1, 3, "met ten", "a")]
    with pytest.raises(InputError, match="two verdicts change the same words"):
        write_corrected(path, target, {"u1": both}, Columns("reference"))
    with pytest.raises(InputError, match="not in it, such as 'u7'"):
        write_corrected(path, target, {"u7": []}, Columns("reference"))
    assert not target.exists()


@given(
    st.lists(st.sampled_from("abc"), max_size=6),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), st.sampled_from(["", "x", "x y"])),
             max_size=3),
)  # fmt: skip
def test_a_correction_changes_its_words_alone(
    words: list[str], drawn: list[tuple[int, int, str]]
) -> None:
    corrections: list[Correction] = []
    at = 0
    for start, size, new in sorted(drawn):
        end = start + size
        if at <= start and end <= len(words) and not (corrections and start == end == at):
            corrections.append(Correction(start, end, " ".join(words[start:end]), new))
            at = end + (size == 0)
    expected = list(words)
    for one in reversed(corrections):
        expected[one.start : one.end] = one.new.split()
    found = corrected_text("  ".join(words), corrections, "u")
    assert found.split() == expected


def test_what_is_written_is_read_again(write: Write, tmp_path: Path) -> None:
    path = write("a.parquet", b"")
    pl.DataFrame({"utt": ["u1"], "text": [TEXT], "n": [1]}).write_parquet(path)
    write_corrected(path, tmp_path / "b.parquet", {"u1": [MET]}, Columns("reference"))
    found = read_transcript(tmp_path / "b.parquet", role="reference").frame
    assert found.select("utt", "text", "n").rows() == [("u1", "we met ten", 1)]
