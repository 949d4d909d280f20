"""Check conditions on the error rates of a new system: exit code 0 if they hold, 1 if one fails.

`--max METRIC=RATE` is the largest rate that is allowed; the measured rate decides. `--no-worse
METRICS` are metrics that must not be worse than those of BASE by more than `--margin`. Rates and
margins are fractions, or percentages with a percent sign. The test is one-sided, on the same
utterances (paired), and p-values are corrected for the number of conditions (Holm). A condition
never fails because a rate is lower. If the data are too few to decide, the line says so, and the
condition fails only with `--strict`.

With `--by speaker`, each speaker is a slice with conditions of its own; with `--keywords` or
`--entities`, so is each class of words. One correction is over all of them.

One line says which conditions passed and failed, with numbers and limits. Result folders
(`misword score --out`) can be given instead of REF, NEW and BASE: the new one, then the baseline.
The exit code is 2 if an input or an option is wrong.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict
from xml.etree import ElementTree

from misword.asr.options import GateOptions, rate
from misword.cli.commands.scoring.compare import folder_scores
from misword.cli.inputs import Inputs, provenance
from misword.cli.options import OUTPUT, Texts
from misword.cli.output import bars, input_files, note_unused, refuse_standard_output, status
from misword.cli.printing import note, print_markdown, print_text
from misword.cli.rendering import print_result
from misword.core.errors import OptionError, visible
from misword.core.formatting import counted
from misword.core.options import Option, chosen
from misword.io.files.writing import check_path, write_whole
from misword.io.options import Reading

if TYPE_CHECKING:
    from misword.asr.comparison.gate import Condition, GateResult

EXAMPLES = """\
examples:
  misword gate ref.txt new.txt --max wer=8% --max cer=3%
  misword gate ref.txt new.txt base.txt --no-worse wer,semdist --margin 0.2%
  misword gate ref.csv new.csv base.csv --no-worse wer --margin 0.5% --block speaker --strict
  misword gate ref.txt new.txt base.txt --max wer=0.08 --format github --junit gate.xml
  misword gate results/new results/base --no-worse wer --margin 0.2%
  misword gate ref.txt new.txt base.txt --no-worse wer --format md > comment.md
  misword gate ref.csv new.csv base.csv --no-worse wer --by dialect --keywords drugs.tsv
