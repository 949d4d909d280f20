"""Translations that a program made, stored on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from misword.core.errors import MiswordError
from misword.io.files.folders import cache_folder
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.files.writing import write_whole


@dataclass(frozen=True, slots=True)
class TranslationCache:
    """The translations by one command: JSON lines with a text and its translation.

    The cache only saves time: lines that cannot be read are translated again, and a cache that
    cannot be written is not an error.
    """

    file: Path

    @classmethod
    def of(cls, command: Sequence[str]) -> TranslationCache:
        """Return the cache of a command; a change of a file that the command names makes a new one.

        Known problems: a change of data that the command does not name is not noticed, such as a
        model in its configuration.
        """
        words = [f"{word}\0{_state(word)}" for word in command]
        name = blake2b("\0".join(words).encode("utf-8", "surrogatepass"), digest_size=16)
        return cls(cache_folder() / "translations" / f"{name.hexdigest()}.jsonl")

    def complete(self, texts: list[str], translate: Callable[[list[str]], list[str]]) -> list[str]:
        """Return the translation of each text; `translate` gets the texts that are not stored."""
        known = self.read()
        missing = [text for text in texts if text not in known]
        if missing:
            known |= dict(zip(missing, translate(missing), strict=True))
            self.write(known)
        return [known[text] for text in texts]

    def read(self) -> dict[str, str]:
        """Return the stored translations by text."""
        known: dict[str, str] = {}
        with suppress(OSError, UnicodeDecodeError):
            for line in self.file.read_text("utf-8").split("\n"):
                with suppress(JsonError):
                    pair = parse_json(line)
                    if isinstance(pair, list) and [type(part) for part in pair] == [str, str]:
                        known[pair[0]] = pair[1]
        return known

    def write(self, known: dict[str, str]) -> None:
        """Replace the stored translations."""
        lines = (json.dumps(pair, ensure_ascii=False) for pair in known.items())
        with suppress(OSError, MiswordError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_whole("".join(f"{line}\n" for line in lines).encode(), self.file)


def _state(word: str) -> str:
    """Return the size and the time of the last change of a file; empty if there is none."""
    try:
        found = os.stat(word)
    except (OSError, ValueError):
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"
