"""Do metrics choose the transcript that people choose?

Reads triplets: a reference, two hypotheses, and how many people chose each as the closer one, such
as HATS (columns reference, hypA, nbrA, hypB, nbrB). A metric agrees with them where its rate is
lower for the hypothesis that most of them chose. Where it cannot tell the two apart, that is wrong
in `agreed`, as in the published tables, and half right in `half`: coarse metrics have many ties,
and someone who tosses a coin gets 50 % by `half`. Three levels of consensus: all people chose the
same, at least 70 % did, or any majority; triplets with as many votes for either are left out.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from misword.asr.agree import CONSENSUS, agreement, corpus_of
from misword.asr.alternatives import read_equivalents
from misword.asr.pairs import prepare
from misword.asr.score import score_pairs
from misword.cli.inputs import (
    add_metrics,
    add_scoring,
    check_output,
    context_of,
    provenance,
    write_output,
)
from misword.cli.notes import chosen, note, warn
from misword.cli.output import Table, print_json, print_tables, status
from misword.cli.progress import bars
from misword.io.files.sources import recorded
from misword.io.triplets import NAMES, read_triplets

if TYPE_CHECKING:
    from misword.core.types import Result

EXAMPLES = """\
examples:
  misword agree hats.tsv
  misword agree hats.tsv --metrics wer,cer,per,semdist --lang fr
  misword agree hats.tsv --metrics wer,wer-e,ember --vectors cc.fr.300.vec --consensus 1,0.8,0.6,0
  misword agree choices.csv --columns said,first,first_votes,second,second_votes --format md
  misword agree choices.jsonl --normalize nfc,lower,nopunct --report agree.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "triplets",
        metavar="TRIPLETS",
        help="columns between tabs, where quotes are plain characters; or .csv, .jsonl, .parquet; "
        "- for stdin",
    )
    parser.add_argument(
        "--columns",
        metavar="LIST",
        help=f"what the five columns are called, in this order: {','.join(NAMES)} (found by "
        "themselves, in any case: " + "; ".join(", ".join(names) for names in NAMES.values()) + ")",
    )
    parser.add_argument(
        "--input-format", metavar="FORMAT", help="tsv (with quoted fields), csv, jsonl, parquet"
    )
    add_metrics(parser)
    parser.add_argument(
        "--consensus",
        type=shares,
        default=CONSENSUS,
        metavar="LIST",
        help="least shares of the majority: 1 is all, 0 any majority (default 1,0.7,0)",
    )
    add_scoring(parser)


def shares(text: str) -> tuple[float, ...]:
    """Numbers from 0 to 1 between commas, for argparse."""
    found = tuple(float(piece) for piece in text.split(","))
    if not all(0 <= share <= 1 for share in found):
        raise argparse.ArgumentTypeError(f"{text} are no shares such as 1,0.7,0")
    return found


def run(options: argparse.Namespace) -> None:
    """Read, score, compare with the votes, write."""
    check_output(options)
    context = context_of(options)
    with bars():
        metrics = chosen(options, context)
        with recorded() as hashes:
            columns = options.columns.split(",") if options.columns is not None else None
            triplets = read_triplets(options.triplets, columns=columns, format=options.input_format)
            same = read_equivalents(options.equivalents) if options.equivalents else ()
        pairs = prepare(
            corpus_of(triplets),
            normalize_with=options.normalize,
            alternatives=options.alternatives,
            equivalents=same,
            context=context,
        )
        with status("scoring"):
            scores = score_pairs(pairs, metrics)
    how = {name: getattr(options, name) for name in ("bootstrap", "confidence", "seed")}
    found = agreement(triplets, scores, consensus=options.consensus, **how)
    result = found.result(provenance(options, "agree", hashes))
    write_output(result, options)
    warn(scores, context)
    for said in found.notes:
        note(said)
    _print(result, options)


def _print(result: Result, options: argparse.Namespace) -> None:
    known, rows = result.provenance, result.tables["agreement"]
    if options.format == "json":
        names = ("misword", "signatures", "undecided", "undefined")
        head = {name: known[name] for name in (*names, "bootstrap", "confidence", "seed")}
        print_json({**head, "rows": rows.to_dicts()})
    elif options.format == "csv":
        import polars as pl

        signature = pl.col("metric").replace_strict(known["signatures"]).alias("signature")
        print(rows.with_columns(signature).write_csv(), end="")
    else:
        table = _table(rows.to_dicts(), options.confidence)
        print_tables([table], known["signatures"].values(), marked=options.format == "md")


def _table(rows: list[dict[str, Any]], confidence: float) -> Table:
    """A row for each metric; agreement, interval, half credit and ties at each consensus."""
    span = f"{100 * confidence:g} % interval"
    levels = {row["consensus"]: row["triplets"] for row in rows}
    header = ["metric"]
    for name, count in levels.items():
        header += [f"{name} ({count:,}): agreed", span, "half", "ties"]
    cells: dict[str, list[str]] = {}
    for row in rows:
        shown = [_percent(row[name]) for name in ("agreed", "low", "high", "half", "ties")]
        agreed, low, high, half, ties = shown
        between = f"{low} to {high}" if row["low"] is not None else ""
        cells.setdefault(row["metric"], []).extend([agreed, between, half, ties])
    return Table(header, [[metric, *line] for metric, line in cells.items()])


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f}"
