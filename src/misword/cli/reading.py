"""The input files of commands that score texts, and the options for scoring."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from misword.asr.alternatives import read_equivalents
from misword.asr.score import DEFAULT_METRICS
from misword.cli.inputs import read_files
from misword.core.types import Corpus
from misword.io.files.sources import open_source, recorded


class Inputs:
    """The files that a command reads, with the hash of each for the provenance of the result.

    The command passes `read_corpus` and `read_equivalents` to `misword.score` or a similar
    function. That function calls them after it has checked its options, so that a wrong option is
    reported before anything is read.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.hashes: dict[str, str] = {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Return a context within which the hash of each opened file is added."""
        with recorded() as hashes:
            yield
        self.hashes |= hashes

    def record(self, path: Path) -> None:
        """Add the hash of a file."""
        with self.recording():
            open_source(path)

    def read_corpus(self) -> Corpus:
        """Read the corpus that the options name."""
        with self.recording():
            return read_files(self.options)

    def read_equivalents(self) -> list[list[str]]:
        """Read the file of equivalents; the list is empty if the options name none."""
        if not self.options.equivalents:
            return []
        with self.recording():
            return read_equivalents(self.options.equivalents)

    def scoring_arguments(self) -> dict[str, Any]:
        """Return the arguments of `misword.score` that the options name, without the texts."""
        names = (
            "normalize", "alternatives", "lang", "vectors", "max_words", "vector_format", "cache",
            "workers",
        )  # fmt: skip
        return {
            "metrics": self.options.metrics or DEFAULT_METRICS,
            "equivalents": self.read_equivalents,
            **{name: getattr(self.options, name) for name in names},
        }
