"""Folders that are replaced as a whole, and read while they are replaced."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from misword.core.errors import InputError, OptionError
from misword.io.files import replacements
from misword.io.files import replacements as locks
from misword.io.files.replacements import replace_folder
from misword.io.files.writing import fresh_folder, read_steadily, refuse_foreign


@pytest.fixture(params=["exchanged", "renamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let folders be replaced by an exchange, or by two renames."""
    if request.param == "renamed":
        monkeypatch.setattr(replacements, "exchange", lambda one, other: False)


def write(target: Path, text: str, own: tuple[str, ...] = ("index", "table")) -> None:
    def foreign(folder: Path) -> list[Path]:
        return [path for path in folder.iterdir() if path.name not in own]

    with fresh_folder(target, foreign) as fresh:
        for name in own:
            (fresh / name).write_text(text, encoding="utf-8")


def read(folder: Path) -> list[str]:
    return [(folder / name).read_text(encoding="utf-8") for name in ("index", "table")]


@pytest.mark.usefixtures("way")
def test_a_folder_is_replaced_and_files_of_the_user_stay(tmp_path: Path) -> None:
    target = tmp_path / "a" / "result"
    write(target, "one")
    (target / "notes").write_text("mine", encoding="utf-8")
    (target / "plots").mkdir()
    write(target, "two")
    assert read(target) == ["two", "two"]
    assert sorted(os.listdir(target)) == ["index", "notes", "plots", "table"]
    assert os.listdir(target.parent) == ["result"]


@pytest.mark.usefixtures("way")
@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_mode_and_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o750)
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", "one")
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o750
    assert read(tmp_path / "real") == ["one", "one"]
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]


def test_files_of_the_user_that_cannot_be_moved_are_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result"
    write(target, "one")
    (target / "notes").write_text("mine", encoding="utf-8")

    def fail(*_: object) -> bool:
        raise OSError("no")

    monkeypatch.setattr(replacements, "move_foreign", fail)
    monkeypatch.setattr("misword.io.files.replacements.move_foreign", fail)
    with pytest.raises(OptionError, match="other files were not moved") as caught:
        write(target, "two")
    assert read(target) == ["two", "two"]
    kept = Path(caught.value.fix.removeprefix("they are in "))
    assert (kept / "notes").read_text(encoding="utf-8") == "mine"
    monkeypatch.undo()
    write(target, "three")
    assert (target / "notes").read_text(encoding="utf-8") == "mine"
    assert os.listdir(tmp_path) == ["result"]


@pytest.mark.usefixtures("way")
def test_a_folder_that_is_already_written(tmp_path: Path) -> None:
    for text in ("one", "two"):
        (tmp_path / "fresh").mkdir()
        (tmp_path / "fresh" / "index").write_text(text, encoding="utf-8")
        replace_folder(tmp_path / "fresh", tmp_path / "entry")
        assert (tmp_path / "entry" / "index").read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["entry"]


def test_another_process_creates_the_folder_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result"
    create = replacements.FolderOutput._create

    def second(self: replacements.FolderOutput) -> None:
        monkeypatch.setattr(replacements.FolderOutput, "_create", create)
        write(target, "other")
        create(self)

    monkeypatch.setattr(replacements.FolderOutput, "_create", second)
    write(target, "mine")
    assert read(target) == ["mine", "mine"]
    assert os.listdir(tmp_path) == ["result"]


@pytest.mark.usefixtures("way")
def test_a_reader_never_mixes_two_folders(tmp_path: Path) -> None:
    target = tmp_path / "result"
    write(target, "one")
    texts = iter(["two", "three"])

    def read_during_replacement(folder: Path) -> list[str]:
        index = (folder / "index").read_text(encoding="utf-8")
        if text := next(texts, None):
            write(target, text)
        return [index, (folder / "table").read_text(encoding="utf-8")]

    assert read_steadily(target, "index", read_during_replacement) == ["three", "three"]


def test_a_reader_finds_a_folder_between_two_renames(tmp_path: Path) -> None:
    target = tmp_path / "result"
    output = replacements.FolderOutput(target, target)
    write(target, "old")
    write(output.ready, "new")
    target.rename(output.old)
    assert read_steadily(target, "index", read) == ["old", "old"]


def test_a_reader_gives_up_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "LONGEST_WAIT", 0.0)
    target = tmp_path / "result"
    write(target, "one")

    def replace(folder: Path) -> None:
        write(target, "again")

    with pytest.raises(InputError, match="again and again"):
        read_steadily(target, "index", replace)


def test_errors_of_a_folder_that_stays_are_raised_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_steadily(tmp_path / "missing", "index", read)
    write(tmp_path / "result", "one")
    (tmp_path / "result" / "table").unlink()
    with pytest.raises(FileNotFoundError):
        read_steadily(tmp_path / "result", "index", read)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("name", ["loop", "x" * 300, "file/below"])
def test_folders_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OptionError, match="cannot be written"):
        refuse_foreign(tmp_path / name, read, "foreign")
    with pytest.raises(OptionError, match="cannot be written"):
        write(tmp_path / name, "one")
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


def test_a_folder_one_may_not_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "result", "one")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OptionError, match="cannot be written: no permission"):
        refuse_foreign(tmp_path / "result", read, "foreign")


def test_a_folder_one_may_not_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may enter every folder: the answer of the system is simulated."""

    def fail(folder: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", fail)
    with pytest.raises(OptionError, match="cannot be written: no permission") as caught:
        refuse_foreign(tmp_path, read, "foreign")
    assert caught.value.where == str(tmp_path)
