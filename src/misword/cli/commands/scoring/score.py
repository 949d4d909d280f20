"""Compute error rates of systems, with confidence intervals, counts and signatures.

Formats: plain lines, Kaldi `id text`, NIST trn, stm and ctm, CSV, TSV, JSON lines (NeMo manifests),
Parquet, fstalign nlp, SRT and WebVTT, each also as .gz or .zst. Utterances are matched by id, or by
line if they have no ids. A rate is the sum of the errors divided by the sum of the reference
tokens, never a mean of rates.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from misword.asr.score import score
from misword.cli.inputs import (
    Inputs,
    add_categorical,
    add_inputs,
    add_metrics,
    add_scoring,
    add_shards,
    column_names,
    provenance,
    refuse_shard_options,
)
from misword.cli.options import whole
from misword.cli.output import (
    TextTable,
    bars,
    check_output,
    note_unused,
    print_tables,
    status,
    write_output,
)
from misword.cli.printing import note, print_csv, print_json
from misword.cli.tables import counts_table, entity_tables
from misword.core.errors import InputError
from misword.core.formatting import group_values
from misword.core.lazy import pl
from misword.core.types import CONFIDENCES, Corpus
from misword.stat.bootstrap import Bootstrap
from misword.stat.class_rates import ERRORS, mark_counts, shown_kind
from misword.stat.scores import Scores

if TYPE_CHECKING:
    from misword.core.types import Result

SHOWN = 100  # groups on the terminal

EXAMPLES = """\
examples:
  misword score ref.txt hyp.txt
  misword score ref.stm hyp.ctm --metrics wer,mer,wil
  misword score ref.csv a.csv b.csv --by speaker --format md
  misword score a.stm hyp.stm --reference b.stm --join recording
  misword score ref.txt hyp.txt --metrics wer:ties=jiwer,cer:spaces=false
  misword score ref.txt hyp.txt --lang en --metrics wer,ler,uposer,per
  misword score ref.fr hyp.fr --vectors cc.fr.300.vec --metrics wer,wer-e,wer-s,ember
  misword score ref.txt hyp.txt --metrics wer,semdist,bertscore --cache
  misword score manifest.jsonl --preset open-asr-leaderboard
  misword score ref.txt hyp.txt --normalize nfc,lower --rules rules.txt --lang en
  misword score ref.txt hyp.txt --forgive writing --by speaker
  misword score calls/ google/ --entities tags --tags-from wer_tags/
  misword score ref.txt hyp.txt --keywords drugs.tsv --entities spacy --lang en
  misword score ref.txt hyp.txt --metrics formatted,punctuation,capitals
  misword score ref.stm hyp.ctm --confidences
  misword score ref.csv nbest.jsonl --ranks 10 --report lists.html
  misword score manifest.jsonl --report report.html --audio recordings/
  misword score 'run/*.parquet' --engine process --out results/
  misword score 's3://bucket/ref/*.jsonl' 's3://bucket/hyp/*.jsonl' --engine ray://head:10001
  zcat hyp.gz | misword score ref.txt - --normalize nfc,lower,nopunct --out results/
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    add_metrics(parser)
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        default="",
        help="metadata columns, such as speaker,noise: a row for each combination of values, "
        "and one for all of them",
    )
    add_categorical(parser)
    parser.add_argument(
        "--confidences",
        action="store_true",
        help="also print how well the confidences of words tell right from wrong: NCE, calibration "
        "error and AUC (ctm's last column, or lists in JSON lines)",
    )
    parser.add_argument(
        "--ranks",
        type=whole(1),
        default=1,
        metavar="N",
        help="also score the first N hypotheses of N-best lists: the report shows each list with "
        "its rates, and --by rank prints them; all other rates are those of the best hypotheses "
        "(default 1)",
    )
    add_shards(parser)
    add_scoring(parser, entities=True, audio=True)


