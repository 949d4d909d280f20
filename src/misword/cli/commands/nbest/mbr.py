"""Choose from each N-best list the hypothesis with the least expected cost (minimum Bayes risk).

The scores of a list give the probability of each hypothesis, exp(scale * score) divided by the sum
over the list. Each hypothesis is scored against all others of its list, as if these were the
references, and the one with the least expected errors is chosen. This needs no references. With
references, the rates of the recogniser's first hypotheses, of this choice and of the best choice
are printed, and `--scale auto` chooses the scale by cross-validation.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.nbest.mbr import AUTO, mbr
from misword.asr.nbest.risk import COSTS
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
  misword mbr nbest.jsonl -o chosen.jsonl
  misword mbr nbest.jsonl --scale 0.1 --by wer-s --vectors cc.fr.300.vec -o chosen.csv
  misword mbr scored.jsonl --features score,lm --weights 1,0.4 --depth 20 -o chosen.csv
  misword mbr nbest.jsonl --reference ref.csv --scale auto --metrics cer
  misword mbr test-clean.json --reference test-clean.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("nbest", metavar="NBEST", help="N-best lists: a file or a folder")
    parser.add_argument(
        "--by",
        default="wer",
        metavar="METRIC",
        help="the metric whose expected value is least (default: wer)",
    )
    parser.add_argument(
        "--scale",
        type=scale,
        default=1.0,
        metavar="S",
        help="factor of the scores (default 1; 0: all hypotheses are equally probable), or auto: "
        "chosen by cross-validation, with --reference",
    )
    parser.add_argument(
        "--cost",
        choices=COSTS,
        help="what is expected: the number of errors (default), or the rate of each pair of texts",
    )
    parser.add_argument(
        "--features",
        metavar="LIST",
        help="columns of the lists whose weighted sum is the score (default: score)",
    )
    parser.add_argument(
        "--weights", type=weights, metavar="LIST", help="weights of the features (default: 1 each)"
    )
    parser.add_argument(
        "--depth", type=whole(1), metavar="N", help="use the first N hypotheses of each list"
    )
    parser.add_argument(
        "--folds", type=whole(2), default=5, metavar="N", help="folds of --scale auto (default 5)"
    )
    parser.add_argument(
        "--metrics", metavar="LIST", help="further metrics that judge the choice, with --reference"
    )
    add_texts_file(parser)
    add_reference(parser)
    add_scoring(parser)


def scale(text: str) -> float | str:
    """Read a number or `auto`, for argparse."""
    return AUTO if text == AUTO else finite(text)


def weights(text: str) -> list[float]:
    """Read numbers between commas, for argparse."""
    return [finite(piece) for piece in text.split(",")]


def run(options: argparse.Namespace) -> None:
    """Choose hypotheses, print and write the result."""
    options.hypotheses = [options.nbest]
    check_files(options, "chosen.csv")
    inputs = Inputs(options)
    with bars(), status("choosing"):
        scoring = inputs.scoring_arguments()
        found = mbr(
            lambda: read_hypotheses(inputs, nbest=True),
            options.by,
            references=True if options.reference is not None else None,
            metrics=scoring.pop("metrics") or (),
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            **{name: getattr(options, name) for name in MBR_OPTIONS},
            **scoring,
        )
    result = found.result(provenance(options, "mbr", inputs.hashes))
    write_texts(found.texts(), result, options)
    print_notes(found.scores, found.notes, inputs)
    print_result(result, options.format)


MBR_OPTIONS = ("scale", "cost", "features", "weights", "depth", "folds")
