"""SRT and WebVTT files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_transcript

Write = Callable[[str, str | bytes], Path]

SRT = """1
00:00:01,000 --> 00:00:02,500
<i>Hello</i>, {\\an8}<font color="#fff">AT&amp;T</font>

2
00:00:02,500 --> 00:01:04,000 X1:40 X2:600
two
lines<br/>here

"""
VTT = """WEBVTT - a title
Kind: captions

STYLE
::cue { color: red }

NOTE
a comment --> not a cue

REGION
id:fred

first cue
00:01.000 --> 00:02.500 align:start position:0%
<v.loud Ann Lee>Hello <c.blue>there</c></v> <v Bob>yes &lt;3

01:00:02.500 --> 01:00:04.000
a<00:00:03.000> b
"""


def read(path: Path, format: str | None = None) -> Transcript:
    return read_transcript(path, role="reference", input_format=format)


def text(path: Path, format: str | None = None) -> str:
    value: str = read(path, format).frame["text"].item()
    return value


def test_srt(write: Write) -> None:
    found = read(write("talk.srt", SRT))
    assert found.frame.rows() == [("talk", "Hello, AT&T two lines here", 1)]
    assert found.words is not None
    shown = found.words.select("utt", "place", "segment", "speaker", "begin", "end")
    assert shown.rows()[1:3] == [("talk", 1, 0, None, 1.0, 2.5), ("talk", 2, 1, None, 2.5, 64.0)]


@pytest.mark.parametrize("change", [lambda s: "\ufeff" + s, lambda s: s.replace("\n", "\r\n")])
def test_byte_order_marks_and_windows_line_ends(write: Write, change: Callable[[str], str]) -> None:
    assert text(write("a.srt", change(SRT))) == "Hello, AT&T two lines here"
    expected = "Hello there yes <3 a b"
    assert text(write("a.vtt", change(VTT))) == expected


def test_vtt_has_speakers_and_times(write: Write) -> None:
    found = read(write("talk.vtt", VTT))
    assert found.frame.rows() == [("talk", "Hello there yes <3 a b", 1)]
    assert found.words is not None
    assert found.words.select("place", "speaker", "begin", "end").rows() == [
        (0, "Ann Lee", 1.0, 2.5),
        (1, "Ann Lee", 1.0, 2.5),
        (2, "Bob", 1.0, 2.5),
        (3, "Bob", 1.0, 2.5),
        (4, None, 3602.5, 3604.0),
        (5, None, 3602.5, 3604.0),
    ]


def test_numbers_that_are_spoken_stay_in_the_text(write: Write) -> None:
    content = "1\n00:00:01,000 --> 00:00:02,000\n42\n\n\n2\n00:00:03,000 --> 00:00:04,000\n7\n"
    assert text(write("a.srt", content)) == "42 7"
    without_numbers = (
        "00:00:01,000 --> 00:00:02,000\nwe are\n\n00:00:03,000 --> 00:00:04,000\nhere\n"
    )
    assert text(write("a.srt", without_numbers)) == "we are here"


def test_text_after_an_empty_line_of_srt_is_kept(write: Write) -> None:
    content = (
        "1\n00:00:01,000 --> 00:00:02,000\n- yes\n\n- no\n\n2\n00:00:03,000 --> 00:00:04,000\n"
    )
    assert text(write("a.srt", content)) == "- yes - no"


TIMES = ("00:00:01,000 --> 00:00:02,000", "00:00:03,000 --> 00:00:04,000")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        # An empty line is missing: the digits continue the numbers of the cues.
        (["1", TIMES[0], "it was", "2", TIMES[1], "so"], "it was so"),
        (["7", TIMES[0], "it was", "8", TIMES[1], "so"], "it was so"),
        # No cue has a number: the digits are text.
        ([TIMES[0], "it was", "1984", TIMES[1], "so"], "it was 1984 so"),
        # All cues have numbers, which need not be those that follow.
        (["5", TIMES[0], "it was", "", "1984", TIMES[1], "so"], "it was so"),
        (["1", TIMES[0], "it was", "1984", "", "2", TIMES[1], "so"], "it was 1984 so"),
        (["1", TIMES[0], "", "2", TIMES[1], "so"], "so"),
        (["1", TIMES[0], "in 1984", "", TIMES[1], "so"], "in 1984 so"),
    ],
)
def test_digits_before_the_times_of_srt(write: Write, lines: list[str], words: str) -> None:
    assert text(write("a.srt", "\n".join(lines))) == words


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["1", TIMES[0], "it was", "1984", TIMES[1], "so"], 4),
        ([TIMES[0], "it was", "", "1984", TIMES[1], "so"], 4),
        ([TIMES[0], "number", "2", TIMES[1], "so"], 3),
        (["1", TIMES[0], "it was", "", "2", "", TIMES[1], "so"], 5),
        (["1", TIMES[0], "1984", TIMES[1], "so"], 3),
    ],
)
def test_digits_that_may_be_a_number_or_text_are_refused(
    write: Write, lines: list[str], line: int
) -> None:
    path = write("a.srt", "\n".join(lines))
    with pytest.raises(InputError, match="digits that may be") as caught:
        read(path)
    assert caught.value.where == f"{path}:{line}"


CUE = "00:01.000 --> 00:02.000\nwords\n"


@pytest.mark.parametrize(
    "before",
    [
        *("Kind: captions\n", "Kind: captions\nLanguage: en\n", "\nSTYLE\n::cue { color: red }\n"),
        *("\nNOTE a comment\nof two lines\n", "\nNOTE\na --> b\n", "\nREGION\nid:fred\nlines:3\n"),
        *("\nSTYLE \n", "\nNOTE\n", "\nname\n", "\n\n\n"),
    ],
)
def test_a_line_of_times_ends_blocks_that_are_no_cues(write: Write, before: str) -> None:
    """As in the parser of the specification, also where the empty line is missing."""
    assert text(write("a.vtt", f"WEBVTT\n{before}{CUE}")) == "words"


def test_only_known_tags_are_removed_from_srt(write: Write) -> None:
    content = "1\n00:00:01,000 --> 00:00:02,000\n<laugh> <B>x</B> a < b {c} &unknown; R&D\n"
    assert text(write("a.srt", content)) == "<laugh> x a < b {c} &unknown; R&D"


def test_only_known_tags_are_removed_from_vtt(write: Write) -> None:
    content = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<laugh> <b>x</b> if a < b and c > d<00:01.500> y</>\n"
    )
    assert text(write("a.vtt", content)) == "<laugh> x if a < b and c > d y"


def test_a_header_without_cues_is_silence(write: Write) -> None:
    assert text(write("a.vtt", "WEBVTT\n")) == ""


ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000
 \nwe<00:00:00.500><c> are</c>

00:00:02.000 --> 00:00:02.010
we are
 \n
00:00:02.010 --> 00:00:04.000
we are
here<00:00:03.000><c> now</c>

00:00:04.000 --> 00:00:04.010
here now

"""


