"""Measure how often metrics prefer the transcript that people prefer.

The input has triplets: a reference, two hypotheses, and the number of people who chose each of them
as the closer one, such as HATS (columns reference, hypA, nbrA, hypB, nbrB). A metric agrees with
people if its rate is lower for the hypothesis that most people chose. If the two rates are equal (a
tie), this counts as wrong in `agreed`, as in the published tables, and as half right in `half`.
WER, for example, has many ties; random choices have 50 % in `half`. There are three levels of
consensus: all people chose the same hypothesis, at least 70 % did, or any majority. Triplets with
equal votes are left out.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.people.agree import CONSENSUS, agree
from misword.cli.inputs import (
    Inputs,
    add_metrics,
    add_scoring,
    provenance,
)
from misword.cli.output import (
    bars,
    check_output,
    note_unused,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.lazy import pl
from misword.io.judgements import TRIPLET_COLUMNS, read_triplets

if TYPE_CHECKING:
    pass

EXAMPLES = """\
examples:
  misword agree hats.tsv
  misword agree hats.tsv --metrics wer,cer,per,semdist --lang fr
  misword agree hats.tsv --metrics wer,wer-e,ember --vectors cc.fr.300.vec --consensus 1,0.8,0.6,0
  misword agree choices.csv --columns said,first,first_votes,second,second_votes --format md
  misword agree choices.jsonl --normalize nfc,lower,nopunct --report agree.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "triplets",
        metavar="TRIPLETS",
        help="a table with tabs between columns, where quotes are plain characters; or .csv, "
        ".jsonl, .parquet; - for stdin",
    )
    parser.add_argument(
        "--columns",
        metavar="LIST",
        help=f"names of the five columns, in this order: {','.join(TRIPLET_COLUMNS)} "
        "(recognised in upper or lower case: "
        + "; ".join(", ".join(names) for names in TRIPLET_COLUMNS.values())
        + ")",
    )
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="tsv (with quoted fields), csv, jsonl, parquet"
    )
    add_metrics(parser)
    parser.add_argument(
        "--consensus",
        type=shares,
        default=CONSENSUS,
        metavar="LIST",
        help="least shares of votes for the majority; 1: all, 0: any majority (default 1,0.7,0)",
    )
    add_scoring(parser)


def shares(text: str) -> tuple[float, ...]:
    """Read numbers from 0 to 1 between commas, for argparse."""
    numbers = tuple(float(piece) for piece in text.split(","))
    if not all(0 <= number <= 1 for number in numbers):
        raise argparse.ArgumentTypeError(f"{text} are no shares such as 1,0.7,0")
    return numbers


def run(options: argparse.Namespace) -> None:
    """Compare metrics with people's choices, print and write the result."""
    check_output(options)
    inputs = Inputs(options)
    columns = options.columns.split(",") if options.columns is not None else None

    def read() -> pl.DataFrame:
        with inputs.recording():
            return read_triplets(options.triplets, columns=columns, format=options.input_format)

    with bars(), status("scoring"):
        agreement = agree(
            read,
            consensus=options.consensus,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            **inputs.scoring_arguments(),
        )
    result = agreement.result(provenance(options, "agree", inputs.hashes))
    write_output(result, options)
    note_unused(options, agreement.scores, inputs.used_for_texts())
    for text in (*agreement.scores.notes, *agreement.notes):
        note(text)
    print_result(result, options.format)
