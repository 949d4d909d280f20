"""Options that name files of transcripts, and the function that reads these files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, get_args

from misword.cli.printing import note
from misword.core.errors import OptionError
from misword.core.types import Corpus
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.list_files import read_lists
from misword.io.transcripts.missing import Missing
from misword.io.transcripts.plain_names import plain_name
from misword.io.transcripts.read import read_corpus

if TYPE_CHECKING:
    import polars as pl


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare the options for files of transcripts, their formats and columns."""
    parser.add_argument(
        "reference",
        metavar="REF",
        help="references: a file, - for stdin, or a folder with a file for each recording",
    )
    parser.add_argument(
        "hypotheses",
        metavar="HYP",
        nargs="*",
        help="one file or folder per system; none if REF also has the hypotheses (a NeMo manifest, "
        "a CSV)",
    )
    group = add_reading(parser)
    group.add_argument(
        "--metadata",
        metavar="FILE",
        action="append",
        default=[],
        help="table with further columns by utterance id, or Kaldi's utt2spk or segments; may be "
        "repeated",
    )
    _add_references(group)


def add_reading(parser: argparse.ArgumentParser) -> Any:
    """Declare the options for formats, columns and missing utterances; return their group."""
    group = parser.add_argument_group("reading")
    known = ", ".join(FORMATS.names())
    group.add_argument(
        "--input-format",
        metavar="FORMAT",
        help=f"{known} (default: recognised by name and content); REF,HYP for two formats",
    )
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="encoding of the files, such as latin-1 or utf-16 (default: UTF-8)",
    )
    group.add_argument("--id-column", metavar="NAME", help="column with the utterance ids")
    group.add_argument("--reference-column", metavar="NAME", help="column with the references")
    group.add_argument(
        "--hypothesis-column",
        metavar="NAME",
        help="column with the hypotheses; A,B for several systems in one table",
    )
    group.add_argument(
        "--missing",
        choices=get_args(Missing),
        default="error",
        help="utterances without a hypothesis: an error (default), left out (skip), or scored with "
        "all their words deleted (delete)",
    )
    group.add_argument(
        "--names", metavar="A,B", help="names of the systems (default: the names of the files)"
    )
    return group


def _add_references(group: Any) -> None:
    """Declare the options for further references, their sidecars, and recordings."""
    group.add_argument(
        "--reference",
        dest="more_references",
        metavar="FILE",
        action="append",
        default=[],
        help="another file of references: each utterance is compared with the reference that has "
        "the fewest errors; may be repeated",
    )
    group.add_argument(
        "--join",
        metavar="COLUMN",
        type=plain_name,
        help="join the utterances of each recording before scoring, so that both sides may be "
        "divided differently: `recording`, or a metadata column with the name of the recording",
    )
    group.add_argument(
        "--alternatives-from",
        metavar="PATH",
        help="verbalisations of the tagged words of nlp references, as alternatives: a file "
        "(.norm.json), or a folder with one for each recording",
    )
    group.add_argument(
        "--tags-from",
        metavar="PATH",
        help="types of the entities of nlp references: a file (.wer_tag.json), or a folder",
    )


def read_list_file(
    path: str, options: argparse.Namespace, reference: str | None = None
) -> pl.DataFrame:
    """Read all hypotheses of a file of N-best lists, by the options; print notes on the reading."""
    lists, notes = read_lists(
        path,
        reference=reference,
        format=options.input_format,
        encoding=options.encoding,
        id_column=options.id_column,
        text_column=options.hypothesis_column,
    )
    for text in notes:
        note(text)
    return lists


def read_files(options: argparse.Namespace, *, nbest: bool = False) -> Corpus:
    """Read the corpus that the options name; print notes on what was left out.

    With `nbest`, it has all hypotheses of N-best lists.
    """
    _refuse_unread_alternatives(options)
    formats = [name for name in (options.input_format or "").split(",") if name]
    same = (
        "more_references", "encoding", "id_column", "reference_column", "metadata",
        "alternatives_from", "tags_from", "join", "missing",
    )  # fmt: skip
    columns = options.hypothesis_column
    corpus, notes = read_corpus(
        options.reference,
        options.hypotheses,
        format=formats[0] if formats else None,
        hypothesis_format=formats[1] if len(formats) > 1 else None,
        hypothesis_column=None if columns is None else columns.split(","),
        names=options.names.split(",") if options.names is not None else None,
        nbest=nbest,
        **{name: getattr(options, name) for name in same},
    )
    for text in notes:
        note(text)
    return corpus


def _refuse_unread_alternatives(options: argparse.Namespace) -> None:
    """Raise if references are to have alternatives that --no-alternatives would read as text."""
    if getattr(options, "alternatives", True):
        return
    for name in ("--reference", "--alternatives-from"):
        if options.more_references if name == "--reference" else options.alternatives_from:
            raise OptionError(
                f"{name} makes alternatives, which --no-alternatives reads as text",
                fix=f"leave {name} or --no-alternatives out",
            )
