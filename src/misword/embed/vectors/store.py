"""The store of word vectors in the user's cache folder.

Vectors that were read once are stored there by the digest of their content and memory-mapped later.
An entry is written in a temporary folder and renamed when it is complete, so that no reader sees a
partial entry. An index from a file's path, size and times to its entry saves the next process from
hashing the file.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from glob import escape
from hashlib import sha256
from pathlib import Path

from misword.core.errors import InputError, OptionError
from misword.core.progress import progress
from misword.embed.vectors.entry import Request, read_in_memory, write_entry
from misword.embed.vectors.stored_entry import (
    VERSION,
    VectorEntry,
    foreign_entries,
    open_entry,
    read_index,
    remember_entry,
)
from misword.io.files.folders import cache_folder, fresh_folder, refuse_foreign
from misword.io.files.leftovers import release, remove, sibling, sweep
from misword.io.files.outputs import apart
from misword.io.files.replacements import replace_folder
from misword.io.files.streams import Stream
from misword.io.files.writing import write_whole
from misword.io.vectors import find_vector_format

ENTRY_NAME = re.compile(r"[\w.-]+")


def load(request: Request, *, keep: bool = True) -> VectorEntry:
    """Return the vectors of a file from the store; with `keep` new ones are stored, if possible."""
    if not keep:
        return read_in_memory(request)
    root = cache_folder() / "vectors"
    try:
        return Store(root).load_entry(request)
    except OSError as error:
        entry = read_in_memory(request)
        reason = error.strerror or error
        note = f"not kept for the next time: {root} cannot be written ({reason})"
        return replace(entry, notes=(*entry.notes, note))


def export(request: Request, target: Path) -> None:
    """Write vectors to a folder that can be opened on any machine; replace an older entry."""
    refuse_foreign(target, read_index, "it exists and holds no vectors of misword")
    with fresh_folder(target, foreign_entries) as fresh:
        write_entry(fresh, request, in_place=False)
    remember_entry(target)


class Store:
    """The stored entries of one cache folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find_entry(self, request: Request) -> VectorEntry | None:
        """Return the entry of a file that was read before and has not changed since."""
        record = self._record(request)
        try:
            name = record.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):  # there is none, or it is damaged
            return None
        return self._open(name, request)

    def load_entry(self, request: Request) -> VectorEntry:
        """Return the entry of a file, written if it is new; `OSError` if it cannot be written."""
        entry = self.find_entry(request)
        if entry is not None:
            return entry
        record = self._record(request)
        record.parent.mkdir(parents=True, exist_ok=True)
        name = self._same_content(request, record) or self._write(request)
        entry = self._open(name, request)
        if entry is None:
            raise OSError(f"the entry {name} was damaged while it was made")
        if record == self._record(request):  # otherwise the file was changed meanwhile
            with suppress(OptionError), apart():  # the entry is also found by its content
                write_whole(name.encode(), record)
        return entry

    def _record(self, request: Request) -> Path:
        """Return the index file that contains the name of the entry.

        Its name starts with the size of the vector file, so that files of equal size can be found.
        """
        path = request.path.resolve()
        companions = sorted(path.parent.glob(escape(path.name) + ".*.npy"))
        facts: list[object] = [VERSION, request.format, request.max_words]
        for file in (path, *companions):
            stat = file.stat()
            facts += [str(file), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        key = sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()
        return self.root / "index" / f"{path.stat().st_size}-{key[:32]}"

    def _open(self, name: str, request: Request) -> VectorEntry | None:
        """Return the entry of this name; None if it is missing, damaged or without checksums."""
        if not ENTRY_NAME.fullmatch(name):
            return None
        try:
            return open_entry(self.root / name, request.path, needs_checksums=True)
        except (InputError, OSError):
            return None

    def _same_content(self, request: Request, record: Path) -> str | None:
        """Return the entry's name of another file with the same content.

        Hashing a file takes less time than parsing it.
        """
        size = record.name.partition("-")[0]
        if request.max_words is not None or not any(record.parent.glob(f"{size}-*")):
            return None
        with (
            progress(f"hashing {request.path.name}", int(size)) as step,
            Stream(request.path, request.shown, step) as stream,
        ):
            part = find_vector_format(stream, request.format)
            stream.use_rest()
            name = entry_name(stream.digest(*request.digest_settings), part.name)
        return name if self._open(name, request) else None

    def _write(self, request: Request) -> str:
        """Write the entry of a file and return its name."""
        sweep(self.root / "entry")
        fresh = sibling(self.root / "entry", "new")
        try:
            fresh.mkdir()
            parsed = write_entry(fresh, request, in_place=True)
            name = entry_name(parsed.digest, parsed.format)
            if self._open(name, request) is None:  # otherwise another process wrote it meanwhile
                replace_folder(fresh, self.root / name)
                remember_entry(self.root / name)
            return name
        finally:
            with suppress(OSError):
                remove(fresh)
            release(fresh)


def entry_name(digest: str, format: str) -> str:
    """Return the name of an entry's folder."""
    return f"{digest}.{format}.{VERSION}"
