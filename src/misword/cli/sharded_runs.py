"""The runs of commands over shards."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from misword.asr.sharded.compare_shards import ShardedComparison, compare_shards
from misword.asr.sharded.oracle_shards import ShardedOracle, oracle_shards
from misword.asr.sharded.score_shards import ShardedScores, score_shards
from misword.cli.inputs import Inputs, column_names, provenance
from misword.cli.output import (
    bars,
    check_output,
    note_unused,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.io.files.sources import STDIN

if TYPE_CHECKING:
    from misword.core.types import Result

# Options that need all utterances at once, or their texts, with their defaults.
WHOLE: dict[str, Any] = {
    "metadata": [], "more_references": [], "join": None, "alternatives_from": None,
    "tags_from": None, "entities": None, "keywords": None, "confidences": False, "encoding": None,
    "categorical": [], "block": "", "output": None, "translations": [], "translate": None,
    "ranks": 1, "audio": None,
}  # fmt: skip
NAMES = {"more_references": "--reference", "output": "-o"}
TABLES = "the differences have no MAPSSWE test, no errors by kind of word and no worst utterances: "


def run_score(options: argparse.Namespace) -> Result:
    """Score shards, write the result and print notes; return the result."""
    _check(options)
    inputs = Inputs(options)
    with bars(), status("scoring"):
        scores = score_shards(**_arguments(options, inputs))
    with status("resampling"):
        names = ("bootstrap", "confidence", "seed")
        settings = {name: getattr(options, name) for name in names}
        result = scores.result(_origin(options, "score", inputs, scores), **settings)
    write_output(result, options)
    note_unused(options, scores, inputs.used_for_texts())
    _print_notes(scores.notes)
    return result


def run_compare(options: argparse.Namespace) -> None:
    """Compare systems on shards, write and print the result."""
    _check(options)
    inputs = Inputs(options)
    names = ("baseline", "bootstrap", "confidence", "seed")
    settings = {name: getattr(options, name) for name in names}
    with bars(), status("comparing"):
        comparison = compare_shards(**_arguments(options, inputs), **settings)
    origin = _origin(options, "compare", inputs, comparison)
    write_output(comparison.result(origin), options)
    note_unused(options, comparison, inputs.used_for_texts())
    _print_notes(comparison.notes)
    note(f"{TABLES}compare a sample without --engine for them")
    shown = comparison.shown()
    print_result(replace(shown, provenance={**origin, **shown.provenance}), options.format)


def run_oracle(options: argparse.Namespace) -> Result:
    """Choose from the N-best lists of shards, write the result and print notes; return it."""
    _check(options)
    inputs = Inputs(options)
    names = ("ties", "bootstrap", "confidence", "seed")
    settings = {name: getattr(options, name) for name in names}
    arguments = _arguments(options, inputs)
    del arguments["by"]
    with bars(), status("choosing"):
        found = oracle_shards(**arguments, depths=options.depth, **settings)
    result = found.result(_origin(options, "oracle", inputs, found))
    write_output(result, options)
    _print_notes(found.notes)
    return result


def _check(options: argparse.Namespace) -> None:
    """Raise if an option has no meaning for shards, or if the result is not to be written."""
    for name, default in WHOLE.items():
        if getattr(options, name, default) != default:
            shown = NAMES.get(name, f"--{name.replace('_', '-')}")
            raise OptionError(
                f"{shown} needs all utterances at once, and cannot be used with --engine",
                fix="leave out one of the two",
            )
    if STDIN in (options.reference, *options.hypotheses):
        raise OptionError("standard input has no shards", fix="name files, or leave out --engine")
    check_output(options)


def _arguments(options: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """Return the arguments of `misword.score_shards`."""
    formats = [name for name in (options.input_format or "").split(",") if name]
    columns = options.hypothesis_column
    same = ("id_column", "reference_column", "missing", "engine", "out", "keep_going")
    scoring = inputs.scoring_arguments()
    scoring.pop("entities", None)
    return {
        "references": options.reference,
        "hypotheses": options.hypotheses,
        "by": column_names(getattr(options, "by", "")),
        "names": options.names.split(",") if options.names is not None else None,
        "hypothesis_column": None if columns is None else columns.split(","),
        "format": formats[0] if formats else None,
        "hypothesis_format": formats[1] if len(formats) > 1 else None,
        **{name: getattr(options, name) for name in same},
        **scoring,
    }


def _origin(
    options: argparse.Namespace,
    command: str,
    inputs: Inputs,
    found: ShardedScores | ShardedComparison | ShardedOracle,
) -> dict[str, Any]:
    """Return the origin of a result: its options, and the shards that it was computed from."""
    return {**provenance(options, command, inputs.hashes), "shards": found.shards}


def _print_notes(notes: Iterable[str]) -> None:
    for text in notes:
        note(text)
