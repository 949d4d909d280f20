"""Translate words by a mapping: list the nearest words of the other language.

Words are looked up as they are written. A word without a vector has no candidates; it is listed
without any, and a note counts such words. `-o` writes a lexicon in the format of its name: `.tsv`
(tabs, with a header), `.csv`, `.xlsx` or `.html`. `misword evaluate` and `misword map` read `.tsv`,
`.csv` and `.xlsx`.

A draft of a dictionary (--draft, --report) has one row for each headword, the surest first: part of
speech, lemma, name, frequency rank, candidates with their probability, back-translation, and a
column for the verdict of a person: accept, reject, or other with the right translation. Fill it in
as a spreadsheet, or on the page, which saves a file. --judged FILE reads the verdicts again, and
--accepted FILE writes the accepted pairs as a lexicon.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from misword.bli.draft import CANDIDATES
from misword.bli.translate import Translations, translate
from misword.cli.bilingual import add_retriever, add_vectors, mapping_options
from misword.cli.drafts import add_draft, check_draft, is_draft, run_draft
from misword.cli.inputs import provenance
from misword.cli.numbers import whole
from misword.cli.output import Table, add_format, add_out, check_output, print_tables, status
from misword.cli.printing import json_text, note, print_csv_rows, print_data
from misword.cli.progress import bars
from misword.core.errors import OptionError
from misword.core.version import __version__
from misword.io.files.outputs import together
from misword.io.files.sources import open_source, recorded
from misword.io.files.writing import check_path
from misword.io.lexicon_writing import Row, check_format, write_lexicon
from misword.io.results import write_result

EXAMPLES = """\
examples:
  misword translate en-fr.map dog cat house
  misword translate en-fr.map --words words.txt --k 10 --retriever csls
  misword translate en-fr.map --words words.txt --format csv > candidates.csv
  misword translate en-fr.map --all --k 3 -o candidates.tsv
  misword translate en-fr.map --all --report draft.html -o draft.xlsx
  misword translate en-fr.map --all --judged draft.xlsx -o draft.xlsx --accepted lexicon.tsv
  misword translate en-fr.map chien --reverse
