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

from misword.bli.draft import CANDIDATES, Draft, check_replaced, draft_lexicon
from misword.bli.translate import Translations, translate
from misword.cli.bilingual import add_retriever, add_vectors, mapping_options
from misword.cli.inputs import provenance
from misword.cli.options import whole
from misword.cli.output import (
    add_format,
    add_out,
    add_title,
    bars,
    check_output,
    input_files,
    print_facts,
    refuse_standard_output,
    status,
    write_output,
)
from misword.cli.printing import json_text, note, print_csv_rows, print_data
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.version import __version__
from misword.io.files.sources import open_source, recorded
from misword.io.files.writing import check_path, together
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
    """Print the candidates; JSON and CSV row by row, so that a long list needs little memory."""
    if form == "json":
        _print_json(translations)
    elif form == "csv":
        print_csv_rows([COLUMNS])
        print_csv_rows([row[name] for name in COLUMNS] for row in _rows(translations))
        note(str(translations.signature))
    else:
        print_result(translations.result(), form)


def _print_json(translations: Translations) -> None:
    """Print one object."""
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


# Options and outputs of the drafts that `misword translate` makes for people to judge.


def add_draft(parser: argparse.ArgumentParser) -> None:
    """Declare the options of drafts."""
    add_title(parser)
    group = parser.add_argument_group(
        "drafts of dictionaries",
        "--draft, --report, --judged or --accepted make a draft: a row for each headword, the "
        "surest first, with a column for verdicts; -o then writes the draft",
    )
    group.add_argument(
        "--draft", action="store_true", help="write a row for each headword to -o FILE"
    )
    group.add_argument(
        "--report", metavar="FILE", help="write a page on which the draft can be judged"
    )
    group.add_argument(
        "--judged",
        metavar="FILE",
        help="a draft with verdicts (.xlsx, .csv, .tsv), or the file that the page saves: the "
        "verdicts are kept",
    )
    group.add_argument(
        "--accepted", metavar="FILE", help="write the accepted pairs of --judged as a lexicon"
    )
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}-lang",
            metavar="CODE",
            help=f"language of the mapping's {side} vectors, for parts of speech, lemmas and "
            "names (default: by the name of their file)",
        )


def is_draft(options: argparse.Namespace) -> bool:
    """Return whether the options ask for a draft."""
    files = (options.report, options.judged, options.accepted)
    return options.draft or any(name is not None for name in files)


def check_draft(options: argparse.Namespace) -> None:
    """Raise, before any work, if the options contradict each other or a file cannot be written."""
    if not is_draft(options):
        if options.source_lang or options.target_lang:
            raise OptionError(
                "languages are named, and no draft is made", fix="add --draft, or leave them out"
            )
        return
    outputs = (options.lexicon, options.report, options.out, options.accepted)
    if all(name is None for name in outputs):
        raise OptionError(
            "a draft is written to files", fix="name one: -o draft.xlsx, or --report draft.html"
        )
    if options.accepted is not None:
        if options.judged is None:
            raise OptionError(
                "--accepted without verdicts", fix="name the file that has them: --judged FILE"
            )
        refuse_standard_output(options.accepted, "--accepted accepted.tsv")
        inputs = [*input_files(options), options.lexicon, options.report]
        check_path(options.accepted, "accepted.tsv", inputs)
        check_format(options.accepted)
    if options.lexicon is not None:
        refuse_standard_output(options.lexicon, "-o draft.xlsx")
        check_replaced(options.lexicon, options.judged)


def run_draft(options: argparse.Namespace, words: Callable[[], list[str]] | None) -> None:
    """Make the draft of some words, or of all if `words` is None, and write its files."""
    with bars(), recorded() as hashes, status("drafting"):
        draft = draft_lexicon(
            options.mapping,
            words,
            options.k or CANDIDATES,
            retriever=options.retriever,
            judged=options.judged,
            source_lang=options.source_lang,
            target_lang=options.target_lang,
            **mapping_options(options),
        )
    result = draft.result(provenance(options, "translate", hashes))
    with together():
        if options.lexicon is not None:
            draft.write(options.lexicon, formulas=options.keep_formulas)
        if options.accepted is not None:
            draft.write_accepted(options.accepted, formulas=options.keep_formulas)
        write_output(result, options)
    for text in draft.notes:
        note(text)
    if options.lexicon is not None:
        note(f"{counted(len(draft.headwords), 'headword')} written to {options.lexicon}")
    if options.accepted is not None:
        note(f"{counted(len(draft.accepted), 'accepted pair')} written to {options.accepted}")
    print_facts(_facts(draft), options.format)


def _facts(draft: Draft) -> dict[str, Any]:
    """Return the size of the draft and its verdicts."""
    rows = draft.headwords
    return {
        "headwords": len(rows),
        "with candidates": sum(bool(row.candidates) for row in rows),
        "same word back": sum(row.is_mutual for row in rows),
        "scores": "probabilities" if draft.probabilities else "no probabilities",
        **draft.verdicts,
        "signature": str(draft.signature),
    }
