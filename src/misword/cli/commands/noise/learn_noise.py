"""Learn the errors of a recogniser from references and its hypotheses.

The result is a JSON file for `misword corrupt --channel confusion:file=noise.json`, or with
--channel listen for `--channel listen:file=noise.json`, a simulated listener that hears other words
across the boundaries of words. It learns from all ranks of N-best lists. The file of confusion has
counts: the substitutes of each word, its deletions, and the inserted words. Words are compared in
lower case without the punctuation around them. With --lang, a word that was never substituted gets
words that sound like it as candidates. The counts of several files of hypotheses are added up.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.cli.inputs import Inputs
from misword.cli.options import Format, Texts
from misword.cli.output import bars, status
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen, whole
from misword.io.options import Reading
from misword.noise.options import LearnNoiseOptions


class LearnArguments(TypedDict, total=False):
    """The file for the noise, and how much of it is printed."""

    output: Annotated[
        str,
        Option(
            "noise.json, or - for stdout",
            metavar="FILE",
            flags=("-o", "--output"),
            required=True,
        ),
    ]
    top: Annotated[
        int,
        Option("number of confusions to show", default=20, metavar="N", read=whole(0), common=True),
    ]


OPTIONS = (Texts, LearnArguments, Reading, LearnNoiseOptions, Format)
IGNORED = {
    "categorical": "no values of metadata are compared",
    "names": "the errors of all systems are learnt together",
}
EXAMPLES = """\
examples:
  misword learn-noise ref.txt hyp.txt --lang en -o noise.json
  misword learn-noise ref.txt hyp.txt --channel listen --lang en -o listener.json
  misword learn-noise ref.stm hyp.ctm -o noise.json --format md
"""


def run(options: argparse.Namespace) -> None:
    """Learn the noise, write it, print the most frequent confusions."""
    from misword.io.files.writing import check_path, write_whole
    from misword.noise.learn import learn_noise

    if options.output != "-":
        check_path(options.output, "noise.json")
    inputs = Inputs(options)
    with bars(), status("learning"), inputs.reading():
        noise = learn_noise(inputs.files(), **chosen(options, LearnNoiseOptions))
    write_whole(noise.to_json().encode(), options.output)
    if options.output != "-":
        print_result(noise.result(most=options.top), options.format)
