"""Build a gold set from dictionaries: a training lexicon and an evaluation set.

The criteria are those of Denisová and Rychlý (2023): words that are among the loaded vectors, no
multi-word units, chosen parts of speech, frequencies and numbers of senses, inflected forms, and no
lemma in both parts. --purpose sets defaults for all of them. The folder -o gets train.tsv,
evaluation.tsv, and a datasheet (datasheet.md, datasheet.json) with counts and what was left out.
"""

from __future__ import annotations

import argparse
from typing import Annotated, TypedDict

from misword.bli.options import BuildOptions
from misword.cli.options import Format
from misword.cli.output import bars, status
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.options import Option, chosen
from misword.io.options import INPUTS


class BuildArguments(TypedDict, total=False):
    """The dictionaries, and the vectors of both languages."""

    dictionaries: Annotated[
        list[str],
        Option(
            "dictionaries: tables (TSV, MUSE), TEI of FreeDict, apertium .dix, Wiktextract, "
            "StarDict .ifo, dictd .index",
            flags=("--from",),
            metavar="FILE",
            values="+",
            required=True,
            group=INPUTS,
            is_file=True,
        ),
    ]
    source_lang: Annotated[
        str,
        Option("source language: en, fr, ...", metavar="CODE", required=True, group=INPUTS),
    ]
    source_vectors: Annotated[
        str,
        Option(
            "word vectors of the source language, the most frequent words first",
            metavar="FILE",
            required=True,
            group=INPUTS,
            is_file=True,
        ),
    ]
    target_lang: Annotated[
        str,
        Option("target language: en, fr, ...", metavar="CODE", required=True, group=INPUTS),
    ]
    target_vectors: Annotated[
        str,
        Option(
            "word vectors of the target language, the most frequent words first",
            metavar="FILE",
            required=True,
            group=INPUTS,
            is_file=True,
        ),
    ]


OPTIONS = (BuildArguments, BuildOptions, Format)
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


def run(options: argparse.Namespace) -> None:
    """Build and write the gold set, and print what is in it."""
    from misword.bli.build import build

    with bars(), status("building"):
        gold = build(
            options.source_lang,
            options.target_lang,
            options.dictionaries,
            options.source_vectors,
            options.target_vectors,
            **chosen(options, BuildOptions),
        )
    note(*gold.notes)
    note(f"written to {options.output}: read datasheet.md there")
    print_result(gold.result(), options.format)
