"""Measure how much recognition errors change the vectors of sentence encoders.

The input has pairs of sentences with a gold score of their similarity (STS-benchmark, SICK, any
table). All sentences are corrupted at each word error rate, in several trials. For each encoder the
result has the similarity of noisy sentences with their clean forms (1 without noise), and the
correlation of the similarities of noisy pairs with the gold scores (Pearson, Spearman; `ratio` is
Pearson divided by Pearson without noise). A channel decides which words are substituted; the
default channel finds candidates by --vectors and --lang.

Intervals are over trials: how much a mean depends on the random draw of the noise. `over pairs` is
a bootstrap over pairs: how much it depends on this set of pairs. SIF and uSIF are fitted on the
clean sentences, or with --refit on each noisy corpus.
"""

from __future__ import annotations

import argparse
from typing import Any

from misword.cli.inputs import add_intervals, add_output, provenance
from misword.cli.options import NOISE, add_cache, add_context, trials, workers
from misword.cli.output import add_format, bars, check_output, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.embed.encoders import ENCODERS as PARTS
from misword.io.files.sources import recorded
from misword.io.judgements import PAIR_COLUMNS
from misword.noise.channels import CHANNELS
from misword.noise.channels.specs import AUTO
from misword.noise.corruption.targets import read_mix, read_target_wers
from misword.noise.robust import ENCODERS, NORMALIZE, TARGET_WERS, robust

PURPOSE = (NOISE[0], f"{NOISE[1]} and the encoders that use word vectors")
EXAMPLES = """\
examples:
  misword robust stsb-dev.csv --vectors cc.en.300.vec --lang en
  misword robust SICK.txt --vectors cc.en.300.vec --lang en --encoders mean,mean-stop,sif,usif
  misword robust sts.tsv --encoders use,sentence-transformers/LaBSE --channel phonetic --lang fr
  misword robust stsb-dev.csv --vectors w2v.bin --channel-vectors glove.txt --lang en --refit
  misword robust stsb-dev.csv --vectors cc.en.300.vec --lang en --wer 0:0.5:0.1 --report page.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "pairs",
        metavar="STS",
        help="two sentences and a score in each row: CSV, or columns separated by tabs, with or "
        "without a header; .jsonl, .parquet; - for stdin",
    )
    parser.add_argument(
        "--columns",
        metavar="LIST",
        help="names of the two columns of sentences and of the column of scores, or their numbers "
        "from 1 (recognised in upper or lower case: "
        + "; ".join(", ".join(names) for names in PAIR_COLUMNS.values())
        + ")",
    )
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="tsv (with quoted fields), csv, jsonl, parquet"
    )
    parser.add_argument(
        "--encoders",
        metavar="LIST",
        default=ENCODERS,
        help=f"{', '.join(PARTS.names())}; options after a colon: subspace:n=3; a name with a "
        "slash is the folder of a model or its name on the Hugging Face hub (default: %(default)s)",
    )
    parser.add_argument(
        "--refit",
        action="store_true",
        help="fit sif and usif on each noisy corpus, as Voleti et al. did, not on the clean "
        "sentences",
    )
    _add_noise(parser)
    add_cache(add_context(parser, PURPOSE))
    add_intervals(parser)
    add_format(parser)
    add_output(parser)


def _add_noise(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("noise")
    group.add_argument(
        "--wer",
        type=read_target_wers,
        default=list(TARGET_WERS),
        metavar="RATES",
        help="target word error rates: 0.1,0.3 or 0:0.5:0.05; 0 is always included "
        "(default 0,0.1,0.3,0.5)",
    )
    group.add_argument(
        "--trials", type=trials, default=5, metavar="N", help="trials at each rate (default 5)"
    )
    group.add_argument(
        "--channel",
        default=AUTO,
        metavar="SPEC",
        help=f"channel, the model of the errors: {', '.join(CHANNELS.names())}, or a mixture "
        "0.7*voleti+0.3*uniform (default: voleti with vectors, otherwise phonetic)",
    )
    group.add_argument(
        "--mix",
        type=read_mix,
        metavar="SHARES",
        help="shares of substitutions, deletions and insertions: s=0.7,d=0.2,i=0.1 (default: "
        "those of the channel)",
    )
    group.add_argument(
        "--channel-vectors",
        metavar="FILE",
        help="word vectors of the channel (default: --vectors); noise from the vectors of an "
        "encoder changes this encoder less than other noise",
    )
    group.add_argument(
        "--normalize",
        metavar="LIST",
        default=NORMALIZE,
        help="normalizers for the sentences, before all other steps (default: %(default)s, so that "
        "words have vectors)",
    )
    group.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")


def run(options: argparse.Namespace) -> None:
    """Run the study, write the result, print the tables."""
    check_output(options)
    with bars(), status("corrupting and encoding"), recorded() as hashes:
        found = robust(
            options.pairs,
            options.encoders,
            options.wer,
            trials=options.trials,
            channel=options.channel,
            mix=options.mix,
            columns=options.columns.split(",") if options.columns is not None else None,
            format=options.input_format,
            normalize=options.normalize,
            lang=options.lang,
            vectors=options.vectors,
            max_words=options.max_words,
            vector_format=options.vector_format,
            channel_vectors=options.channel_vectors,
            refit=options.refit,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            cache=options.cache,
            workers=options.workers,
        )
    result = found.result(_provenance(options, hashes))
    write_output(result, options)
    for text in dict.fromkeys((*found.vector_notes, *found.notes)):
        note(text)
    print_result(result, options.format)


def _provenance(options: argparse.Namespace, hashes: dict[str, str]) -> dict[str, Any]:
    """As of every command; the mix is written as it was given."""
    known = provenance(options, "robust", hashes)
    mix = options.mix
    if mix is not None:
        shares = {"s": mix.substitutions, "d": mix.deletions, "i": mix.insertions}
        known["options"]["mix"] = ",".join(f"{name}={share:g}" for name, share in shares.items())
    return known
