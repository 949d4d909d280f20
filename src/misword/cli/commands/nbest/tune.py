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
from collections.abc import Iterator
from itertools import chain
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
    TextTable,
    bars,
    check_output,
    input_files,
    note_unused,
    p_value,
    percent,
    print_paragraph,
    print_tables,
    refuse_standard_output,
    span,
    status,
    write_output,
)
from misword.cli.printing import note, print_csv, print_json
from misword.cli.translations import (
    add_translations,
    printed_translations,
    refuse_translations,
    signatures_of,
    translation_arguments,
    translation_tables,
)
from misword.core.errors import OptionError
from misword.core.formatting import is_number
from misword.core.lazy import pl
from misword.core.types import Result
from misword.io.files.writing import check_path, together, write_whole
from misword.io.transcripts.writing import one_best_file
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS

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
    if options.format == "json":
        names = ("misword", "signatures", "folds", *BOOTSTRAP_SETTINGS)
        _print_json(result, names, ("choices", "rates", "judged"), {})
    else:
        _print(result, options, system_tables(result, options.confidence))


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
    applied = options.weights or str(found.list_weights)
    command = f"misword tune --apply {applied} NBEST -o chosen.jsonl"
    if options.format == "json":
        names = ("misword", "signatures", "tuned_by", "features", "folds", *BOOTSTRAP_SETTINGS)
        facts: dict[str, Any] = {"verdict": found.verdict, "apply": command}
        facts |= printed_translations(result)
        _print_json(result, names, ("rates", "weights", "folds", "stability"), facts)
        return
    system = found.scores.systems[0]
    more = translation_tables(result, system, options.confidence)
    _print(result, options, chain(tuning_tables(result, options.confidence), more))
    if options.format in ("table", "md"):
        lines = [*filter(None, [found.verdict]), f"To choose from other lists: {command}"]
        print_paragraph(*lines, marked=options.format == "md")


def _print_json(
    result: Result, names: tuple[str, ...], tables: tuple[str, ...], facts: dict[str, Any]
) -> None:
    head = {name: result.provenance[name] for name in names}
    print_json({**head, **facts, **{name: result.tables[name].to_dicts() for name in tables}})


def _print(result: Result, options: argparse.Namespace, tables: Any) -> None:
    """Print the tables, or as CSV the table of rates with the signatures of the metrics."""
    signatures = result.provenance["signatures"]
    if options.format == "csv":
        signature = pl.col("metric").replace_strict(signatures).alias("signature")
        print_csv(result.tables["rates"].with_columns(signature))
    else:
        print_tables(tables, signatures_of(result), marked=options.format == "md")


# The tables that `misword tune` prints.

Row = dict[str, Any]
# Weights below this size are 0, up to rounding errors.
ZERO = 1e-12


def tuning_tables(result: Result, confidence: float) -> Iterator[TextTable]:
    """Yield the tables of tuned weights: rates of choices, weights, folds, stability."""
    interval = f"{100 * confidence:g} % interval"
    rates = result.tables["rates"]
    for data in rates["data"].unique(maintain_order=True):
        lists = result.provenance["lists"]
        what = f"{lists:,} lists" if data == "tuning" else "test lists"
        yield _rates(rates.filter(data=data).to_dicts(), f"Rates in %, {what}", interval)
    yield _weights(result.tables["weights"].to_dicts())
    if len(folds := result.tables["folds"]):
        yield _folds(folds.to_dicts(), result.provenance["tuned_by"])
    for row in result.tables["stability"].to_dicts():
        yield _stability(row, interval)


def _rates(rows: list[Row], title: str, interval: str) -> TextTable:
    header = ["metric", "choice", "%", interval, "from rank 1", interval, "p", "changed lists"]
    body = [
        [
            row["metric"],
            row["choice"],
            "undefined" if row["rate"] is None else percent(row["rate"]),
            span(row["low"], row["high"]),
            *_difference(row),
            f"{row['changed']:,}",
        ]
        for row in rows
    ]
    return TextTable(header, body, left=2, title=title)


