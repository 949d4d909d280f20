"""Look for mistakes in the data: is it what you think it is?

The checks find lines that have slipped, blocks that were swapped, doubled utterances, empty and
untranslated lines, a wrong language or script, case, punctuation and tokenisation that only one
side has, hypotheses that were copied from the references, lengths that cannot belong together, ids
that match by accident, characters in a wrong encoding, and test sentences that are in the training
data. Each finding has its place, its evidence and the command that would mend it.

The files may have different numbers of lines. An error means that scores of these files mean
nothing, a warning that they are probably not what you want; a note is something to know. The exit
code is 0, or 1 with `--strict` if there is an error or a warning.
"""

from __future__ import annotations

import argparse
from typing import Any

from misword.asr.checking.check import CheckedFile, CheckResult, check, read_checked
from misword.asr.checking.texts import CheckedTexts
from misword.asr.checks import CHECKS
from misword.cli.inputs import Inputs, add_output, provenance
from misword.cli.output import add_format, check_output, status, write_output
from misword.cli.printing import code_span, print_json, print_markdown, print_text
from misword.cli.rendering import print_described, print_result
from misword.core.errors import OptionError
from misword.core.types import Result
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.read import refuse_two_stdins
from misword.stat.descriptions.checks import examples_table, findings_table

EXAMPLES = """\
examples:
  misword check ref.txt hyp.txt
  misword check ref.fr a.fr b.fr --lang fr --strict
  misword check ref.fr hyp.fr --translations hyp.en --translation-references ref.en
  misword check ref.txt hyp.txt --training train.txt --format json
  misword check ref.txt hyp.txt --checks shifts,lengths --report check.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "reference", metavar="REF", help="references: a file, - for stdin, or a folder"
    )
    parser.add_argument(
        "hypotheses",
        metavar="HYP",
        nargs="*",
        help="one file or folder per system; none if REF also has the hypotheses, or is to be "
        "checked by itself",
    )
    parser.add_argument(
        "--checks",
        metavar="LIST",
        help=f"{', '.join(CHECKS.entries())} (default: all); `misword parts checks` lists them",
    )
    parser.add_argument(
        "--lang", metavar="CODE", help="language that references and hypotheses should have"
    )
    parser.add_argument(
        "--vectors",
        metavar="FILE",
        help="word vectors of the language, which say what usual words are, for the check "
        "`memorised`",
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit code 1 if there is an error or a warning"
    )
    _add_files(parser)
    add_format(parser)
    add_output(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    """Declare the options for further files, and for formats and columns."""
    group = parser.add_argument_group("further files")
    group.add_argument(
        "--translations",
        metavar="FILE",
        action="append",
        default=[],
        help="translations of a system's hypotheses; one option for each HYP, in the same order",
    )
    group.add_argument("--translation-references", metavar="FILE", help="reference translations")
    group.add_argument(
        "--training",
        "--lexicon",
        metavar="FILE",
        action="append",
        default=[],
        help="texts or a lexicon that a system was trained on; may be repeated",
    )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--input-format",
        metavar="FORMAT",
        help=f"{', '.join(FORMATS.names())} (default: recognised by name and content); REF,HYP for "
        "two formats",
    )
    group.add_argument("--encoding", metavar="NAME", help="encoding of the files (default: UTF-8)")
    group.add_argument("--id-column", metavar="NAME", help="column with the utterance ids")
    group.add_argument("--reference-column", metavar="NAME", help="column with the references")
    group.add_argument("--hypothesis-column", metavar="NAME", help="column with the hypotheses")


def run(options: argparse.Namespace) -> int:
    """Make the checks, print and write the findings, and return the exit code."""
    check_output(options)
    if options.translation_references and not options.translations:
        raise OptionError(
            "reference translations without translations", fix="name them: --translations FILE"
        )
    inputs = Inputs(options)

    def read() -> CheckedTexts:
        with inputs.recording():
            return _read(options)

    with status("checking"):
        found = check(read, checks=options.checks, lang=options.lang, vectors=options.vectors)
    result = found.result(provenance(options, "check", inputs.hashes))
    write_output(result, options)
    if options.format == "json":
        print_json(_summary(found))
    elif options.format == "csv":
        print_result(result, "csv")
    else:
        _print(found, result, marked=options.format == "md")
    return 1 if options.strict and not found.is_sound else 0


def _read(options: argparse.Namespace) -> CheckedTexts:
    """Read the files that the options name."""
    translations = options.translations
    if translations and len(translations) != len(options.hypotheses):
        raise OptionError(
            f"{len(translations)} files of translations for {len(options.hypotheses)} systems",
            fix="name one for each HYP, in their order",
        )
    targets = options.translation_references
    others = [*translations, *options.training, *([targets] if targets else [])]
    refuse_two_stdins([options.reference, *options.hypotheses, *others])
    formats = [name for name in (options.input_format or "").split(",") if name] or [None]

    def file(path: str, form: str | None = None, column: str | None = None) -> CheckedFile:
        return CheckedFile(path, form, options.encoding, options.id_column, column)

    return read_checked(
        options.reference,
        [file(path, formats[-1], options.hypothesis_column) for path in options.hypotheses],
        reading=file(options.reference, formats[0], options.reference_column),
        translations=[CheckedFile(path, encoding=options.encoding) for path in translations],
        translation_references=CheckedFile(targets, encoding=options.encoding) if targets else None,
        training=[CheckedFile(path, encoding=options.encoding) for path in options.training],
    )


def _summary(found: CheckResult) -> dict[str, Any]:
    """Return the findings for programs."""
    names = (
        "check", "severity", "file", "side", "message", "place", "first", "last", "first_id",
        "last_id", "count", "other", "mend",
    )  # fmt: skip
    example_names = ("line", "text", "other_line", "other")
    return {
        "sound": found.is_sound,
        "checks": list(found.checks),
        "findings": [
            {
                **{name: getattr(finding, name) for name in names},
                "evidence": dict(finding.evidence),
                "examples": [
                    {name: getattr(example, name) for name in example_names}
                    for example in finding.examples
                ],
            }
            for finding in found.findings
        ],
    }


def _print(found: CheckResult, result: Result, *, marked: bool) -> None:
    """Print the findings: a table, then examples of errors and warnings, and commands."""
    print_described([findings_table(result)], marked=marked)
    for number, one in enumerate(found.findings, 1):
        if one.severity != "note":
            print_described([examples_table(result, number)], marked=marked)
        if one.mend:
            _print_command(number, one.mend, marked=marked)
    print_text(found.line)


def _print_command(number: int, command: str, *, marked: bool) -> None:
    """Print the command that mends what was found."""
    if marked:
        print_markdown(f"{number}. mend: {code_span(command)}", end="\n\n")
    else:
        print_text(f"{number}. mend: {command}")
