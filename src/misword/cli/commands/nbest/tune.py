"""Tune the weights by which one hypothesis of each N-best list is chosen, by any metric.

The score of a hypothesis is the sum of its features times their weights: the recogniser's score,
the log-probability by a language model (`misword rescore`), the number of words. The weights with
the lowest rate are found by exact line search (Och 2003), without a grid. On the lists that they
were tuned on, their rate is too low; the rate that counts is the held-out one, by cross-validation,
or the one on test lists (`--test`). If it is not significantly lower than that of rank 1, keep rank
1. With --systems, one of several systems is chosen, such as one of several language model scales.
"""

from __future__ import annotations

import argparse
from os.path import exists
from typing import Any

from misword.asr.nbest.features import ListWeights
from misword.asr.nbest.tune import Tuning, tune
from misword.asr.nbest.tune_systems import tune_systems
from misword.cli.inputs import (
    Inputs,
    add_inputs,
    add_scoring,
    column_names,
    provenance,
    read_list_file,
)
from misword.cli.options import resamples, whole
from misword.cli.output import (
    bars,
    check_output,
    input_files,
    note_unused,
    print_paragraph,
    refuse_standard_output,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.cli.translations import (
    add_translations,
    refuse_translations,
    translation_arguments,
)
from misword.core.errors import OptionError
from misword.core.types import Result
from misword.io.files.writing import check_path, together, write_whole
from misword.io.transcripts.writing import one_best_file

EXAMPLES = """\
examples:
  misword tune ref.csv nbest.jsonl
  misword tune ref.csv nbest.jsonl --by wer-s --features score,lm,words --vectors cc.fr.300.vec
  misword tune dev.csv dev.jsonl --test test.csv test.jsonl --metrics cer,semdist --lang en
  misword tune ref.csv nbest.jsonl --block speaker --weights weights.json --report tune.html
  misword tune ref.jsonl nbest.jsonl --translations translation --translation-references english
  misword tune --apply weights.json other.jsonl -o chosen.jsonl
  misword tune --apply score=1,lm=0.5 other.jsonl -o chosen.txt
  misword tune ref.fr scale_*.fr --systems --metrics wer,wer-e --vectors cc.fr.300.vec
"""

# Options that have no meaning with --apply, and with --systems.
NOT_APPLIED = ("test", "weights", "out", "report", "systems", "features", "start")
NOT_OF_SYSTEMS = ("test", "weights", "features", "start", "output", "by")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument(
        "--by", metavar="METRIC", help="the metric whose rate is lowered (default: wer)"
    )
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help="further metrics that judge the choice; with --systems, those that choose (default: "
        "wer,cer)",
    )
    parser.add_argument(
        "--features",
        metavar="LIST",
        type=column_names,
        help="columns of the lists, such as score,lm; words, the number of words, and rank need no "
        "column (default: all columns of numbers, and words)",
    )
    _add_search(parser)
    _add_files(parser)
    add_translations(parser)
    add_scoring(parser)


def _add_search(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tuning")
    group.add_argument(
        "--folds",
        type=whole(0),
        default=5,
        metavar="N",
        help="parts of the lists for the held-out rate (default 5; 0: none)",
    )
    group.add_argument(
        "--block",
        metavar="COLUMN",
        help="metadata column, such as speaker: its utterances stay in one fold and are resampled "
        "together",
    )
    group.add_argument(
        "--start", metavar="WEIGHTS", help="weights to begin with, such as score=1,lm=0.5"
    )
    group.add_argument(
        "--starts", type=whole(1, 10_000), default=5, metavar="N", help="starts (default 5)"
    )
    group.add_argument(
        "--resamples",
        type=resamples,
        default=100,
        metavar="N",
        help="resamples of the lists on which the weights are tuned again, to see how stable they "
        "are (default 100)",
    )
    group.add_argument(
        "--systems",
        action="store_true",
        help="choose the best of several systems, by each metric, instead of weights",
    )


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--test",
        nargs=2,
        metavar=("REF", "NBEST"),
        help="references and N-best lists on which nothing is tuned",
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write the chosen texts: of the test lists, or else those of each fold, chosen by "
        "weights that were tuned on the others; .csv, .tsv, .jsonl, .trn, .txt (without ids), or "
        "else Kaldi's `id text`",
    )
    parser.add_argument(
        "--weights", metavar="FILE", help="write the weights, for --apply (a JSON file)"
    )
    parser.add_argument(
        "--apply",
        metavar="WEIGHTS",
        help="choose from lists by weights: a file that --weights wrote, or score=1,lm=0.5; there "
        "are no references then, and -o names the file of the texts",
    )


