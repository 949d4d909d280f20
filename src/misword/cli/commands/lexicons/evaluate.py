"""Evaluate mappings: hit rate, precision and recall on a gold lexicon.

Papers call two different rates P@k; here each has its own name. `hit@k` is the share of source
words (headwords) for which at least one of k candidates is a gold translation; --oov is the rule
for words without a vector. `precision@k` is the share of candidates that are gold translations,
`recall@k` the share of gold pairs that are found; words without a vector count in both. Several
mappings, retrievers, or files of candidates of other tools (--candidates) are compared with the
first one on the same words, by paired bootstrap and permutation test.

Words that a mapping was trained on are counted in a note; --unseen leaves them out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from typing import Any

from misword.bli.evaluate import evaluate
from misword.bli.evaluation.gold_ranks import LEMMA_RULES
from misword.bli.evaluation.inputs import DEFAULT_K, Gold
from misword.bli.evaluation.rates import OOV_RULES, RATE_KINDS, percent_of
from misword.bli.evaluation.result import Evaluation
from misword.cli.bilingual import add_lexicon_reading, add_retriever, add_vectors, mapping_options
from misword.cli.inputs import add_intervals, add_output, provenance
from misword.cli.options import numbers
from misword.cli.output import (
    TextTable,
    add_format,
    bars,
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
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.types import Result
from misword.io.files.sources import recorded
from misword.io.lexicons import read_lexicon
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
  misword evaluate en-fr.map gold.txt --by pos --source-lang en --unseen
  misword evaluate en-de.map gold.txt --lemmas de --lemma-rule both
  misword evaluate en-fr.map gold.txt --candidates other-tool.tsv
  misword evaluate en-fr.map muse.txt --further-gold own.tsv --max-words 50000,200000
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "mappings",
        metavar="MAPPING",
        nargs="+",
        help="files that `misword map` wrote; none are needed with --candidates",
    )
    gold = parser.add_argument(
        "gold",
        metavar="GOLD",
        help="the gold lexicon: words and translations separated by tabs or spaces, .csv, .jsonl; "
        "- for stdin",
    )
    gold.required = False  # with --candidates, the only file is GOLD, which `run` checks
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
        "--unseen",
        action="store_true",
        help="leave out the headwords that a mapping was trained on (by lemma too, with "
        "--source-lang)",
    )
    _add_further_files(parser)
    _add_slices(parser)
    _add_lemmas(parser)
    _add_reading(parser)
    add_vectors(parser, several=True)
    add_intervals(parser)
    parser.add_argument(
        "--truncate",
        action="store_true",
        help="truncate percentages to two decimals, as in Denisova's tables, instead of rounding",
    )
    add_format(parser)
    add_output(parser)


def _add_further_files(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name files of candidates and further lexicons."""
    parser.add_argument(
        "--candidates",
        metavar="FILE",
        action="append",
        default=[],
        help="candidates that another tool made: a table of words, candidates and, if there are "
        "any, ranks or scores; or JSON lines; can be given several times",
    )
    parser.add_argument(
        "--further-gold",
        metavar="FILE",
        action="append",
        default=[],
        help="another gold lexicon, for a table of rates by lexicon; can be given several times",
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Declare how the lexicon is read."""
    add_lexicon_reading(parser).add_argument(
        "--lower", action="store_true", help="convert the gold lexicon to lower case"
    )


def _add_slices(parser: argparse.ArgumentParser) -> None:
    """Declare the options that divide the lexicon into slices."""
    parser.add_argument(
        "--by",
        metavar="LIST",
        help="columns of the gold file to slice it by; pos is made by a tagger, if the file has no "
        "such column and --source-lang is given",
    )
    parser.add_argument(
        "--source-lang", metavar="LANG", help="language of the headwords, the words to translate"
    )
    parser.add_argument(
        "--tagger", metavar="NAME", default="", help="tagger (default: that of the language)"
    )
    parser.add_argument(
        "--gold-flags",
        action="store_true",
        help="also slice the lexicon by its flags, which `misword audit -o` wrote",
    )


def _add_lemmas(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say how candidates are right by their lemma."""
    parser.add_argument(
        "--lemmas",
        metavar="LANG",
        help="language of the translations: a candidate can also be right by its lemma",
    )
    parser.add_argument(
        "--lemma-rule",
        choices=LEMMA_RULES,
        default="candidate",
        help="; ".join(f"{name}: {about}" for name, about in LEMMA_RULES.items())
        + " (default: %(default)s)",
    )
    parser.add_argument(
        "--lemmatizer",
        metavar="NAME",
        default="",
        help="lemmatizer (default: that of the language); `misword parts --lang sk` lists them",
    )


def run(options: argparse.Namespace) -> None:
    """Evaluate, and write and print the rates."""
    if options.gold is None:
        if not options.candidates:
            raise OptionError("one file", fix="name mappings (or --candidates) and a gold lexicon")
        options.gold = options.mappings.pop()
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
            candidates=options.candidates,
            retriever=options.retriever,
            oov=options.oov,
            by=options.by.split(",") if options.by else (),
            gold_flags=options.gold_flags,
            lemmas=options.lemmas or None,
            lemmatizer=options.lemmatizer,
            lemma_rule=options.lemma_rule,
            source_lang=options.source_lang,
            tagger=options.tagger,
            unseen=options.unseen,
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


def _read_gold(options: argparse.Namespace, hashes: dict[str, str]) -> Gold:
    """Read the gold lexicons, several by name, and add the hashes of their files to `hashes`."""
    columns = options.columns.split(",") if options.columns is not None else None
    with recorded() as file_hashes:
        lexicon = read_lexicon(
            options.gold, columns=columns, lower=options.lower, format=options.input_format
        )
        further = [read_lexicon(path, lower=options.lower) for path in options.further_gold]
    hashes |= file_hashes
    if not further:
        return lexicon
    files = [options.gold, *options.further_gold]
    names = [os.path.basename(file) for file in files]
    if len(set(names)) < len(names):
        names = files
    if len(set(names)) < len(names):
        raise OptionError("a gold lexicon is named twice", fix="name each lexicon once")
    return dict(zip(names, [lexicon, *further], strict=True))


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
    further = ("compared_slices", "gold_sets", *evaluation.probabilities.by_name())
    tables = ("rates", "coverage", "compared", *(name for name in further if name in result.tables))
    print_json({**facts, **{name: result.tables[name].to_dicts() for name in tables}})


def _print_csv(evaluation: Evaluation) -> None:
    """Print the table of rates, with a column for their signatures."""

    rows, signatures = evaluation.rates.to_dicts(), evaluation.signatures
    column = pl.Series("signature", [signatures[row["system"]][row["metric"]] for row in rows])
    print_csv(evaluation.rates.with_columns(column))


def _print_tables(evaluation: Evaluation, truncate: bool, *, markdown: bool) -> None:
    def show(title: str, table: TextTable) -> None:
        if title:
            print_paragraph(title, marked=markdown, form="### {}")
        if markdown:
            print_markdown(table.markdown(), end="\n\n")
        else:
            table.show()

    several, first = len(evaluation.systems) > 1, evaluation.systems[0]
    show("", rates(evaluation, None, truncate))
    if evaluation.others:
        show("By gold lexicon", rates_by_lexicon(evaluation, truncate))
    for column in evaluation.settings.by:
        show(f"By {column}", rates(evaluation, column, truncate))
        if several:
            show(f"By {column}, against {first}", slice_differences(evaluation, column))
    show("Coverage", coverage(evaluation))
    for title, table in probability_tables(evaluation).items():
        show(title, table)
    if several:
        show(f"Against {first}", differences(evaluation))
        print_paragraph(footnote(evaluation), marked=markdown)
    print_signatures(evaluation.short_signatures.values(), marked=markdown)


# The tables that `misword evaluate` prints.

Row = Mapping[str, Any]
COVERAGE = {
    "headwords": "headwords",
    "source_known": "with a vector",
    "answerable": "answerable",
    "pairs": "pairs",
    "pairs_known": "both words known",
    "targets": "translations",
    "target_known": "with a vector",
}


def rates(evaluation: Evaluation, column: str | None, truncate: bool) -> TextTable:
    """Return a row for each system, slice and number of candidates, with the three rates.

    For a slice, it also has the numbers of headwords in the hit rate and of pairs.
    """
    rows = [row for row in evaluation.rates.to_dicts() if row["column"] == column]
    if column is None:
        return _rate_table(evaluation, rows, {"system": "system"}, truncate)
    return _rate_table(
        evaluation, rows, {"system": "system", "value": column}, truncate, sizes=True
    )


def rates_by_lexicon(evaluation: Evaluation, truncate: bool) -> TextTable:
    """Return the rates of each system on each gold lexicon."""
    rows = evaluation.gold_sets().to_dicts()
    names = {"gold": "gold", "system": "system"}
    return _rate_table(evaluation, rows, names, truncate, sizes=True)


def _rate_table(
    evaluation: Evaluation,
    rows: Iterable[Row],
    names: Mapping[str, str],
    truncate: bool,
    *,
    sizes: bool = False,
) -> TextTable:
    """Return a row for each name and number of candidates; `names` are columns and headings."""
    intervals = [_interval_header(evaluation)] if evaluation.settings.bootstrap.times else []
    header = [*names.values(), "k", *(["headwords", "pairs"] if sizes else [])]
    for kind in RATE_KINDS:
        header += [f"{kind} %", *intervals]
    numbers: dict[tuple[Any, ...], dict[str, str]] = {}
    cells: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        key = (*(row[name] for name in names), row["k"])
        if row["kind"] == "hit":
            numbers.setdefault(key, {})["headwords"] = f"{row['whole']:,}"
        if row["kind"] == "recall":
            numbers.setdefault(key, {})["pairs"] = f"{row['whole']:,}"
        line = cells.setdefault(key, [])
        line.append(percent_of(row["part"], row["whole"], truncate=truncate))
        if intervals:
            line.append(span(row["low"], row["high"]))
    body = [
        [*map(str, key), *(numbers[key].values() if sizes else ()), *line]
        for key, line in cells.items()
    ]
    return TextTable(header, body, left=len(names))


def coverage(evaluation: Evaluation) -> TextTable:
    """Return how much of the lexicon each system knows."""
    body = [
        [row["mapping"], *("" if row[name] is None else f"{row[name]:,}" for name in COVERAGE)]
        for row in evaluation.coverage.to_dicts()
    ]
    return TextTable(["mapping", *COVERAGE.values()], body)


def differences(evaluation: Evaluation) -> TextTable:
    """Return the differences of the systems to the first, over the whole lexicon."""
    rows = evaluation.differences.to_dicts()
    return TextTable(_difference_header(evaluation), [_difference(row) for row in rows], left=2)


def slice_differences(evaluation: Evaluation, column: str) -> TextTable:
    """Return the differences of the systems to the first on each slice of a column."""
    rows = [row for row in evaluation.slice_differences.to_dicts() if row["column"] == column]
    header = [column, *_difference_header(evaluation)]
    return TextTable(header, [[row["value"], *_difference(row)] for row in rows], left=3)


def _difference_header(evaluation: Evaluation) -> list[str]:
    return [
        "rate", "system", f"{evaluation.systems[0]} %", "%", "difference",
        _interval_header(evaluation), "p", "headwords", "better", "worse",
    ]  # fmt: skip


def _difference(row: Row) -> list[str]:
    return [
        row["metric"],
        row["system"],
        percent(row["baseline_rate"]),
        percent(row["rate"]),
        percent(row["difference"], signed=True),
        span(row["low"], row["high"], signed=True),
        p_value(row["p_holm"]),
        *(f"{row[name]:,}" for name in ("headwords", "better", "worse")),
    ]


def footnote(evaluation: Evaluation) -> str:
    """Return the sentence that explains the numbers of the comparison."""
    difference = "Difference in points, positive is better"
    times, rows = evaluation.settings.bootstrap.times, len(evaluation.differences)
    if times:
        difference += f"; intervals by paired bootstrap of headwords, {times:,} times"
    slices = len(evaluation.slice_differences)
    on_slices = f", those on slices for {slices}" if slices else ""
    return (
        f"{difference}. p by paired permutation test, corrected for {rows} comparisons"
        f"{on_slices} (Holm)."
    )


def _interval_header(evaluation: Evaluation) -> str:
    return f"{100 * evaluation.settings.bootstrap.confidence:g} % interval"


# Tables of `misword evaluate` for systems whose scores are probabilities.


def probability_tables(evaluation: Evaluation) -> dict[str, TextTable]:
    """Return the tables by title; none if no system gives probabilities."""
    if not len(evaluation.probabilities.thresholds):
        return {}
    return {
        "Candidates with a probability of at least p": _thresholds(evaluation),
        "Calibration": _calibration(evaluation),
    }


def _thresholds(evaluation: Evaluation) -> TextTable:
    """Return precision and recall over the probability of candidates."""
    bootstrap = evaluation.settings.bootstrap
    intervals = [f"{100 * bootstrap.confidence:g} % interval"] if bootstrap.times else []
    header = ["system", "p", "candidates", "headwords"]
    for name in ("precision", "recall"):
        header += [f"{name} %", *intervals]
    body = []
    for row in evaluation.probabilities.thresholds.to_dicts():
        line = [row["system"], f"{row['threshold']:.1f}"]
        line += [f"{row[name]:,}" for name in ("candidates", "headwords")]
        for name in ("precision", "recall"):
            line.append(percent(row[name]) or "undefined")
            if intervals:
                line.append(span(row[f"{name}_low"], row[f"{name}_high"]))
        body.append(line)
    return TextTable(header, body)


def _calibration(evaluation: Evaluation) -> TextTable:
    """Return the expected calibration error of each system with probabilities."""
    header = ["system", "candidates", "number", "calibration error", "by chance"]
    body = [
        [
            row["system"],
            row["candidates"],
            f"{row['cases']:,}",
            f"{row['error']:.4f}",
            f"{row['by_chance']:.4f}",
        ]
        for row in evaluation.probabilities.calibration_errors.to_dicts()
    ]
    return TextTable(header, body, left=2)
