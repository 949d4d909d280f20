"""Evaluate mappings: hit rate, precision and recall on a gold lexicon.

Papers call two different rates P@k; here each has its own name. `hit@k` is the share of source
words (headwords) for which at least one of k candidates is a gold translation; --oov is the rule
for words without a vector. `precision@k` is the share of candidates that are gold translations,
`recall@k` the share of gold pairs that are found; words without a vector count in both. Several
mappings, or retrievers, are compared with the first one on the same words, by paired
bootstrap and permutation test.
"""

from __future__ import annotations

import argparse
from typing import Any

from misword.bli.evaluate import evaluate
from misword.bli.evaluation.out_of_vocabulary import OOV_RULES
from misword.bli.evaluation.rates import RATE_KINDS, percent_of
from misword.bli.evaluation.result import Evaluation
from misword.bli.evaluation.settings import DEFAULT_K
from misword.cli.bilingual import (
    add_lexicon_reading,
    add_retriever,
    add_vectors,
    mapping_options,
)
from misword.cli.inputs import (
    add_intervals,
    add_output,
    provenance,
)
from misword.cli.numbers import numbers
from misword.cli.output import (
    Table,
    add_format,
    check_output,
    p_value,
    percent,
    print_paragraph,
    print_signatures,
    span,
    status,
    write_output,
)
from misword.cli.printing import note, print_csv, print_json, print_markdown
from misword.cli.probabilities import probability_tables
from misword.cli.progress import bars
from misword.core.errors import OptionError
from misword.core.types import Result
from misword.io.files.sources import recorded
from misword.io.lexicons import Lexicon, read_lexicon
from misword.stat.bootstrap import BOOTSTRAP_SETTINGS

EXAMPLES = """\
examples:
  misword evaluate en-fr.map en-fr.5000-6500.txt
  misword evaluate en-fr.map gold.tsv --k 1,5,10 --retriever csls,nn
  misword evaluate en-fr.map gold.txt --retriever csls,reranked,reranked:spelling=false
  misword evaluate muse.map vecmap.map gold.txt --oov error --report mappings.html
  misword evaluate cs-sk.map CS-SK_eval_DF.csv --retriever nn --truncate
  misword evaluate en-de.map clean.tsv --gold-flags
  misword evaluate et-sk.map ET-SK_EVAL_DF.csv --by et_pos_tag --out results/
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "mappings", metavar="MAPPING", nargs="+", help="files that `misword map` wrote"
    )
    parser.add_argument(
        "gold",
        metavar="GOLD",
        help="the gold lexicon: words and translations separated by tabs or spaces, .csv, .jsonl; "
        "- for stdin",
    )
    parser.add_argument(
        "--k",
        type=numbers,
        default=DEFAULT_K,
        metavar="LIST",
        help="numbers of candidates (default 1,5,10)",
    )
    add_retriever(parser, several=True)
    parser.add_argument(
        "--oov",
        choices=OOV_RULES,
        default="drop",
        help="rule for words without a vector, for hit@k: "
        + "; ".join(f"{name}: {about}" for name, about in OOV_RULES.items()),
    )
    parser.add_argument(
        "--by", metavar="LIST", help="columns of the gold file to slice it by, such as pos"
    )
    parser.add_argument(
        "--gold-flags",
        action="store_true",
        help="also slice the lexicon by its flags, which `misword audit -o` wrote",
    )
    parser.add_argument(
        "--lemmas",
        metavar="LANG",
        help="language of the translations: a candidate is also right if its lemma is gold",
    )
    parser.add_argument(
        "--lemmatizer",
        metavar="NAME",
        default="",
        help="lemmatizer (default: that of the language); `misword parts --lang sk` lists them",
    )
    add_lexicon_reading(parser).add_argument(
        "--lower", action="store_true", help="convert the gold lexicon to lower case"
    )
    add_vectors(parser)
    add_intervals(parser)
    parser.add_argument(
        "--truncate",
        action="store_true",
        help="truncate percentages to two decimals, as in Denisova's tables, instead of rounding",
    )
    add_format(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Evaluate, and write and print the rates."""
    check_output(options)
    if options.gold.endswith(".map"):
        raise OptionError(
            "a mapping where the gold lexicon should be", where=options.gold, fix="GOLD comes last"
        )
    hashes: dict[str, str] = {}
    with bars(), status("evaluating"):
        evaluation = evaluate(
            options.mappings,
            lambda: _read_gold(options, hashes),
            options.k,
            retriever=options.retriever,
            oov=options.oov,
            by=options.by.split(",") if options.by else (),
            gold_flags=options.gold_flags,
            lemmas=options.lemmas or None,
            lemmatizer=options.lemmatizer,
            bootstrap=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            **mapping_options(options),
        )
    result = evaluation.result(provenance(options, "evaluate", hashes))
    write_output(result, options)
    for text in evaluation.notes:
        note(text)
    _print(evaluation, result, options)


