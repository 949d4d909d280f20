"""The caches: a call that fails or a kill changes no result and leaves no partial entry."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from faults.injection import Injection, Killed, injected
from misword.cli.main import main
from misword.core import leftovers

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/fd"),
    # A killed process does not close its files, and the simulated one does not either.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

COMMANDS = {
    "vectors": "vectors neighbors a.vec cat -k 2 -q",
    "corrupt": "corrupt ref.txt --wer 0.5 --channel phonetic:vocabulary=corpus --lang en -o - -q",
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a current folder with the inputs."""
    monkeypatch.chdir(tmp_path)
    Path("a.vec").write_text("4 2\nthe 1 0\ncat 0 1\nsat 1 1\nmat 1 2\n", encoding="utf-8")
    Path("ref.txt").write_text("the cat sat\non the mat\n", encoding="utf-8")
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # it takes long
    return tmp_path / "cache"


def entries(cache: Path) -> list[str]:
    """The files of a cache, without the records of verified files, which are named by inodes."""
    names = (str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())
    return sorted(name for name in names if not name.startswith("verified/"))


@pytest.mark.parametrize("kill", [False, True], ids=["error", "kill"])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_cache_is_not_needed(
    cache: Path,
    name: str,
    kill: bool,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    words = COMMANDS[name].split()
    counter = Injection(cache, sys.maxsize, kill=kill)
    with injected(counter, monkeypatch):
        assert main(words) == 0
    expected, whole = capfdbinary.readouterr().out, entries(cache)
    assert {"open for writing", "write", "fsync"} <= counter.names
    for number in counter.distinct():
        shutil.rmtree(cache, ignore_errors=True)
        try:
            with injected(Injection(cache, number, errno.EIO, kill=kill), monkeypatch):
                assert main(words) == 0
        except Killed:
            leftovers._OWN.clear()  # as in a new process
            capfdbinary.readouterr()
            assert main(words) == 0
            assert entries(cache) == whole
        assert capfdbinary.readouterr().out == expected
