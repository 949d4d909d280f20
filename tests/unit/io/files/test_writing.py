"""Files that are complete or absent, alone and together with other replacements."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from misword.core.errors import MiswordError, OptionError
from misword.io.files import replacements, writing
from misword.io.files.writing import (
    apart,
    check_path,
    fresh_folder,
    together,
    whole_files,
    write_whole,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
Captured = pytest.CaptureFixture[str]


def listing(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def failing(code: int) -> Any:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.fixture(params=["exchanged", "linked", "replaced"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let files be replaced by an exchange, with a hard link of the old file, or without."""
    if request.param != "exchanged":
        monkeypatch.setattr(replacements, "exchange", lambda one, other: False)
    if request.param == "replaced":
        monkeypatch.setattr(os, "link", failing(errno.EPERM))
    return str(request.param)


def test_a_file_is_created_and_replaced(tmp_path: Path, way: str) -> None:
    target = tmp_path / "deep" / "er" / "page.html"
    write_whole(b"one", target)
    write_whole(b"two", target)
    assert target.read_bytes() == b"two"
    assert listing(target.parent) == ["page.html"]


@posix
def test_the_mode_of_a_replaced_file_is_kept(tmp_path: Path, way: str) -> None:
    target = tmp_path / "page.html"
    before = os.umask(0o027)
    try:
        write_whole(b"one", target)
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        target.chmod(0o404)
        write_whole(b"two", target)
        assert stat.S_IMODE(target.stat().st_mode) == 0o404
    finally:
        os.umask(before)


@posix
def test_links_are_followed(tmp_path: Path, way: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real/page.html")
    for content in (b"one", b"two"):
        write_whole(content, tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real/page.html").read_bytes() == content
    assert listing(tmp_path) == ["link", "real"]
    assert listing(tmp_path / "real") == ["page.html"]


def write_partly(paths: list[Path]) -> None:
    with whole_files(paths) as files:
        for file in files:
            file.write(b"partial")
        raise ValueError("body")


def test_an_error_in_the_body_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(ValueError, match="body"):
        write_partly([tmp_path / "old", tmp_path / "a/b/new"])
    assert listing(tmp_path) == ["old"]
    assert (tmp_path / "old").read_bytes() == b"old"


def test_an_error_names_the_file_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def full(handle: int, data: bytes) -> int:
        return failing(errno.ENOSPC)() if bytes(data) == b"b" else write(handle, data)

    def write_names() -> None:
        with whole_files([tmp_path / name for name in "abc"]) as files:
            for file, name in zip(files, (b"a", b"b", b"c"), strict=True):
                file.write(name)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OptionError, match="No space left") as caught:
        write_names()
    assert caught.value.where == str(tmp_path / "b")
    assert "another disk" in caught.value.fix
    assert listing(tmp_path) == []


def test_outputs_are_moved_together(tmp_path: Path) -> None:
    with together():
        write_whole(b"page", tmp_path / "page.html")
        with fresh_folder(tmp_path / "result") as fresh:
            (fresh / "table").write_bytes(b"table")
        with apart():
            write_whole(b"entry", tmp_path / "cache")
        assert [name for name in listing(tmp_path) if not name.startswith(".")] == ["cache"]
    assert listing(tmp_path) == ["cache", "page.html", "result"]


def test_none_is_moved_after_an_error(tmp_path: Path) -> None:
    def fail_at_the_end() -> None:
        with together():
            write_whole(b"new", tmp_path / "page.html")
            with fresh_folder(tmp_path / "result"):
                pass
            raise ValueError("later")

    (tmp_path / "page.html").write_bytes(b"old")
    with pytest.raises(ValueError, match="later"):
        fail_at_the_end()
    assert listing(tmp_path) == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == b"old"


def test_an_output_with_an_error_that_is_caught_is_left_out(tmp_path: Path) -> None:
    with together():
        with pytest.raises(ValueError, match="body"):
            write_partly([tmp_path / "a"])
        write_whole(b"b", tmp_path / "b")
    assert listing(tmp_path) == ["b"]


def test_a_rename_that_fails_undoes_those_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "replaced":
        pytest.skip("without links an earlier file cannot be restored")
    folder, page, new = tmp_path / "result", tmp_path / "page.html", tmp_path / "new.html"
    folder.mkdir()
    (folder / "table").write_bytes(b"old")
    page.write_bytes(b"old")

    def write_all() -> None:
        with together():
            with fresh_folder(folder) as fresh:
                (fresh / "table").write_bytes(b"new")
            for path in (page, new, tmp_path / "last.html"):
                write_whole(b"new", path)

    monkeypatch.setattr(replacements.FileOutput, "move", moving_until("last.html"))
    with pytest.raises(OptionError, match="No space") as caught:
        write_all()
    assert caught.value.where == str(tmp_path / "last.html")
    assert (folder / "table").read_bytes() == page.read_bytes() == b"old"
    assert listing(tmp_path) == ["page.html", "result"]


def moving_until(name: str) -> Any:
    """Return `FileOutput.move` that fails for the file of this name."""
    move = replacements.FileOutput.move

    def moved(self: replacements.FileOutput) -> None:
        if self.target.name == name:
            raise OSError(errno.ENOSPC, "No space left on device")
        move(self)

    return moved


def test_standard_output_gets_its_bytes_at_the_end(tmp_path: Path, capfd: Captured) -> None:
    with whole_files(["-", tmp_path / "copy"]) as files:
        for file in files:
            file.write(b"text")
        assert capfd.readouterr().out == ""
    assert capfd.readouterr().out == "text"
    assert (tmp_path / "copy").read_bytes() == b"text"


@posix
def test_a_pipe(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    check_path(pipe, "page.html")
    write_whole(b"text", pipe)
    reader.join()
    assert read == [b"text"]
    assert listing(tmp_path) == ["pipe"]


def test_a_closed_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OptionError, match="it is closed") as caught:
        write_whole(b"text", "-")
    assert caught.value.where == "standard output"


def test_a_full_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing(errno.ENOSPC))
        with pytest.raises(OptionError, match=r"temporary files .* No space left") as caught:
            write_whole(b"text", "-")
    assert caught.value.where == str(tmp_path)
    assert "TMPDIR" in caught.value.fix
    monkeypatch.setattr(writing, "TemporaryFile", failing(errno.ENOSPC))
    with pytest.raises(OptionError, match="temporary files"):
        write_whole(b"text", "-")
    assert capfd.readouterr().out == ""


