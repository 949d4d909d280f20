"""Measure how probable a recogniser's real errors are under noise channels, in bits.

The sentences are divided into two halves. Channels that learn are trained on the first half; the
substitutions of the second half are the test set, which is the same for all channels. Each channel
is mixed with a fallback distribution ("escape"), which gives every word some probability; its
weight is fitted on the first half. Bits are means per substitution, fewer are better; differences
are to the first channel.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Out, Texts
from misword.cli.output import bars, check_out, note_unread, status
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
            "channels, separated by commas: voleti, phonetic, confusion, uniform, or mixtures "
            "such as 0.5*voleti+0.5*uniform",
            metavar="LIST",
            required=True,
            common=True,
            registry="channels",
            was="channel",
        ),
    ]


OPTIONS = (Texts, RealismArguments, Reading, RealismOptions, Out)
IGNORED = {
    "categorical": "no values of metadata are compared",
    "names": "the errors of all systems are judged together",
}
EXAMPLES = """\
examples:
  misword realism ref.txt hyp.txt --channels uniform,phonetic,confusion --lang en
  misword realism ref.fr hyp.fr --channels voleti,confusion --lang fr --vectors cc.fr.300.vec
"""


def run(options: argparse.Namespace) -> None:
    """Judge the channels, write the result, print the summary."""
    from misword.core.parts.registry import split_specs
    from misword.io.results import write_result
    from misword.noise.channels.specs import create_channel
    from misword.noise.realism import realism

    check_out(options)
    inputs = Inputs(options)
    with bars(), status("judging"), inputs.reading():
        found = realism(inputs.files(), None, options.channels, **chosen(options, RealismOptions))
    result = found.result(provenance(options, "realism", inputs.hashes))
    if options.out is not None:
        write_result(result, options.out)
    note_unread(options, "channel", map(create_channel, split_specs(options.channels)))
    note(*found.notes)
    print_result(result, options.format)
