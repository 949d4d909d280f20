"""The options of commands for shards; `cli/sharded_runs.py` has the runs."""

from __future__ import annotations

import argparse

from misword.core.engines import ENGINES
from misword.core.errors import OptionError
from misword.io.files.shown_paths import shown_path
from misword.io.shards.listing import is_pattern


def add_shards(parser: argparse.ArgumentParser) -> None:
    """Declare the options for shards of transcripts."""
    add_engine(
        parser,
        "With --engine, REF and HYP are folders or patterns of Parquet, CSV or JSON-lines files, "
        "local or URLs (s3://, gs://, https://). Each file is read in parts and scored by itself; "
        "the numbers are those of all files together. References and hypotheses are columns of one "
        "file, or file k of HYP has the utterances of file k of REF.",
        "with --out of score and compare, shards that are finished there are not scored again",
    )


def add_engine(parser: argparse.ArgumentParser, text: str, resumed: str) -> None:
    """Declare the options; `text` explains them, `resumed` says what a second run keeps."""
    group = parser.add_argument_group("shards", text)
    group.add_argument(
        "--engine",
        metavar="NAME",
        help=f"where shards are processed: {', '.join(ENGINES.names())}, or ray://HEAD:10001 for a "
        f"cluster that runs; {resumed}",
    )
    group.add_argument(
        "--keep-going",
        action="store_true",
        help="leave out shards that cannot be used; notes name them",
    )


def refuse_shard_options(options: argparse.Namespace, *paths: str) -> None:
    """Raise if an option for shards, or a pattern of shards, is given without an engine."""
    if options.keep_going:
        raise OptionError("--keep-going is for shards", fix="name an engine: --engine process")
    for path in paths:
        if is_pattern(path):
            raise OptionError(
                "this names shards", where=shown_path(path), fix="name an engine: --engine process"
            )
