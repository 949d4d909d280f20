"""Files in other encodings than UTF-8."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from misword.core.errors import InputError, OptionError
from misword.io.transcripts.read import read_corpus, read_transcript

Write = Callable[[str, str | bytes], Path]

TEXT = "id\ttext\nu1\tcafé ñandú\nu2\t\n"


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "UTF-16", "utf-32"]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_every_text_format_is_converted(
    write: Write, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    path = write("a.tsv", pack(TEXT.encode(encoding)))
    found = read_transcript(path, role="reference", encoding=encoding)
    assert found.frame["text"].to_list() == ["café ñandú", ""]


def test_all_files_of_a_corpus_have_the_encoding(write: Write) -> None:
    data = "u1 é\nu2 ü\n".encode("latin-1")
    paths = write("text", data), write("hyp.trn", "é (u1)\nü (u2)\n".encode("latin-1"))
    speakers = write("utt2spk", "u1 Zoë\nu2 Bob\n".encode("latin-1"))
    corpus, _ = read_corpus(paths[0], paths[1], metadata=[speakers], encoding="latin-1")
    assert corpus.references["speaker"].to_list() == ["Zoë", "Bob"]
    assert corpus.hypotheses["text"].to_list() == ["é", "ü"]


def test_folders_have_the_encoding(write: Write, tmp_path: Path) -> None:
    write("ref/a.txt", "é\n".encode("latin-1"))
    corpus, _ = read_corpus(tmp_path / "ref", tmp_path / "ref", encoding="latin-1")
    assert corpus.references["text"].to_list() == ["é"]


def test_parquet_is_not_converted(write: Write) -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"text": ["é"]}).write_parquet(buffer)
    found = read_transcript(
        write("a.parquet", buffer.getvalue()), role="reference", encoding="latin-1"
    )
    assert found.frame["text"].to_list() == ["é"]


def test_the_error_for_other_bytes_names_the_option(write: Write) -> None:
    path = write("a.txt", "one\ncafé\n".encode("latin-1"))
    with pytest.raises(InputError, match="invalid UTF-8") as caught:
        read_transcript(path, role="reference")
    assert "--encoding" in caught.value.fix
    with pytest.raises(InputError, match="invalid ascii: byte 0xe9") as caught:
        read_transcript(path, role="reference", encoding="ascii")
    assert caught.value.where == f"{path}:2"
    assert "--encoding" in caught.value.fix


@pytest.mark.parametrize("name", ["klingon", "hex", "rot13", ""])
def test_names_that_are_no_encoding(write: Write, name: str) -> None:
    path = write("a.txt", "a\n")
    with pytest.raises(OptionError, match="unknown text encoding"):
        read_transcript(path, role="reference", encoding=name)
