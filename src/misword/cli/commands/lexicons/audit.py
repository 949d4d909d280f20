"""Audit a gold lexicon: what may be wrong with its pairs, and what it consists of.

Each pair gets flags with a probability and the evidence: proper noun, not a word, wrong language or
script, abbreviation, identical, several words, out of vocabulary, duplicate, also in the training
lexicon, several forms of one lemma, missing forms and synonyms, case. Flags that need vectors, a
training lexicon, dictionaries or paradigms are given if these are named. The lexicon itself stays
as it is; `-o` writes a cleaned copy with the probability of each flag in a column, without the
pairs that --leave-out names. `misword evaluate --gold-flags` gives the rates by flag.

With --predictions, systems are compared on the lexicon as it is, without names, and with forms and
synonyms filled in: do they change places? --judge FILE lists their errors that another source holds
for right. Write yes or no into its column `verdict`, and run the command again: the verdicts are
kept, and the margins between the systems are corrected.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.bli.options import CLEANING, K_VALUES, SYSTEMS, AuditOptions, SystemOptions, numbers
from misword.cli.inputs import provenance
from misword.cli.options import CSV, Output
from misword.cli.output import bars, check_output, input_files, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.io.files.sources import recorded
from misword.io.files.writing import check_path, together
from misword.io.lexicon_writing import check_format
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.options import LexiconReading


class AuditArguments(TypedDict, total=False):
    """The lexicon, its cleaned copy, and the systems that are compared on both."""

    gold: Annotated[
        str,
        Option(
            "the gold lexicon: words and translations separated by tabs or spaces, .csv, .jsonl; "
            "- for stdin",
            metavar="GOLD",
            positional=True,
            is_file=True,
        ),
    ]
    source_lang: Annotated[
        str, Option("language of the source words", metavar="CODE", required=True)
    ]
    target_lang: Annotated[
        str, Option("language of the target words", metavar="CODE", required=True)
    ]
    output: Annotated[
        str | None,
        Option(
            "write the cleaned lexicon with the flags as columns; the name decides the format: "
            ".tsv, .csv, .xlsx, .html",
            flags=("-o", "--output"),
            metavar="FILE",
            group=CLEANING,
            common=True,
        ),
    ]
    predictions: Annotated[
        list[str],
        Option(
            "mappings (.map), or tables with the columns word and candidate, such as `misword "
            "translate -o` writes",
            default=(),
            metavar="FILE",
            values="+",
            group=SYSTEMS,
            common=True,
            is_file=True,
        ),
    ]
    k: Annotated[
        tuple[int, ...],
        Option(
            "numbers of candidates; the first decides the order",
            default=K_VALUES,
            metavar="LIST",
            read=numbers,
            group=SYSTEMS,
            needs=("predictions",),
        ),
    ]


# `max_words` of both functions is one option, that of AuditOptions.
OPTIONS = (AuditArguments, SystemOptions, AuditOptions, LexiconReading, Output)
NEEDS = {"keep_formulas": (CSV, "output")}
EXAMPLES = """\
examples:
  misword audit en-de.5000-6500.txt --source-lang en --target-lang de
  misword audit gold.txt --source-lang en --target-lang de --flags proper-noun,identical
  misword audit gold.txt --source-lang en --target-lang de --training train.txt -o clean.tsv
  misword audit gold.txt --source-lang en --target-lang de --predictions rcsls.map vecmap.map \\
    --judge verdicts.tsv --report audit.html
  misword audit gold.txt --source-lang en --target-lang de --source-vectors en.vec \\
    --target-vectors de.vec --dictionaries other.tsv --paradigms deu.tsv --report audit.html
"""


def run(options: argparse.Namespace) -> None:
    """Audit, write the cleaned lexicon, and print the flags."""
    from misword.bli.audit import audit

    check_output(options)
    _check(options)
    with bars(), recorded() as hashes, status("auditing"):
        found = audit(
            lambda: _read_gold(options),
            options.source_lang,
            options.target_lang,
            **chosen(options, AuditOptions),
        )
        if options.predictions:
            found = found.compare_systems(
                options.predictions, options.k, **chosen(options, SystemOptions)
            )
    result = found.result(provenance(options, "audit", hashes))
    with together():
        if options.output is not None:
            found.write_clean(options.output, formulas=options.keep_formulas)
        if options.judge is not None:
            found.write_verdicts(options.judge)
        write_output(result, options)
    note(*found.notes)
    print_result(result, options.format)


def _check(options: argparse.Namespace) -> None:
    """Raise, before any work, if a file cannot be written, or the options contradict each other."""
    if options.output is not None:
        check_path(options.output, "clean.tsv", [*input_files(options), options.judge])
        check_format(options.output)
    if options.judge is not None:
        if not options.predictions:
            raise OptionError("--judge without systems", fix="name them: --predictions a.map b.map")
        from misword.bli.auditing.false_positives import check_verdict_path

        check_path(options.judge, "verdicts.tsv", input_files(options))
        check_verdict_path(options.judge)


def _read_gold(options: argparse.Namespace) -> Lexicon:
    return read_lexicon(options.gold, **chosen(options, LexiconReading))
