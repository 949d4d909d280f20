"""Doubt references: merge several of them, find suspects, and correct them by people's verdicts.

With several references, the places where they differ become alternatives, `{ gonna / going to }`,
which every command reads; the table says how far the references agree with each other.

With --systems, spans where independent systems agree against the first reference are suspects,
ranked by the probability of an error: how many systems agree and how independent they are, how
alike both texts sound, how likely they are in the language of the references, how often the same
was found elsewhere. Write a verdict on each into the file of -o (.tsv, .csv, .xlsx), or judge them
on the page of --report: reference, consensus, both, or text with another text. --judged reads
verdicts again, of several reviewers if there are several files, and --corrected writes the first
reference in its own format with what was agreed, and a list of changes beside it.

The rates of all systems are given with the references as they are, corrected, and corrected without
the system itself: no system corrects its own exam.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.asr.options import ReferencesOptions
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import CSV, Audio, Output
from misword.cli.output import bars, check_output, input_files, status, write_output
from misword.cli.printing import note
from misword.cli.rendering import print_result
from misword.core.errors import OptionError
from misword.core.options import Need, Option, chosen
from misword.io.files.writing import check_path, together, whole_files
from misword.io.options import Merging, SideReading

if TYPE_CHECKING:
    from misword.asr.references.references import References
    from misword.core.types import Corpus

EXAMPLES = """\
examples:
  misword references a.txt b.txt c.txt -o merged.txt
  misword references a.stm b.stm --merge majority -o merged.tsv
  misword references ref.txt --systems s1.txt s2.txt s3.txt -o suspects.tsv --report suspects.html
  misword references ref.txt --systems s1.txt s2.txt s3.txt --judged anna.json ben.json \\
    --corrected ref.fixed.txt
  misword references ref.txt --judged suspects.tsv --corrected ref.fixed.txt
