"""Temporary files and folders beside the outputs, and the removal of those of killed processes.

An output is first written under a hidden name beside its target. The name contains the id of the
process, so that a later run can tell the leftovers of a killed process from the files of a running
one. There are three kinds:

- `new`: a file, or a folder that is being written or removed.
- `ready`: a complete folder. After an exchange this name has the folder that was replaced.
- `old`: what was replaced, where paths cannot be exchanged. If `old` and `ready` are both there
  and the target is not, the process was killed between two renames, and `old` is the target.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from misword.core.errors import MiswordError

DAY = 86_400  # seconds
NAME = re.compile(
    r"\..{0,16}\.(?P<key>[0-9a-f]{8})"
    r"\.(?P<domain>[0-9a-f]{8})-(?P<process>\d+)-(?P<token>[0-9a-f]{8})"
    r"\.(?P<kind>new|ready|old)",
    re.DOTALL,
)
# The tokens of the names that this process uses now.
_OWN: set[str] = set()

# Returns the entries of a replaced folder that belong to the user and must be kept.
Foreign = Callable[[Path], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class Leftover:
    """A temporary file or folder, and what its name says."""

    path: Path
    key: str
    domain: str
    process: int
    token: str
    kind: str

    def as_kind(self, kind: str) -> Path:
        """Return the path of another kind of the same output."""
        return self.path.with_name(self.path.name.removesuffix(self.kind) + kind)


def sibling(target: Path, kind: str) -> Path:
    """Return an unused hidden path beside `target`; call `release` when it is no longer used."""
    token = token_hex(4)
    _OWN.add(token)
    process = f"{_domain()}-{os.getpid()}-{token}"
    return target.with_name(f".{target.name[:16]}.{_key(target)}.{process}.{kind}")


def release(path: Path) -> None:
    """Say that this process no longer uses a temporary path: if it is left, it may be removed."""
    match = NAME.fullmatch(path.name)
    if match:
        _OWN.discard(match["token"])


def sweep(target: Path, foreign: Foreign | None = None) -> None:
    """Remove what killed processes left beside a target, and restore what they had moved away.

    Entries that `foreign` returns are moved from a replaced folder to the target first. Errors are
    ignored: the next run tries again.
    """
    for leftover in _leftovers(target.parent):
        with suppress(OSError, MiswordError):
            if leftover.kind == "new" or not leftover.path.is_dir():
                remove(leftover.path)
            elif leftover.key == _key(target):
                settle(target, leftover.as_kind("ready"), leftover.as_kind("old"), foreign)


def settle(target: Path, ready: Path, old: Path, foreign: Foreign | None) -> None:
    """Restore a folder that is missing between two renames; remove what is no longer needed."""
    if not os.path.lexists(target) and ready.exists() and old.exists():
        old.rename(target)
    for folder in (ready, old):
        if folder.exists() and move_foreign(folder, target, foreign):
            # If the removal fails half-way, nobody has to look for files of the user again.
            remove(folder.rename(folder.with_suffix(".new")))


def move_foreign(folder: Path, target: Path, foreign: Foreign | None) -> bool:
    """Move the user's entries of a replaced folder to the folder that replaced it.

    Returns False if there are some and nothing is at `target`. An entry is left where it is if the
    new folder has one of the same name.
    """
    entries = list(foreign(folder)) if foreign else []
    if entries and not target.is_dir():
        return False
    for entry in entries:
        if not os.path.lexists(target / entry.name):
            entry.rename(target / entry.name)
    return True


def remove(path: Path) -> None:
    """Remove a file or a folder with its content; it may be missing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def moved_away(target: Path) -> Path | None:
    """Return where a missing folder is that a process is replacing, or was when it was killed."""
    with suppress(OSError):
        for name in os.listdir(target.parent):
            leftover = _parse(target.parent / name)
            if (
                leftover is not None
                and (leftover.kind, leftover.key) == ("old", _key(target))
                and leftover.as_kind("ready").exists()
            ):
                return leftover.path
    return None


def _leftovers(folder: Path) -> Iterator[Leftover]:
    """Yield the temporary files and folders whose process is dead."""
    with suppress(OSError):  # the folder is missing or may not be read
        for name in sorted(os.listdir(folder)):
            leftover = _parse(folder / name)
            if leftover and _is_own(leftover.path) and _is_abandoned(leftover):
                yield leftover


def _is_own(path: Path) -> bool:
    """Return whether a file is of this user: in a shared folder others could choose such names."""
    if sys.platform == "win32":
        return True
    try:
        return path.lstat().st_uid == os.geteuid()
    except FileNotFoundError:  # it was removed just now
        return False


def _parse(path: Path) -> Leftover | None:
    match = NAME.fullmatch(path.name)
    if match is None:
        return None
    key, domain, process, token, kind = match.groups()
    return Leftover(path, key, domain, int(process), token, kind)


def _is_abandoned(leftover: Leftover) -> bool:
    """Return whether the process that wrote a leftover has ended.

    Ids of processes can be compared within one domain. Leftovers of other machines and containers
    are abandoned if nothing in them was changed for a day.
    """
    if leftover.domain != _domain() or sys.platform == "win32":
        return time.time() - _last_change(leftover.path) > DAY
    if leftover.process == os.getpid():
        return leftover.token not in _OWN
    return not _is_running(leftover.process)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)  # signal 0 is not sent; it only checks
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # a process of another user
        return True
    return True


def _last_change(path: Path) -> float:
    """Return the time of the latest change of a file, or of a folder and its entries."""
    try:
        entries = list(path.iterdir()) if path.is_dir() else []
        return max(entry.lstat().st_mtime for entry in (path, *entries))
    except OSError:  # it was removed or moved just now
        return time.time()


@cache
def _domain() -> str:
    """Return a name for the processes whose ids can be compared with each other.

    These are the processes of one machine, since it was started, within one container.
    """
    facts = [platform.node()]
    with suppress(OSError):
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii"))
        facts.append(os.readlink("/proc/self/ns/pid"))
    return _digest("\n".join(facts).encode())


def _key(target: Path) -> str:
    return _digest(os.fsencode(target.name))


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:8]
