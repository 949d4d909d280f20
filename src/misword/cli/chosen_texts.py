"""Options of commands that read hypotheses, with references or without."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from misword.cli.inputs import Inputs, add_reading
from misword.cli.output import (
    check_output,
    input_files,
    note_unused,
    refuse_standard_output,
    write_output,
)
from misword.cli.printing import note
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.io.files.writing import check_path, together, write_whole
from misword.io.transcripts.read import read_unpaired
from misword.io.transcripts.writing import one_best_file

if TYPE_CHECKING:
    from misword.core.types import Result
    from misword.stat.scores import Scores


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Declare the references and how files are read."""
    parser.add_argument(
        "--reference",
        metavar="REF",
        help="references, to judge the texts by: a file, a folder, or the file of the hypotheses "
        "itself if it has both",
    )
    add_reading(parser)
    parser.set_defaults(
        more_references=[], metadata=[], join=None, alternatives_from=None, tags_from=None
    )


def add_texts_file(parser: argparse.ArgumentParser) -> None:
    """Declare the file for the texts."""
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="write the texts, one per utterance: .csv, .tsv, .jsonl, .trn, .txt (without ids), or "
        "else Kaldi's `id text`",
    )


def check_files(options: argparse.Namespace, name: str) -> None:
    """Raise, before any work, if an output cannot be written."""
    check_output(options)
    if options.output is not None:
        refuse_standard_output(options.output, f"-o {name}")
        check_path(options.output, name, input_files(options))


def read_hypotheses(inputs: Inputs, *, nbest: bool) -> Corpus:
    """Read the hypotheses of the options, with the references if these are named."""
    options = inputs.options
    if options.reference is not None:
        if options.hypotheses == [options.reference]:
            options.hypotheses = []
        return inputs.read_nbest() if nbest else inputs.read_corpus()
    columns = options.hypothesis_column
    with inputs.recording():
        corpus, notes = read_unpaired(
            options.hypotheses,
            format=options.input_format,
            encoding=options.encoding,
            id_column=options.id_column,
            columns=[] if columns is None else columns.split(","),
            names=options.names.split(",") if options.names is not None else None,
            missing=options.missing,
            nbest=nbest,
        )
    for text in notes:
        note(text)
    return corpus


# Output of commands that choose or combine texts, with references or without (mbr, combine).


def write_texts(texts: pl.DataFrame, result: Result, options: argparse.Namespace) -> None:
    """Write the texts to the file of `-o`, and the result, all of them or none."""
    with together():
        if options.output is not None:
            write_whole(one_best_file(texts, options.output), options.output)
        write_output(result, options)


def print_notes(scores: Scores | None, notes: Iterable[str], inputs: Inputs) -> None:
    """Print the notes on the scores, if there are references, and the notes on the texts."""
    if scores is not None:
        note_unused(inputs.options, scores, inputs.used_for_texts())
        notes = (*scores.notes, *notes)
    for text in notes:
        note(text)
