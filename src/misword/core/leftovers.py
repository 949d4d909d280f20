"""Temporary names that say which process uses them, and the removal of what killed processes left.

A temporary file or folder has a hidden name with the id of its process, so that a later run can
tell the leftovers of a killed process from the files of a running one.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

DAY = 86_400  # seconds
NAME = re.compile(
    r"\..{0,16}\.(?P<key>[0-9a-f]{8})"
    r"\.(?P<domain>[0-9a-f]{8})-(?P<process>\d+)-(?P<token>[0-9a-f]{8})"
    r"\.(?P<kind>new|ready|old)",
    re.DOTALL,
)
# The tokens of the names that this process uses now.
_OWN: set[str] = set()


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
    return target.with_name(f".{target.name[:16]}.{name_key(target)}.{process}.{kind}")


def release(path: Path) -> None:
    """Say that this process no longer uses a temporary path: if it is left, it may be removed."""
    match = NAME.fullmatch(path.name)
    if match:
        _OWN.discard(match["token"])


def remove(path: Path) -> None:
    """Remove a file or a folder with its content; it may be missing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def temporary_run_folder() -> Iterator[Path]:
    """Yield a folder for the temporary files of a run, which is removed at the end.

    It is in the system's folder for temporary files (`TMPDIR`). Folders of killed runs are removed.
    """
    folder = sibling(Path(tempfile.gettempdir()) / "misword", "new")
    for leftover in leftovers(folder.parent):
        if leftover.kind == "new":
            with suppress(OSError):
                remove(leftover.path)
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        release(folder)


def leftovers(folder: Path) -> Iterator[Leftover]:
    """Yield the temporary files and folders whose process is dead."""
    with suppress(OSError):  # the folder is missing or may not be read
        for name in sorted(os.listdir(folder)):
            leftover = parse_name(folder / name)
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


def parse_name(path: Path) -> Leftover | None:
    """Return what the name of a temporary path says; None if it is another name."""
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


def name_key(target: Path) -> str:
    """Return the digest by which temporary names tell their targets apart."""
    return _digest(os.fsencode(target.name))


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:8]
