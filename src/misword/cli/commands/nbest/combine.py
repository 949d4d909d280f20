"""Combine the transcripts of several systems by a vote on each word, as NIST's rover does.

The transcripts of an utterance are aligned into a network, one after the other, in the order of the
files. In each place the word that most systems have wins, or none. With `--alpha` below 1, the
confidences of words count too; ctm files have them. With references, the rates of all systems and
of the combination are printed, with tests of their differences.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.combine import METHODS, combine
from misword.cli.chosen_texts import (
    add_reference,
    add_texts_file,
    check_files,
    print_notes,
    read_hypotheses,
    write_texts,
)
from misword.cli.inputs import Inputs, add_scoring, provenance
from misword.cli.options import finite, whole
from misword.cli.output import bars, status
from misword.cli.rendering import print_result

if TYPE_CHECKING:
    pass

EXAMPLES = """\
examples:
  misword combine a.txt b.txt c.txt -o combined.txt
  misword combine a.csv b.csv c.csv --reference ref.csv --normalize nfc,lower,nopunct
  misword combine a.ctm b.ctm c.ctm --alpha 0.5 --null-confidence 0.7 --method maxconf -o best.trn
  misword combine nbest.jsonl --ranks 10 -o combined.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "hypotheses",
        metavar="HYP",
        nargs="+",
        help="one file or folder per system, the best system first: it wins where votes are equal",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default="meth1",
        help="confidence of a word: the mean of its occurrences (meth1, default), the greatest "
        "(maxconf), or their share of the sum of all words in this place (avgconf)",
    )
    parser.add_argument(
        "--alpha",
        type=finite,
        default=1.0,
        metavar="A",
        help="weight of the frequency of a word; that of its confidence is 1 - A (default 1)",
    )
    parser.add_argument(
        "--null-confidence",
        type=finite,
        default=0.0,
        metavar="C",
        help="confidence that there is no word where a system has none (default 0)",
    )
    parser.add_argument(
        "--ranks",
        type=whole(1),
        default=1,
        metavar="N",
        help="of N-best lists, let the first N hypotheses vote (default 1)",
    )
    parser.add_argument(
        "--metrics", metavar="LIST", help="metrics that judge, with --reference (default: wer)"
    )
    add_texts_file(parser)
    add_reference(parser)
    add_scoring(parser)


def run(options: argparse.Namespace) -> None:
    """Combine the systems, print and write the result."""
    check_files(options, "combined.csv")
    inputs = Inputs(options)
    names = ("method", "alpha", "null_confidence", "ranks", "bootstrap", "confidence", "seed")
    with bars(), status("combining"):
        scoring = inputs.scoring_arguments()
        found = combine(
            lambda: read_hypotheses(inputs, nbest=options.ranks > 1),
            references=True if options.reference is not None else None,
            metrics=scoring.pop("metrics") or "wer",
            **{name: getattr(options, name) for name in names},
            **scoring,
        )
    result = found.result(provenance(options, "combine", inputs.hashes))
    write_texts(found.texts, result, options)
    print_notes(found.scores, found.notes, inputs)
    print_result(result, options.format)