BAD_PATHS = {
    "loop": ("loop", "symbolic links that point to each other"),
    "inside a loop": ("loop/page.html", "symbolic links that point to each other"),
    "long": ("x" * 300, "the name is too long"),
    "inside a file": ("file/page.html", "a file is where a folder is needed"),
    "NUL": ("a\0b", "null"),
    "folder": ("folder", "this is a folder"),
    "slash": ("new/", "this is a folder"),
}


@posix
@pytest.mark.parametrize("case", BAD_PATHS)
def test_paths_that_cannot_be_written(tmp_path: Path, case: str) -> None:
    (tmp_path / "loop").symlink_to("loop2")
    (tmp_path / "loop2").symlink_to("loop")
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    name, message = BAD_PATHS[case]
    before = listing(tmp_path)
    with pytest.raises(OptionError, match=message) as caught:
        check_path(f"{tmp_path}/{name}", "page.html")
    assert caught.value.where == f"{tmp_path}/{name}"
    assert caught.value.fix
    if not message.endswith("folder"):
        with pytest.raises(MiswordError, match=message):
            write_whole(b"", f"{tmp_path}/{name}")
    assert listing(tmp_path) == before


def test_an_empty_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a variable that is not set; it must not stand for the current folder."""
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "mine.txt").write_bytes(b"mine")
    monkeypatch.chdir(desk)
    with pytest.raises(OptionError, match="empty"):
        check_path("", "page.html")
    with pytest.raises(OptionError, match="empty"):
        write_whole(b"", "")
    assert (desk / "mine.txt").read_bytes() == b"mine"


def test_a_file_does_not_replace_a_folder(tmp_path: Path, way: str) -> None:
    """A folder that was made after the path was checked stays, with its files."""
    target = tmp_path / "page.html"

    def write() -> None:
        with whole_files([target]) as (file,):
            file.write(b"text")
            target.mkdir()
            (target / "mine.txt").write_bytes(b"mine")

    with pytest.raises(MiswordError, match="cannot be written"):
        write()
    assert (target / "mine.txt").read_bytes() == b"mine"
    assert listing(tmp_path) == ["page.html"]


def test_a_folder_one_may_not_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may enter every folder: the answer of the system is simulated."""
    monkeypatch.setattr(os, "stat", failing(errno.EACCES))
    with pytest.raises(OptionError, match="cannot be written: no permission"):
        check_path(tmp_path / "page.html", "page.html")


def test_a_folder_one_may_not_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OptionError, match="cannot be written: no permission"):
        check_path(tmp_path / "new" / "page.html", "page.html")


def test_inputs_are_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_bytes(b"")
    with pytest.raises(OptionError, match="this is an input"):
        check_path(tmp_path / "ref.txt", "noisy.txt", [None, "-", "ref.txt"])
    check_path("noisy.txt", "noisy.txt", ["ref.txt", "x" * 300, "a\0b"])
