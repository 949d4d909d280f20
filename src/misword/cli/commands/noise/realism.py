"""Measure how probable a recogniser's real errors are under noise channels, in bits.

The sentences are divided into two halves. Channels that learn are trained on the first half; the
substitutions of the second half are the test set, which is the same for all channels. Each channel
is mixed with a fallback distribution ("escape"), which gives every word some probability; its
weight is fitted on the first half. Bits are means per substitution, fewer are better; differences
are to the first channel.
"""

from __future__ import annotations

import argparse

from misword.cli.inputs import add_inputs, add_intervals, provenance, read_files
from misword.cli.options import NOISE, add_context, workers
from misword.cli.output import add_format, add_out, bars, check_out, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.io.files.sources import recorded

EXAMPLES = """\
examples:
  misword realism ref.txt hyp.txt --channel uniform,phonetic,confusion --lang en
  misword realism ref.fr hyp.fr --channel voleti,confusion --lang fr --vectors cc.fr.300.vec
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument(
        "--channel",
        required=True,
        metavar="LIST",
        help="channels, separated by commas: voleti, phonetic, confusion, uniform, or mixtures "
        "such as 0.5*voleti+0.5*uniform",
    )
    parser.add_argument(
        "--escape",
        choices=("uniform", "unigram"),
        default="uniform",
        help="fallback distribution: all words of the training half are equally probable (uniform, "
        "default), or in proportion to their frequency (unigram)",
    )
    parser.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")
    add_out(parser)
    add_context(parser, NOISE)
    add_intervals(parser)
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Judge the channels, write the result, print the summary."""
    from misword.io.results import write_result
    from misword.noise.realism import realism

    check_out(options)
    with bars(), status("judging"), recorded() as hashes:
        found = realism(
            lambda: read_files(options),
            None,
            options.channel,
            lang=options.lang,
            vectors=options.vectors,
            max_words=options.max_words,
            vector_format=options.vector_format,
            escape=options.escape,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            workers=options.workers,
        )
    result = found.result(provenance(options, "realism", hashes))
    if options.out is not None:
        write_result(result, options.out)
    for text in found.notes:
        note(text)
    print_result(result, options.format)
