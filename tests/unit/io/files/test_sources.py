"""Input files: encodings, line ends, compression, standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.io.files.sources import inner_name, open_source
from misword.io.transcripts.columns import Columns
from misword.io.transcripts.read import read_corpus, read_transcript
from misword.io.transcripts.rewriting import rewritable

Write = Callable[[str, str | bytes], Path]


def texts(path: Path, format: str | None = None) -> list[str]:
    return read_transcript(path, role="reference", input_format=format).frame["text"].to_list()


def test_only_newlines_end_lines(write: Write) -> None:
    path = write("a.txt", "one\u2028two\x0bthree\x85four\x0cfive\r\n\r\nlast\rword\r\n")
    assert texts(path) == ["one\u2028two\x0bthree\x85four\x0cfive", "", "last\rword"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\n", ["a"]),
        ("a", ["a"]),
        ("\n", [""]),
        ("a\n\n", ["a", ""]),
        ("\n\na\n", ["", "", "a"]),
        ("\ufeffa\nb\n", ["a", "b"]),
        (" a  b \n", [" a  b "]),
        ("\u00a0x\u200b\n", ["\u00a0x\u200b"]),
    ],
)
def test_empty_lines_are_transcripts_and_the_last_newline_is_none(
    write: Write, content: str | bytes, expected: object
) -> None:
    assert texts(write("a.txt", content)) == expected


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstandard.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_compressed_files_are_known_by_their_bytes(write: Write, kind: str) -> None:
    data = COMPRESSORS[kind]("u-1 hé\nu-2\n".encode())
    for name in ("a.unknown", f"a.txt.{kind}", "a.txt"):
        found = read_transcript(write(name, data), role="reference")
        assert found.format == "kaldi"
        assert found.frame.rows() == [("u-1", "hé", 1), ("u-2", "", 2)]


def test_the_inner_name_gives_the_format(write: Write) -> None:
    data = gzip.compress(b"id,text\nx,hello\n")
    assert read_transcript(write("a.CSV.GZ", data), role="reference").format == "csv"
    assert inner_name("a.csv.zst") == "a.csv"
    assert inner_name(".gz") == ".gz"


def test_frames_and_members_that_follow_each_other_are_one_file(write: Write) -> None:
    assert texts(write("a", gzip.compress(b"a\n") + gzip.compress(b"b\n"))) == ["a", "b"]
    assert texts(write("b", zstandard.compress(b"a\n") + zstandard.compress(b"b\n"))) == ["a", "b"]


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_cut_off_compressed_files_are_refused(write: Write, kind: str) -> None:
    data = COMPRESSORS[kind]("".join(f"line {n} of text\n" for n in range(999)).encode())
    path = write(f"a.txt.{kind}", data[:-9])
    with pytest.raises(InputError, match="cut off or damaged") as caught:
        texts(path)
    assert caught.value.where == str(path)


def test_damaged_zstandard_is_refused(write: Write) -> None:
    data = bytearray(zstandard.compress(b"some text " * 50))
    data[8:] = b"\xff" * (len(data) - 8)
    with pytest.raises(InputError, match="Zstandard data is cut off or damaged"):
        texts(write("a.zst", bytes(data)))


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.stm"])
def test_invalid_utf8_names_line_and_byte(write: Write, name: str) -> None:
    path = write(name, b"good\nba\xffd\n")
    with pytest.raises(InputError, match="byte 0xff at byte 3 of the line") as caught:
        texts(path)
    assert caught.value.where == f"{path}:2"
    assert "iconv" in caught.value.fix


def test_utf16_is_recognised(write: Write) -> None:
    path = write("a.txt", "\ufeffhello there\n".encode("utf-16-le"))
    with pytest.raises(InputError) as caught:
        texts(path)
    assert "UTF-16" in caught.value.fix


def test_nul_byte_names_the_line(write: Write) -> None:
    path = write("a.txt", b"one\ntwo\nth\0ree\n")
    with pytest.raises(InputError, match="NUL") as caught:
        texts(path)
    assert caught.value.where == f"{path}:3"


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0), "\ufeff".encode()])
def test_empty_files_are_refused(write: Write, content: str | bytes) -> None:
    path = write("a.txt", content)
    with pytest.raises(InputError, match="is empty") as caught:
        texts(path)
    assert caught.value.where == str(path)


def test_missing_files_and_folders_are_refused(write: Write, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file") as caught:
        texts(tmp_path / "nothing.txt")
    assert caught.value.where == str(tmp_path / "nothing.txt")
    with pytest.raises(InputError, match="folder"):
        texts(tmp_path)
    inner = write("data/text", "u1 a\n")
    with pytest.raises(InputError, match="folder") as caught:
        texts(tmp_path / "data")
    assert str(inner) in caught.value.fix


def test_other_failures_to_read_keep_the_reason(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match=r"cannot be read: .*symbolic links"):
        texts(loop)


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_standard_input_is_read_as_bytes(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(gzip.compress("é\n".encode())))
    corpus, _ = read_corpus(write("ref.txt", "e\n"), ["-"])
    assert corpus.hypotheses.rows() == [("1", "stdin", 1, "é", None)]


def test_standard_input_is_named_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"\xff"))
    with pytest.raises(InputError) as caught:
        read_transcript("-", role="reference")
    assert caught.value.where == "<stdin>:1"


@pytest.mark.parametrize("twice", [("-", ["-"], []), ("a", ["-", "-"], []), ("a", ["-"], ["-"])])
def test_standard_input_is_read_once(twice: tuple[str, list[str], list[str]]) -> None:
    reference, hypotheses, metadata = twice
    with pytest.raises(OptionError, match="more than once"):
        read_corpus(reference, hypotheses, metadata=metadata)


def test_numbers_have_their_nouns() -> None:
    assert (counted(0, "word"), counted(1, "word")) == ("0 words", "1 word")


def test_source_shows_the_path_as_given(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.txt", "x\n")
    monkeypatch.chdir(path.parent)
    assert open_source("a.txt").shown == "a.txt"
    assert open_source(Path("a.txt")).at(3) == "a.txt:3"


def test_importing_readers_leaves_polars_alone() -> None:
    code = "import sys, misword.io; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("end", ["", "\r"])
def test_lines_that_end_with_cr_alone_are_lines(end: str, tmp_path: Path) -> None:
    path = tmp_path / "ref.txt"
    path.write_bytes(b"one\rtwo words\r\rfour" + end.encode())
    assert list(open_source(path).lines) == ["one", "two words", "", "four"]
    transcript = read_transcript(path, role="reference")
    assert transcript.frame["text"].to_list() == ["one", "two words", "", "four"]


def test_a_table_whose_lines_end_with_cr_alone(tmp_path: Path) -> None:
    path = tmp_path / "ref.csv"
    path.write_bytes(b'id,text\ru1,"one, two"\ru2,three\r')
    frame = read_transcript(path, role="reference").frame
    assert frame["text"].to_list() == ["one, two", "three"]


def test_cr_inside_lines_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "ref.txt"
    path.write_bytes(b"one\rtwo\nthree\r\n")
    assert list(open_source(path).lines) == ["one\rtwo", "three"]


def test_lines_with_cr_alone_are_not_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "ref.txt"
    path.write_bytes(b"one\rtwo\r")
    with (
        pytest.raises(InputError, match="CR alone"),
        rewritable(path, "lines", Columns()),
    ):
        pass
