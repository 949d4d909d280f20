"""Combine the transcripts of several systems by a vote on each word, as NIST's rover does.

The transcripts of an utterance are aligned into a network, one after the other, in the order of the
files. In each place the word that most systems have wins, or none. With `--alpha` below 1, the
confidences of words count too; ctm files have them. With references, the rates of all systems and
of the combination are printed, with tests of their differences.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.asr.options import CombineOptions
from misword.cli.chosen_texts import check_files, print_notes, read_hypotheses, write_texts
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import JudgingReferences, Output, TextsFile
from misword.cli.output import bars, status
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen
from misword.io.options import SideReading

EXAMPLES = """\
examples:
  misword combine a.txt b.txt c.txt -o combined.txt
  misword combine a.csv b.csv c.csv --references ref.csv --normalize nfc,lower,nopunct
  misword combine a.ctm b.ctm c.ctm --alpha 0.5 --null-confidence 0.7 --method maxconf -o best.trn
  misword combine nbest.jsonl --ranks 10 -o combined.csv
"""


class Systems(TypedDict, total=False):
    """The files of the systems."""

    hypotheses: Annotated[
        list[str],
        Option(
            "one file or folder per system, the best system first: it wins where votes are equal",
            metavar="HYP",
            positional=True,
            values="+",
            is_file=True,
        ),
    ]


OPTIONS = (Systems, CombineOptions, TextsFile, JudgingReferences, SideReading, Output)


def run(options: argparse.Namespace) -> None:
    """Combine the systems, print and write the result."""
    from misword.asr.combine import combine

    check_files(options, "combined.csv")
    inputs = Inputs(options)
    with bars(), status("combining"), inputs.reading():
        found = combine(
            lambda: read_hypotheses(inputs, nbest=options.ranks > 1),
            references=True if options.references is not None else None,
            **chosen(options, CombineOptions),
        )
    result = found.result(provenance(options, "combine", inputs.hashes))
    write_texts(lambda: found.texts, result, options)
    print_notes(found.scores, found.notes, inputs)
    print_result(result, options.format)
