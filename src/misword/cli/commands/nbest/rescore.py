"""Add the log-probabilities of language models to N-best lists, as features of the hypotheses.

The output has all hypotheses in their order, with all their columns and new ones. `--lm ngram:FILE`
adds `ngram` (the log-probability) and `ngram_oov` (the number of words that the model does not
know). `--lm causal:MODEL` adds `causal` and `causal_tokens` (the number of tokens). `column=NAME`
names them otherwise. `words` is the number of words, unless the lists have such a column.
Logarithms are natural ones. `misword tune` finds the weights of the columns.
"""

from __future__ import annotations

import argparse
import sys

from misword.asr.nbest.rescore import rescore
from misword.cli.inputs import Inputs, add_output, provenance, read_list_file
from misword.cli.options import workers
from misword.cli.output import (
    add_format,
    bars,
    check_output,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.lazy import pl
from misword.embed.language_models import LANGUAGE_MODELS
from misword.io.files.sources import STDIN
from misword.io.files.writing import check_path, together, write_whole
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.writing import list_file

EXAMPLES = """\
examples:
  misword rescore nbest.jsonl --lm causal:smollm2 -o scored.jsonl
  misword rescore nbest.jsonl --lm ngram:4gram.arpa.gz --lm causal:gpt2 -o scored.jsonl
  misword rescore nbest/ --lm ngram:small.arpa,column=small --lm ngram:big.bin,column=big -o s.csv
  misword rescore nbest.jsonl --lm ngram:lower.arpa --normalize lower,nopunct -o scored.jsonl
  misword rescore nbest.jsonl --lm ngram:4gram.arpa.gz -o scored.jsonl --report rescored.html
  misword rescore beams.tsv --reference manifest.jsonl --lm causal:model.gguf -o scored.jsonl
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "nbest", metavar="NBEST", help="N-best lists: a file, - for stdin, a folder"
    )
    parser.add_argument(
        "--lm",
        action="append",
        required=True,
        metavar="SPEC",
        help=f"a language model: {', '.join(LANGUAGE_MODELS.names())}, with its file or model "
        "after a colon, then options: causal:gpt2,column=lm; may be repeated; `misword parts "
        "language_models` describes them",
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        default=STDIN,
        help="file for the lists with the new columns: .csv, .tsv, .parquet, or else JSON lines; "
        "without it, or with -, they are printed, and the table goes to standard error",
    )
    parser.add_argument(
        "--normalize",
        metavar="LIST",
        default="none",
        help="normalizers for the text that the language models see, such as lower,nopunct "
        "(default: none); the written text stays as it is",
    )
    parser.add_argument(
        "--lang", metavar="CODE", help="language of the texts, for normalizers that need it"
    )
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="neither read nor store the numbers of neural models on disk",
    )
    parser.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")
    _add_reading(parser)
    add_format(parser)
    add_output(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the files that are read."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--input-format",
        metavar="FORMAT",
        help=f"{', '.join(FORMATS.names())} (default: recognised by name and content)",
    )
    group.add_argument("--encoding", metavar="NAME", help="encoding of the files (default: UTF-8)")
    group.add_argument("--id-column", metavar="NAME", help="column with the utterance ids")
    group.add_argument("--hypothesis-column", metavar="NAME", help="column with the hypotheses")
    group.add_argument(
        "--reference",
        metavar="FILE",
        help="references of lists without ids, to tell which lines belong to which utterance",
    )


def run(options: argparse.Namespace) -> None:
    """Score the hypotheses, write the lists and print the summary."""
    check_output(options)
    if options.report is not None:
        check_path(options.report, "report.html", (options.nbest,))
    if options.output != STDIN:
        check_path(options.output, "scored.jsonl", (options.nbest, options.reference))
    inputs = Inputs(options)

    def read() -> pl.DataFrame:
        with inputs.recording():
            return read_list_file(options.nbest, options, options.reference)

    with bars(), status("scoring"):
        found = rescore(
            read,
            options.lm,
            normalize=options.normalize,
            lang=options.lang,
            cache=options.cache,
            workers=options.workers,
        )
    result = found.result(provenance(options, "rescore", inputs.hashes))
    with together():
        write_whole(list_file(found.hypotheses, options.output), options.output)
        write_output(result, options)
    for text in found.notes:
        note(text)
    file = sys.stderr if options.output == STDIN else sys.stdout
    print_result(result, options.format, file=file)
