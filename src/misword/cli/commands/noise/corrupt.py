"""Put errors like those of a recogniser into a text, at a target word error rate.

Words are substituted, deleted or inserted until the alignment with the original has the target
number of errors, as `misword score TEXT NOISY` counts them. Everything else in the file stays: ids,
other columns, white space, punctuation and case of substituted words. Plain lines and Kaldi files
are read and written in blocks, so that they may be larger than the memory.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from misword.cli.inputs import add_engine, provenance, refuse_shard_options
from misword.cli.options import NOISE, add_context, seed, workers
from misword.cli.output import add_format, add_out, bars, check_out, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.noise.channels.specs import AUTO

if TYPE_CHECKING:
    from misword.noise.corrupt_shards import ShardedCorruption
    from misword.noise.corruption.result import Corruption

# Options that `corrupt_file` and `corrupt_shards` take under the same name.
ARGUMENTS = (
    *("channel", "seed", "lang", "vectors", "max_words", "vector_format"),
    *("id_column", "text_column", "workers"),
)

EXAMPLES = """\
examples:
  misword corrupt text.txt --wer 0.30 --seed 7 --lang en --vectors glove.txt -o noisy.txt
  misword corrupt text.txt --wer 0.1,0.3 --channel phonetic --lang en -o noisy.txt
  misword corrupt text.csv --wer 0:0.5:0.05 --channel uniform --out results/
  misword corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o -
  misword corrupt text.txt --wer 0.3 --channel uniform --mix s=0.7,d=0.2,i=0.1 -o noisy.txt
  misword corrupt 's3://bucket/text/*.parquet' --wer 0.2 --engine ray -o s3://bucket/noisy
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("text", metavar="TEXT", help="a file of transcripts, or - for stdin")
    parser.add_argument(
        "--wer",
        required=True,
        metavar="RATES",
        help="target word error rates: 0.3, a list 0.1,0.3 or a range 0:0.5:0.05",
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="file for the noisy text, in the format of TEXT; - is standard output, and the table "
        "is then printed on standard error. With several rates there is one file for each: "
        "noisy.wer-0.10.txt and so on for noisy.txt",
    )
    add_out(
        parser, "also write a result folder: clean and noisy texts, and all errors (held in memory)"
    )
    parser.add_argument(
        "--channel",
        default=AUTO,
        metavar="SPEC",
        help="channel, the model of the errors: voleti (default with --vectors), phonetic (default "
        "without), confusion:file=F, uniform, or a mixture 0.7*phonetic+0.3*uniform; `misword "
        "parts channels` lists them",
    )
    parser.add_argument(
        "--mix",
        metavar="SHARES",
        help="shares of substitutions, deletions and insertions: s=0.7,d=0.2,i=0.1 (default: "
        "those of the channel; only confusion learns them, other channels have s=1)",
    )
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="seed of the random draws (default 0)"
    )
    parser.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")
    add_engine(
        parser,
        "With --engine, TEXT is a folder or a pattern of Parquet, CSV or JSON-lines files, local "
        "or URLs, and -o is a folder or URL for noisy files of the same names. The errors of a row "
        "are decided by its id, so they do not depend on the shard that it is in.",
        "shards that are written already are kept",
    )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--input-format", metavar="FORMAT", help="default: recognised by name and content"
    )
    group.add_argument("--id-column", metavar="NAME", help="column with the utterance ids")
    group.add_argument("--text-column", metavar="NAME", help="column with the text")
    add_context(parser, NOISE)
    add_format(parser)


def run(options: argparse.Namespace) -> None:
    """Corrupt the file, write the results, print the summary."""
    from misword.io.files.writing import together
    from misword.io.results import write_result
    from misword.noise.corrupt import corrupt_file
    from misword.noise.corruption.targets import read_mix, read_target_wers

    target_wers = read_target_wers(options.wer)
    arguments: dict[str, Any] = {name: getattr(options, name) for name in ARGUMENTS}
    arguments["mix"] = read_mix(options.mix) if options.mix else None
    arguments["format"] = options.input_format
    if options.engine is not None:
        _corrupt_shards(target_wers, arguments, options)
        return
    refuse_shard_options(options, options.text)
    check_out(options)
    with bars(), status("reading"), together():
        corruption = corrupt_file(
            options.text,
            target_wers,
            options.output,
            keep=options.out is not None,
            **arguments,
        )
        if options.out is not None:
            hashes = dict(corruption.sha256)
            write_result(corruption.result(provenance(options, "corrupt", hashes)), options.out)
    _print(corruption, options)


def _corrupt_shards(
    target_wers: list[float], arguments: dict[str, Any], options: argparse.Namespace
) -> None:
    """Corrupt shards and print the summary."""
    from misword.noise.corrupt_shards import corrupt_shards

    if options.output in (None, "-") or options.out is not None:
        raise OptionError("shards need a folder", fix="name it: -o noisy/ (and leave --out out)")
    with bars(), status("reading"):
        corruption = corrupt_shards(
            options.text,
            target_wers,
            options.output,
            engine=options.engine,
            keep_going=options.keep_going,
            **arguments,
        )
    _print(corruption, options)


def _print(corruption: Corruption | ShardedCorruption, options: argparse.Namespace) -> None:
    """Print the notes and the summary: on standard error, if standard output gets the texts."""
    for text in corruption.notes:
        note(text)
    file = sys.stderr if options.output == "-" else sys.stdout
    print_result(corruption.shown(), options.format, facts={"seed": options.seed}, file=file)
