"""Build a gold set from dictionaries: a training lexicon and an evaluation set.

The criteria are those of Denisová and Rychlý (2023): words that are among the loaded vectors, no
multi-word units, chosen parts of speech, frequencies and numbers of senses, inflected forms, and no
lemma in both parts. --purpose sets defaults for all of them. The folder -o gets train.tsv,
evaluation.tsv, and a datasheet (datasheet.md, datasheet.json) with counts and what was left out.
"""

from __future__ import annotations

import argparse
from typing import get_args

from misword.bli.build import build
from misword.bli.building.settings import (
    COMMON,
    CONTENT_WORDS,
    PURPOSES,
    Criteria,
    Disjoint,
    Forms,
)
from misword.cli.options import seed, whole
from misword.cli.output import add_format, bars, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.io.dictionaries import DICTIONARY_FORMATS

EXAMPLES = """\
examples:
  misword build --source-lang en --target-lang cs --from /usr/share/dictd/freedict-eng-ces.index \\
    --source-vectors en.vec --target-vectors cs.vec -o gold/
  misword build --source-lang et --target-lang sk --from dict.tsv more.tei --size 1500 \\
    --source-vectors et.vec --target-vectors sk.vec --purpose learners -o gold/
  misword build --source-lang en --target-lang fr --from wiktextract.jsonl.gz --size 2000 \\
    --source-vectors en.vec --target-vectors fr.vec --pos NOUN:50,VERB:30,ADJ:20 \\
    --bands 5000:50,50000:50 --senses 1-5 --exclude identical,names --forms expand -o gold/
  misword map en.vec cs.vec --lexicon gold/train.tsv -o en-cs.map
  misword evaluate en-cs.map gold/evaluation.tsv --by pos
"""
# Options of `misword.build` that have the same name on the command line.
PASSED = ("purpose", "reverse", "keep_going", "force", "audited", *Criteria.__annotations__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    _add_inputs(parser)
    _add_criteria(parser)
    group = parser.add_argument_group("words")
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}-lemmatizer",
            metavar="NAME",
            default="",
            help=f"lemmatizer of the {side} language (default: that of the language)",
        )
    group.add_argument(
        "--tagger",
        metavar="NAME",
        default="",
        help="tagger of the source language, for headwords to which the dictionary gives no part "
        "of speech (default: that of the language, if there is one)",
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", required=True, help="folder for the gold set"
    )
    parser.add_argument(
        "--no-audit",
        dest="audited",
        action="store_false",
        help="do not look for what `misword audit` flags in the evaluation set",
    )
    parser.add_argument("--force", action="store_true", help="replace an older gold set in -o")
    add_format(parser)


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inputs")
    group.add_argument(
        "--from",
        dest="dictionaries",
        metavar="FILE",
        nargs="+",
        required=True,
        help="dictionaries: tables (TSV, MUSE), TEI of FreeDict, apertium .dix, Wiktextract, "
        "StarDict .ifo, dictd .index",
    )
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}-lang", metavar="CODE", required=True, help=f"{side} language: en, fr, ..."
        )
        group.add_argument(
            f"--{side}-vectors",
            metavar="FILE",
            required=True,
            help=f"word vectors of the {side} language, the most frequent words first",
        )
    group.add_argument(
        "--input-format",
        metavar="NAME",
        help=f"format of the dictionaries: {', '.join(DICTIONARY_FORMATS.names())} (default: "
        "recognised by content)",
    )
    group.add_argument(
        "--reverse", action="store_true", help="the dictionaries have the target language first"
    )
    group.add_argument(
        "--keep-going", action="store_true", help="skip and count entries that cannot be read"
    )


def _add_criteria(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("criteria")
    learners = PURPOSES["learners"]
    group.add_argument(
        "--purpose",
        choices=tuple(PURPOSES),
        default="lexicography",
        help="lexicography: words of all frequencies and senses (default); learners: --bands "
        f"{learners['bands']} --senses {learners['senses']}",
    )
    for name, what in (("size", "the evaluation set"), ("train-size", "the training lexicon")):
        default = COMMON[name.replace("-", "_")]
        group.add_argument(
            f"--{name}",
            type=whole(0 if name == "train-size" else 1),
            metavar="N",
            help=f"headwords of {what} (default {default})",
        )
    group.add_argument(
        "--max-words",
        type=whole(1),
        metavar="N",
        help=f"only the first N words of each file of vectors (default {COMMON['max_words']})",
    )
    group.add_argument(
        "--pos",
        metavar="LIST",
        help="parts of speech of the evaluation set, with their shares (NOUN:50,VERB:50) or "
        f"without (default {CONTENT_WORDS}); an empty list takes all",
    )
    group.add_argument(
        "--bands",
        metavar="LIST",
        help="frequency bands of headwords by their highest ranks, with their shares "
        "(5000:60,50000:40) or without",
    )
    group.add_argument(
        "--senses", metavar="RANGE", help="number of senses of a headword: 1-3, 2-, 1"
    )
    group.add_argument(
        "--exclude", metavar="LIST", help="identical (words written alike), names (proper nouns)"
    )
    group.add_argument(
        "--forms",
        choices=get_args(Forms),
        help="words as they are in the dictionary (default), their lemmas, or expand: add the "
        "inflected forms of translations to the evaluation set",
    )
    group.add_argument(
        "--disjoint",
        choices=get_args(Disjoint),
        help="training and evaluation share no lemma of headwords (default), or of both sides",
    )
    group.add_argument("--seed", type=seed, metavar="N", help="seed of the draw (default 0)")


def run(options: argparse.Namespace) -> None:
    """Build and write the gold set, and print what is in it."""
    with bars(), status("building"):
        gold = build(
            options.source_lang,
            options.target_lang,
            options.dictionaries,
            options.source_vectors,
            options.target_vectors,
            format=options.input_format,
            out=options.output,
            analyzers={
                "source_lemmatizer": options.source_lemmatizer,
                "target_lemmatizer": options.target_lemmatizer,
                "tagger": options.tagger,
            },
            **{name: getattr(options, name) for name in PASSED},
        )
    for text in gold.notes:
        note(text)
    note(f"written to {options.output}: read datasheet.md there")
    print_result(gold.result(), options.format)
