"""Scores from result folders (`misword score --out`) instead of files of transcripts."""

from __future__ import annotations

import argparse
import os
from functools import reduce
from pathlib import Path
from typing import Any

from misword.asr.metrics import METRICS
from misword.asr.score import load
from misword.cli.inputs import Inputs
from misword.core.errors import OptionError
from misword.io.results import INDEX
from misword.stat.scores import Scores

# Options that say how texts are read and scored, with their defaults. They have no meaning for
# result folders.
TEXT_OPTIONS: dict[str, Any] = {
    "preset": None, "normalize": None, "rules": None, "alternatives": True, "equivalents": None,
    "forgive": "", "vectors": None, "max_words": None, "vector_format": None, "metadata": [],
    "input_format": None,
    "id_column": None, "reference_column": None, "hypothesis_column": None,
    "missing": "error",
}  # fmt: skip


def folder_scores(options: argparse.Namespace, inputs: Inputs) -> Scores | None:
    """Return the scores of the folders that the options name; None if they name transcripts."""
    folders = [Path(folder) for folder in (options.reference, *options.hypotheses)]
    if not all(os.path.isfile(folder / INDEX) for folder in folders):
        return None
    _check_text_options(options)
    for folder in folders:
        inputs.record(folder / INDEX)
    return _load(folders, options.names, options.metrics)


def _check_text_options(options: argparse.Namespace) -> None:
    """Raise if an option for scoring texts is given together with result folders."""
    for name, default in TEXT_OPTIONS.items():
        if getattr(options, name) != default:
            raise OptionError(
                f"--{name.replace('_', '-')} is for texts; these folders were scored already",
                fix="leave it out, or score the texts again",
            )


def _load(folders: list[Path], names: str | None, metrics: str | None) -> Scores:
    """Load and join the scores of several folders; rename their systems if names are given."""
    scores = [load(folder) for folder in folders]
    if metrics is not None:
        scores = [part.only(METRICS.create_all(metrics)) for part in scores]
    if names is not None:
        new_names = [name.strip() for name in names.split(",")]
        systems = [(part, name) for part in scores for name in part.systems]
        if len(new_names) != len(systems):
            raise OptionError(
                f"{len(new_names)} names, {len(systems)} systems", fix="name each once"
            )
        new = iter(new_names)
        scores = [part.rename({name: next(new) for name in part.systems}) for part in scores]
    seen: set[str] = set()
    for part, folder in zip(scores, folders, strict=True):
        if both := seen.intersection(part.systems):
            raise OptionError(
                f"a system {both.pop()!r} is also in another folder",
                where=str(folder),
                fix="tell them apart: --names base,new",
            )
        seen.update(part.systems)
    return reduce(lambda one, other: one + other, scores)
