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

from misword.cli.inputs import (
    NOISE,
    add_context,
    provenance,
)
from misword.cli.markdown import code_span
from misword.cli.numbers import seed, workers
from misword.cli.output import Table, add_format, add_out, check_out, status
from misword.cli.printing import note, print_csv, print_json, print_markdown, print_text
from misword.cli.progress import bars
from misword.noise.channels.specs import AUTO

if TYPE_CHECKING:
    from misword.noise.corruption.result import Corruption

EXAMPLES = """\
examples:
  misword corrupt text.txt --wer 0.30 --seed 7 --lang en --vectors glove.txt -o noisy.txt
  misword corrupt text.txt --wer 0.1,0.3 --channel phonetic --lang en -o noisy.txt
  misword corrupt text.csv --wer 0:0.5:0.05 --channel uniform --out results/
  misword corrupt text.txt --wer 0.2 --channel confusion:file=noise.json -o -
  misword corrupt text.txt --wer 0.3 --channel uniform --mix s=0.7,d=0.2,i=0.1 -o noisy.txt
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
    from misword.io.files.outputs import together
    from misword.io.results import write_result
    from misword.noise.corrupt import corrupt_file
    from misword.noise.corruption.options import read_mix, read_target_wers

    target_wers = read_target_wers(options.wer)
    mix = read_mix(options.mix) if options.mix else None
    check_out(options)
    with bars(), status("reading"), together():
        corruption = corrupt_file(
            options.text,
            target_wers,
            options.output,
            channel=options.channel,
            mix=mix,
            seed=options.seed,
            lang=options.lang,
            vectors=options.vectors,
            max_words=options.max_words,
            vector_format=options.vector_format,
            format=options.input_format,
            id_column=options.id_column,
            text_column=options.text_column,
            keep=options.out is not None,
            workers=options.workers,
        )
        if options.out is not None:
            hashes = dict(corruption.sha256)
            write_result(corruption.result(provenance(options, "corrupt", hashes)), options.out)
    for text in corruption.notes:
        note(text)
    _print(corruption, options)


def _print(corruption: Corruption, options: argparse.Namespace) -> None:
    rows = corruption.summary.to_dicts()
    file = sys.stderr if options.output == "-" else sys.stdout
    if options.format == "json":
        head = {"signature": str(corruption.signature), "seed": options.seed}
        print_json({**head, "rows": rows}, file)
    elif options.format == "csv":
        import polars as pl

        signed = corruption.summary.with_columns(
            pl.lit(str(corruption.signature)).alias("signature")
        )
        print_csv(signed, file)
    else:
        table = _table(rows)
        if options.format == "md":
            signature = code_span(str(corruption.signature))
            print_markdown(f"{table.markdown()}\n\n{signature}", file)
        else:
            table.show(file)
            print_text(corruption.signature, file=file)


def _table(rows: list[dict[str, Any]]) -> Table:
    header = ["system", "asked %", "WER %", "sub", "del", "ins", "words", "left alone"]
    counts = ("substitutions", "deletions", "insertions", "words", "left_alone")
    body = [
        [
            row["system"],
            f"{100 * row['asked']:.2f}",
            "undefined" if row["wer"] is None else f"{100 * row['wer']:.2f}",
            *(f"{row[name]:,}" for name in counts),
        ]
        for row in rows
    ]
    return Table(header, body)
