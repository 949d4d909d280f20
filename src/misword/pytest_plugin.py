"""A fixture for pytest: `misword_gate` fails a test if a condition on error rates fails.

pytest loads this module by an entry point, so it imports nothing of misword until it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from misword.asr.comparison.gate import GateResult


class Gate(Protocol):
    """What the fixture `misword_gate` is: a function that checks conditions."""

    def __call__(
        self, reference: Any, new: Any, baseline: Any = None, **options: Any
    ) -> GateResult:
        """Check the conditions; fail the test if one fails."""


@pytest.fixture
def misword_gate(request: pytest.FixtureRequest) -> Gate:
    """Return a function that checks conditions on error rates and fails the test if one fails.

    `reference`, `new` and `baseline` are files, or lists of texts. The options are those of
    `misword.gate`, such as `max={"wer": 0.08}` and `no_worse="wer"`; for files also those of
    reading. A JUnit file of pytest has the verdict as the property `misword`.
    """

    def check(reference: Any, new: Any, baseline: Any = None, **options: Any) -> GateResult:
        __tracebackhide__ = True
        found = _gate(reference, [new, *([] if baseline is None else [baseline])], options)
        request.node.user_properties.append(("misword", found.line))
        if not found.passed:
            pytest.fail(found.line, pytrace=False)
        return found

    return check


def _gate(reference: Any, systems: Sequence[Any], options: dict[str, Any]) -> GateResult:
    """Check conditions on files, or on lists of texts."""
    import misword

    files = [isinstance(texts, str | PathLike) for texts in (reference, *systems)]
    if not any(files):
        named = dict(zip(("new", "baseline"), systems, strict=False))
        return misword.gate(reference, named, **options)
    if not all(files):
        raise TypeError("give files for all sides, or lists of texts for all")
    reading = {name: options.pop(name) for name in _reading() & options.keys()}
    corpus, _ = misword.read_corpus(reference, systems, **reading)
    return misword.gate(corpus, **options)


def _reading() -> set[str]:
    """Return the names of the options that say how files are read."""
    from misword.core.options import declared
    from misword.io.options import Reading

    return set(declared(Reading))
