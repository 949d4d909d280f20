"""A case of fuzzing: a command line or the call of a reader, with its input files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

INDEX = "case.json"
COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Case:
    """The name of a reader (`readers.py`), or `command`, its arguments, and the files it may read.

    The names of the files are relative to the current folder.
    """

    target: str
    words: list[str]
    files: dict[str, bytes] = field(default_factory=dict)

    def write_files(self, folder: Path) -> None:
        """Write the input files into a folder."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def save(self, folder: Path, problem: str) -> None:
        """Write the case with its files into a folder of its own."""
        folder.mkdir(parents=True, exist_ok=True)
        self.write_files(folder)
        content = {"target": self.target, "words": self.words, "problem": problem}
        (folder / INDEX).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Case:
        """Read a case that `save` wrote."""
        content = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != INDEX
        }
        return cls(content["target"], content["words"], files)
