"""Choose the best hypotheses of N-best lists: how good could a recogniser be that chose well?

Each metric chooses one hypothesis from each list, so that its rate over all utterances is lowest,
and each metric judges the choice of each other one. This is Table 6 of Le et al. 2016. The rate at
a depth is that of the best choice from the first hypotheses of each list. If several hypotheses of
a list are equally good for a metric, the one with the lowest rank is chosen, or the best one by
another metric (`--ties`). The last table shows how much this can change.

With a translation of every hypothesis (`--translations`) or a program that translates
(`--translate`), the translations of each choice are scored against reference translations, and the
choices are compared: Tables 8 and 9 of the paper.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from misword.asr.nbest.oracle import Oracle, oracle
from misword.cli.inputs import (
    Inputs,
    add_inputs,
    add_metrics,
    add_scoring,
    add_shards,
    provenance,
    refuse_shard_options,
)
from misword.cli.options import whole
from misword.cli.output import (
    bars,
    check_output,
    input_files,
    note_unused,
    refuse_standard_output,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.cli.translations import add_translations, translation_arguments
from misword.core.errors import OptionError
from misword.io.files.writing import check_path, together, write_whole
from misword.io.transcripts.writing import one_best_file

if TYPE_CHECKING:
    pass

EXAMPLES = """\
examples:
  misword oracle ref.csv nbest.jsonl
  misword oracle ref.csv nbest.jsonl --metrics wer,wer-e,wer-s --vectors cc.fr.300.vec
  misword oracle ref.csv nbest.jsonl --metrics wer,cer --depth 1,2,5,10,100 --ties cer
  misword oracle test-clean.json --metrics wer -o best.csv
  misword oracle ref.csv a.jsonl b.jsonl --metrics wer,semdist --out results/
  misword oracle ref.jsonl nbest.jsonl --metrics wer,cer --translations translation \\
    --translation-references post_edition --scores bleu,chrf,ter
  misword oracle ref.fr nbest.jsonl --translate 'apertium -u fra-eng' \\
    --translation-references ref.en
  misword oracle 'ref/*.parquet' 'nbest/*.parquet' --engine process --out best/
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    add_metrics(parser)
    parser.add_argument(
        "--depth",
        type=depths,
        metavar="LIST",
        help="numbers of hypotheses from the start of each list, such as 1,2,5,10,100 (default: 1, "
        "2, 5, 10, 20, ... and the whole lists)",
    )
    parser.add_argument(
        "--ties",
        default="rank",
        metavar="RULE",
        help="which of equally good hypotheses is chosen: the first (rank, default), or the best "
        "by one of the metrics",
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write the texts that the first metric chose, one per utterance: .csv, .tsv, .jsonl, "
        ".trn, .txt (without ids), or else Kaldi's `id text`",
    )
    add_translations(parser)
    add_shards(parser)
    add_scoring(parser, audio=True)


def depths(text: str) -> list[int]:
    """Read numbers of hypotheses between commas, for argparse."""
    return [whole(1)(piece) for piece in text.split(",")]


def run(options: argparse.Namespace) -> None:
    """Choose hypotheses, print and write the result."""
    if options.engine is not None:
        from misword.cli.sharded_runs import run_oracle

        print_result(run_oracle(options), options.format)
        return
    refuse_shard_options(options, options.reference, *options.hypotheses)
    check_output(options)
    if options.output is not None:
        refuse_standard_output(options.output, "-o best.csv")
        check_path(options.output, "best.csv", input_files(options))
        if len(options.hypotheses) > 1:
            raise OptionError("-o with several systems", fix="use --out DIR, or name one system")
    inputs = Inputs(options)
    with bars(), status("scoring"):
        found = oracle(
            inputs.read_nbest,
            depths=options.depth,
            ties=options.ties,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            **translation_arguments(options, inputs),
            **inputs.scoring_arguments(),
        )
    result = found.result(provenance(options, "oracle", inputs.hashes))
    with together():
        _write_texts(found, options.output)
        write_output(result, options)
    note_unused(options, found.scores, inputs.used_for_texts())
    for text in (*found.scores.notes, *found.notes):
        note(text)
    print_result(result, options.format)


def _write_texts(found: Oracle, path: str | None) -> None:
    if path is None:
        return
    if len(found.scores.systems) > 1:
        raise OptionError("-o with several systems", fix="use --out DIR, or name one system")
    write_whole(one_best_file(found.texts(), path), path)
