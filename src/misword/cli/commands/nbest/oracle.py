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
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from misword.asr.nbest.choice import RANK_1
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
    TextTable,
    bars,
    check_output,
    input_files,
    note_unused,
    percent,
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
    signatures_of,
    translation_arguments,
    translation_tables,
)
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.io.files.writing import check_path, together, write_whole
from misword.io.transcripts.writing import one_best_file
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS

if TYPE_CHECKING:
    from misword.core.types import Result

Row = dict[str, Any]

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

        _print(run_oracle(options), options)
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
    _print(result, options)


def _write_texts(found: Oracle, path: str | None) -> None:
    if path is None:
        return
    if len(found.scores.systems) > 1:
        raise OptionError("-o with several systems", fix="use --out DIR, or name one system")
    write_whole(one_best_file(found.texts(), path), path)


def _print(result: Result, options: argparse.Namespace) -> None:
    origin, tables = result.provenance, result.tables
    if options.format == "json":
        names = ("misword", "signatures", "scores", "depths", "ties", *BOOTSTRAP_SETTINGS)
        head = {name: origin[name] for name in names if name in origin}
        shown = {name: tables[name].to_dicts() for name in ("rates", "curves")}
        shown |= printed_translations(result)
        tied = {"tied": tables["ties"].to_dicts()} if "ties" in tables else {}
        print_json({**head, **shown, **tied})
    elif options.format == "csv":
        signature = pl.col("metric").replace_strict(origin["signatures"]).alias("signature")
        print_csv(tables["rates"].with_columns(signature))
    else:
        shown_tables = _tables(result, options.confidence)
        print_tables(shown_tables, signatures_of(result), marked=options.format == "md")


def _tables(result: Result, confidence: float) -> Iterator[TextTable]:
    """Yield the tables of each system."""
    rates, curves = result.tables["rates"], result.tables["curves"]
    interval = f"{100 * confidence:g} % interval"
    for system in rates["system"].unique(maintain_order=True):
        yield _choices(rates.filter(system=system).to_dicts(), system)
        yield _curves(curves.filter(system=system).to_dicts(), interval)
        if "ties" in result.tables:
            yield _ties(result.tables["ties"].filter(system=system).to_dicts())
        yield from translation_tables(result, system, confidence)


def _choices(rows: list[Row], system: str) -> TextTable:
    """Return a row for each judging metric, a column for each chooser."""
    choosers = list(dict.fromkeys(row["chosen_by"] for row in rows))
    by_metric: dict[str, list[str]] = {}
    for row in rows:
        by_metric.setdefault(row["metric"], []).append(_rate(row["rate"]))
    header = ["judged by", *(c if c == RANK_1 else f"chosen by {c}" for c in choosers)]
    title = f"{system}: rates in %, best of {rows[-1]['depth']:,}"
    return TextTable(header, [[metric, *cells] for metric, cells in by_metric.items()], title=title)


def _curves(rows: list[Row], interval: str) -> TextTable:
    """Return a row for each metric and depth."""
    header = ["metric", "best of", "%", interval, "from rank 1", interval, "shorter lists"]
    body = [
        [
            row["metric"],
            f"{row['depth']:,}",
            _rate(row["rate"]),
            span(row["low"], row["high"]),
            percent(row["difference"], signed=True),
            span(row["difference_low"], row["difference_high"], signed=True),
            f"{row['shorter']:,}",
        ]
        for row in rows
    ]
    return TextTable(header, body, title="Each metric's own choice, by depth")


def _ties(rows: list[Row]) -> TextTable:
    """Return a row for each choosing metric and each other one that judges the choice."""
    others = [row for row in rows if row["metric"] != row["chosen_by"]]
    header = ["chosen by", "judged by", "tied lists", "differing", "%", "best ties", "worst ties",
              "own choice"]  # fmt: skip
    body = [
        [
            row["chosen_by"],
            row["metric"],
            f"{row['tied']:,} of {row['lists']:,}",
            f"{row['differing']:,}",
            _rate(row["rate"]),
            *(percent(row[name]) for name in ("lowest", "highest", "own")),
        ]
        for row in others or rows
    ]
    return TextTable(
        header, body, left=2, title="What the choice among equally good ones can change"
    )


def _rate(rate: float | None) -> str:
    return "undefined" if rate is None else percent(rate)
