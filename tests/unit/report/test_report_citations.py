"""Titles, families and citations of parts on the page come from the result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from misword.asr.metrics import METRICS
from misword.cli.commands.files.report import with_parts
from misword.cli.main import main
from misword.core.types import Result
from misword.embed.encoders import ENCODERS
from misword.io.results import write_result
from misword.report import render
from misword.report.kinds import headline
from misword.report.page import citations
from results_made import comparison, difference, robustness, scores, summary

PLUG_IN = {
    "title": "Insertion <rate>",
    "family": "insertions",
    "cites": ["@misc{doe2030, title = {Insertions}}"],
}


def keys(result: Result) -> list[str]:
    return [re.findall(r"\{(\w+),", entry)[0] for entry in citations(result)]


def test_the_papers_behind_metrics_and_tests() -> None:
    result = comparison([difference("wer-e", -0.1, 0.01, p_mapsswe=0.01)])
    assert keys(result) == [
        "misword",
        "le2016",
        "bisani2004",
        "noreen1989",
        "holm1979",
        "gillick1989",
    ]


def test_the_papers_behind_encoders() -> None:
    result = robustness(("usif:a=0.1", "mean", "org/model"))
    assert keys(result) == ["misword", "ethayarajh2018", "wieting2016", "voleti2019"]


@pytest.mark.parametrize("name", METRICS.names())
def test_every_metric_has_a_family_and_a_reference(name: str) -> None:
    part = with_parts(Result("scores", {}, {"metrics": [name]})).provenance["parts"][name]
    assert part["title"] != name
    assert part["family"]
    assert all(entry.startswith("@") for entry in part["cites"])
    assert part["cites"]


@pytest.mark.parametrize("name", ENCODERS.names())
def test_every_encoder_has_a_reference(name: str) -> None:
    part = with_parts(Result("robustness", {}, {"encoders": [name]})).provenance["parts"][name]
    assert part["title"]
    assert part["cites"]


def test_a_plug_in_metric_has_its_title_family_and_citation_on_the_page() -> None:
    differences = [difference("ins:a=1", -0.1, 0.01), difference("wer", -0.2, 0.01)]
    parts: dict[str, Any] = {"ins:a=1": PLUG_IN}
    result = comparison(differences)
    result.provenance["parts"] |= parts
    assert headline(result).endswith("insertions gain least (-10.0 %).")
    page = render([result])
    assert "Insertion &lt;rate&gt; (a=1)" in page
    assert "<rate>" not in page
    assert "@misc{doe2030, title = {Insertions}}" in page


def test_a_part_that_the_result_does_not_describe_is_shown_by_its_label() -> None:
    result = scores([summary(metric="mine:a=1")])
    assert headline(result).startswith("mine (a=1) 14.2 %")
    assert keys(result) == ["misword", "bisani2004"]


def test_results_of_older_versions_are_described_by_the_command(tmp_path: Path) -> None:
    """Version 0.5.0 wrote the labels of the metrics only."""
    result = scores([summary(), summary(metric="cer:spaces=false")])
    del result.provenance["parts"]
    assert headline(result).startswith("wer 14.2 %")
    write_result(result, tmp_path / "old")
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "old"), "-o", str(page)]) == 0
    text = page.read_text("utf-8").replace("\u00a0", " ")
    assert "WER 14.2 %" in text
    assert "CER (spaces=false) 14.2 %" in text
    assert "levenshtein1966" in text


def test_the_page_names_the_glossary() -> None:
    assert "docs/glossary.md" in render([scores([summary()])])