"""
COLUMNS = ("word", "rank", "candidate", "score")
DEFAULT_K = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("mapping", metavar="MAPPING", help="a file that `misword map` wrote")
    parser.add_argument("words", metavar="WORD", nargs="*", help="words to translate")
    parser.add_argument(
        "--words",
        dest="word_list",
        metavar="FILE",
        help="words to translate, one per line (the first column of a table with tabs); - for "
        "stdin",
    )
    parser.add_argument("--all", action="store_true", help="translate the whole vocabulary")
    parser.add_argument(
        "--k",
        type=whole(1),
        metavar="N",
        help=f"candidates for each word (default {DEFAULT_K}, in drafts {CANDIDATES})",
    )
    add_retriever(parser, default=None)
    add_vectors(parser)
    add_format(parser)
    parser.add_argument(
        "-o",
        dest="lexicon",
        metavar="FILE",
        help="write a lexicon to FILE, and no table; the name decides the format: .tsv, .csv, "
        ".xlsx, .html",
    )
    add_draft(parser)
    add_out(parser)


def run(options: argparse.Namespace) -> None:
    """Translate, and write or print the candidates, or the draft."""
    _check(options)
    words = None if options.all else lambda: _words(options)
    if is_draft(options):
        run_draft(options, words)
    else:
        _run_candidates(options, words)


def _run_candidates(options: argparse.Namespace, words: Callable[[], list[str]] | None) -> None:
    """Write or print a row for each candidate."""
    with bars(), recorded() as hashes, status("translating"):
        translations = translate(
            options.mapping,
            words,
            options.k or DEFAULT_K,
            retriever=options.retriever or "csls",
            **mapping_options(options),
        )
    with together():
        if options.lexicon is not None:
            rows = _lexicon_rows(translations)
            write_lexicon(rows, options.lexicon, formulas=options.keep_formulas)
        if options.out is not None:
            result = translations.result(provenance(options, "translate", hashes))
            write_result(result, options.out)
    if options.lexicon is not None:
        written = len(translations.words) - len(translations.unknown)
        note(f"{written:,} words written to {options.lexicon}")
        if options.all:
            note("a row for each candidate; --draft writes a row for each headword, to be judged")
    for text in translations.notes:
        note(text)
    if options.lexicon is None:
        _print(translations, options.format)
    else:
        note(str(translations.signature))


def _check(options: argparse.Namespace) -> None:
    """Raise, before any work, if the options contradict each other."""
    check_output(options)
    check_draft(options)
    ways = [bool(options.words), options.word_list is not None, options.all]
    if sum(ways) != 1:
        raise OptionError(
            "no words to translate" if not any(ways) else "words are named in two ways",
            fix="name words, or --words FILE, or --all",
        )
    too_long = options.all and options.lexicon is None and options.format in ("table", "md")
    if too_long and not is_draft(options):
        raise OptionError(
            "the whole vocabulary is too long a table to look at",
            fix="write a lexicon with -o FILE, or use --format csv or json",
        )
    if options.lexicon is not None:
        _check_lexicon(options)


def _check_lexicon(options: argparse.Namespace) -> None:
    """Raise if the lexicon of `-o` cannot be written, or would replace an input file."""
    inputs = (options.mapping, options.word_list, options.source, options.target)
    check_path(options.lexicon, "draft.tsv", inputs)
    check_format(options.lexicon)


def _words(options: argparse.Namespace) -> list[str]:
    """Return the words to translate, each once, from the command line or from a file."""
    if options.words:
        return list(dict.fromkeys(options.words))
    lines = (line.partition("\t")[0].strip() for line in open_source(options.word_list).lines)
    words = [line for line in lines if line]
    distinct = list(dict.fromkeys(words))
    if len(distinct) < len(words):
        note(f"{len(words) - len(distinct):,} doubled words: each is translated once")
    if not distinct:
        raise OptionError("no words in it", where=options.word_list, fix="write one on each line")
    return distinct


def _lexicon_rows(translations: Translations) -> Iterator[Row]:
    """Yield the header and a row for each candidate."""
    yield ("source", "target", "rank", "score")
    for row in _rows(translations):
        if row["rank"] is not None:
            yield (row["word"], row["candidate"], row["rank"], row["score"])


def _print(translations: Translations, form: str) -> None:
    signature = str(translations.signature)
    if form == "json":
        _print_json(translations)
    elif form == "csv":
        print_csv_rows([COLUMNS])
        print_csv_rows([row[name] for name in COLUMNS] for row in _rows(translations))
        note(signature)
    else:
        cells = [_cells(row) for row in _rows(translations)]
        table = Table(("word", "candidate", "rank", "score"), cells, left=2)
        print_tables([table], [signature], marked=form == "md")


def _cells(row: dict[str, Any]) -> list[str]:
    if row["rank"] is None:
        return [row["word"], "", "", ""]
    return [row["word"], row["candidate"], str(row["rank"]), f"{row['score']:.4f}"]


def _print_json(translations: Translations) -> None:
    """Print one object, row by row, so that a long list needs little memory."""
    head: dict[str, Any] = {"misword": __version__, "signature": str(translations.signature)}
    head |= {"words": len(translations.words), "unknown": len(translations.unknown)}
    print_data(json_text(head, indent=1)[:-2] + ',\n "rows": [')
    separator = "\n"
    for row in _rows(translations):
        print_data(f"{separator}  {json_text(row)}")
        separator = ",\n"
    print_data("\n ]\n}\n")


def _rows(translations: Translations) -> Iterator[dict[str, Any]]:
    for block in translations.blocks():
        yield from block
