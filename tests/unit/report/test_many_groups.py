"""Pages of results with very many groups stay small, and say how many groups they show."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import misword
from misword.report import write_report
from misword.report.sections.rates import TABLE_GROUPS

MANY = 10 * TABLE_GROUPS


def page(tmp_path: Path, *, compared: bool) -> str:
    """Return the page of as many groups as utterances; group 7 has the highest rate."""
    references = ["one two three"] * MANY
    texts = {"a": ["one two"] * MANY, "b": ["one two three four"] * MANY}
    texts["b"][7] = "five six seven eight"
    speakers = pl.DataFrame({"speaker": [f"s{number:05d}" for number in range(MANY)]})
    if compared:
        comparison = misword.compare(references, texts, metadata=speakers, by="speaker")
        result = comparison.result(words=False)
    else:
        scores = misword.score(references, texts, metadata=speakers)
        result = scores.result(by="speaker", words=False, bootstrap=0)
    write_report([result], tmp_path / "page.html")
    return (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("compared", [False, True])
def test_tables_of_groups_have_the_first_ones(tmp_path: Path, compared: bool) -> None:
    found = page(tmp_path, compared=compared)
    assert f"{TABLE_GROUPS} of {MANY:,} groups" in found
    assert "--out" in found
    assert "s00007" in found
    # A row per group, system and metric, in the first table and in that of each chart.
    assert found.count("<tr") < 2 * 2 * 2 * TABLE_GROUPS + 100


def test_rates_of_all_groups_come_first(tmp_path: Path) -> None:
    found = page(tmp_path, compared=False)
    table = found[found.index("<tbody") :]
    assert table.index("all") < table.index("s00007")