"""


class GateOutput(TypedDict, total=False):
    """How the conditions are printed and written."""

    format: Annotated[
        Literal["text", "json", "github", "md"],
        Option(
            "output format: one line of text, JSON, annotations for GitHub Actions, or Markdown "
            "for a comment",
            default="text",
            group=OUTPUT,
            common=True,
            recorded=False,
        ),
    ]
    junit: Annotated[
        str | None,
        Option(
            "also write a JUnit XML file", metavar="FILE", group=OUTPUT, common=True, recorded=False
        ),
    ]


OPTIONS = (Texts, GateOptions, Reading, GateOutput)
IGNORED = {
    "categorical": "no values of metadata are compared",
    "names": "the conditions name no system",
}


def run(options: argparse.Namespace) -> int:
    """Check the conditions, print the line and return the exit code."""
    _check_junit(options)
    inputs = Inputs(options)
    with bars(), status("checking"):
        found = _gate(options, inputs)
    note(*found.scores.notes)
    if options.junit is not None:
        write_whole(junit(found), options.junit)
    if options.format in ("json", "md"):
        if options.format == "md":
            print_markdown(f"### {verdict(found)}\n")
        print_result(found.result(provenance(options, "gate", inputs.hashes)), options.format)
    else:
        if options.format == "github":
            print_text(*map(visible, github_annotations(found)))
        print_text(visible(found.line))
    return 0 if found.passed else 1


def verdict(found: GateResult) -> str:
    """Return whether the gate passed, and how many conditions failed or are undecided."""
    failed = sum(map(found.fails, found.conditions))
    undecided = sum(condition.outcome == "undecided" for condition in found.conditions)
    if failed:
        return f"misword gate failed: {failed} of {counted(len(found.conditions), 'condition')}"
    return f"misword gate passed{f' ({undecided} undecided)' if undecided else ''}"


def _gate(options: argparse.Namespace, inputs: Inputs) -> GateResult:
    """Check the systems of result folders or of files of transcripts."""
    from misword.asr.comparison.gate import gate

    settings = {
        **chosen(options, GateOptions),
        "max": limits(options.max or (), "--max"),
        "min": limits(options.min or (), "--min"),
    }
    scores = folder_scores(options, inputs)
    if scores is not None:
        return gate(scores, **settings)
    with inputs.reading():
        found = gate(inputs.files(cuts=True), **settings)
    note_unused(options, found.scores, inputs.used_for_texts())
    return found


def limits(texts: Iterable[str], option: str = "--max") -> dict[str, float]:
    """Return the limit of each metric or figure that `--max` or `--min` names.

    The rate follows the last equals sign, because options of a metric have one too.

    >>> limits(["wer=8%,cer:spaces=false=0.03"])
    {'wer': 0.08, 'cer:spaces=false': 0.03}
    """
    rates: dict[str, float] = {}
    for text in texts:
        started = ""
        for piece in text.split(","):
            started = f"{started},{piece}" if started else piece.strip()
            metric, _, number = started.rpartition("=")
            if metric and (value := _rate(number)) is not None:
                rates[metric.strip()] = value
                started = ""
        if started:
            raise OptionError(
                f"{option} {text} has no rate", fix=f"write METRIC=RATE: {option} wer=0.08"
            )
    return rates


def _rate(text: str) -> float | None:
    """Return a rate; None if the text is no number."""
    try:
        return rate(text)
    except ValueError:
        return None


def _check_junit(options: argparse.Namespace) -> None:
    """Raise, before any work, if the JUnit file cannot be written or would replace an input."""
    if options.junit is not None:
        refuse_standard_output(options.junit, "--junit gate.xml")
        check_path(options.junit, "gate.xml", input_files(options))


# The outcome of a gate as JUnit XML and as GitHub annotations.

SUITE = "misword gate"
# Characters that XML 1.0 does not allow, such as control characters in the name of a system.
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(found: GateResult) -> bytes:
    """Return a JUnit XML file with a test case for each condition.

    A condition that fails the gate is a failure; an undecided one that does not is skipped.
    """
    cases = [(condition, _junit_case(found, condition)) for condition in found.conditions]
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for _, case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for _, case in cases)),
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts})
    suite.extend(case for _, case in cases)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _junit_case(found: GateResult, condition: Condition) -> ElementTree.Element:
    names = {"classname": "misword.gate", "name": NO_XML.sub("?", condition.name)}
    case = ElementTree.Element("testcase", names)
    text = NO_XML.sub("?", condition.text(found.bootstrap.confidence))
    if found.fails(condition):
        ElementTree.SubElement(case, "failure", {"message": text, "type": condition.kind})
    elif condition.outcome == "undecided":
        ElementTree.SubElement(case, "skipped", {"message": text})
    ElementTree.SubElement(case, "system-out").text = text
    return case


def github_annotations(found: GateResult) -> Iterator[str]:
    """Yield a GitHub annotation for each condition: error, warning if undecided, or notice.

    Reference: GitHub Docs, Workflow commands for GitHub Actions (`error`, `warning`, `notice`).
    """
    for condition in found.conditions:
        level = "warning" if condition.outcome == "undecided" else "notice"
        if found.fails(condition):
            level = "error"
        title = _escaped(f"{SUITE}: {condition.name}").replace(":", "%3A").replace(",", "%2C")
        yield f"::{level} title={title}::{_escaped(condition.text(found.bootstrap.confidence))}"


def _escaped(text: str) -> str:
    """Return a text as the value of a workflow command: percent signs and line ends are encoded."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
