"""Where the data of the studies are, and the error if they are missing."""

from __future__ import annotations

from pathlib import Path

import misword

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT.parent / "shared" / "data"
DEMO = Path(misword.__file__).parent / "demo"
# What is made for a study and kept for the next run, such as language models.
BUILD = ROOT / "build" / "studies"


class MissingError(Exception):
    """A study cannot run because data or a program is missing; the message says what."""


def shared(name: str) -> Path:
    """Return a file or folder of the shared data; raise if it is missing."""
    path = SHARED / name
    if not path.exists():
        raise MissingError(f"{path} is missing")
    return path


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file."""
    return path.read_text("utf-8").removesuffix("\n").split("\n")
