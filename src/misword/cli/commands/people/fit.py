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
from typing import Annotated, TypedDict

from misword.asr.options import BlendedMetrics, FitOptions, SeverityFitting
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Output
from misword.cli.output import bars, check_output, note_unused, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.io.files.writing import check_path, together

EXAMPLES = """\
examples:
  misword fit hats.tsv --lang fr -o people.json
  misword fit hats.tsv --metrics cer,per,wil --lang fr -o small.json --report fit.html
  misword fit my50.tsv --prior people --lang en -o mine.json
  misword fit hats.tsv --metrics wer,cer,per,per:cost=features,wil,ler --lang fr --select
  misword fit ratings.csv --columns reference,hypothesis,adequacy --metrics wer,cer,semdist
  misword score ref.txt hyp.txt --metrics wer,blend:file=people.json --lang fr
  misword fit labels.tsv --severity --block call --context question --lang en
"""


class FitFiles(TypedDict, total=False):
    """The file of the judgements, and the file for the blend."""

    judgements: Annotated[
        str,
        Option(
            "choices or ratings: a table with tabs between columns, where quotes are plain "
            "characters; or .csv, .jsonl, .parquet; - for stdin",
            metavar="JUDGEMENTS",
            positional=True,
            is_file=True,
        ),
    ]
    output: Annotated[
        str | None,
        Option(
            "write the blend, for --metrics blend:file=FILE",
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]


OPTIONS = (FitFiles, BlendedMetrics, FitOptions, SeverityFitting, Output)


def run(options: argparse.Namespace) -> None:
    """Learn a blend, print its quality and write it."""
    from misword.asr.people.fit import fit

    check_output(options)
    if options.output is not None:
        check_path(options.output, "people.json", [options.judgements])
    inputs = Inputs(options)
    if options.severity:
        _fit_severity(options, inputs)
        return
    if options.block or options.context:
        raise OptionError("--block and --context are for --severity", fix="add --severity")
    with bars(), status("learning"), inputs.reading():
        fitted = fit(options.judgements, metrics=options.metrics, **chosen(options, FitOptions))
    result = fitted.result(provenance(options, "fit", inputs.hashes))
    with together():
        write_output(result, options)
        if options.output is not None:
            fitted.save(options.output)
    note_unused(options, fitted.scores, inputs.used_for_texts())
    note(*fitted.scores.notes, *fitted.notes)
    head = {"digest": fitted.blend.digest, "slope": fitted.blend.slope, **fitted.settings}
    print_result(result, options.format, facts=head)


def _fit_severity(options: argparse.Namespace, inputs: Inputs) -> None:
    """Learn levels of severity from labels, print their quality and write the model."""
    from misword.asr.severity.fit import fit_severity

    with bars(), status("learning"), inputs.reading():
        fitted = fit_severity(
            options.judgements,
            lang=options.lang,
            columns=options.columns,
            block=options.block,
            context=options.context,
        )
    result = fitted.result(provenance(options, "fit", inputs.hashes))
    with together():
        write_output(result, options)
        if options.output is not None:
            fitted.save(options.output)
    note(*fitted.notes)
    print_result(result, options.format)
