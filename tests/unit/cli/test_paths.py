"""Paths that cannot be read or written: one message and exit code 2, and nothing is written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from misword.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and errors of POSIX")

BAD = {"loop": "loop", "inside a loop": "loop/x", "long": "x" * 300, "inside a file": "ref.txt/x"}
COMMANDS = (
    "score {bad} hyp.txt",
    "score ref.txt {bad}",
    "score ref.txt hyp.txt --metadata {bad}",
    "score ref.txt hyp.txt --rules {bad}",
    "score ref.txt hyp.txt --equivalents {bad}",
    "score ref.txt hyp.txt --metrics wer-e --vectors {bad}",
    "score ref.txt hyp.txt --out {bad}",
    "score ref.txt hyp.txt --report {bad}",
    "compare {bad} {bad}",
    "gate {bad} {bad} --max wer=1",
    "gate ref.txt hyp.txt --max wer=1 --junit {bad}",
    "corrupt {bad} --wer 0.2 --channel uniform -o noisy.txt",
    "corrupt ref.txt --wer 0.5 --channel uniform -o {bad}",
    "corrupt ref.txt --wer 0.5 --channel confusion:file={bad} -o noisy.txt",
    "learn-noise ref.txt hyp.txt -o {bad}",
    "report {bad}",
    "vectors info {bad}",
    "vectors convert a.vec --out {bad}",
    "map {bad} a.vec --method vecmap-i -o ab.map",
    "map a.vec a.vec --method vecmap-i -o {bad}",
    "translate {bad} cat",
    "evaluate {bad} {bad}",
    "build --source-lang eo --target-lang ia --from {bad} --source-vectors a.vec "
    "--target-vectors a.vec -o gold",
    "build --source-lang eo --target-lang ia --from ref.txt --source-vectors a.vec "
    "--target-vectors a.vec -o {bad}",
    "demo --copy {bad}",
)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with inputs and a loop of links."""
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("the cat sat\n", encoding="utf-8")
    Path("hyp.txt").write_text("the hat sat\n", encoding="utf-8")
    Path("a.vec").write_text("2 2\nthe 1 0\ncat 0 1\n", encoding="utf-8")
    Path("loop").symlink_to("pool")
    Path("pool").symlink_to("loop")
    return tmp_path


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_one_message(
    desk: Path, capsys: pytest.CaptureFixture[str], command: str, bad: str
) -> None:
    before = sorted(os.listdir(desk))
    assert main(command.format(bad=BAD[bad]).split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"misword {command.split()[0]}: ")
    assert len(lines) <= 2
    assert sorted(os.listdir(desk)) == before


def test_a_full_folder_for_temporary_files_is_named(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.tempdir", str(desk))
    monkeypatch.setattr(os, "write", full)
    assert main(["corrupt", "ref.txt", "--wer", "0.5", "--channel", "uniform", "-o", "-"]) == 2
    error = capsys.readouterr().err
    assert f"{desk}: the folder for temporary files cannot be written: No space left" in error
    assert "TMPDIR" in error
    assert "standard output" not in error
