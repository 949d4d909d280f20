"""Check files that misword wrote, by their checksums: are they as they were written?

PATH is a result folder (--out), a folder of `misword vectors convert`, a mapping, learnt noise, or
a folder in which all of these are looked for. All bytes are read. One line says for each of them
whether it is whole, damaged, or without checksums: older versions of misword wrote none, and then
only the structure is checked. The exit code is 1 if something is damaged.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from misword.cli.output import Table, add_format, print_table
from misword.cli.printing import print_json
from misword.cli.progress import bars
from misword.cli.verification import State, cached_objects, own_objects
from misword.core.errors import OptionError

EXAMPLES = """\
examples:
  misword verify results/june
  misword verify results/ french-vectors/ en-fr.map noise.json
  misword verify --cache --format json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files and folders to check")
    parser.add_argument(
        "--cache", action="store_true", help="also check all that the cache folder has"
    )
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Check all objects, print a row for each, and return 1 if one is damaged."""
    if not options.paths and not options.cache:
        raise OptionError("nothing to check", fix="name a file or a folder, or use --cache")
    found = [thing for path in options.paths for thing in own_objects(Path(path))]
    if options.cache:
        found += cached_objects()
    with bars():
        verdicts = [thing.verify() for thing in found]
    if options.format == "json":
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        rows = [[v.path, v.kind, v.state, v.what] for v in verdicts]
        header = ["path", "kind", "state", "what"]
        print_table(Table(header, rows, left=4, prose={"what"}), options.format)
    return int(any(verdict.state == State.DAMAGED for verdict in verdicts))