def run(options: argparse.Namespace) -> None:
    """Tune or apply weights, or choose a system; print and write the result."""
    check_output(options)
    for path, name in ((options.output, "chosen.csv"), (options.weights, "weights.json")):
        if path is not None:
            refuse_standard_output(path, f"-o {name}")
            check_path(path, name, input_files(options))
    if options.apply is not None:
        _apply(options)
    elif options.systems:
        _choose_system(options)
    else:
        _tune(options)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], beside: str) -> None:
    """Raise if an option is set that has no meaning beside another one."""
    for name in names:
        if getattr(options, name) not in (None, False):
            flag = "-o" if name == "output" else f"--{name}"
            raise OptionError(f"{flag} beside {beside}", fix="leave one of them out")


def _apply(options: argparse.Namespace) -> None:
    """Choose from lists by given weights, and write the texts."""
    _refuse(options, NOT_APPLIED, "--apply")
    refuse_translations(options, "--apply")
    if options.output is None or options.hypotheses:
        raise OptionError(
            "--apply reads N-best lists without references, and writes the chosen texts",
            fix=f"misword tune --apply {options.apply} nbest.jsonl -o chosen.jsonl",
        )
    is_list = "=" in options.apply and not exists(options.apply)
    weights = ListWeights.parse(options.apply) if is_list else ListWeights.read(options.apply)
    with bars(), status("reading"):
        chosen = weights.choose(read_list_file(options.reference, options))
    write_whole(one_best_file(chosen, options.output), options.output)
    changed = int((chosen["rank"] > 1).sum())
    note(f"{changed:,} of {len(chosen):,} chosen texts are not of rank 1")


def _choose_system(options: argparse.Namespace) -> None:
    """Choose a system by each metric."""
    _refuse(options, NOT_OF_SYSTEMS, "--systems")
    refuse_translations(options, "--systems")
    inputs = Inputs(options)
    with bars(), status("scoring"):
        found = tune_systems(
            inputs.read_corpus,
            folds=options.folds,
            block=options.block,
            **_bootstrap(options),
            **inputs.scoring_arguments(),
        )
    result = found.result(provenance(options, "tune", inputs.hashes))
    write_output(result, options)
    note_unused(options, found.scores, inputs.used_for_texts())
    for text in (*found.scores.notes, *found.notes):
        note(text)
    print_result(result, options.format)


def _tune(options: argparse.Namespace) -> None:
    """Tune weights on N-best lists."""
    inputs = Inputs(options)
    arguments = {**inputs.scoring_arguments(), "metrics": options.metrics or ()}
    test = None if options.test is None else Inputs(_of_test(options))
    with bars(), status("tuning"):
        found = tune(
            inputs.read_nbest,
            by=options.by or "wer",
            features=options.features,
            start=None if options.start is None else ListWeights.parse(options.start).weights,
            folds=options.folds,
            block=options.block,
            test=None if test is None else test.read_nbest,
            starts=options.starts,
            resamples=options.resamples,
            **translation_arguments(options, inputs),
            **_bootstrap(options),
            **arguments,
        )
    hashes = inputs.hashes | (test.hashes if test is not None else {})
    result = found.result(provenance(options, "tune", hashes))
    with together():
        _write_files(found, options)
        write_output(result, options)
    note_unused(options, found.scores, inputs.used_for_texts())
    for text in (*found.scores.notes, *found.notes):
        note(text)
    _print_tuning(found, result, options)


def _of_test(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options with the files of the test lists in the place of the others."""
    reference, lists = options.test
    changed = {"reference": reference, "hypotheses": [lists], "metadata": [],
               "more_references": [], "names": None}  # fmt: skip
    return argparse.Namespace(**{**vars(options), **changed})


def _bootstrap(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("bootstrap", "confidence", "seed")}


def _write_files(found: Tuning, options: argparse.Namespace) -> None:
    """Write the chosen texts and the weights, if the options name files for them."""
    if options.output is not None:
        write_whole(one_best_file(found.texts(), options.output), options.output)
    if options.weights is not None:
        write_whole(found.list_weights.file(), options.weights)


def _print_tuning(found: Tuning, result: Result, options: argparse.Namespace) -> None:
    """Print the result, whether the weights are better than rank 1, and how to use them."""
    applied = options.weights or str(found.list_weights)
    command = f"misword tune --apply {applied} NBEST -o chosen.jsonl"
    print_result(result, options.format, facts={"apply": command})
    if options.format in ("table", "md"):
        lines = [*filter(None, [found.verdict]), f"To choose from other lists: {command}"]
        print_paragraph(*lines, marked=options.format == "md")
