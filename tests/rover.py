"""The program rover of SCTK (Debian package sctk), as an oracle for votes."""

from __future__ import annotations

import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

Words = Sequence[str]

# rover keeps memory of all utterances that it has read: it gets few at a time, and a limit.
AT_ONCE = 25
MEMORY = 2 << 30
SECONDS = 60


def need_rover() -> None:
    """Skip a test if rover is not installed."""
    if shutil.which("sctk") is None:
        pytest.skip("needs rover: Debian package sctk")


def rover(
    utterances: Sequence[Sequence[Words]],
    folder: Path,
    *options: str,
    confidences: Sequence[Sequence[Sequence[float]]] | None = None,
) -> list[list[str]]:
    """Combine the transcripts of each utterance; no transcript may be empty.

    `options` are those of rover, such as `-m meth1 -a 0.5`.
    """
    combined = []
    for start in range(0, len(utterances), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        confident = None if confidences is None else confidences[part]
        combined += _rover(utterances[part], folder, options, confident)
    return combined


def _rover(
    utterances: Sequence[Sequence[Words]],
    folder: Path,
    options: Sequence[str],
    confidences: Sequence[Sequence[Sequence[float]]] | None,
) -> list[list[str]]:
    inputs: list[str] = []
    for system in range(len(utterances[0])):
        path = folder / f"system{system}.ctm"
        lines = []
        for number, transcripts in enumerate(utterances):
            words = transcripts[system]
            # All transcripts last ten seconds without a pause: rover divides texts at pauses.
            step = 10 / len(words)
            for place, word in enumerate(words):
                known = "" if confidences is None else confidences[number][system][place]
                lines.append(f"u{number} 1 {place * step:.5f} {step:.5f} {word} {known}\n")
        path.write_text("".join(lines), "utf-8")
        inputs += ["-h", str(path), "ctm"]
    output = folder / "combined.ctm"
    subprocess.run(
        ["sctk", "rover", *inputs, "-o", str(output), "-s", "-f", "0", *options],
        check=True,
        capture_output=True,
        timeout=SECONDS,
        preexec_fn=_limit,
    )
    combined: list[list[str]] = [[] for _ in utterances]
    for line in output.read_text("utf-8").splitlines():
        name, _, _, _, word, *_ = line.split()
        combined[int(name[1:])].append(word)
    return combined


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
