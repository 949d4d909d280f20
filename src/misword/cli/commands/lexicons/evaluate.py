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

from misword.bli.evaluate import evaluate
from misword.bli.evaluation.gold_ranks import LEMMA_RULES
from misword.bli.evaluation.inputs import DEFAULT_K, Gold
from misword.bli.evaluation.rates import OOV_RULES
from misword.cli.bilingual import add_lexicon_reading, add_retriever, add_vectors, mapping_options
from misword.cli.inputs import add_intervals, add_output, provenance
from misword.cli.options import numbers
from misword.cli.output import (
    add_format,
    bars,
    check_output,
    status,
    write_output,
)
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.io.files.sources import recorded
from misword.io.lexicons import read_lexicon

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
    print_result(result, options.format, facts={"signatures": evaluation.signatures})


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
