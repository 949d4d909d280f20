"""The outcome of a gate as JUnit XML and as GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from misword.asr.gate import GateResult
from misword.asr.gating.condition import Condition

SUITE = "misword gate"
# Characters that XML 1.0 does not allow, such as control characters in the name of a system.
NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(found: GateResult) -> bytes:
    """Return a JUnit XML file with a test case for each condition.

    A condition that fails the gate is a failure; an undecided one that does not is skipped.
    """
    cases = [(condition, _case(found, condition)) for condition in found.conditions]
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


def _case(found: GateResult, condition: Condition) -> ElementTree.Element:
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
