"""Numbers on the command line, within limits that keep a mistyped one from filling the memory."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import isfinite
from typing import Any

# Counts, such as words to read or rows to print. No input has more.
MOST = 2**31 - 1
MOST_RESAMPLES = 100_000
MOST_TRIALS = 10_000
MOST_WORKERS = 1_024
LARGEST_SEED = 2**63 - 1


def whole(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return a function for argparse that reads a whole number from `least` to `most`."""

    def read(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is below {least}")
        if number > most:
            raise argparse.ArgumentTypeError(f"{number} is too large: use at most {most:,}")
        return number

    read.__name__ = "whole number"
    return read


resamples = whole(0, MOST_RESAMPLES)
trials = whole(1, MOST_TRIALS)
workers = whole(1, MOST_WORKERS)
seed = whole(0, LARGEST_SEED)


def share(text: str) -> float:
    """Read a number between 0 and 1, for argparse."""
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no share such as 0.95")
    return number


def finite(text: str) -> float:
    """Read a finite number, for argparse."""
    number = float(text)
    if not isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is not finite")
    return number


def numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers from 1 on, separated by commas, for argparse."""
    found = tuple(dict.fromkeys(int(number) for number in text.split(",")))
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no list of numbers from 1 on, such as 1,5,10")
    return found


# Options for the language of texts, their vectors, and the cache of models.

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
