"""Reading and writing of commands that take hypotheses with references or without."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from misword.cli.inputs import Inputs
from misword.cli.output import (
    check_output,
    input_files,
    note_unused,
    refuse_standard_output,
    write_output,
)
from misword.cli.printing import note
from misword.core.lazy import pl
from misword.core.options import chosen
from misword.core.types import Corpus
from misword.io.files.writing import check_path, together, write_whole
from misword.io.options import SideReading

if TYPE_CHECKING:
    from misword.core.types import Result
    from misword.stat.scores import Scores


def check_files(options: argparse.Namespace, name: str) -> None:
    """Raise, before any work, if an output cannot be written."""
    from misword.io.transcripts.writing import text_format

    check_output(options)
    if options.output is not None:
        refuse_standard_output(options.output, f"-o {name}")
        check_path(options.output, name, input_files(options))
        text_format(options.output)


def read_hypotheses(inputs: Inputs, *, nbest: bool) -> Corpus:
    """Read the hypotheses of the options, with the references if these are named."""
    from misword.io.transcripts.files import note_without_lists
    from misword.io.transcripts.read import read_corpus, read_unpaired

    options = inputs.options
    reading = chosen(options, SideReading)
    if options.references is None:
        corpus, notes = read_unpaired(options.hypotheses, nbest=nbest, **reading)
    else:
        both = options.hypotheses == [options.references]  # one file has both sides
        hypotheses = [] if both else options.hypotheses
        corpus, notes = read_corpus(options.references, hypotheses, nbest=nbest, **reading)
    note(*notes)
    if getattr(options, "ranks", 1) > 1:
        note(*note_without_lists(corpus))
    return corpus


# Output of commands that choose or combine texts, with references or without.


def write_texts(
    texts: Callable[[], pl.DataFrame], result: Result, options: argparse.Namespace
) -> None:
    """Write the texts to the file of `-o`, and the result, all of them or none."""
    from misword.io.transcripts.writing import one_best_file

    with together():
        if options.output is not None:
            write_whole(one_best_file(texts(), options.output), options.output)
        write_output(result, options)


def print_notes(scores: Scores | None, notes: Iterable[str], inputs: Inputs) -> None:
    """Print the notes on the scores, if there are references, and the notes on the texts."""
    if scores is not None:
        note_unused(inputs.options, scores, inputs.used_for_texts())
        notes = (*scores.notes, *notes)
    note(*notes)
