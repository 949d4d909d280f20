"""Options that only the command line has: files of transcripts, output, reports, shards."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import isfinite
from typing import Annotated, Any, Literal, TypedDict

from misword.core.errors import OptionError
from misword.core.options import Group, Option

GENERAL = Group("general options")
OUTPUT = Group("output")
SHARDS = Group(
    "shards",
    "With --engine, REF and HYP are folders or patterns of Parquet, CSV or JSON-lines files, local "
    "or URLs (s3://, gs://, https://). Each file is read in parts and scored by itself; the "
    "numbers are those of all files together. References and hypotheses are columns of one file, "
    "or file k of HYP has the utterances of file k of REF.",
)
TEXT_FORMATS = ".csv, .tsv, .jsonl, .trn, .txt (without ids), or else Kaldi's `id text`"


def size(text: str) -> int:
    """Read a number of bytes, such as 500M."""
    from misword.io.files.limits import parse_size

    try:
        return parse_size(text)
    except OptionError as error:
        raise ValueError(f"{error.what}: {error.fix}") from None


class General(TypedDict, total=False):
    """Options of every command."""

    quiet: Annotated[
        bool,
        Option(
            "print no notes and no progress; errors are printed",
            flags=("-q", "--quiet"),
            default=False,
            group=GENERAL,
        ),
    ]
    debug: Annotated[bool, Option("print the traceback of an error", default=False, group=GENERAL)]
    max_bytes: Annotated[
        int | None,
        Option(
            "the most bytes of an input after decompression, such as 500M or 4G (default: 1G for "
            "files that are read into memory, and 200 times the size of compressed files)",
            metavar="SIZE",
            read=size,
            group=GENERAL,
        ),
    ]


class Texts(TypedDict, total=False):
    """The files of both sides."""

    reference: Annotated[
        str,
        Option(
            "references: a file, - for stdin, or a folder with a file for each recording",
            metavar="REF",
            positional=True,
            is_file=True,
        ),
    ]
    hypotheses: Annotated[
        list[str],
        Option(
            "one file or folder per system; none if REF also has the hypotheses (a NeMo manifest, "
            "a CSV)",
            metavar="HYP",
            positional=True,
            values="*",
            is_file=True,
        ),
    ]


class Format(TypedDict, total=False):
    """How results are printed."""

    format: Annotated[
        Literal["table", "json", "csv", "md"],
        Option(
            "output format: a table, JSON, CSV or Markdown",
            default="table",
            group=OUTPUT,
            common=True,
            recorded=False,
        ),
    ]
    keep_formulas: Annotated[
        bool,
        Option(
            "in csv, write text that begins with = + - @ as it is; without this option it has an "
            "apostrophe before it, so that no spreadsheet program calculates it",
            default=False,
            group=OUTPUT,
            recorded=False,
        ),
    ]


class Out(Format, total=False):
    """How results are printed, and the result folder."""

    out: Annotated[
        str | None,
        Option(
            "also write a result folder (JSON, Parquet)",
            metavar="DIR",
            group=OUTPUT,
            common=True,
            recorded=False,
        ),
    ]
    force: Annotated[
        bool,
        Option("replace an older result in --out", default=False, group=OUTPUT, recorded=False),
    ]


class Output(Out, total=False):
    """How results are printed, the result folder, and the report."""

    report: Annotated[
        str | None,
        Option(
            "also write a report (one HTML file)",
            metavar="FILE",
            group=OUTPUT,
            common=True,
            recorded=False,
        ),
    ]
    title: Annotated[
        str | None,
        Option(
            "title of the report, such as the name of the data; the result records it",
            metavar="TEXT",
            group=OUTPUT,
        ),
    ]


class Audio(TypedDict, total=False):
    """The audio that a report plays."""

    audio: Annotated[
        str | None,
        Option(
            "folder with the audio of the utterances, for the report: files named as the utterance "
            "ids or the recordings (.wav, .flac, .mp3, ...); without it, the column audio_filepath "
            "names them",
            metavar="DIR",
            group=OUTPUT,
        ),
    ]


class Shards(TypedDict, total=False):
    """Where shards are processed."""

    engine: Annotated[
        str | None,
        Option(
            "where shards are processed: serial, process, ray, or ray://HEAD:10001 for a cluster "
            "that runs; shards that are finished in --out (of corrupt: in -o) are not processed "
            "again",
            metavar="NAME",
            group=SHARDS,
            registry="engines",
            recorded=False,
        ),
    ]
    keep_going: Annotated[
        bool,
        Option(
            "leave out shards that cannot be used; notes name them",
            default=False,
            group=SHARDS,
            recorded=False,
        ),
    ]


class TextsFile(TypedDict, total=False):
    """The file for chosen texts."""

    output: Annotated[
        str | None,
        Option(
            f"write the texts, one per utterance: {TEXT_FORMATS}",
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]


class JudgingReferences(TypedDict, total=False):
    """References that texts are judged by."""

    references: Annotated[
        str | None,
        Option(
            "references, to judge the texts by: a file, a folder, or the file of the hypotheses "
            "itself if it has both",
            metavar="REF",
            common=True,
            is_file=True,
            was="reference",
        ),
    ]


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
