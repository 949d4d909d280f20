"""How good are mappings: hit rate, precision and recall on a gold lexicon.

Two different things are called P@k, and both are here by name. `hit@k` is the share of source words
(headwords) for which one of k candidates is a gold translation; --oov says what becomes of words
without a vector. `precision@k` is the share of candidates that are gold translations, `recall@k`
the share of gold pairs that are found; words without a vector count in both. Several mappings, or
retrievers, are compared with the first on the same gold words, by paired bootstrap.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from misword.bli.evaluate import evaluate_bridges, named, opened
from misword.bli.evaluation.lemmas import Lemmas
from misword.bli.evaluation.rates import KINDS, OOV
from misword.bli.evaluation.rates import percent as share
from misword.bli.evaluation.result import WITHIN, Evaluation, Settings
from misword.bli.open_mapping import Bridge
from misword.bli.retrievers import RETRIEVERS
from misword.cli.bilingual import add_retriever, add_vectors, opening
from misword.cli.inputs import add_intervals, add_output, check_output, provenance, write_output
from misword.cli.notes import note
from misword.cli.output import Table, add_format, p_value, percent, print_json, span, status
from misword.cli.progress import bars
from misword.core.errors import OptionError
from misword.io.files.sources import recorded
from misword.io.lexicons import read_lexicon
from misword.stat.bootstrap import Bootstrap

if TYPE_CHECKING:
    from misword.core.types import Result

EXAMPLES = """\
examples:
  misword evaluate en-fr.map en-fr.5000-6500.txt
  misword evaluate en-fr.map gold.tsv --k 1,5,10 --retriever csls,nn
  misword evaluate muse.map vecmap.map gold.txt --oov error --report mappings.html
  misword evaluate cs-sk.map CS-SK_eval_DF.csv --retriever nn --truncate
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
        help="the gold lexicon: words and translations between tabs or spaces, .csv, .jsonl; "
        "- for stdin",
    )
    parser.add_argument(
        "--k",
        type=numbers,
        default=WITHIN,
        metavar="LIST",
        help="numbers of candidates (default 1,5,10)",
    )
    add_retriever(parser, several=True)
    parser.add_argument(
        "--oov",
        choices=OOV,
        default="drop",
        help="words out of the vocabulary, for hit@k: "
        + "; ".join(f"{name}: {about}" for name, about in OOV.items()),
    )
    parser.add_argument(
        "--by", metavar="LIST", help="columns of the gold file to cut it by, such as pos"
    )
    parser.add_argument(
        "--lemmas",
        metavar="LANG",
        help="language of the translations: a candidate is also right if its lemma is",
    )
    parser.add_argument(
        "--lemmatizer",
        metavar="NAME",
        default="",
        help="another lemmatizer than the language's own; `misword parts --lang sk` lists them",
    )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--columns", metavar="A,B", help="the columns of words and translations, if not the first"
    )
    group.add_argument(
        "--input-format", metavar="FORMAT", help="csv, tsv (with quoted fields), jsonl, parquet"
    )
    group.add_argument("--lower", action="store_true", help="take the gold words in lower case")
    add_vectors(parser)
    add_intervals(parser)
    parser.add_argument(
        "--truncate",
        action="store_true",
        help="cut percentages off after two decimals, as Denisova's tables do, not round them",
    )
    add_format(parser)
    add_output(parser)


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers from 1 on between commas, for argparse."""
    found = tuple(dict.fromkeys(int(piece) for piece in text.split(",")))
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text} are no numbers of candidates such as 1,5,10")
    return found


def run(options: argparse.Namespace) -> None:
    """Read, look for translations, count, compare, write."""
    check_output(options)
    if options.gold.endswith(".map"):
        raise OptionError(
            "a mapping where the gold lexicon should be", where=options.gold, fix="GOLD comes last"
        )
    drawing = Bootstrap(options.bootstrap, options.confidence, options.seed)
    by = tuple((options.by or "").split(",")) if options.by else ()
    lemmas = Lemmas.of(options.lemmas, options.lemmatizer) if options.lemmas else None
    settings = Settings(options.k, options.oov, by, lemmas, drawing)
    parts = RETRIEVERS.create_all(options.retriever)
    with bars():
        with recorded() as hashes:
            gold = read_lexicon(
                options.gold,
                columns=options.columns.split(",") if options.columns is not None else None,
                lower=options.lower,
                format=options.input_format,
            )
        bridges = (
            Bridge.of(mapping, name=name, **opening(options))
            for name, mapping in opened(named(options.mappings)).items()
        )
        with status("evaluating"):
            found = evaluate_bridges(bridges, gold, parts, settings, options.workers)
    result = found.result(provenance(options, "evaluate", hashes))
    write_output(result, options)
    for said in found.notes:
        note(said)
    _print(found, result, options)


def _print(found: Evaluation, result: Result, options: argparse.Namespace) -> None:
    if options.format == "json":
        names = ("misword", "gold", "oov", "bootstrap", "confidence", "seed")
        head = {name: result.provenance[name] for name in names}
        head["signatures"] = found.signatures
        tables = ("rates", "coverage", "compared")
        print_json({**head, **{name: result.tables[name].to_dicts() for name in tables}})
    elif options.format == "csv":
        signed = [found.signatures[row["system"]][row["metric"]] for row in found.rates.to_dicts()]
        import polars as pl

        print(found.rates.with_columns(pl.Series("signature", signed)).write_csv(), end="")
    else:
        marked = options.format == "md"
        _show("", _rates(found, None, options.truncate), marked)
        for column in found.settings.by:
            _show(f"By {column}", _rates(found, column, options.truncate), marked)
        _show("Coverage", _coverage(found), marked)
        if len(found.systems) > 1:
            _show(f"Against {found.systems[0]}", _differences(found), marked)
            print(_footnote(found) + "\n" * marked)
        print("\n".join(f"`{s}`" if marked else s for s in found.signed.values()))


def _show(title: str, table: Table, marked: bool) -> None:
    if title:
        print(f"### {title}\n" if marked else title)
    if marked:
        print(table.markdown(), end="\n\n")
    else:
        table.show()


def _rates(found: Evaluation, column: str | None, truncate: bool) -> Table:
    """A row for each system and number of candidates; the three rates side by side."""
    between = f"{100 * found.settings.drawing.confidence:g} % interval"
    drawn = found.settings.drawing.times > 0
    header = ["system", *([column] if column else []), "k"]
    header += [cell for kind in KINDS for cell in (f"{kind} %", *([between] if drawn else []))]
    cells: dict[tuple[Any, ...], list[str]] = {}
    for row in found.rates.to_dicts():
        if row["column"] != column:
            continue
        key = (row["system"], *([row["value"]] if column else []), row["k"])
        shown = [share(row["part"], row["whole"], truncate=truncate)]
        if drawn:
            shown.append(span(row["low"], row["high"]))
        cells.setdefault(key, []).extend(shown)
    body = [[*map(str, key), *line] for key, line in cells.items()]
    return Table(header, body, left=2 if column else 1)


def _coverage(found: Evaluation) -> Table:
    header = ["mapping", "headwords", "with a vector", "answerable", "pairs", "both words known",
              "translations", "with a vector"]  # fmt: skip
    names = ("headwords", "source_known", "answerable", "pairs", "pairs_known", "targets",
             "target_known")  # fmt: skip
    rows = found.coverage.to_dicts()
    return Table(header, [[row["mapping"], *(f"{row[n]:,}" for n in names)] for row in rows])


def _differences(found: Evaluation) -> Table:
    between = f"{100 * found.settings.drawing.confidence:g} % interval"
    header = ["rate", "system", f"{found.systems[0]} %", "%", "difference", between, "p",
              "headwords", "better", "worse"]  # fmt: skip
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
        for row in found.differences.to_dicts()
    ]
    return Table(header, body, left=2)


def _footnote(found: Evaluation) -> str:
    """What the numbers of the comparison are."""
    said = "Difference in points, positive is better"
    times, rows = found.settings.drawing.times, len(found.differences)
    if not times:
        return said + "."
    return (
        f"{said}; intervals by paired bootstrap of headwords, {times:,} times. p is at least 1 in "
        f"{times + 1:,}, corrected for {rows} comparisons (Holm)."
    )
