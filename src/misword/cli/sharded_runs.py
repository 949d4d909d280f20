"""The runs of commands over shards."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from misword.asr.options import Scoring
from misword.asr.sharded.compare_shards import ShardedComparison, compare_shards
from misword.asr.sharded.oracle_shards import ShardedOracle, oracle_shards
from misword.asr.sharded.score_shards import ShardedScores, score_shards
from misword.cli.commands import options_of
from misword.cli.inputs import Inputs, provenance
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
from misword.core.options import chosen
from misword.io.files.sources import STDIN
from misword.io.options import SideReading
from misword.stat.options import Resampling

if TYPE_CHECKING:
    from misword.core.types import Result

# Options that need all utterances at once, or their texts.
WHOLE = (
    "metadata", "more_references", "join", "alternatives_from", "tags_from", "entities", "keywords",
    "confidences", "encoding", "categorical", "block", "output", "translations", "translate",
    "ranks", "audio",
)  # fmt: skip
TABLES = "the differences have no MAPSSWE test, no errors by kind of word and no worst utterances: "


def run_score(options: argparse.Namespace) -> Result:
    """Score shards, write the result and print notes; return the result."""
    _check(options)
    inputs = Inputs(options)
    with bars(), status("scoring"):
        scores = score_shards(**_arguments(options, inputs))
    with status("resampling"):
        settings = chosen(options, Resampling)
        result = scores.result(_origin(options, "score", inputs, scores), **settings)
    write_output(result, options)
    note_unused(options, scores, inputs.used_for_texts())
    _print_notes(scores.notes)
    return result


def run_compare(options: argparse.Namespace) -> None:
    """Compare systems on shards, write and print the result."""
    _check(options)
    inputs = Inputs(options)
    settings = {"baseline": options.baseline or "", **chosen(options, Resampling)}
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
    settings = {"ties": options.ties, **chosen(options, Resampling)}
    arguments = _arguments(options, inputs)
    del arguments["by"]
    with bars(), status("choosing"):
        found = oracle_shards(**arguments, depths=options.depths, **settings)
    result = found.result(_origin(options, "oracle", inputs, found))
    write_output(result, options)
    _print_notes(found.notes)
    return result


def _check(options: argparse.Namespace) -> None:
    """Raise if an option has no meaning for shards, or if the result is not to be written."""
    known = options_of(options.command)
    for name in WHOLE:
        if name in known and getattr(options, name) != known[name].default:
            flag = known[name].flags_of(name)[0]
            raise OptionError(
                f"{flag} needs all utterances at once, and cannot be used with --engine",
                fix="leave out one of the two",
            )
    if STDIN in (options.reference, *options.hypotheses):
        raise OptionError("standard input has no shards", fix="name files, or leave out --engine")
    check_output(options)


def _arguments(options: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    """Return the arguments of `misword.score_shards`."""
    reading = chosen(options, SideReading)
    del reading["encoding"]
    same = ("metrics", "engine", "out", "keep_going")
    return {
        "references": options.reference,
        "hypotheses": options.hypotheses,
        "by": getattr(options, "by", ()),
        "format": reading.pop("input_format"),
        **reading,
        **{name: getattr(options, name) for name in same},
        **chosen(options, Scoring),
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
