"""One page to look at, from results that commands wrote with --out.

Everything is inside one HTML file: it opens from disk with no network, and nothing leaves the
machine. It contains the transcripts: share it as you would share them.
"""

from __future__ import annotations

import argparse

from misword.cli.output import status
from misword.io.results import read_result

EXAMPLES = """\
examples:
  misword compare ref.csv a.csv b.csv --out results/ab
  misword report results/ab -o ab.html
  misword report results/ab results/correlation results/agreement -o all.html --title "June"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "results", metavar="RESULT_DIR", nargs="+", help="folders written with --out, in order"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="report.html", help="default: %(default)s"
    )
    parser.add_argument("--title", metavar="TEXT", default="", help="the page's title")


def run(options: argparse.Namespace) -> None:
    """Read and write."""
    from misword.report import write_report

    with status("writing the report"):
        results = [read_result(folder) for folder in options.results]
        write_report(results, options.output, title=options.title)
    print(options.output)
