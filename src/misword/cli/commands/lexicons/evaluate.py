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
from typing import TYPE_CHECKING, Annotated, TypedDict

from misword.bli.options import K_VALUES, EvaluateOptions, numbers
from misword.cli.inputs import provenance
from misword.cli.options import Output
from misword.cli.output import bars, check_output, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.io.files.sources import recorded
from misword.io.lexicons import read_lexicon
from misword.io.options import LexiconOptions

if TYPE_CHECKING:
    from misword.bli.evaluation.inputs import Gold


class EvaluateArguments(TypedDict, total=False):
    """The files, and how rates are printed."""

    mappings: Annotated[
        list[str],
        Option(
            "files that `misword map` wrote; b.map:retriever=csls names the retriever of one; none "
            "are needed with --candidates",
            metavar="MAPPING",
            positional=True,
            values="+",
            is_file=True,
        ),
    ]
    gold: Annotated[
        str,
        Option(
            "the gold lexicon: words and translations separated by tabs or spaces, .csv, .jsonl; "
            "- for stdin",
            default="",  # with --candidates, the only file is GOLD, which `run` checks
            metavar="GOLD",
            positional=True,
            is_file=True,
        ),
    ]
    k: Annotated[
        tuple[int, ...],
        Option(
            "numbers of candidates",
            default=K_VALUES,
            metavar="LIST",
            read=numbers,
            common=True,
        ),
    ]
    further_gold: Annotated[
        list[str],
        Option(
            "another gold lexicon, for a table of rates by lexicon; may be repeated",
            default=(),
            metavar="FILE",
            repeated=True,
            is_file=True,
        ),
    ]
    truncate: Annotated[
        bool,
        Option(
            "truncate percentages to two decimals, as in Denisova's tables, instead of rounding",
            default=False,
        ),
    ]


OPTIONS = (EvaluateArguments, EvaluateOptions, LexiconOptions, Output)
EXAMPLES = """\
examples:
  misword evaluate en-fr.map en-fr.5000-6500.txt
  misword evaluate en-fr.map gold.tsv --k 1,5,10 --retriever csls,nn
  misword evaluate en-fr.map gold.txt --retriever csls,reranked,reranked:spelling=false
  misword evaluate en-fr.map en-fr.map:retriever=csls other.map gold.txt
  misword evaluate muse.map vecmap.map gold.txt --oov error --report mappings.html
  misword evaluate cs-sk.map CS-SK_eval_DF.csv --retriever nn --truncate
  misword evaluate en-de.map clean.tsv --gold-flags
  misword evaluate et-sk.map ET-SK_EVAL_DF.csv --by et_pos_tag --out results/
  misword evaluate en-fr.map gold.txt --by pos --source-lang en --unseen
  misword evaluate en-de.map gold.txt --lemmas de --lemma-rule both
  misword evaluate en-fr.map gold.txt --candidates other-tool.tsv
  misword evaluate en-fr.map muse.txt --further-gold own.tsv --max-words 50000,200000
"""


def run(options: argparse.Namespace) -> None:
    """Evaluate, and write and print the rates."""
    from misword.bli.evaluate import evaluate

    if not options.gold:
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
            **chosen(options, EvaluateOptions),
        )
    result = evaluation.result(provenance(options, "evaluate", hashes))
    write_output(result, options)
    note(*evaluation.notes)
    print_result(result, options.format, facts={"signatures": evaluation.signatures})


def _read_gold(options: argparse.Namespace, hashes: dict[str, str]) -> Gold:
    """Read the gold lexicons, several by name, and add the hashes of their files to `hashes`."""
    with recorded() as file_hashes:
        lexicon = read_lexicon(options.gold, **chosen(options, LexiconOptions))
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
