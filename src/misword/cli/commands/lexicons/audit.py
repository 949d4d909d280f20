"""Audit a gold lexicon: what may be wrong with its pairs, and what it consists of.

Each pair gets flags with a probability and the evidence: proper noun, not a word, wrong language or
script, abbreviation, identical, several words, out of vocabulary, doubled, also in the training
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

from misword.bli.audit import LEFT_OUT, THRESHOLD, audit
from misword.bli.auditing.false_positives import check_verdict_path
from misword.bli.evaluation.inputs import DEFAULT_K
from misword.bli.flags import FLAGS
from misword.cli.bilingual import add_lexicon_reading, add_retriever
from misword.cli.inputs import add_intervals, add_output, provenance
from misword.cli.options import numbers, share, whole, workers
from misword.cli.output import (
    add_format,
    bars,
    check_output,
    input_files,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.io.files.sources import recorded
from misword.io.files.writing import check_path, together
from misword.io.lexicon_writing import check_format
from misword.io.lexicons import Lexicon, read_lexicon

EXAMPLES = """\
examples:
  misword audit en-de.5000-6500.txt --source-lang en --target-lang de
  misword audit gold.txt --source-lang en --target-lang de --flags proper-noun,identical
  misword audit gold.txt --source-lang en --target-lang de --train train.txt -o clean.tsv
  misword audit gold.txt --source-lang en --target-lang de --predictions rcsls.map vecmap.map \
    --judge verdicts.tsv --report audit.html
  misword audit gold.txt --source-lang en --target-lang de --source-vectors en.vec \\
    --target-vectors de.vec --dictionaries other.tsv --paradigms deu.tsv --report audit.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "gold",
        metavar="GOLD",
        help="the gold lexicon: words and translations separated by tabs or spaces, .csv, .jsonl; "
        "- for stdin",
    )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-lang", metavar="CODE", required=True, help=f"language of the {side} words"
        )
    parser.add_argument(
        "--flags",
        metavar="LIST",
        help=f"{', '.join(FLAGS.entries())} (default: all that can be given); `misword parts "
        "flags` lists them",
    )
    parser.add_argument(
        "--threshold",
        type=share,
        default=THRESHOLD,
        metavar="P",
        help="probability from which a pair counts as flagged (default %(default)s)",
    )
    _add_cleaning(parser)
    _add_resources(parser)
    _add_systems(parser)
    _add_reading(parser)
    add_intervals(parser)
    add_format(parser)
    add_output(parser)


def _add_cleaning(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the cleaned lexicon."""
    group = parser.add_argument_group("cleaning")
    group.add_argument(
        "-o",
        dest="clean",
        metavar="FILE",
        help="write the cleaned lexicon with the flags as columns; the name decides the format: "
        ".tsv, .csv, .xlsx, .html",
    )
    group.add_argument(
        "--leave-out",
        metavar="LIST",
        help="flags whose pairs are left out of it, or none (default: "
        f"{','.join(LEFT_OUT)}, as far as they are given)",
    )


def _add_resources(parser: argparse.ArgumentParser) -> None:
    """Declare the options for what the lexicon is compared with."""
    group = parser.add_argument_group("what the lexicon is compared with")
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}-vectors", metavar="FILE", help=f"word vectors of the {side} language"
        )
    group.add_argument(
        "--max-words", type=whole(1), metavar="N", help="read only the first N vectors"
    )
    group.add_argument("--train", metavar="FILE", help="the lexicon that mappings are trained on")
    group.add_argument(
        "--dictionaries",
        metavar="FILE",
        nargs="+",
        default=[],
        help="other dictionaries of the same languages and direction: tables, TEI, StarDict, "
        "dictd, apertium, Wiktextract",
    )
    group.add_argument(
        "--reverse-dictionaries",
        metavar="FILE",
        nargs="+",
        default=[],
        help="other dictionaries, from the target language to the source language",
    )
    group.add_argument(
        "--paradigms", metavar="FILE", help="inflected forms of the target language (UniMorph)"
    )


def _add_systems(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the comparison of systems."""
    group = parser.add_argument_group("systems")
    group.add_argument(
        "--predictions",
        metavar="FILE",
        nargs="+",
        default=[],
        help="mappings (.map), or tables with the columns word and candidate, such as `misword "
        "translate -o` writes",
    )
    group.add_argument(
        "--judge",
        metavar="FILE",
        help="table of verdicts on errors (.tsv, .csv): written if there is none, else read and "
        "completed",
    )
    group.add_argument(
        "--k",
        type=numbers,
        default=DEFAULT_K,
        metavar="LIST",
        help="numbers of candidates; the first decides the order (default 1,5,10)",
    )
    add_retriever(parser)
    group.add_argument("--workers", type=workers, metavar="N", help="threads (default: all cores)")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Declare the options for reading the gold lexicon."""
    add_lexicon_reading(parser).add_argument(
        "--pos-column",
        metavar="NAME",
        help="column with parts of speech (default: a column with a usual name, else a tagger)",
    )


def run(options: argparse.Namespace) -> None:
    """Audit, write the cleaned lexicon, and print the flags."""
    check_output(options)
    _check(options)
    with bars(), recorded() as hashes, status("auditing"):
        found = audit(
            lambda: _read_gold(options),
            options.source_lang,
            options.target_lang,
            flags=options.flags,
            threshold=options.threshold,
            leave_out=_names(options.leave_out),
            source_vectors=options.source_vectors,
            target_vectors=options.target_vectors,
            max_words=options.max_words,
            training=options.train,
            dictionaries=options.dictionaries,
            paradigms=options.paradigms,
            reverse_dictionaries=options.reverse_dictionaries,
            pos_column=options.pos_column,
        )
        if options.predictions:
            found = found.compare_systems(
                options.predictions,
                options.k,
                retriever=options.retriever,
                judge=options.judge,
                max_words=options.max_words,
                bootstrap=options.bootstrap,
                confidence=options.confidence,
                seed=options.seed,
                workers=options.workers,
            )
    result = found.result(provenance(options, "audit", hashes))
    with together():
        if options.clean is not None:
            found.write_clean(options.clean, formulas=options.keep_formulas)
        if options.judge is not None:
            found.write_verdicts(options.judge)
        write_output(result, options)
    for text in found.notes:
        note(text)
    print_result(result, options.format)


def _check(options: argparse.Namespace) -> None:
    """Raise, before any work, if a file cannot be written, or the options contradict each other."""
    if options.clean is not None:
        check_path(options.clean, "clean.tsv", [*input_files(options), options.judge])
        check_format(options.clean)
    if options.judge is not None:
        if not options.predictions:
            raise OptionError("--judge without systems", fix="name them: --predictions a.map b.map")
        check_path(options.judge, "verdicts.tsv", input_files(options))
        check_verdict_path(options.judge)


def _names(text: str | None) -> list[str] | None:
    """Return the names in a list; `none` is the empty list."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]


def _read_gold(options: argparse.Namespace) -> Lexicon:
    columns = options.columns.split(",") if options.columns is not None else None
    return read_lexicon(options.gold, columns=columns, format=options.input_format)