def _difference(row: Row) -> list[str]:
    """Return the difference of a choice from rank 1."""
    if row["choice"] == "rank 1":
        return ["", "", ""]
    interval = span(row["difference_low"], row["difference_high"], signed=True)
    return [percent(row["difference"], signed=True), interval, p_value(row["p"])]


def _weights(rows: list[Row]) -> TextTable:
    header = ["feature", "weight", "same rate", "within noise", "resamples", "folds", "spread"]
    body = [
        [
            row["feature"],
            f"{row['weight']:.6g}",
            *(_range(row, name) for name in ("", "noise_", "resampled_", "fold_")),
            f"{row['spread']:.4g}",
        ]
        for row in rows
    ]
    return TextTable(header, body, title="Weights, and how far each may move while the others stay")


def _range(row: Row, name: str) -> str:
    """Return a range of weights; empty if it has no end."""
    low, high = row[f"{name}low"], row[f"{name}high"]
    if not is_number(low) and not is_number(high):
        return ""
    return " to ".join("..." if end is None else _weight(end) for end in (low, high))


def _weight(value: float) -> str:
    """Return a weight with four digits; rounding errors of a weight of 0 are not shown."""
    return f"{value:.4g}" if abs(value) > ZERO else "0"


def _folds(rows: list[Row], by: str) -> TextTable:
    header = ["fold", "lists", "tuned on the others", "held out", "rank 1"]
    body = [
        [str(row["fold"]), f"{row['lists']:,}",
         *(percent(row[name]) for name in ("tuned", "held_out", "rank_1"))]
        for row in rows
    ]  # fmt: skip
    return TextTable(header, body, title=f"Folds, {by} in %")


def _stability(row: Row, interval: str) -> TextTable:
    header = ["resamples", "other choices", "changed lists, %", interval, "loss"]
    body = [[
        f"{row['resamples']:,}",
        f"{row['others']:,}",
        percent(row["changed"]),
        span(row["changed_low"], row["changed_high"]),
        percent(row["loss"], signed=True),
    ]]  # fmt: skip
    return TextTable(header, body, title="Weights tuned on resamples of the lists")


def system_tables(result: Result, confidence: float) -> Iterator[TextTable]:
    """Yield the tables of a choice among systems: rates, choices, judged by other metrics."""
    rates = result.tables["rates"].to_dicts()
    metrics = list(dict.fromkeys(row["metric"] for row in rates))
    by_system: dict[str, list[str]] = {}
    for row in rates:
        mark = " *" if row["chosen"] else ""
        cells = [percent(row["rate"]) + mark, percent(row["best_share"])]
        by_system.setdefault(row["system"], []).extend(cells)
    header = ["system", *(cell for metric in metrics for cell in (metric, "best in"))]
    body = [[system, *cells] for system, cells in by_system.items()]
    yield TextTable(header, body, title="Rates in % (*: the lowest), and share of resamples, in %")
    yield _system_choices(result.tables["choices"].to_dicts())
    yield _judged(result.tables["judged"].to_dicts())


def _system_choices(rows: list[Row]) -> TextTable:
    header = ["metric", "chooses", "%", "held out", "same in folds", "next", "difference", "p",
              "others in resamples, %"]  # fmt: skip
    body = [
        [
            row["metric"],
            row["system"],
            percent(row["rate"]),
            percent(row["held_out"]),
            f"{row['same_folds']} of {row['folds']}",
            row["next"],
            percent(row["next_difference"], signed=True),
            p_value(row["next_p"]),
            percent(row["others"]),
        ]
        for row in rows
    ]
    return TextTable(header, body, left=2, title="Choices, and how certain they are")


def _judged(rows: list[Row]) -> TextTable:
    choosers = list(dict.fromkeys((row["chosen_by"], row["system"]) for row in rows))
    by_metric: dict[str, list[str]] = {}
    for row in rows:
        by_metric.setdefault(row["metric"], []).append(percent(row["rate"]))
    header = ["judged by", *(f"{system}, by {metric}" for metric, system in choosers)]
    return TextTable(header, [[metric, *cells] for metric, cells in by_metric.items()],
                 title="What each metric says of the choice of the others, %")  # fmt: skip
