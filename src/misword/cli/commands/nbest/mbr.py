"""Choose from each N-best list the hypothesis with the least expected cost (minimum Bayes risk).

The scores of a list give the probability of each hypothesis, exp(scale * score) divided by the sum
over the list. Each hypothesis is scored against all others of its list, as if these were the
references, and the one with the least expected errors is chosen. This needs no references. With
references, the rates of the recogniser's first hypotheses, of this choice and of the best choice
are printed, and `--scale auto` chooses the scale by cross-validation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from misword.asr.nbest.mbr import AUTO, MinimumRisk, mbr
from misword.asr.nbest.risk import COSTS
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
from misword.cli.output import TextTable, bars, percent, print_tables, status
from misword.cli.printing import print_csv, print_json

if TYPE_CHECKING:
    from misword.core.types import Result

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
    _print(found, result, options)


MBR_OPTIONS = ("scale", "cost", "features", "weights", "depth", "folds")


def _print(found: MinimumRisk, result: Result, options: argparse.Namespace) -> None:
    tables, origin = result.tables, result.provenance
    if options.format == "json":
        names = (
            "misword",
            "chosen_by",
            "cost",
            "scale",
            "features",
            "weights",
            "effective_hypotheses",
        )
        shown = {name: table.to_dicts() for name, table in tables.items()}
        print_json({**{name: origin[name] for name in names}, **shown})
    elif options.format == "csv":
        print_csv(found.main_table())
    else:
        signatures = origin.get("signatures", {}).values()
        marked = options.format == "md"
        print_tables(_tables(found, options.confidence), signatures, marked=marked)


def _tables(found: MinimumRisk, confidence: float) -> Iterator[TextTable]:
    """Yield the table of rates and that of scales, or the first of the chosen texts."""
    if found.rates is None:
        yield _texts(found)
        return
    yield _rates(found, f"{100 * confidence:g} % interval")
    if found.scales is not None:
        rows = [
            [f"{row['scale']:g}", percent(row["rate"]), f"{row['folds']:,}"]
            for row in found.scales.to_dicts()
        ]
        title = (
            f"Scales, by {found.settings['chosen_by']} of all lists, and the folds that chose each"
        )
        yield TextTable(["scale", "%", "folds"], rows, left=0, title=title)


def _rates(found: MinimumRisk, interval: str) -> TextTable:
    assert found.rates is not None
    header = ["metric", "choice", "%", interval, "from rank 1", interval, "p"]
    rows = [rate_cells(row, "choice", "p") for row in found.rates.to_dicts()]
    title = f"Least expected {found.settings['cost']} by {found.settings['chosen_by']}"
    title += f", scale {found.settings['scale']:g}"
    return TextTable(header, rows, left=2, title=title)


def _texts(found: MinimumRisk) -> TextTable:
    rows, title = first_texts(found.chosen, "chosen")
    body = [
        [row["utt"], f"{row['rank']:,}", f"{row['expected']:.3f}", f"{row['expected_first']:.3f}",
         row["text"]]
        for row in rows
    ]  # fmt: skip
    header = ["utterance", "rank", "expected", "of rank 1", "text"]
    return TextTable(header, body, title=title, prose={"text"})
