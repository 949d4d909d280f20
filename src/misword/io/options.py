"""Options for the formats, columns and sides of files: transcripts, lexicons, dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Annotated, Literal, TypedDict

from misword.core.options import Group, Need, Option, listed

READING = Group("reading")
INPUTS = Group("inputs")


def one_format(text: str) -> str:
    """Read the name of a format; that of the hypotheses has an option of its own."""
    if "," in text:
        raise ValueError(f"{text} are two formats: name that of HYP by --hypothesis-format")
    return text


def column_name(text: str) -> str:
    """Return the name of a column as it is after reading."""
    from misword.io.transcripts.columns import plain_name

    return plain_name(text)


def column_names(text: str) -> list[str]:
    """Return the names in a list of columns that is separated by commas.

    >>> column_names("speaker, noise")
    ['speaker', 'noise']
    """
    return [column_name(name) for name in (name.strip() for name in text.split(",")) if name]


class FileReading(TypedDict, total=False):
    """How one file is read."""

    input_format: Annotated[
        str | None,
        Option(
            "format of the files (default: recognised by name and content)",
            metavar="FORMAT",
            read=one_format,
            group=READING,
            registry="formats",
            was="format",
        ),
    ]
    encoding: Annotated[
        str | None,
        Option(
            "encoding of the files, such as latin-1 or utf-16 (default: UTF-8)",
            metavar="NAME",
            group=READING,
        ),
    ]
    id_column: Annotated[
        str | None, Option("column with the utterance ids", metavar="NAME", group=READING)
    ]


class ListReading(FileReading, total=False):
    """How a file of N-best lists is read."""

    hypothesis_column: Annotated[
        str | None, Option("column with the hypotheses", metavar="NAME", group=READING)
    ]


class BothSides(FileReading, total=False):
    """How the files of both sides are read."""

    hypothesis_format: Annotated[
        str | None,
        Option(
            "format of the hypotheses, if it is not that of the references",
            metavar="FORMAT",
            group=READING,
            registry="formats",
        ),
    ]
    reference_column: Annotated[
        str | None, Option("column with the references", metavar="NAME", group=READING)
    ]


class CheckReading(BothSides, total=False):
    """How files that are checked are read."""

    hypothesis_column: Annotated[
        str | None, Option("column with the hypotheses", metavar="NAME", group=READING)
    ]


class SideReading(BothSides, total=False):
    """How the files of both sides are read, and what happens to missing hypotheses."""

    hypothesis_column: Annotated[
        str | Sequence[str] | None,
        Option(
            "column with the hypotheses; A,B for several systems in one table",
            metavar="NAME",
            read=listed,
            group=READING,
        ),
    ]
    missing: Annotated[
        Literal["error", "skip", "delete"],
        Option(
            "utterances without a hypothesis: an error, left out (skip), or scored with all their "
            "words deleted (delete)",
            default="error",
            group=READING,
        ),
    ]
    names: Annotated[
        Sequence[str] | None,
        Option(
            "names of the systems (default: the names of the files)",
            metavar="A,B",
            read=listed,
            group=READING,
            common=True,
        ),
    ]


class Merging(TypedDict, total=False):
    """How several references and divided recordings become one text."""

    merge: Annotated[
        Literal["any", "majority", "whole"],
        Option(
            "how several references are merged: in each place any of them is right (any), or what "
            "most of them have (majority); or each utterance is compared with the nearest of the "
            "whole texts (whole)",
            default="any",
            group=READING,
            needs=("more_references",),
        ),
    ]
    join: Annotated[
        str | None,
        Option(
            "join the utterances of each recording before scoring, so that both sides may be "
            "divided differently: `recording`, or a metadata column with the name of the recording",
            metavar="COLUMN",
            read=column_name,
            group=READING,
        ),
    ]


class Reading(SideReading, Merging, total=False):
    """How references and hypotheses are read and paired."""

    metadata: Annotated[
        Sequence[str | PathLike[str]],
        Option(
            "table with further columns by utterance id, or Kaldi's utt2spk or segments; may be "
            "repeated",
            default=(),
            metavar="FILE",
            repeated=True,
            is_file=True,
            group=READING,
            needs=(
                "by",
                Need("block", "COLUMN", lambda block: isinstance(block, str)),
                "join",
                "entities",
                "translation_references",
                "out",
                "report",
            ),
        ),
    ]
    categorical: Annotated[
        Sequence[str],
        Option(
            "metadata columns whose numbers are names, such as dialect,level: they are compared "
            "by value, not by their mean (speaker, columns of ids, and whole numbers with few "
            "distinct values are so by default)",
            default=(),
            metavar="COLUMNS",
            read=column_names,
            group=READING,
        ),
    ]
    more_references: Annotated[
        Sequence[str | PathLike[str]],
        Option(
            "another file of references: where references differ, each of them is right (--merge); "
            "may be repeated",
            default=(),
            metavar="FILE",
            repeated=True,
            is_file=True,
            group=READING,
            was="reference",
        ),
    ]
    segments: Annotated[
        Literal["auto", "as-they-are", "transfer", "recording"],
        Option(
            "if references are divided into other segments than hypotheses: align each recording "
            "and cut the hypotheses at the segments of the references (transfer), or join the "
            "segments (recording); auto: transfer if only the recordings are the same, or if "
            "references of whole recordings have turns of speakers",
            default="auto",
            group=READING,
        ),
    ]
    alternatives_from: Annotated[
        str | PathLike[str] | None,
        Option(
            "verbalisations of the tagged words of nlp references, as alternatives: a file "
            "(.norm.json), or a folder with one for each recording",
            metavar="PATH",
            is_file=True,
            group=READING,
        ),
    ]
    tags_from: Annotated[
        str | PathLike[str] | None,
        Option(
            "types of the entities of nlp references: a file (.wer_tag.json), or a folder",
            metavar="PATH",
            is_file=True,
            group=READING,
        ),
    ]


class LexiconReading(TypedDict, total=False):
    """How a lexicon is read."""

    columns: Annotated[
        Sequence[str] | None,
        Option(
            "columns of the words and the translations in GOLD (default: the first two)",
            metavar="LIST",
            read=listed,
            group=READING,
        ),
    ]
    input_format: Annotated[
        str | None,
        Option(
            "format of GOLD: csv, tsv (with quoted fields), jsonl, parquet",
            metavar="FORMAT",
            group=READING,
            was="format",
        ),
    ]


class LexiconOptions(LexiconReading, total=False):
    """The options of `misword.read_lexicon`."""

    lower: Annotated[
        bool,
        Option("convert the gold lexicon to lower case", default=False, group=READING),
    ]


class DictionaryReading(TypedDict, total=False):
    """How dictionaries are read."""

    reverse: Annotated[
        bool,
        Option("the dictionaries have the target language first", default=False, group=INPUTS),
    ]
    input_format: Annotated[
        str | None,
        Option(
            "format of the dictionaries (default: recognised by content)",
            metavar="FORMAT",
            group=INPUTS,
            registry="dictionary_formats",
            was="format",
        ),
    ]
    keep_going: Annotated[
        bool,
        Option(
            "skip and count entries that cannot be read",
            default=False,
            group=INPUTS,
            recorded=False,
        ),
    ]
