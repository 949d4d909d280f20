"""Files whose names are not UTF-8: read, named in errors and stored in results as `\\xNN`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import misword
from misword.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")

REFERENCE = "a b c\nd e f\n"
HYPOTHESIS = "a b d\nd e f\n"


def named(folder: Path, name: bytes, content: str = "") -> str:
    """Write a file whose name has a byte that is not UTF-8; return its path."""
    path = os.fsencode(folder) + b"/" + name
    if content:
        Path(os.fsdecode(path)).write_text(content)
    return os.fsdecode(path)


def test_a_score_and_its_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = named(tmp_path, b"r\xe9f.txt", REFERENCE)
    hypothesis = named(tmp_path, b"h\xffp.txt", HYPOTHESIS)
    speakers = named(tmp_path, b"utt2\xe9k", "1 anna\n2 ben\n")
    out, report = tmp_path / "out", tmp_path / "page.html"
    words = ["score", reference, hypothesis, "--metrics", "wer", "--metadata", speakers]
    assert main([*words, "--out", str(out), "--report", str(report), "--format", "json"]) == 0
    assert json.dumps(r"h\xffp") in capsys.readouterr().out
    result = json.loads((out / "result.json").read_text())
    assert f"{tmp_path}/r\\xe9f.txt" in result["provenance"]["sha256"]
    assert result["provenance"]["options"]["reference"] == f"{tmp_path}/r\\xe9f.txt"
    scores = misword.load(out)
    assert scores.systems == [r"h\xffp"]
    assert scores.metadata == [r"\xe9k"]
    assert r"h\xffp" in report.read_text()


def test_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = named(tmp_path, b"w\xe9rong.csv", "id,text\n1,a,b\n")
    assert main(["score", path, path]) == 2
    assert r"w\xe9rong.csv:2: 3 fields" in capsys.readouterr().err
    assert main(["score", named(tmp_path, b"n\xff"), path]) == 2
    assert r"n\xff: no such file" in capsys.readouterr().err


def test_folders_of_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [named(tmp_path, name) for name in (b"r\xe9f", b"h\xffp")]
    for folder in folders:
        Path(folder).mkdir()
        named(Path(folder), b"c\xe9ll.txt", REFERENCE)
    out = tmp_path / "out"
    assert main(["score", *folders, "--metrics", "wer", "--out", str(out), "-q"]) == 0
    assert misword.load(out).table["utt"].to_list() == [r"c\xe9ll"]
    capsys.readouterr()


def test_vectors_and_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = named(tmp_path, b"v\xe9c.vec", "3 2\na 1 2\nb 3 4\nc 5 6\n")
    reference = named(tmp_path, b"r\xe9f.txt", REFERENCE)
    assert main(["vectors", "info", vectors, "--format", "json"]) == 0
    words = ["corrupt", reference, "--wer", "0.3", "--channel", "uniform"]
    words += ["-o", named(tmp_path, b"n\xe9w.txt"), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    assert (tmp_path / "out" / "result.json").exists()
    capsys.readouterr()
