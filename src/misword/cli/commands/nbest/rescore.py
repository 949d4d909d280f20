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
from typing import Annotated, TypedDict

from misword.asr.options import RescoreOptions
from misword.cli.inputs import Inputs, provenance, read_list_file
from misword.cli.options import Output
from misword.cli.output import bars, check_output, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.lazy import pl
from misword.core.options import Option, chosen
from misword.io.files.sources import STDIN
from misword.io.files.writing import check_path, together, write_whole
from misword.io.options import READING, ListReading

EXAMPLES = """\
examples:
  misword rescore nbest.jsonl --lm causal:smollm2 -o scored.jsonl
  misword rescore nbest.jsonl --lm ngram:4gram.arpa.gz --lm causal:gpt2 -o scored.jsonl
  misword rescore nbest/ --lm ngram:small.arpa,column=small --lm ngram:big.bin,column=big -o s.csv
  misword rescore nbest.jsonl --lm ngram:lower.arpa --normalize lower,nopunct -o scored.jsonl
  misword rescore nbest.jsonl --lm ngram:4gram.arpa.gz -o scored.jsonl --report rescored.html
  misword rescore beams.tsv --references manifest.jsonl --lm causal:model.gguf -o scored.jsonl
"""


class RescoreFiles(TypedDict, total=False):
    """The lists, the language models, and the file for the lists with the new columns."""

    nbest: Annotated[
        str,
        Option(
            "N-best lists: a file, - for stdin, a folder",
            metavar="NBEST",
            positional=True,
            is_file=True,
        ),
    ]
    lm: Annotated[
        list[str],
        Option(
            "a language model: ngram or causal, with its file or model after a colon, then "
            "options: causal:gpt2,column=lm; may be repeated",
            metavar="SPEC",
            repeated=True,
            required=True,
            common=True,
            registry="language_models",
        ),
    ]
    output: Annotated[
        str,
        Option(
            "file for the lists with the new columns: .csv, .tsv, .parquet, or else JSON lines; "
            "without it, or with -, they are printed, and the table goes to standard error",
            default=STDIN,
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]
    references: Annotated[
        str | None,
        Option(
            "references of lists without ids, to tell which lines belong to which utterance",
            metavar="FILE",
            is_file=True,
            group=READING,
            was="reference",
        ),
    ]


OPTIONS = (RescoreFiles, RescoreOptions, ListReading, Output)


def run(options: argparse.Namespace) -> None:
    """Score the hypotheses, write the lists and print the summary."""
    from misword.asr.nbest.rescore import rescore
    from misword.io.transcripts.writing import list_file, list_format

    check_output(options)
    if options.report is not None:
        check_path(options.report, "report.html", (options.nbest,))
    if options.output != STDIN:
        check_path(options.output, "scored.jsonl", (options.nbest, options.references))
        list_format(options.output)
    inputs = Inputs(options)

    def read() -> pl.DataFrame:
        with inputs.reading():
            return read_list_file(options.nbest, options, options.references)

    with bars(), status("scoring"):
        found = rescore(read, options.lm, **chosen(options, RescoreOptions))
    result = found.result(provenance(options, "rescore", inputs.hashes))
    with together():
        write_whole(list_file(found.hypotheses, options.output), options.output)
        write_output(result, options)
    note(*found.notes)
    file = sys.stderr if options.output == STDIN else sys.stdout
    print_result(result, options.format, file=file)
