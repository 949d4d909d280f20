"""Write a report: one HTML page from results that commands wrote with --out.

The page is a single file. It opens from disk without a network, and sends no data. It contains the
transcripts: share it only with people who may read them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.cli.options import Audio
from misword.cli.output import check_audio, status
from misword.cli.printing import note, print_text
from misword.core.errors import MiswordError, visible
from misword.core.options import Option
from misword.core.parts import describe
from misword.core.parts.registry import Registry
from misword.io.results import read_result

if TYPE_CHECKING:
    from misword.core.types import Result

EXAMPLES = """\
examples:
  misword compare ref.csv a.csv b.csv --out results/ab
  misword report results/ab -o ab.html
  misword report results/ab --audio recordings/
  misword report results/ab results/correlation results/agreement -o all.html --title "June"
"""


class Page(TypedDict, total=False):
    """The results, and the page that shows them."""

    results: Annotated[
        list[str],
        Option(
            "result folders, in the order of the page",
            metavar="RESULT_DIR",
            positional=True,
            values="+",
        ),
    ]
    output: Annotated[
        str,
        Option(
            "file to write",
            default="report.html",
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]
    title: Annotated[str, Option("title of the page", default="", metavar="TEXT", common=True)]


OPTIONS = (Page, Audio)


def run(options: argparse.Namespace) -> None:
    """Read the results and write the page."""
    from misword.report import write_report

    check_audio(options.audio)
    with status("writing the report"):
        results = [with_parts(read_result(folder)) for folder in options.results]
        write_report(results, options.output, title=options.title, audio=options.audio, note=note)
    print_text(visible(options.output))


def with_parts(result: Result) -> Result:
    """Return a result that describes its metrics, encoders and downstream scores.

    Results of version 0.5.0 have only the labels of these parts. Their titles, families and
    citations are taken from the registries; a part that is not installed keeps its label.
    """
    from misword.asr.downstreams import DOWNSTREAMS
    from misword.asr.metrics import METRICS
    from misword.embed.encoders import ENCODERS

    provenance = result.provenance
    if "parts" in provenance:
        return result
    parts = {
        **_described(METRICS, provenance.get("metrics", ())),
        **_described(ENCODERS, provenance.get("encoders", ())),
        **_described(DOWNSTREAMS, provenance.get("scores", ())),
    }
    return replace(result, provenance={**provenance, "parts": parts})


def _described(registry: Registry[Any], labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the descriptions of the labels whose part can be loaded."""
    parts = {}
    for label in labels:
        with suppress(MiswordError):
            parts[label] = describe(registry.load(label.partition(":")[0]))
    return parts
