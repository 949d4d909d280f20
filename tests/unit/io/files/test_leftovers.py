"""Temporary files of killed processes are removed, those of running ones are not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from misword.core import leftovers
from misword.core.leftovers import DAY, release, sibling
from misword.io.files.replacements import moved_away, sweep


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "result"


def dead_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def of_process(path: Path, process: int, domain: str = "") -> Path:
    """Return a temporary path as another process would name it."""
    match = leftovers.NAME.fullmatch(path.name)
    assert match
    release(path)
    own = f"{match['domain']}-{match['process']}"
    return path.with_name(path.name.replace(own, f"{domain or match['domain']}-{process}"))


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def test_names_fit_into_any_file_system(tmp_path: Path) -> None:
    for name in ("a", "x" * 255, "é" * 127, "\udcff" * 100, "line\nend"):
        path = sibling(tmp_path / name, "ready")
        assert len(os.fsencode(path.name)) < 143  # the limit of eCryptfs; others have 255
        assert path.name.startswith(".")
        assert leftovers.NAME.fullmatch(path.name)


def test_what_this_process_uses_is_kept(target: Path) -> None:
    fresh = sibling(target, "new")
    fresh.write_bytes(b"")
    sweep(target)
    assert fresh.exists()
    release(fresh)
    sweep(target)
    assert not fresh.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="ids of processes cannot be checked there")
def test_a_killed_process(target: Path) -> None:
    gone = [of_process(sibling(target, "new"), dead_process()) for _ in range(2)]
    gone[0].write_bytes(b"")
    fill(gone[1], "partial")
    other = of_process(sibling(target.with_name("other"), "new"), dead_process())
    other.write_bytes(b"")
    alive = of_process(sibling(target, "new"), os.getppid())
    alive.write_bytes(b"")
    sweep(target)
    assert os.listdir(target.parent) == [alive.name]


def test_other_machines_have_a_day(target: Path) -> None:
    for kind in ("file", "folder"):
        path = of_process(sibling(target, "new"), 1, "0" * 8)
        if kind == "file":
            path.write_bytes(b"")
        else:
            fill(path, "inner")
        sweep(target)
        assert path.exists()
        old = time.time() - 2 * DAY
        os.utime(path, (old, old))
        if kind == "folder":
            sweep(target)
            assert path.exists(), "a file in it is new"
            os.utime(path / "inner", (old, old))
        sweep(target)
        assert not path.exists()


def test_other_hidden_files_are_not_touched(target: Path) -> None:
    names = [".result.new", ".result.deadbeef.new", ".git", ".result.x.y-1-z.old"]
    for name in names:
        (target.parent / name).write_bytes(b"")
    sweep(target)
    assert sorted(os.listdir(target.parent)) == sorted(names)


@pytest.mark.skipif(sys.platform == "win32", reason="users of POSIX")
def test_files_of_other_users_are_not_touched(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = sibling(target, "new")
    fresh.write_bytes(b"")
    release(fresh)
    monkeypatch.setattr(os, "geteuid", lambda: fresh.stat().st_uid + 1)
    sweep(target)
    assert fresh.exists()


def test_a_kill_between_two_renames(target: Path) -> None:
    ready = sibling(target, "ready")
    old = ready.with_suffix(".old")
    fill(ready, "new file")
    fill(old, "old file")
    assert moved_away(target) == old
    assert moved_away(target.with_name("other")) is None
    sweep(target)
    assert not target.exists(), "the process is running"
    release(ready)
    sweep(target)
    assert os.listdir(target.parent) == ["result"]
    assert os.listdir(target) == ["old file"]


def test_a_kill_after_an_exchange_keeps_the_files_of_the_user(target: Path) -> None:
    def foreign(folder: Path) -> list[Path]:
        return [path for path in folder.iterdir() if path.name.startswith("my")]

    fill(target, "table", "my notes")
    ready = fill(sibling(target, "ready"), "table", "my notes", "my list")
    (ready / "my folder").mkdir()
    release(ready)
    sweep(target.with_name("other"))
    assert ready.exists(), "only a writer of the same folder knows which files are the user's"
    sweep(target, foreign)
    assert os.listdir(target.parent) == ["result"]
    assert sorted(os.listdir(target)) == ["my folder", "my list", "my notes", "table"]


def test_files_of_the_user_are_not_removed_without_the_folder(target: Path) -> None:
    ready = fill(sibling(target, "ready"), "my notes")
    release(ready)
    sweep(target, lambda folder: list(folder.iterdir()))
    assert os.listdir(ready) == ["my notes"]


def test_a_folder_that_may_not_be_listed(tmp_path: Path) -> None:
    sweep(tmp_path / "missing" / "result")
    assert moved_away(tmp_path / "missing" / "result") is None
