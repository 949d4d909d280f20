"""Measure how often metrics prefer the transcript that people prefer.

The input has triplets: a reference, two hypotheses, and the number of people who chose each of them
as the closer one, such as HATS (columns reference, hypA, nbrA, hypB, nbrB). A metric agrees with
people if its rate is lower for the hypothesis that most people chose. If the two rates are equal (a
tie), this counts as wrong in `agreed`, as in the published tables, and as half right in `half`.
WER, for example, has many ties; random choices have 50 % in `half`. There are three levels of
consensus: all people chose the same hypothesis, at least 70 % did, or any majority. Triplets with
equal votes are left out.

Ratings are read too: columns item, system, rater, rating, reference, hypothesis. Two hypotheses of
an item are then a triplet, and each rater votes for the one with his or her higher rating. Further
tables have the correlation of each metric with the mean ratings, and how far the raters agree.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.asr.options import Judgements, Metrics
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Output
from misword.cli.output import bars, check_output, note_unused, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen

EXAMPLES = """\
examples:
  misword agree hats.tsv
  misword agree hats.tsv --metrics wer,cer,per,semdist --lang fr
  misword agree hats.tsv --metrics wer,wer-e,ember --vectors cc.fr.300.vec --consensus 1,0.8,0.6,0
  misword agree choices.csv --columns said,first,first_votes,second,second_votes --format md
  misword agree choices.jsonl --normalize nfc,lower,nopunct --report agree.html
  misword agree ratings.tsv --metrics wer,cer,people --lang ar
"""


class Triplets(TypedDict, total=False):
    """The file of the triplets."""

    triplets: Annotated[
        str,
        Option(
            "a table with tabs between columns, where quotes are plain characters; or .csv, "
            ".jsonl, .parquet; - for stdin",
            metavar="TRIPLETS",
            positional=True,
            is_file=True,
        ),
    ]


OPTIONS = (Triplets, Metrics, Judgements, Output)


def run(options: argparse.Namespace) -> None:
    """Compare metrics with people's choices, print and write the result."""
    from misword.asr.people.agree import agree

    check_output(options)
    inputs = Inputs(options)
    with bars(), status("scoring"), inputs.reading():
        agreement = agree(options.triplets, metrics=options.metrics, **chosen(options, Judgements))
    result = agreement.result(provenance(options, "agree", inputs.hashes))
    write_output(result, options)
    note_unused(options, agreement.scores, inputs.used_for_texts())
    note(*agreement.scores.notes, *agreement.notes)
    print_result(result, options.format)
