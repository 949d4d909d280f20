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
from typing import TYPE_CHECKING, Annotated, TypedDict

from misword.asr.options import TUNING, OneMetric, TuneOptions, TuneSystemsOptions
from misword.cli.inputs import Inputs, provenance, read_list_file
from misword.cli.options import TEXT_FORMATS, Output, Texts
from misword.cli.output import (
    bars,
    check_output,
    input_files,
    note_unused,
    refuse_options,
    refuse_standard_output,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_paragraph, print_result
from misword.cli.translations import translation_arguments
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.core.types import Result
from misword.io.files.writing import check_path, together, write_whole
from misword.io.options import Reading

if TYPE_CHECKING:
    from misword.asr.nbest.tune import Tuning

EXAMPLES = """\
examples:
  misword tune ref.csv nbest.jsonl
  misword tune ref.csv nbest.jsonl --metric wer-s --features score,lm,words --vectors cc.fr.300.vec
  misword tune dev.csv dev.jsonl --test test.csv test.jsonl --metrics cer,semdist --lang en
  misword tune ref.csv nbest.jsonl --block speaker --write-weights weights.json --report tune.html
  misword tune ref.jsonl nbest.jsonl --translations translation --translation-references english
  misword tune --apply weights.json other.jsonl -o chosen.jsonl
  misword tune --apply score=1,lm=0.5 other.jsonl -o chosen.txt
  misword tune ref.fr scale_*.fr --systems --metrics wer,wer-e --vectors cc.fr.300.vec
"""

# Options that have no meaning with --apply, and with --systems.
TRANSLATED = ("translations", "translate", "translation_references")
NOT_APPLIED = (
    *("test", "write_weights", "out", "report", "systems", "features", "start"),
    *TRANSLATED,
)
NOT_OF_SYSTEMS = ("test", "write_weights", "features", "start", "output", "metric", *TRANSLATED)


class TuneFiles(TypedDict, total=False):
    """What is chosen, and the files for texts and weights."""

    systems: Annotated[
        bool,
        Option(
            "choose the best of several systems, by each metric of --metrics (default: wer,cer), "
            "instead of weights",
            default=False,
            group=TUNING,
            common=True,
        ),
    ]
    output: Annotated[
        str | None,
        Option(
            "write the chosen texts: of the test lists, or else those of each fold, chosen by "
            f"weights that were tuned on the others; {TEXT_FORMATS}",
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]
    write_weights: Annotated[
        str | None,
        Option(
            "write the weights, for --apply (a JSON file)",
            metavar="FILE",
            common=True,
            was="weights",
        ),
    ]
    apply: Annotated[
        str | None,
        Option(
            "choose from lists by weights: a file that --write-weights wrote, or score=1,lm=0.5; "
            "there are no references then, and -o names the file of the texts",
            metavar="WEIGHTS",
            common=True,
            is_file=True,
        ),
    ]


OPTIONS = (Texts, OneMetric, TuneFiles, Reading, TuneOptions, Output)
NEEDS = {"names": ("systems", "out", "report"), "categorical": ("report",)}


def run(options: argparse.Namespace) -> None:
    """Tune or apply weights, or choose a system; print and write the result."""
    from misword.io.transcripts.writing import text_format

    check_output(options)
    for path, name in ((options.output, "chosen.csv"), (options.write_weights, "weights.json")):
        if path is not None:
            refuse_standard_output(path, f"-o {name}")
            check_path(path, name, input_files(options))
    if options.output is not None:
        text_format(options.output)
    if options.apply is not None:
        _apply(options)
    elif options.systems:
        _choose_system(options)
    else:
        _tune(options)


def _apply(options: argparse.Namespace) -> None:
    """Choose from lists by given weights, and write the texts."""
    from misword.asr.nbest.features import ListWeights
    from misword.io.transcripts.writing import one_best_file

    refuse_options(options, NOT_APPLIED, "--apply")
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
    from misword.asr.nbest.tune_systems import tune_systems

    refuse_options(options, NOT_OF_SYSTEMS, "--systems")
    inputs = Inputs(options)
    with bars(), status("scoring"), inputs.reading():
        found = tune_systems(
            inputs.files(),
            metrics=options.metrics or None,
            **chosen(options, TuneSystemsOptions),
        )
    result = found.result(provenance(options, "tune", inputs.hashes))
    write_output(result, options)
    note_unused(options, found.scores, inputs.used_for_texts())
    note(*found.scores.notes, *found.notes)
    print_result(result, options.format)


def _tune(options: argparse.Namespace) -> None:
    """Tune weights on N-best lists."""
    from misword.asr.nbest.features import ListWeights
    from misword.asr.nbest.tune import tune

    inputs = Inputs(options)
    settings = {**chosen(options, TuneOptions), **translation_arguments(options, inputs)}
    if options.start is not None:
        settings["start"] = ListWeights.parse(options.start).weights
    if options.test is not None:
        settings["test"] = inputs.files(ranks=None, options=_of_test(options))
    with bars(), status("tuning"), inputs.reading():
        found = tune(inputs.files(ranks=None), metric=options.metric, **settings)
    result = found.result(provenance(options, "tune", inputs.hashes))
    with together():
        _write_files(found, options)
        write_output(result, options)
    note_unused(options, found.scores, inputs.used_for_texts())
    note(*found.scores.notes, *found.notes)
    _print_tuning(found, result, options)


def _of_test(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options with the files of the test lists in the place of the others."""
    reference, lists = options.test
    changed = {"reference": reference, "hypotheses": [lists], "metadata": (),
               "more_references": (), "names": None}  # fmt: skip
    return argparse.Namespace(**{**vars(options), **changed})


def _write_files(found: Tuning, options: argparse.Namespace) -> None:
    """Write the chosen texts and the weights, if the options name files for them."""
    from misword.io.transcripts.writing import one_best_file

    if options.output is not None:
        write_whole(one_best_file(found.texts(), options.output), options.output)
    if options.write_weights is not None:
        write_whole(found.list_weights.file(), options.write_weights)


def _print_tuning(found: Tuning, result: Result, options: argparse.Namespace) -> None:

    applied = options.write_weights or str(found.list_weights)
    command = f"misword tune --apply {applied} NBEST -o chosen.jsonl"
    print_result(result, options.format, facts={"apply": command})
    if options.format in ("table", "md"):
        lines = [*filter(None, [found.verdict]), f"To choose from other lists: {command}"]
        print_paragraph(*lines, marked=options.format == "md")
