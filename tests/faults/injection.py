"""Makes a chosen call of the file system fail, or stop as if the process were killed there.

Most calls are seen by an audit hook of Python (PEP 578), which can raise an error before the call
is made. Calls without an audit event (`write`, `fsync`, the exchange of two paths) are replaced by
functions that count first. Calls outside the watched folder are not counted.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# The audit events of calls that read or change a file system, with the positions of their paths.
EVENTS = {
    "open": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (0, 1),
    "os.listdir": (0,),
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.scandir": (0,),
    "os.truncate": (0,),
}
# Calls that change nothing on the disk: a killed process is not distinguished by them.
READING = {"os.listdir", "os.scandir", "open for reading"}
# Calls that need space on the disk.
GROWING = {"open for writing", "os.link", "os.mkdir", "write", "fsync"}


class Killed(SystemExit):
    """The process is killed: no call after this one changes the disk.

    It is a `SystemExit`, because the command line turns every other exception into a message.
    """


@dataclass
class Injection:
    """Counts the calls within a folder; call number `at` fails.

    The error is that of the number `error`. With `kill`, this call and all later calls that change
    the disk raise `Killed`: on the disk, this is the same as a kill before the call. With `full`,
    all calls from `at` on that need space fail.
    """

    folder: Path
    at: int = -1
    error: int = 0
    kill: bool = False
    full: bool = False
    calls: list[tuple[str, str]] = field(default_factory=list)  # names and suffixes of paths

    def call(self, name: str, path: str) -> None:
        """Count a call; raise if it is to fail."""
        if not path.startswith(f"{self.folder}{os.sep}") or (self.kill and name in READING):
            return
        number = len(self.calls)
        self.calls.append((name, Path(path).suffix))
        if self.kill and number >= self.at:
            raise Killed
        if number == self.at or (self.full and number > self.at and name in GROWING):
            raise OSError(self.error, os.strerror(self.error), path)

    def distinct(self) -> list[int]:
        """Return the numbers of the first and the last call of each kind.

        Calls are of one kind if they have the same name and the same suffix of the path: a command
        that writes ten tables makes the same calls for each of them.
        """
        first = {call: number for number, call in reversed(list(enumerate(self.calls)))}
        last = {call: number for number, call in enumerate(self.calls)}
        return sorted({*first.values(), *last.values()})

    @property
    def names(self) -> set[str]:
        """The names of all calls."""
        return {name for name, _ in self.calls}

    @property
    def failed(self) -> str:
        """The name of the call that failed."""
        return self.calls[self.at][0]


_active: Injection | None = None
_hooked = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _active is None or event not in EVENTS:
        return
    name = event
    if event == "open":
        changes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
        name = "open for writing" if (arguments[2] or 0) & changes else "open for reading"
    for position in EVENTS[event]:
        path = arguments[position]
        if not isinstance(path, int | None):
            at = arguments[-1] if event in ("os.remove", "os.rmdir") else -1
            _active.call(name, _absolute(path, at))
            return


def _absolute(path: Any, folder: int) -> str:
    """Return an absolute path; a relative one may be relative to an open folder."""
    text = os.fsdecode(path)
    if folder >= 0 and not os.path.isabs(text):
        return os.path.join(os.readlink(f"/proc/self/fd/{folder}"), text)
    return os.path.abspath(text)


class FaultyFile(io.FileIO):
    """A file that is opened by `open`, whose writes and whose end are counted."""

    def write(self, data: Any) -> int:
        _count("write", self.fileno())
        return super().write(data)


def _count(name: str, handle: int) -> None:
    if _active is not None:
        _active.call(name, os.readlink(f"/proc/self/fd/{handle}"))


def _counting(function: Callable[..., Any], name: str, *, run: bool = True) -> Callable[..., Any]:
    """Return a function of a file handle that counts first."""

    def counted(handle: int, *rest: Any) -> Any:
        _count(name, handle)
        return function(handle, *rest) if run else None

    return counted


def _open(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function like `open` whose files are counted when they are written."""

    def opened(
        file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
        newline: Any = None, closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        reads = isinstance(file, int) or opener is not None or not set(mode) & set("wxa+")
        if _active is None or reads:
            return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = FaultyFile(os.fspath(file), mode.replace("b", "").replace("t", ""))
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding, errors, newline)

    return opened


@contextmanager
def injected(injection: Injection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Injection]:
    """Within this context, calls are counted and may fail. Nothing is synced, which takes long."""
    global _active, _hooked
    from misword.io.files import replacements

    real_exchange = replacements.exchange

    if not _hooked:  # a hook cannot be removed
        sys.addaudithook(_audit)
        _hooked = True

    def exchange(one: Path, other: Path) -> bool:
        injection.call("exchange", str(one))
        return real_exchange(one, other)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _counting(os.write, "write"))
        patch.setattr(os, "fsync", _counting(os.fsync, "fsync", run=False))
        patch.setattr(io, "open", _open(io.open))
        patch.setattr(replacements, "exchange", exchange)
        _active = injection
        try:
            yield injection
        finally:
            _active = None