def run(options: argparse.Namespace) -> None:
    """Score the texts, print and write the summary."""
    if options.engine is not None:
        from misword.cli.sharded_runs import run_score

        result = run_score(options)
        print_scores(result, column_names(options.by), [], options)
        return
    refuse_shard_options(options, options.reference, *options.hypotheses)
    check_output(options)
    inputs = Inputs(options)
    stored = bool(options.out or options.report)
    with bars(), status("scoring"):
        arguments = inputs.scoring_arguments()
        kept = stored or options.confidences
        scores = score(partial(_read, inputs), **arguments, keep_texts=kept)
    by = column_names(options.by)
    with status("resampling"):
        result = scores.result(
            provenance(options, "score", inputs.hashes),
            words=stored,
            utterances=stored,
            by=by,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
        )
    measures = confidence_rows(scores) if options.confidences else []
    write_output(result, options)
    note_unused(options, scores, inputs.used_for_texts())
    for text in scores.notes:
        note(text)
    print_scores(result, by, measures, options)


def _read(inputs: Inputs) -> Corpus:
    """Read the corpus; of N-best lists the first ranks, with a note on those that are left out."""
    most = inputs.options.ranks
    if most == 1:
        return inputs.read_corpus()
    corpus = inputs.read_nbest()
    hypotheses = corpus.hypotheses.filter(corpus.hypotheses["rank"] <= most)
    if left_out := len(corpus.hypotheses) - len(hypotheses):
        note(f"N-best lists: hypotheses of ranks above {most} are left out ({left_out:,})")
    return replace(corpus, hypotheses=hypotheses)


def print_scores(
    result: Result, by: list[str], measures: list[dict[str, Any]], options: argparse.Namespace
) -> None:
    """Print the summary of scores, and the other tables of a result."""
    summary, signatures = result.tables["summary"], result.provenance["signatures"]
    entities = "entities" in result.tables
    if options.format == "json":
        head = {"misword": result.provenance["misword"], "signatures": signatures}
        settings = Bootstrap(options.bootstrap, options.confidence, options.seed).settings
        classes = {"entities": result.tables["entities"].to_dicts()} if entities else {}
        more = {"confidences": measures} if measures else {}
        print_json({**head, **settings, "rows": summary.to_dicts(), **classes, **more})
    elif options.format == "csv":
        if entities:
            note("the rates of classes are not in the CSV: --out and the other formats have them")
        signature = pl.col("metric").replace_strict(signatures).alias("signature")
        print_csv(summary.with_columns(signature))
    else:
        marked = options.format == "md"
        rows = (summary if marked else _first_groups(summary, by)).to_dicts()
        tables = [
            _table(rows, by, options.confidence),
            errors_table(rows, by),
            marks_table(rows, by),
            counts_table(rows, by),
            confidences_table(measures),
        ]
        if entities:
            tables += entity_tables(result.tables["entities"], by, options.confidence)
        shown = [table for table in tables if table is not None]
        print_tables(shown, signatures.values(), marked=marked)


