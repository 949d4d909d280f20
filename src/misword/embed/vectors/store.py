"""Vectors that were read once are kept in the user's cache, by content, and mapped from there.

An entry is made in a folder of its own and renamed into place when it is whole, so that a reader
never sees half of one, whatever happens to the writer. A small index from a file's path, size and
times to its entry spares the next process the hashing.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from glob import escape
from hashlib import sha256
from pathlib import Path

from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.embed.vectors.entry import (
    VERSION,
    Entry,
    Request,
    open_entry,
    read_in_memory,
    read_index,
    settings,
    write_entry,
)
from misword.io.files.folders import fresh_folder, sibling
from misword.io.files.streams import Stream
from misword.io.vectors import find_format

DAY = 86_400


def cache_folder() -> Path:
    """Where misword keeps things: `MISWORD_CACHE`, or the place that the system has for it."""
    if chosen := os.environ.get("MISWORD_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "misword"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "misword" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "misword"


def load(request: Request, *, keep: bool = True) -> Entry:
    """Vectors from the store; they are put there first if need be and possible."""
    if not keep:
        return read_in_memory(request)
    root = cache_folder() / "vectors"
    try:
        return Store(root).load(request)
    except OSError as error:
        entry = read_in_memory(request)
        why = error.strerror or error
        note = f"not kept for the next time: {root} cannot be written ({why})"
        return Entry(
            entry.matrix, entry.vocabulary, entry.digest, entry.format,
            (*entry.notes, note), entry.pieces,
        )  # fmt: skip


def export(request: Request, target: Path) -> None:
    """Put vectors into a folder that can be opened anywhere; an older one is replaced."""
    target = target.absolute()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        try:
            read_index(target)
        except InputError:
            raise OptionError(
                "it exists and holds no vectors of misword",
                where=str(target),
                fix="choose another folder, or remove this one yourself",
            ) from None
    with fresh_folder(target) as fresh:
        write_entry(fresh, request, in_place=False)
        _replace(fresh, target)


class Store:
    """The entries below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, request: Request) -> Entry | None:
        """The entry of a file that was read before and has not changed since."""
        record = self._record(request)
        try:
            name = record.read_text(encoding="utf-8")
        except OSError:
            return None
        return self._sound(name, request)

    def load(self, request: Request) -> Entry:
        """The entry of a file, made if need be; `OSError` where nothing can be written."""
        found = self.find(request)
        if found is not None:
            return found
        record = self._record(request)
        record.parent.mkdir(parents=True, exist_ok=True)
        name = self._known_content(request, record) or self._make(request)
        entry = self._sound(name, request)
        if entry is None:
            raise OSError(f"the entry {name} was damaged while it was made")
        if record == self._record(request):  # not so if the file was changed meanwhile
            fresh = sibling(record, "new")
            fresh.write_text(name, encoding="utf-8")
            fresh.replace(record)
        return entry

    def _record(self, request: Request) -> Path:
        """The file that names the entry. It begins with the file's size, to find equal sizes."""
        path = request.path.resolve()
        companions = sorted(path.parent.glob(escape(path.name) + ".*.npy"))
        facts: list[object] = [VERSION, request.format, request.max_words]
        for file in (path, *companions):
            stat = file.stat()
            facts += [str(file), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        key = sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()
        return self.root / "index" / f"{path.stat().st_size}-{key[:32]}"

    def _sound(self, name: str, request: Request) -> Entry | None:
        try:
            return open_entry(self.root / name, request.path)
        except (InputError, KeyError, TypeError, ValueError, OSError):
            return None

    def _known_content(self, request: Request, record: Path) -> str | None:
        """The entry of another file with the same content: hashing is quicker than reading."""
        size = record.name.partition("-")[0]
        if request.max_words is not None or not any(record.parent.glob(f"{size}-*")):
            return None
        with (
            progress(f"hashing {request.path.name}", int(size)) as step,
            Stream(request.path, request.shown, step) as stream,
        ):
            part = find_format(stream, request.format)
            stream.use_rest()
            name = entry_name(stream.digest(*settings(request)), part.name)
        return name if self._sound(name, request) else None

    def _make(self, request: Request) -> str:
        self._sweep()
        fresh = sibling(self.root / "entry", "new")
        try:
            fresh.mkdir()
            parsed = write_entry(fresh, request, in_place=True)
            name = entry_name(parsed.digest, parsed.format)
            _sync_folder(fresh)
            try:
                fresh.rename(self.root / name)
            except OSError:  # it is there: another process was quicker, or it is damaged
                if self._sound(name, request) is None:
                    _replace(fresh, self.root / name)
            _sync_folder(self.root)
            return name
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove what killed processes left behind."""
        for left in (*self.root.glob(".*"), *self.root.glob("index/.*")):
            try:
                if left.stat().st_mtime > time.time() - DAY:
                    continue
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            except OSError:  # another process was quicker
                continue


def entry_name(digest: str, format: str) -> str:
    """The name of an entry's folder."""
    return f"{digest}.{format}.{VERSION}"


def _replace(fresh: Path, target: Path) -> None:
    """Put a folder in the place of another."""
    if not target.exists():
        fresh.rename(target)
        return
    aside = sibling(target, "old")
    target.rename(aside)
    try:
        fresh.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
