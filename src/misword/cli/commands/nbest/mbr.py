"""Choose from each N-best list the hypothesis with the least expected cost (minimum Bayes risk).

The scores of a list give the probability of each hypothesis, exp(scale * score) divided by the sum
over the list. Each hypothesis is scored against all others of its list, as if these were the
references, and the one with the least expected errors is chosen. This needs no references. With
references, the rates of the recogniser's first hypotheses, of this choice and of the best choice
are printed, and `--scale auto` chooses the scale by cross-validation.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.asr.options import MbrOptions, OneMetric
from misword.cli.chosen_texts import check_files, print_notes, read_hypotheses, write_texts
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import JudgingReferences, Output, TextsFile
from misword.cli.output import bars, status
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen
from misword.io.options import SideReading

EXAMPLES = """\
examples:
  misword mbr nbest.jsonl -o chosen.jsonl
  misword mbr nbest.jsonl --scale 0.1 --metric wer-s --vectors cc.fr.300.vec -o chosen.csv
  misword mbr scored.jsonl --features score,lm --weights 1,0.4 --depth 20 -o chosen.csv
  misword mbr nbest.jsonl --references ref.csv --scale auto --metrics cer
  misword mbr test-clean.json --references test-clean.json
"""


class Lists(TypedDict, total=False):
    """The file of the lists."""

    nbest: Annotated[
        str,
        Option("N-best lists: a file or a folder", metavar="NBEST", positional=True, is_file=True),
    ]


OPTIONS = (Lists, OneMetric, MbrOptions, TextsFile, JudgingReferences, SideReading, Output)
NEEDS = {"names": ("out", "report")}


def run(options: argparse.Namespace) -> None:
    """Choose hypotheses, print and write the result."""
    from misword.asr.nbest.mbr import mbr

    options.hypotheses = [options.nbest]
    check_files(options, "chosen.csv")
    inputs = Inputs(options)
    with bars(), status("choosing"), inputs.reading():
        found = mbr(
            lambda: read_hypotheses(inputs, nbest=True),
            options.metric,
            references=True if options.references is not None else None,
            **chosen(options, MbrOptions),
        )
    result = found.result(provenance(options, "mbr", inputs.hashes))
    write_texts(found.texts, result, options)
    print_notes(found.scores, found.notes, inputs)
    print_result(result, options.format)
