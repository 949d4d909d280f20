"""Options for the language of texts, their vectors, and the cache of models."""

from __future__ import annotations

import argparse
from typing import Any

from misword.cli.numbers import whole

# What the language and the vectors are used for, in commands that score and in those that make
# noise; shown in the help.
SCORING = (
    "selects lemmatizer, tagger and phonemizer for ler, lcer, uposer, dposer and per, and the "
    "encoder for semdist",
    "wer-e, wer-s, ember and semdist:encoder=sif",
)
NOISE = (
    "selects the phonemizer of the channels voleti, phonetic and confusion, and word lists",
    "the channel voleti",
)


def add_context(parser: argparse.ArgumentParser, purpose: tuple[str, str] = SCORING) -> Any:
    """Declare the options for language and vectors; return their group, to add more to it."""
    parser.set_defaults(cache=False)
    group = parser.add_argument_group("language and meaning")
    group.add_argument(
        "--lang",
        metavar="CODE",
        help=f"language of the texts (en, fr, ...): {purpose[0]}; `misword parts --lang fr` lists "
        "them",
    )
    group.add_argument(
        "--vectors",
        metavar="FILE",
        help=f"word vectors for {purpose[1]}: word2vec, fastText (.vec, .bin), GloVe, .npz; "
        "read once, then loaded from the cache (`misword vectors` inspects them)",
    )
    group.add_argument(
        "--max-words", type=whole(1), metavar="N", help="read only the first N vectors"
    )
    group.add_argument(
        "--vector-format",
        metavar="NAME",
        help="default: recognised by content; `misword parts vector_formats` lists the formats",
    )
    return group


def add_cache(group: Any) -> None:
    """Declare the option that stores results of models on disk."""
    group.add_argument(
        "--cache",
        action="store_true",
        help="store on disk what models compute for sentences (semdist, bertscore, encoders); the "
        "next run computes only new sentences",
    )