"""
CHANGES = ".changes.tsv"
VERDICT_SUFFIXES = (".tsv", ".csv", ".xlsx", ".json", ".html")


class ReferenceArguments(TypedDict, total=False):
    """The references, the systems that contradict them, and the verdicts of people."""

    references: Annotated[
        list[str],
        Option(
            "references: files, or folders with a file for each recording; the others are merged "
            "into the first, and suspects are those of the first",
            metavar="REF",
            positional=True,
            values="+",
            is_file=True,
        ),
    ]
    systems: Annotated[
        list[str],
        Option(
            "what recognisers wrote: a file or folder for each; two or more",
            default=(),
            metavar="HYP",
            values="+",
            common=True,
            is_file=True,
        ),
    ]
    output: Annotated[
        str | None,
        Option(
            "write the suspects for reviewers (.tsv, .csv, .xlsx, .html, .json); without --systems "
            "the merged references (.txt, .trn, or else Kaldi's `id text`; .csv, .tsv, .jsonl and "
            ".parquet also have the votes)",
            flags=("-o", "--output"),
            metavar="FILE",
            common=True,
        ),
    ]
    judged: Annotated[
        list[str],
        Option(
            "verdicts of people: files of -o that they filled in, or those that the page saves",
            default=(),
            metavar="FILE",
            values="+",
            common=True,
            is_file=True,
        ),
    ]
    corrected: Annotated[
        str | None,
        Option(
            "write the first reference with the corrections that the verdicts make, in its own "
            f"format, and the changes to FILE{CHANGES}",
            metavar="FILE",
            common=True,
            needs=("judged",),
        ),
    ]


CSV_FILE = Need("output", "FILE.csv", lambda path: str(path or "").lower().endswith(".csv"))
OPTIONS = (ReferenceArguments, ReferencesOptions, Merging, SideReading, Output, Audio)
NEEDS = {
    "bootstrap": (),
    "merge": ("references",),
    "keep_formulas": (CSV, CSV_FILE),
}
IGNORED = {"hypothesis_column": "a system is a file"}


def run(options: argparse.Namespace) -> None:
    """Read the texts, write merged or corrected references and suspects, print the tables."""
    from misword.asr.references.references import references

    _check(options)
    inputs = Inputs(options)
    with bars(), status("doubting references"), inputs.reading():
        found = references(
            lambda: _read(options, inputs),
            merge=options.merge,
            judged=options.judged,
            **chosen(options, ReferencesOptions),
        )
    result = found.result(provenance(options, "references", inputs.hashes))
    notes: tuple[str, ...] = ()
    with together():
        if options.output is not None:
            _write(found, options)
        if options.corrected is not None:
            notes = _write_corrected(found, options)
        write_output(result, options)
    note(*found.notes, *notes)
    print_result(result, options.format)


def _check(options: argparse.Namespace) -> None:
    """Raise, before any work, if the options contradict each other or a file cannot be written."""
    check_output(options)
    several, inputs = len(options.references) > 1, list(input_files(options))
    if not several and not options.systems and not options.judged:
        raise OptionError(
            "one reference and nothing to compare it with",
            fix="name further references, systems (--systems A B C), or verdicts (--judged FILE)",
        )
    if options.output is not None:
        judging = bool(options.systems or options.judged)
        check_path(options.output, "suspects.tsv" if judging else "merged.txt",
                   [*options.references, *options.systems])  # fmt: skip
        if judging:
            _check_suspects(options)
        else:
            from misword.io.transcripts.writing import text_format

            text_format(options.output)
    if options.corrected is not None:
        if not options.judged:
            raise OptionError("--corrected without verdicts", fix="name them: --judged FILE")
        if options.join is not None:
            raise OptionError(
                "--corrected beside --join: the verdicts are about joined utterances",
                fix="leave out --join, or correct a file with one utterance for each recording",
            )
        if not os.path.isdir(options.references[0]):
            check_path(options.corrected, "ref.fixed.txt", inputs)
        check_path(options.corrected.rstrip("/") + CHANGES, "changes.tsv", inputs)


def _check_suspects(options: argparse.Namespace) -> None:
    from misword.io.lexicon_writing import check_format
    from misword.io.verdicts import check_replaced

    if not options.output.lower().endswith(VERDICT_SUFFIXES):
        raise OptionError(
            "suspects are written to tables",
            where=options.output,
            fix=f"name a file that ends with {', '.join(VERDICT_SUFFIXES)}",
        )
    if not options.output.lower().endswith(".json"):
        check_format(options.output)
    check_replaced(options.output, options.judged, ("id", "utterance"))


def _read(options: argparse.Namespace, inputs: Inputs) -> Corpus:
    """Return the first references with the systems; of verdicts alone, without systems."""
    from misword.io.transcripts.files import CorpusFiles

    first, *others = options.references
    reading: dict[str, Any] = {
        **chosen(options, SideReading, Merging),
        "more_references": others,
        "metadata": (),
        "categorical": (),
        "alternatives_from": None,
        "tags_from": None,
        "hypothesis_column": None,
    }
    # Without systems, the references stand where a corpus has hypotheses.
    systems = options.systems or [first]
    names = options.names if options.systems else [""]
    files = inputs.noted(CorpusFiles(first, systems, {**reading, "names": names}))
    return files()


def _write(found: References, options: argparse.Namespace) -> None:
    """Write the suspects, or the merged references."""
    if options.systems or options.judged:
        found.write_suspects(options.output, formulas=options.keep_formulas)
        return
    from misword.io.transcripts.writing import list_file, one_best_file, text_format

    table = found.merged_table()
    tables = ("csv", "tsv", "jsonl", "parquet")
    with_votes = text_format(options.output) in tables
    data = (list_file if with_votes else one_best_file)(table, options.output)
    with whole_files([options.output]) as (file,):
        file.write(data)


def _write_corrected(found: References, options: argparse.Namespace) -> tuple[str, ...]:
    """Write the corrected reference and the list of changes; return notes."""
    from misword.io.transcripts.columns import Columns
    from misword.io.transcripts.corrections import write_corrected

    corrections = found.decisions.corrections() if found.decisions else {}
    notes = write_corrected(
        options.references[0],
        options.corrected,
        corrections,
        Columns("reference", options.id_column, options.reference_column),
        input_format=options.input_format,
        encoding=options.encoding,
    )
    found.write_changes(options.corrected.rstrip("/") + CHANGES)
    return notes
