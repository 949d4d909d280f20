"""The example metrics of CONTRIBUTING.md work as they are written there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from metric_laws import LAWS, Law, score
from misword.asr.metrics import METRICS, Metric
from plugins import register

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
NAMES = ("insertions", "verbosity")


def classes_of_the_page() -> dict[str, type[Metric]]:
    """Run the Python blocks of the page; the metrics that they define, by name."""
    found: dict[str, type[Metric]] = {}
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ):
        module = ModuleType(f"contributing_{number}")
        sys.modules[module.__name__] = module  # dataclasses look their module up
        exec(compile(code, str(PAGE), "exec"), vars(module))
        found |= {
            value.name: value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Metric)
            and value.__module__ == module.__name__
        }
    return found


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        register(patch, "metrics", dict(classes_of_the_page()))
        yield


def test_both_are_metrics() -> None:
    assert set(NAMES) <= set(METRICS.names())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Law, name: str) -> None:
    law(name)


def test_numbers() -> None:
    scores = score(["a b", "c d"], ["a x b", "c"], "insertions,verbosity")
    assert scores["insertions"] == 1 / 4
    assert scores["verbosity"] == 1 / 2