def _read_gold(options: argparse.Namespace, hashes: dict[str, str]) -> Lexicon:
    """Read the gold lexicon, and add the hash of its file to `hashes`."""
    with recorded() as file_hashes:
        lexicon = read_lexicon(
            options.gold,
            columns=options.columns.split(",") if options.columns is not None else None,
            lower=options.lower,
            format=options.input_format,
        )
    hashes |= file_hashes
    return lexicon


def _print(evaluation: Evaluation, result: Result, options: argparse.Namespace) -> None:
    if options.format == "json":
        _print_json(evaluation, result)
    elif options.format == "csv":
        _print_csv(evaluation)
    else:
        _print_tables(evaluation, options.truncate, markdown=options.format == "md")


def _print_json(evaluation: Evaluation, result: Result) -> None:
    names = ("misword", "gold", "oov", *BOOTSTRAP_SETTINGS)
    facts = {name: result.provenance[name] for name in names}
    facts["signatures"] = evaluation.signatures
    tables = ("rates", "coverage", "compared", *evaluation.probabilities.by_name())
    print_json({**facts, **{name: result.tables[name].to_dicts() for name in tables}})


def _print_csv(evaluation: Evaluation) -> None:
    """Print the table of rates, with a column for their signatures."""
    import polars as pl

    rows, signatures = evaluation.rates.to_dicts(), evaluation.signatures
    column = pl.Series("signature", [signatures[row["system"]][row["metric"]] for row in rows])
    print_csv(evaluation.rates.with_columns(column))


def _print_tables(evaluation: Evaluation, truncate: bool, *, markdown: bool) -> None:
    _print_table("", _rates(evaluation, None, truncate), markdown)
    for column in evaluation.settings.by:
        _print_table(f"By {column}", _rates(evaluation, column, truncate), markdown)
    _print_table("Coverage", _coverage(evaluation), markdown)
    for title, table in probability_tables(evaluation).items():
        _print_table(title, table, markdown)
    if len(evaluation.systems) > 1:
        _print_table(f"Against {evaluation.systems[0]}", _differences(evaluation), markdown)
        print_paragraph(_footnote(evaluation), marked=markdown)
    print_signatures(evaluation.short_signatures.values(), marked=markdown)


def _print_table(title: str, table: Table, markdown: bool) -> None:
    if title:
        print_paragraph(title, marked=markdown, form="### {}")
    if markdown:
        print_markdown(table.markdown(), end="\n\n")
    else:
        table.show()


def _rates(evaluation: Evaluation, column: str | None, truncate: bool) -> Table:
    """Return a row for each system, slice and number of candidates, with the three rates."""
    intervals = [_interval_header(evaluation)] if evaluation.settings.bootstrap.times else []
    header = ["system", *([column] if column else []), "k"]
    for kind in RATE_KINDS:
        header += [f"{kind} %", *intervals]
    cells: dict[tuple[Any, ...], list[str]] = {}
    for row in evaluation.rates.to_dicts():
        if row["column"] != column:
            continue
        key = (row["system"], *([row["value"]] if column else []), row["k"])
        line = cells.setdefault(key, [])
        line.append(percent_of(row["part"], row["whole"], truncate=truncate))
        if intervals:
            line.append(span(row["low"], row["high"]))
    body = [[*map(str, key), *line] for key, line in cells.items()]
    return Table(header, body, left=2 if column else 1)


def _coverage(evaluation: Evaluation) -> Table:
    columns = {
        "headwords": "headwords",
        "source_known": "with a vector",
        "answerable": "answerable",
        "pairs": "pairs",
        "pairs_known": "both words known",
        "targets": "translations",
        "target_known": "with a vector",
    }
    rows = evaluation.coverage.to_dicts()
    body = [[row["mapping"], *(f"{row[name]:,}" for name in columns)] for row in rows]
    return Table(["mapping", *columns.values()], body)


def _differences(evaluation: Evaluation) -> Table:
    header = [
        "rate", "system", f"{evaluation.systems[0]} %", "%", "difference",
        _interval_header(evaluation), "p", "headwords", "better", "worse",
    ]  # fmt: skip
    body = [
        [
            row["metric"],
            row["system"],
            percent(row["baseline_rate"]),
            percent(row["rate"]),
            percent(row["difference"], signed=True),
            span(row["low"], row["high"], signed=True),
            p_value(row["p_holm"]),
            *(f"{row[name]:,}" for name in ("headwords", "better", "worse")),
        ]
        for row in evaluation.differences.to_dicts()
    ]
    return Table(header, body, left=2)


def _interval_header(evaluation: Evaluation) -> str:
    return f"{100 * evaluation.settings.bootstrap.confidence:g} % interval"


def _footnote(evaluation: Evaluation) -> str:
    """Return the sentence that explains the numbers of the comparison."""
    difference = "Difference in points, positive is better"
    times, rows = evaluation.settings.bootstrap.times, len(evaluation.differences)
    if times:
        difference += f"; intervals by paired bootstrap of headwords, {times:,} times"
    return f"{difference}. p by paired permutation test, corrected for {rows} comparisons (Holm)."
