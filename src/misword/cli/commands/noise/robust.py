"""Measure how much recognition errors change the vectors of sentence encoders.

The input has pairs of sentences with a gold score of their similarity (STS-benchmark, SICK, any
table). All sentences are corrupted at each word error rate, in several trials. For each encoder the
result has the similarity of noisy sentences with their clean forms (1 without noise), and the
correlation of the similarities of noisy pairs with the gold scores (Pearson, Spearman; `ratio` is
Pearson divided by Pearson without noise). A channel decides which words are substituted; the
default channel finds candidates by --vectors and --lang.

With --task, a command of yours takes the place of the encoders: STS is then a file with a text on
each line. The command reads texts on standard input, and writes a score for each, or one for all
(1 for a text that it classifies rightly, the reciprocal rank of the right document, ...). It knows
the right answers by the order of the texts. --channel may name several channels.

Intervals are over trials: how much a mean depends on the random draw of the noise. `over pairs` is
a bootstrap over pairs: how much it depends on this set of pairs. SIF and uSIF are fitted on the
clean sentences, or with --refit on each noisy corpus.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.cli.inputs import provenance
from misword.cli.options import Output
from misword.cli.output import bars, check_output, note_unread, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen
from misword.io.files.sources import recorded
from misword.noise.options import RobustOptions, RobustSubjects, TaskOptions


class RobustArguments(TypedDict, total=False):
    """The data."""

    pairs: Annotated[
        str,
        Option(
            "two sentences and a score in each row: CSV, or columns separated by tabs, with or "
            "without a header; .jsonl, .parquet; - for stdin",
            metavar="STS",
            positional=True,
            is_file=True,
        ),
    ]


class TaskArguments(TypedDict, total=False):
    """A task in place of encoders."""

    task: Annotated[
        str | None,
        Option(
            "command that scores texts: it reads a text on each line of standard input, and writes "
            "a score for each of them, or one for all",
            metavar="COMMAND",
            common=True,
        ),
    ]


OPTIONS = (RobustArguments, TaskArguments, RobustSubjects, RobustOptions, Output)
EXAMPLES = """\
examples:
  misword robust stsb-dev.csv --vectors cc.en.300.vec --lang en
  misword robust SICK.txt --vectors cc.en.300.vec --lang en --encoders mean,mean-stop,sif,usif
  misword robust sts.tsv --encoders use,sentence-transformers/LaBSE --channel phonetic --lang fr
  misword robust stsb-dev.csv --vectors w2v.bin --channel-vectors glove.txt --lang en --refit
  misword robust stsb-dev.csv --vectors cc.en.300.vec --lang en --wer 0:0.5:0.1 --report page.html
  misword robust texts.txt --task 'python classify.py' --channel phonetic,listen --lang en
"""


def run(options: argparse.Namespace) -> None:
    """Run the study, write the result, print the tables."""
    from misword.noise.robust import robust

    check_output(options)
    if options.task is not None:
        _run_task(options)
        return
    with bars(), status("corrupting and encoding"), recorded() as hashes:
        found = robust(
            options.pairs, options.encoders, options.wer, **chosen(options, RobustOptions)
        )
    result = found.result(provenance(options, "robust", hashes))
    write_output(result, options)
    note(*dict.fromkeys((*found.vector_notes, *found.notes)))
    _note_unused(options)
    print_result(result, options.format)


def _run_task(options: argparse.Namespace) -> None:
    """Score noisy texts by the command, write the result, print the table."""
    from misword.noise.robust import task_robustness

    with bars(), status("corrupting and scoring"), recorded() as hashes:
        found = task_robustness(
            options.pairs, options.task, options.wer, **chosen(options, TaskOptions)
        )
    result = found.result(provenance(options, "robust", hashes))
    write_output(result, options)
    note(*found.notes)
    print_result(result, options.format)


def _note_unused(options: argparse.Namespace) -> None:
    """Note which options neither the channel nor an encoder reads."""
    from misword.core.parts.registry import split_specs
    from misword.embed.encoders import create_encoder
    from misword.noise.channels.specs import named_channel

    channel = named_channel(options.channel, options.channel_vectors or options.vectors)
    specs = split_specs(options.encoders)
    encoders = [create_encoder(options.lang or "", spec) for spec in specs]
    note_unread(options, "channel or encoder", [channel, *encoders])
    if options.channel_vectors and "vectors" not in (*channel.needs, *channel.uses):
        note(f"--channel-vectors has no effect here: {channel.name} reads no vectors")
    if options.refit and not any(encoder.fitted for encoder in encoders):
        note("--refit has no effect here: no encoder is fitted to sentences")
