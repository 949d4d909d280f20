"""Translate words by a mapping: list the nearest words of the other language.

Words are looked up as they are written. A word without a vector has no candidates; it is listed
without any, and a note counts such words. `-o` writes a lexicon in the format of its name: `.tsv`
(tabs, with a header), `.csv`, `.xlsx` or `.html`. `misword evaluate` and `misword map` read `.tsv`,
`.csv` and `.xlsx`.

A draft of a dictionary (--draft, --report) has one row for each headword, the surest first: part of
speech, lemma, name, frequency rank, candidates by sense with their probability, back-translation,
and a column for the verdict of a person: accept, reject, or other with the right translation. With
--all, headwords are lemmas: inflected forms, words of the training lexicon, names and function
words have no row unless --include names them. Frequent words with a sure candidate come first. Fill
it in as a spreadsheet, or on the page, which saves a file. --judged FILE reads the verdicts again,
and --accepted FILE writes the accepted pairs as a lexicon; alone, in seconds, because no word is
translated for it. --dictionary FILE writes headwords, senses, equivalents, examples and verdicts in
a format of dictionaries, which `misword build` and `read_dictionary` read.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.bli.options import (
    CANDIDATES,
    DRAFT_CANDIDATES,
    DRAFTS,
    DraftOptions,
    FailedMappings,
    TranslateOptions,
)
from misword.cli.inputs import provenance
from misword.cli.options import CSV, Output
from misword.cli.output import (
    bars,
    check_output,
    input_files,
    refuse_standard_output,
    status,
    write_output,
)
from misword.cli.printing import json_text, note, print_csv_rows, print_data
from misword.cli.rendering import print_facts, print_result
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.options import Option, chosen, whole
from misword.core.version import __version__
from misword.io.dictionaries.writing import check_dictionary_format, is_dictionary_file
from misword.io.files.sources import open_source, recorded
from misword.io.files.writing import check_path, together
from misword.io.lexicon_writing import Row, check_format, write_lexicon
from misword.io.results import write_result

if TYPE_CHECKING:
    from misword.bli.draft import Draft
    from misword.bli.translate import Translations


class TranslateArguments(TypedDict, total=False):
    """The mapping, the words, and the file for their candidates."""

    mapping: Annotated[
        str,
        Option("a file that `misword map` wrote", metavar="MAPPING", positional=True, is_file=True),
    ]
    words: Annotated[
        list[str], Option("words to translate", metavar="WORD", positional=True, values="*")
    ]
    word_list: Annotated[
        str | None,
        Option(
            "words to translate, one per line (the first column of a table with tabs); - for stdin",
            flags=("--words",),
            metavar="FILE",
            common=True,
            is_file=True,
        ),
    ]
    all: Annotated[bool, Option("translate the whole vocabulary", default=False, common=True)]
    k: Annotated[
        int | None,
        Option(
            f"candidates for each word (default {CANDIDATES}, in drafts {DRAFT_CANDIDATES})",
            metavar="N",
            read=whole(1),
            common=True,
        ),
    ]
    output: Annotated[
        str | None,
        Option(
            "write a lexicon to FILE, and no table; the name decides the format: .tsv, .csv, "
            ".xlsx, .html",
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]


class Drafting(TypedDict, total=False):
    """The files of drafts that people judge."""

    draft: Annotated[
        bool,
        Option(
            "write a row for each headword to -o FILE", default=False, group=DRAFTS, common=True
        ),
    ]
    report: Annotated[
        str | None,
        Option(
            "write a page on which the draft can be judged",
            metavar="FILE",
            group=DRAFTS,
            common=True,
            recorded=False,
        ),
    ]
    accepted: Annotated[
        str | None,
        Option(
            "write the accepted pairs of --judged as a lexicon, or as a dictionary by the name of "
            "FILE (.tei, .ttl, .ifo, .lift)",
            metavar="FILE",
            group=DRAFTS,
            common=True,
        ),
    ]
    dictionary: Annotated[
        str | None,
        Option(
            "write the draft as a dictionary with all its fields; the name decides the format: "
            ".tei (TEI Lex-0), .ttl (OntoLex), .ifo (StarDict), .lift, .tsv, .csv, .xlsx",
            metavar="FILE",
            group=DRAFTS,
            common=True,
        ),
    ]


# --force is about the mapping as well as the result folder: one option.
OPTIONS = (TranslateArguments, DraftOptions, Output, Drafting, FailedMappings)
NEEDS = {"keep_formulas": (CSV, "output", "accepted")}
EXAMPLES = """\
examples:
  misword translate en-fr.map dog cat house
  misword translate en-fr.map --words words.txt --k 10 --retriever nn
  misword translate en-fr.map --words words.txt --format csv > candidates.csv
  misword translate en-fr.map --all --k 3 -o candidates.tsv
  misword translate en-fr.map --all --report draft.html -o draft.xlsx
  misword translate en-fr.map --judged draft.xlsx --accepted lexicon.tsv
  misword translate en-fr.map --all --judged draft.xlsx -o draft.xlsx --accepted lexicon.tsv
  misword translate en-fr.map --all --include known,names --dictionary en-fr.tei
  misword translate en-fr.map --all --examples en.txt fr.txt --report draft.html
  misword translate en-fr.map --all --judged draft.xlsx --accepted en-fr.ifo
  misword translate en-fr.map chien --reverse
