"""Look for mistakes in the data: is it what you think it is?

The checks find lines that have slipped, blocks that were swapped, duplicate utterances, empty and
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
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from misword.asr.options import CheckOptions
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import Output, Texts
from misword.cli.output import check_output, status, write_output
from misword.cli.printing import code_span, print_json, print_markdown, print_text
from misword.cli.rendering import print_described, print_result
from misword.core.errors import OptionError
from misword.core.options import Option, chosen
from misword.io.options import CheckReading
from misword.stat.descriptions.checks import examples_table, findings_table

if TYPE_CHECKING:
    from misword.asr.checking.check import CheckedFile, CheckResult
    from misword.asr.checking.texts import CheckedTexts
    from misword.core.types import Result

EXAMPLES = """\
examples:
  misword check ref.txt hyp.txt
  misword check ref.fr a.fr b.fr --lang fr --strict
  misword check ref.fr hyp.fr --translations hyp.en --translation-references ref.en
  misword check ref.txt hyp.txt --training train.txt --format json
  misword check ref.txt hyp.txt --checks shifts,lengths --report check.html
"""


class ExitCode(TypedDict, total=False):
    """What the exit code says."""

    strict: Annotated[
        bool,
        Option(
            "exit code 1 if there is an error or a warning",
            default=False,
            common=True,
            recorded=False,
        ),
    ]


OPTIONS = (Texts, CheckOptions, ExitCode, CheckReading, Output)


def run(options: argparse.Namespace) -> int:
    """Make the checks, print and write the findings, and return the exit code."""
    from misword.asr.checking.check import check

    check_output(options)
    if options.translation_references and not options.translations:
        raise OptionError(
            "reference translations need translations", fix="name them: --translations FILE"
        )
    inputs = Inputs(options)

    with status("checking"), inputs.reading():
        found = check(lambda: _read(options), **chosen(options, CheckOptions))
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
    from misword.asr.checking.check import CheckedFile, read_checked
    from misword.io.transcripts.read import refuse_two_stdins

    translations = options.translations or ()
    if translations and len(translations) != len(options.hypotheses):
        raise OptionError(
            f"{len(translations)} files of translations for {len(options.hypotheses)} systems",
            fix="name one for each HYP, in their order",
        )
    targets = options.translation_references
    others = [*translations, *options.training, *([targets] if targets else [])]
    refuse_two_stdins([options.reference, *options.hypotheses, *others])
    hypothesis_format = options.hypothesis_format or options.input_format

    def file(path: str, form: str | None = None, column: str | None = None) -> CheckedFile:
        return CheckedFile(path, form, options.encoding, options.id_column, column)

    return read_checked(
        options.reference,
        [file(path, hypothesis_format, options.hypothesis_column) for path in options.hypotheses],
        reading=file(options.reference, options.input_format, options.reference_column),
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
