"""Learn a blend of metrics from people's judgements, and measure how well it agrees with them.

The input has choices (a reference, two hypotheses, and the number of people who chose each of them
as the closer one) or direct ratings (a reference, a hypothesis and a number, higher for better
unless --lower-is-better). The blend is a weighted mean of metrics; its weights are not negative and
add up to 1. The printed agreement is that of weights that were learnt from other references
(cross-validation), beside that of each metric alone and that of one voter with the majority of the
other voters. Weights are drawn to equal influence of all metrics, or with --prior to those of
another blend, so that few judgements are enough. The file of -o is a metric:
--metrics blend:file=FILE.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.metrics import METRICS
from misword.asr.people.agree import CONSENSUS
from misword.asr.people.blend_file import BLENDS
from misword.asr.people.fit import DEFAULT_METRICS, FOLDS, REPEATS, fit
from misword.asr.people.judgements import JudgedTexts, read_judgements
from misword.cli.commands.people.agree import shares
from misword.cli.inputs import Inputs, add_scoring, provenance
from misword.cli.options import whole
from misword.cli.output import (
    bars,
    check_output,
    note_unused,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.io.files.writing import check_path, together
from misword.io.judgements import TRIPLET_COLUMNS

if TYPE_CHECKING:
    pass

EXAMPLES = """\
examples:
  misword fit hats.tsv --lang fr -o people.json
  misword fit hats.tsv --metrics cer,per,wil --lang fr -o small.json --report fit.html
  misword fit my50.tsv --prior people --lang en -o mine.json
  misword fit hats.tsv --metrics wer,cer,per,per:cost=features,wil,ler --lang fr --select
  misword fit ratings.csv --columns reference,hypothesis,adequacy --metrics wer,cer,semdist
  misword score ref.txt hyp.txt --metrics wer,blend:file=people.json --lang fr
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "judgements",
        metavar="JUDGEMENTS",
        help="choices or ratings: a table with tabs between columns, where quotes are plain "
        "characters; or .csv, .jsonl, .parquet; - for stdin",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the blend, for --metrics blend:file=FILE"
    )
    parser.add_argument(
        "--columns",
        metavar="LIST",
        help=f"names of the columns: five of choices ({','.join(TRIPLET_COLUMNS)}), or three of "
        "ratings (reference,hypothesis,score); usual names are recognised",
    )
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="tsv (with quoted fields), csv, jsonl, parquet"
    )
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help=f"the metrics to blend: {', '.join(_blendable())} "
        f"(default: those of the prior, else {','.join(DEFAULT_METRICS)})",
    )
    learning = parser.add_argument_group("learning")
    learning.add_argument(
        "--select", action="store_true", help="blend the smallest set of metrics that is not worse"
    )
    learning.add_argument(
        "--prior",
        metavar="BLEND",
        help="draw weights to those of people, people:size=small or a file of a blend (default: "
        "equal influence of all metrics)",
    )
    learning.add_argument(
        "--lower-is-better", action="store_true", help="good hypotheses have low ratings"
    )
    learning.add_argument(
        "--folds", type=whole(2), default=FOLDS, help=f"parts of the references ({FOLDS})"
    )
    learning.add_argument(
        "--repeats", type=whole(1), default=REPEATS, help=f"divisions into folds ({REPEATS})"
    )
    learning.add_argument(
        "--consensus",
        type=shares,
        default=CONSENSUS,
        metavar="LIST",
        help="least shares of votes for the majority; 1: all, 0: any majority (default 1,0.7,0)",
    )
    add_scoring(parser)


def _blendable() -> list[str]:
    """Return all metrics that are no blends."""
    return [name for name in METRICS.names() if name not in BLENDS]


def run(options: argparse.Namespace) -> None:
    """Learn a blend, print its quality and write it."""
    check_output(options)
    if options.output is not None:
        check_path(options.output, "people.json", [options.judgements])
    inputs = Inputs(options)
    columns = options.columns.split(",") if options.columns is not None else None

    def read() -> JudgedTexts:
        with inputs.recording():
            return read_judgements(options.judgements, columns, options.input_format)

    with bars(), status("learning"):
        fitted = fit(
            read,
            columns=columns,
            select=options.select,
            prior=options.prior,
            lower_is_better=options.lower_is_better,
            folds=options.folds,
            repeats=options.repeats,
            consensus=options.consensus,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            **inputs.scoring_arguments(),
        )
    result = fitted.result(provenance(options, "fit", inputs.hashes))
    with together():
        write_output(result, options)
        if options.output is not None:
            fitted.save(options.output)
    note_unused(options, fitted.scores, inputs.used_for_texts())
    for text in (*fitted.scores.notes, *fitted.notes):
        note(text)
    head = {"digest": fitted.blend.digest, "slope": fitted.blend.slope, **fitted.settings}
    print_result(result, options.format, facts=head)
