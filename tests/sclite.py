"""NIST sclite as an oracle: its counts and alignments for small files.

Debian has the program in the package `sctk`. Tests that use it are skipped where it is missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDERS = ("/usr/lib/sctk/bin",)
COUNTS = re.compile(r"Scores: \(#C #S #D #I\) (\d+) (\d+) (\d+) (\d+)")


class Aligned(NamedTuple):
    """Hits, substitutions, insertions and deletions, and the two lines of the alignment."""

    counts: tuple[int, int, int, int]
    reference: str
    hypothesis: str

    @property
    def operations(self) -> str:
        """The operations as letters H, S, I and D; for texts without optional words."""
        pairs = zip(self.reference.split(), self.hypothesis.split(), strict=True)
        return "".join(_letter(left, right) for left, right in pairs)


def program(name: str) -> str:
    """Return the path of a program of SCTK, or skip the test."""
    for folder in (None, *FOLDERS):
        if path := shutil.which(name, path=folder):
            return path
    pytest.skip(f"needs {name} (Debian: apt-get install sctk)")


def run_sclite(
    reference: Path, hypothesis: Path, *options: str, formats: Sequence[str] = ("trn", "trn")
) -> dict[str, Aligned]:
    """Return what sclite finds for each utterance, by the id that it prints."""
    command = [
        program("sclite"), "-r", str(reference), formats[0], "-h", str(hypothesis), formats[1],
        "-i", "spu_id", "-o", "pralign", "stdout", "-l", "100000", *options,
    ]  # fmt: skip
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for part in printed.split("id: (")[1:]:
        hits, substitutions, deletions, insertions = map(int, COUNTS.search(part).groups())  # type: ignore[union-attr]
        lines = [
            line.partition(":")[2] for line in part.split("\n") if line[:4] in ("REF:", "HYP:")
        ]
        counts = hits, substitutions, insertions, deletions
        found[part.partition(")")[0]] = Aligned(counts, *(lines or ["", ""]))
    return found


def _letter(left: str, right: str) -> str:
    if set(left) == {"*"}:
        return "I"
    if set(right) == {"*"}:
        return "D"
    return "H" if left == right else "S"
