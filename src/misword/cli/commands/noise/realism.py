"""Measure how near the errors of noise channels are to a recogniser's real errors.

The sentences are divided into two halves. Channels that learn are trained on the first half, unless
they name a file with what was learnt before, for example from another recogniser. The second half
is the test set, which is the same for all channels. Three tables are printed.

Error spans: n words that were said and the m words that were heard for them. Recall is the share of
real spans that a channel draws at least once in 1, 10 or 100 samples of the words heard for a span;
bits are -log2 of their probability, fewer are better, with a fallback distribution ("escape").
Texts: the test half corrupted at the recogniser's word error rate, beside its real errors: rare
words among the wrong words, errors in runs, spelling of substitutions, error-free utterances, and
whether the right words are hit. Substitutions: bits of single words, for channels of single words.
Differences are to the first channel.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Output, Texts
from misword.cli.output import bars, check_output, note_unread, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen
from misword.io.options import Reading
from misword.noise.options import RealismOptions


class RealismArguments(TypedDict, total=False):
    """What is judged."""

    channels: Annotated[
        str,
        Option(
            "channels, separated by commas: voleti, phonetic, confusion, listen, uniform, or "
            "mixtures such as 0.5*voleti+0.5*uniform",
            metavar="LIST",
            required=True,
            common=True,
            registry="channels",
            was="channel",
        ),
    ]


OPTIONS = (Texts, RealismArguments, Reading, RealismOptions, Output)
IGNORED = {
    "categorical": "no values of metadata are compared",
    "names": "the errors of all systems are judged together",
}
EXAMPLES = """\
examples:
  misword realism ref.txt hyp.txt --channels uniform,phonetic,confusion --lang en
  misword realism ref.txt hyp.txt --channels listen,listen:file=other.json --lang en
  misword realism ref.fr hyp.fr --channels voleti,confusion --lang fr --vectors cc.fr.300.vec
"""


def run(options: argparse.Namespace) -> None:
    """Judge the channels, write the result, print the summary."""
    from misword.core.parts.registry import split_specs
    from misword.noise.channels.specs import create_channel
    from misword.noise.realism import realism

    check_output(options)
    inputs = Inputs(options)
    with bars(), status("judging"), inputs.reading():
        found = realism(inputs.files(), None, options.channels, **chosen(options, RealismOptions))
    result = found.result(provenance(options, "realism", inputs.hashes))
    write_output(result, options)
    note_unread(options, "channel", map(create_channel, split_specs(options.channels)))
    note(*found.notes)
    print_result(result, options.format)