def _first_groups(summary: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return the rows of the first groups and of all groups together, with a note on the rest."""
    rows = SHOWN * summary["metric"].n_unique()
    if not by or (groups := summary.filter(total=False)).height <= rows:
        return summary
    more = groups.height // summary["metric"].n_unique() - SHOWN
    note(f"{more:,} more groups are not shown: --format json, csv or md and --out have all")
    return groups.head(rows).vstack(summary.filter(total=True))


def _table(rows: list[dict[str, Any]], by: list[str], confidence: float) -> TextTable:
    """Return a row for each system, group and metric: percentages and counts.

    If differences were forgiven, the rate without forgiveness takes the place of the hits, so that
    the table is no wider.
    """
    short = {"substitutions": "sub", "deletions": "del", "insertions": "ins", "hits": "hits"}
    forgiving = any(row.get("without") is not None for row in rows)
    if forgiving:
        del short["hits"]
    counts = [name for name in short if any(name in row for row in rows)]
    span = f"{confidence * 100:g} % interval"
    means = {"P": "precision", "R": "recall", "F": "f"} if any("f" in row for row in rows) else {}
    priced = any("cost" in row for row in rows)
    looked_up = any(row.get("oov") is not None for row in rows)
    more = [*means, *["cost"] * priced, *["oov %"] * looked_up]
    rates = ["%", span, *["without %"] * forgiving]
    header = ["system", *by, "metric", *rates, *(short[n] for n in counts), "ref", *more, "utts"]
    body = [
        [
            *(row["system"], *group_values(row, by), row["metric"]),
            _percent(row["rate"]),
            f"{_percent(row['low'])} to {_percent(row['high'])}" if row["low"] is not None else "",
            *([_without(row)] if forgiving else ()),
            *(_count(row.get(name)) for name in counts),
            _count(row["reference"]),
            *("" if row.get(m) is None else _percent(row[m]) for m in means.values()),
            *([_cost(row.get("cost"))] if priced else ()),
            *([_share(row.get("oov"), row["reference"])] if looked_up else ()),
            _count(row["utterances"]),
        ]
        for row in rows
    ]
    return TextTable(header, body, left=2 + len(by))


def _percent(rate: float | None) -> str:
    return "undefined" if rate is None else f"{100 * rate:.2f}"


def _without(row: dict[str, Any]) -> str:
    """Return the rate as if nothing were forgiven; empty for metrics that count no edits."""
    return "" if row.get("without") is None else _percent(row["without"])


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def _cost(cost: float | None) -> str:
    return "" if cost is None else f"{cost:,.2f}"


def _share(part: float | None, whole: float) -> str:
    return "" if part is None or not whole else f"{100 * part / whole:.2f}"


# Tables of formatted text: what is wrong with words, and the punctuation marks and capitals.


def marks_table(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> TextTable | None:
    """Return a row for each system, group and kind of mark; None if no metric counts marks.

    `rows` are those of a summary.
    """
    body = [
        [
            *(row["system"], *group_values(row, by), row["metric"], shown_kind(counts.kind)),
            *(
                _percent_or_empty(v)
                for v in (counts.precision, counts.recall, counts.f, counts.error_rate)
            ),
            *(f"{number:,}" for number in (counts.reference, counts.hypothesis)),
        ]
        for row in rows
        for counts in mark_counts(row)
    ]
    if not body:
        return None
    header = ["system", *by, "metric", "mark", "P %", "R %", "F %", "error %", "ref", "hyp"]
    return TextTable(header, body, left=3 + len(by), title="Marks at aligned words")


def errors_table(rows: Sequence[dict[str, Any]], by: Sequence[str]) -> TextTable | None:
    """Return the errors of formatted words in percent of the reference words, by what is wrong.

    None if no metric divides its errors.
    """
    body = [
        [
            *(row["system"], *group_values(row, by)),
            *(_percent_or_empty(row[name] / row["reference"] if row["reference"] else None)
              for name in ERRORS),
            _percent_or_empty(row["rate"]),
        ]
        for row in rows
        if row.get("only_case") is not None
    ]  # fmt: skip
    if not body:
        return None
    header = ["system", *by, *(f"{name} %" for name in ERRORS.values()), "all %"]
    return TextTable(header, body, left=1 + len(by), title="Errors of formatted words")


def _percent_or_empty(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f}"


# The table of word confidences.

MEASURES = {"NCE": "nce", "ECE": "ece", "by chance": "by_chance", "AUC": "auc"}


def confidence_rows(scores: Scores) -> list[dict[str, Any]]:
    """Return the measures of each system; raise if no word has a confidence."""
    rows: list[dict[str, Any]] = []
    if CONFIDENCES in scores.records:
        rows = scores.records[CONFIDENCES].to_dicts()
    if not rows:
        raise InputError(
            "no word has a confidence",
            fix="give a ctm file with confidences in its last column, or JSON lines with a list "
            "`confidences` of one number for each word of the text",
        )
    return rows


def confidences_table(rows: Sequence[dict[str, Any]]) -> TextTable | None:
    """Return a row for each system; None without rows."""
    if not rows:
        return None
    body = [
        [
            row["system"],
            f"{row['words']:,}",
            f"{row['without']:,}",
            *(f"{100 * row[name]:.2f}" for name in ("right", "confidence")),
            *("" if row[name] is None else f"{row[name]:.4f}" for name in MEASURES.values()),
        ]
        for row in rows
    ]
    header = ["system", "words", "without", "right %", "mean %", *MEASURES]
    return TextTable(header, body, left=1, title="Confidences of words")
