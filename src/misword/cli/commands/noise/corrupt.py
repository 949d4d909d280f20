"""Put errors like those of a recogniser into a text, at a target word error rate.

Words are substituted, deleted or inserted until the alignment with the original has the target
number of errors, as `misword score TEXT NOISY` counts them. Everything else in the file stays: ids,
other columns, white space, punctuation and case of substituted words. Plain lines and Kaldi files
are read and written in blocks, so that they may be larger than the memory. --out keeps the clean
and noisy texts and all errors, which are then held in memory.

With --engine, TEXT is a folder or a pattern of files, and -o is a folder or URL for noisy files of
the same names. The errors of a row are decided by its id, so they do not depend on the shard that
it is in. Noisy files that are there already are kept.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Annotated, TypedDict

from misword.cli.inputs import provenance, refuse_shard_options
from misword.cli.options import Out, Shards
from misword.cli.output import bars, check_out, note_unread, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.noise.options import CorruptFileOptions, CorruptOptions

if TYPE_CHECKING:
    from misword.noise.corruption.result import Corruption


class CorruptArguments(TypedDict, total=False):
    """The text, its noisy form, and how many errors that has."""

    text: Annotated[
        str,
        Option(
            "a file of transcripts, or - for stdin", metavar="TEXT", positional=True, is_file=True
        ),
    ]
    wer: Annotated[
        str,
        Option(
            "target word error rates: 0.3, a list 0.1,0.3 or a range 0:0.5:0.05",
            metavar="RATES",
            required=True,
            common=True,
        ),
    ]
    output: Annotated[
        str | None,
        Option(
            "file for the noisy text, in the format of TEXT; - is standard output, and the table "
            "is then printed on standard error. With several rates there is one file for each: "
            "noisy.wer-0.10.txt and so on for noisy.txt",
            metavar="FILE",
            flags=("-o", "--output"),
            common=True,
        ),
    ]


OPTIONS = (CorruptArguments, CorruptFileOptions, Shards, Out)
NEEDS = {"id_column": ("out", "engine")}
EXAMPLES = """\
examples:
  misword corrupt text.txt --wer 0.30 --seed 7 --lang en --vectors glove.txt -o noisy.txt
  misword corrupt text.txt --wer 0.1,0.3 --channel phonetic --lang en -o noisy.txt
  misword corrupt text.csv --wer 0:0.5:0.05 --channel uniform --out results/
  misword corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o -
  misword corrupt text.txt --wer 0.2 --channel listen:file=listener.json --lang en -o noisy.txt
  misword corrupt text.txt --wer 0.1 --channel listen --lang en --keep entities -o noisy.txt
  misword corrupt text.txt --wer 0.3 --channel uniform --mix s=0.7,d=0.2,i=0.1 -o noisy.txt
  misword corrupt 's3://bucket/text/*.parquet' --wer 0.2 --engine ray -o s3://bucket/noisy
"""


def run(options: argparse.Namespace) -> None:
    """Corrupt the file, write the results, print the summary."""
    if options.engine is not None:
        _corrupt_shards(options)
        return
    from misword.io.files.writing import together
    from misword.io.results import write_result
    from misword.noise.corrupt import corrupt_file

    refuse_shard_options(options, options.text)
    check_out(options)
    with bars(), status("reading"), together():
        corruption = corrupt_file(
            options.text,
            options.wer,
            options.output,
            keep_texts=options.out is not None,
            **chosen(options, CorruptFileOptions),
        )
        if options.out is not None:
            hashes = dict(corruption.sha256)
            write_result(corruption.result(provenance(options, "corrupt", hashes)), options.out)
    _print(corruption, options)


def _corrupt_shards(options: argparse.Namespace) -> None:
    """Corrupt shards and print the summary."""
    from misword.io.shards.source import shards
    from misword.noise.corrupt import corrupt

    if options.output in (None, "-") or options.out is not None:
        raise OptionError("shards need a folder", fix="name it: -o noisy/ (and leave --out out)")
    source = shards(
        options.text,
        engine=options.engine,
        out=options.output,
        keep_going=options.keep_going,
        id_column=options.id_column,
        reference_column=options.text_column,
        input_format=options.input_format,
    )
    with bars(), status("reading"):
        corruption = corrupt(source, options.wer, **chosen(options, CorruptOptions))
    _print(corruption, options)


def _print(corruption: Corruption, options: argparse.Namespace) -> None:
    """Print the notes and the summary: on standard error, if standard output gets the texts."""
    from misword.noise.channels.specs import named_channel

    note_unread(options, "channel", [named_channel(options.channel, options.vectors)])
    note(*corruption.notes)
    file = sys.stderr if options.output == "-" else sys.stdout
    print_result(corruption.shown(), options.format, facts={"seed": options.seed}, file=file)
