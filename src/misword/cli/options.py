"""Options that only the command line has: files of transcripts, output, reports, shards."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from misword.core.errors import OptionError
from misword.core.options import Group, Need, Option

GENERAL = Group("general options")
OUTPUT = Group("output")
SHARDS = Group(
    "shards",
    "With --engine, the inputs are folders or patterns of Parquet, CSV or JSON-lines files, local "
    "or URLs (s3://, gs://, https://). Each file is read in parts and processed by itself; the "
    "numbers are those of all files together. References and hypotheses are columns of one file, "
    "or file k of HYP has the utterances of file k of REF.",
)
TEXT_FORMATS = ".csv, .tsv, .jsonl, .trn, .txt (without ids), or else Kaldi's `id text`"


CSV = Need("format", "csv", lambda form: form == "csv")


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
            needs=(CSV,),
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
            "where shards are processed: serial, process, ray, ray://HEAD:10001 for a cluster "
            "that runs, or auto (serial if they are small, else process); shards that are finished "
            "in --out (of corrupt: in -o) are not processed again",
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
            metavar="FILE",
            common=True,
            is_file=True,
            was="reference",
        ),
    ]