def test_rolling_captions(write: Write) -> None:
    path = write("a.vtt", ROLLING)
    assert text(path, "vtt:rolling=true") == "we are here now"
    found = read(path)
    assert found.frame["text"].item() == "we are we are we are here now here now"
    assert "--input-format vtt:rolling=true" in found.notes[0]
    assert "3 cues of 4" in found.notes[0]
    assert read(path, "vtt:rolling=true").notes == ()


def test_a_line_that_is_said_twice_is_kept(write: Write) -> None:
    cue = "{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{line}\n\n"
    lines = ["yes", "yes", "no", "maybe", "so"]
    path = write("a.srt", "".join(cue.format(n=n, line=line) for n, line in enumerate(lines, 1)))
    assert text(path) == "yes yes no maybe so"
    assert read(path).notes == ()


def test_recognised_by_content(write: Write) -> None:
    assert read(write("a.txt", SRT)).format == "srt"
    assert read(write("b.txt", VTT)).format == "vtt"
    assert read(write("c.txt", "1\n2\n")).format == "lines"


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("a.srt", "hello\nthere\n", None, "no line with the times of a cue"),
        ("a.srt", "hello\n" + SRT, 1, "text before the first cue"),
        ("a.srt", "1\n00:00:02,000 --> 00:00:01,000\nx\n", 2, "ends before it begins"),
        ("a.srt", SRT + "3\n00:00:05 --> 00:00:06\nx\n", 11, "--> inside the text of a cue"),
        ("a.vtt", "00:00:01.000 --> 00:00:02.000\nx\n", 1, "the first line is not WEBVTT"),
        ("a.vtt", "WEBVTT\n\nhello\nthere\n", 3, "a block without the times of a cue"),
        ("a.vtt", "WEBVTT\n\n00:99.000 --> 00:01.000\nx\n", 3, "a block without the times"),
        ("a.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nx\n00:02.000 --> 00:03.000\n", 5, "inside"),
        ("a.vtt", "", None, "the file is empty"),
        ("a.vtt", "WEBVTT\n\nNOTEWORTHY\nwords\n", 3, "a block without the times of a cue"),
        ("a.vtt", "WEBVTT\n\nSTYLE of\nwords\n", 3, "a block without the times of a cue"),
        ("a.vtt", "WEBVTT\n\nNOTE\nx\n00:99.000 --> 00:01.000\ny\n", 5, "times that cannot be"),
        ("a.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000 so\n", 3, "text after the times of a cue"),
        ("a.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\n\nx\n" + CUE, 5, "text of the cue before"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000 so it\n", 2, "text after the times of a cue"),
        ("a.srt", "1\n\n00:00:01,000 --> 00:00:02,000\nx\n", 1, "text before the first cue"),
    ],
)
def test_malformed_files(
    write: Write, name: str, content: str, line: int | None, message: str
) -> None:
    path = write(name, content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert message in caught.value.what
    assert caught.value.where == (f"{path}:{line}" if line else str(path))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<{&\n\r\0-"))))
def test_plain_cues_are_read_back(texts: list[str]) -> None:
    blocks = [f"\n00:{n % 60:02}.000 --> 00:{n % 60:02}.500\n{t}\n" for n, t in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.vtt"
        path.write_text("WEBVTT\n" + "".join(blocks), newline="\n")
        assert text(path).split() == " ".join(texts).split()


@given(st.text(max_size=200), st.sampled_from(["srt", "vtt", "nlp"]))
def test_any_text_is_read_or_refused(content: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_bytes(content.encode(errors="ignore"))
        with suppress(InputError):
            assert read(path, name).frame.height == 1


@pytest.mark.parametrize(
    "text",
    [
        *("<" * 200_000, "<v " * 100_000, "<v." * 100_000, "<i " * 100_000, "{\\" * 100_000),
        *("<v" + " " * 100_000, "<br" + " " * 100_000, "{\\" * 100_000 + ">"),
        *("&#" + "9" * 10_000 + ";", "&" + "a" * 100_000, "a\n" * 50_000),
    ],
)
@pytest.mark.parametrize("format", ["srt", "vtt"])
def test_unclosed_tags_take_linear_time(format: str, text: str, tmp_path: Path) -> None:
    header = "WEBVTT\n\n" if format == "vtt" else ""
    path = tmp_path / f"a.{format}"
    path.write_text(f"{header}00:00:01.000 --> 00:00:02.000\n{text}\n")
    assert read_transcript(path, role="reference").frame.height == 1


def test_times_of_impossible_length(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(f"{'9' * 5000}:00:01.000 --> 00:00:02.000\nwords\n")
    with pytest.raises(InputError, match="no line with the times of a cue"):
        read_transcript(path, role="reference")