"""
COLUMNS = ("word", "rank", "candidate", "score")


def run(options: argparse.Namespace) -> None:
    """Translate, and write or print the candidates, or the draft."""
    _check(options)
    if reads_only_verdicts(options):
        run_judged(options)
        return
    words = None if options.all else lambda: _words(options)
    if is_draft(options):
        run_draft(options, words)
    else:
        _run_candidates(options, words)


def _run_candidates(options: argparse.Namespace, words: Callable[[], list[str]] | None) -> None:
    """Write or print a row for each candidate."""
    from misword.bli.translate import translate

    with bars(), recorded() as hashes, status("translating"):
        translations = translate(
            options.mapping,
            words,
            options.k or CANDIDATES,
            **chosen(options, TranslateOptions),
        )
    with together():
        if options.output is not None:
            rows = _lexicon_rows(translations)
            write_lexicon(rows, options.output, formulas=options.keep_formulas)
        if options.out is not None:
            result = translations.result(provenance(options, "translate", hashes))
            write_result(result, options.out)
    if options.output is not None:
        written = len(translations.words) - len(translations.unknown)
        note(f"{written:,} words written to {options.output}")
        if options.all:
            note("a row for each candidate; --draft writes a row for each headword, to be judged")
    note(*translations.notes)
    if options.output is None:
        _print(translations, options.format)
    else:
        note(str(translations.signature))


def _check(options: argparse.Namespace) -> None:
    """Raise, before any work, if the options contradict each other."""
    check_output(options)
    check_draft(options)
    ways = [bool(options.words), options.word_list is not None, options.all]
    if sum(ways) != 1 and not (reads_only_verdicts(options) and not any(ways)):
        raise OptionError(
            "no words to translate" if not any(ways) else "words are named in two ways",
            fix="name words, or --words FILE, or --all",
        )
    too_long = options.all and options.output is None and options.format in ("table", "md")
    if too_long and not is_draft(options):
        raise OptionError(
            "the whole vocabulary is too long a table to look at",
            fix="write a lexicon with -o FILE, or use --format csv or json",
        )
    if options.output is not None:
        _check_lexicon(options)


def _check_lexicon(options: argparse.Namespace) -> None:
    """Raise if the lexicon of `-o` cannot be written, or would replace an input file."""
    inputs = (options.mapping, options.word_list, options.source, options.target)
    check_path(options.output, "draft.tsv", inputs)
    check_format(options.output)


def _words(options: argparse.Namespace) -> list[str]:
    """Return the words to translate, each once, from the command line or from a file."""
    if options.words:
        return list(dict.fromkeys(options.words))
    lines = (line.partition("\t")[0].strip() for line in open_source(options.word_list).lines)
    words = [line for line in lines if line]
    distinct = list(dict.fromkeys(words))
    if len(distinct) < len(words):
        note(f"{len(words) - len(distinct):,} duplicate words: each is translated once")
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
    head |= {"about": list(translations.about)} if translations.about else {}
    print_data(json_text(head, indent=1)[:-2] + ',\n "rows": [')
    separator = "\n"
    for row in _rows(translations):
        print_data(f"{separator}  {json_text(row)}")
        separator = ",\n"
    print_data("\n ]\n}\n")


def _rows(translations: Translations) -> Iterator[dict[str, Any]]:
    for block in translations.blocks():
        yield from block


# Outputs of the drafts that `misword translate` makes for people to judge.


def is_draft(options: argparse.Namespace) -> bool:
    """Return whether the options ask for a draft."""
    files = (options.report, options.judged, options.accepted, options.dictionary)
    return options.draft or any(name is not None for name in files)


def check_draft(options: argparse.Namespace) -> None:
    """Raise, before any work, if the options contradict each other or a file cannot be written."""
    if not is_draft(options):
        only = ("source_lang", "target_lang", "include", "examples", "phrases", "find_phrases")
        if any(getattr(options, name) not in (None, False) for name in only):
            raise OptionError(
                "an option of drafts, and no draft is made",
                fix="add --draft, or leave out "
                + ", ".join(f"--{name.replace('_', '-')}" for name in only),
            )
        return
    outputs = (
        options.output, options.report, options.out, options.accepted, options.dictionary
    )  # fmt: skip
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
        inputs = [*input_files(options), options.output, options.report]
        check_path(options.accepted, "accepted.tsv", inputs)
        if is_dictionary_file(options.accepted):
            check_dictionary_format(options.accepted)
        else:
            check_format(options.accepted)
    if options.dictionary is not None:
        refuse_standard_output(options.dictionary, "--dictionary dictionary.tei")
        inputs = [*input_files(options), options.output, options.report, options.accepted]
        check_path(options.dictionary, "dictionary.tei", inputs)
        check_dictionary_format(options.dictionary)
    if options.output is not None:
        from misword.io.verdicts import check_replaced

        refuse_standard_output(options.output, "-o draft.xlsx")
        check_replaced(options.output, options.judged)


def reads_only_verdicts(options: argparse.Namespace) -> bool:
    """Return whether only accepted pairs are written: they do not depend on the mapping."""
    others = (options.output, options.report, options.out, options.dictionary)
    if options.accepted is None or is_dictionary_file(options.accepted):
        return False
    return all(name is None for name in others)


def run_judged(options: argparse.Namespace) -> None:
    """Write the accepted pairs of a file with verdicts."""
    from misword.bli.draft import write_judged

    counts = write_judged(options.judged, options.accepted, formulas=options.keep_formulas)
    note(f"{counted(counts['accepted pairs'], 'accepted pair')} written to {options.accepted}")
    print_facts(counts, options.format)


def run_draft(options: argparse.Namespace, words: Callable[[], list[str]] | None) -> None:
    """Make the draft of some words, or of all if `words` is None, and write its files."""
    from misword.bli.draft import draft_lexicon

    with bars(), recorded() as hashes, status("drafting"):
        draft = draft_lexicon(
            options.mapping,
            words,
            options.k or DRAFT_CANDIDATES,
            **chosen(options, DraftOptions),
        )
    result = draft.result(provenance(options, "translate", hashes))
    with together():
        if options.output is not None:
            draft.write(options.output, formulas=options.keep_formulas)
        if options.accepted is not None:
            draft.write_accepted(options.accepted, formulas=options.keep_formulas)
        if options.dictionary is not None:
            draft.write_dictionary(options.dictionary)
        write_output(result, options)
    note(*draft.notes)
    if options.output is not None:
        note(f"{counted(len(draft.headwords), 'headword')} written to {options.output}")
    if options.accepted is not None:
        note(f"{counted(len(draft.accepted), 'accepted pair')} written to {options.accepted}")
    if options.dictionary is not None:
        note(f"{counted(len(draft.headwords), 'headword')} written to {options.dictionary}")
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
