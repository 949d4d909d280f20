"""Combine the transcripts of several systems by a vote on each word, as NIST's rover does.

The transcripts of an utterance are aligned into a network, one after the other, in the order of the
files. In each place the word that most systems have wins, or none. With `--alpha` below 1, the
confidences of words count too; ctm files have them. With references, the rates of all systems and
of the combination are printed, with tests of their differences.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.combine import METHODS, Combination, combine
from misword.cli.chosen_texts import (
    add_reference,
    add_texts_file,
    check_files,
    first_texts,
    print_notes,
    rate_cells,
    read_hypotheses,
    write_texts,
)
from misword.cli.inputs import Inputs, add_scoring, provenance
from misword.cli.options import finite, whole
from misword.cli.output import TextTable, bars, print_tables, status
from misword.cli.printing import print_csv, print_json

if TYPE_CHECKING:
    from misword.core.types import Result

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
    _print(found, result, options)


def _print(found: Combination, result: Result, options: argparse.Namespace) -> None:
    origin = result.provenance
    if options.format == "json":
        names = ("misword", "systems", "method", "alpha", "null_confidence", "ranks")
        shown = {name: table.to_dicts() for name, table in result.tables.items()}
        print_json({**{name: origin[name] for name in names}, **shown})
    elif options.format == "csv":
        print_csv(found.main_table())
    else:
        interval = f"{100 * options.confidence:g} % interval"
        table = _texts(found) if found.rates is None else _rates(found, interval)
        signatures = origin.get("signatures", {}).values()
        print_tables([table], signatures, marked=options.format == "md")


def _rates(found: Combination, interval: str) -> TextTable:
    """Return the rate of each system, and how the combination differs from it."""
    assert found.rates is not None
    header = ["metric", "system", "%", interval, "combined", interval, "p (Holm)"]
    rows = [rate_cells(row, "system", "p_holm") for row in found.rates.to_dicts()]
    title = "Rates of the systems, and the difference of the combination from each"
    return TextTable(header, rows, left=2, title=title)


def _texts(found: Combination) -> TextTable:
    rows, title = first_texts(found.texts, "combined")
    body = [[row["utt"], row["text"]] for row in rows]
    return TextTable(["utterance", "text"], body, left=2, title=title, prose={"text"})
