"""The report's file without a browser: what is in it, and that text stays text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import misword
from browser.results_made import (
    HOSTILE,
    agreement,
    comparison,
    correlation,
    difference,
    robustness,
    scores,
    strange,
    summary,
)
from misword.asr.metrics import METRICS
from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.embed.encoders import ENCODERS
from misword.io.results import read_result, write_result
from misword.report import render, write_report
from misword.report.explorer import packed
from misword.report.markup import data_block
from misword.report.references import ENTRIES, OF_ENCODERS, OF_METRICS, citations
from misword.report.wording import ENCODERS as ENCODER_NAMES
from misword.report.wording import FAMILIES, NAMES

ASSETS = Path(misword.__file__).parent / "report" / "assets"
TYPES = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f4": "<f4", "f8": "<f8"}


class Parsed(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script" and data.strip():
            self.scripts.append((self.elements[-1][1], data))
        self.texts.append(data)


@pytest.mark.parametrize(
    "kind", ["scores", "comparison", "correlation", "agreement", "robustness", "other"]
)
def test_results_without_tables_still_make_a_page(kind: str) -> None:
    page = render([Result(kind, {}, {})])
    assert "without anything to say" in page
    assert "figure" not in {tag for tag, _ in Parsed(page).elements}


# The file.


def test_hostile_strings_are_text() -> None:
    """As many scripts and attributes as without them, and every string where it belongs."""
    odd = Parsed(render([strange()], title=HOSTILE[0]))
    plain = Parsed(render([strange(["a", "b", "c", "d", "e"])]))
    tags = [tag for tag, _ in odd.elements]
    assert tags == [tag for tag, _ in plain.elements]
    assert not {"img", "iframe", "link", "object", "base"} & set(tags)
    names = {name for _, attributes in odd.elements for name in attributes}
    assert names == {name for _, attributes in plain.elements for name in attributes}
    assert not any(name.startswith("on") for name in names)
    assert HOSTILE[0] in odd.texts
    (data,) = (
        json.loads(text) for known, text in odd.scripts if "utterances" in str(known.get("id"))
    )
    assert data["words"][1:] == list(HOSTILE)


def test_only_the_scripts_of_the_page_may_run() -> None:
    page = Parsed(render([strange()]))
    policy = next(a["content"] for tag, a in page.elements if tag == "meta" and "http-equiv" in a)
    assert policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for known, text in page.scripts:
        if known.get("type") != "application/json":
            assert b64encode(sha256(text.encode()).digest()).decode() in policy


def test_nothing_is_fetched() -> None:
    for _, attributes in Parsed(render([strange(), correlation()])).elements:
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


def test_ids_are_unique() -> None:
    page = Parsed(
        render([strange(), strange(), correlation(), agreement({"wer": (0.5, 0.4, 0.6)})])
    )
    found = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(found) == len(set(found))


def test_results_come_back_from_disk(tmp_path: Path) -> None:
    for name, result in {"a": strange(), "b": correlation()}.items():
        write_result(result, tmp_path / name)
    results = [read_result(tmp_path / name) for name in ("a", "b")]
    write_report(results, tmp_path / "deep" / "report.html")
    assert "are most alike" in (tmp_path / "deep" / "report.html").read_text("utf-8")


def test_files_are_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report([scores([summary()], sha256={"odd-\udce9.txt": "00"})], path)
    assert "odd-\\udce9.txt" in path.read_text("utf-8")
    with pytest.raises(OptionError, match="no result"):
        write_report([], path)
    with pytest.raises(OptionError, match="cannot be written"):
        write_report([scores([summary()])], path / "below.html")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_sections_without_tables_are_absent() -> None:
    page = render([scores([summary()])])
    assert "How to cite" in page
    for title in ("Confusions", "Which words", "What got worse most", "data-explorer"):
        assert f">{title}<" not in page


def test_every_metric_has_a_name_a_family_and_a_reference() -> None:
    for known in (NAMES, FAMILIES, OF_METRICS):
        assert set(known) == set(METRICS.names())
    assert all(key in ENTRIES for keys in OF_METRICS.values() for key in keys)
    entries = citations(comparison([difference("wer-e", -0.1, 0.01, p_mapsswe=0.01)]))
    assert [re.findall(r"\{(\w+),", entry)[0] for entry in entries] == [
        "misword", "le2016", "bisani2004", "holm1979", "gillick1989"
    ]  # fmt: skip


def test_every_encoder_has_a_name_and_a_reference() -> None:
    for known in (ENCODER_NAMES, OF_ENCODERS):
        assert set(known) == set(ENCODERS.names())
    assert all(key in ENTRIES for keys in OF_ENCODERS.values() for key in keys)
    entries = citations(robustness(("usif:a=0.1", "mean", "org/model")))
    assert [re.findall(r"\{(\w+),", entry)[0] for entry in entries] == [
        "misword", "ethayarajh2018", "wieting2016", "voleti2019"
    ]  # fmt: skip


def test_robustness_is_shown_with_its_strings_as_text() -> None:
    page = render([robustness()])
    parsed = Parsed(page)
    texts = "".join(parsed.texts)
    assert sum(tag == "figure" for tag, _ in parsed.elements) == 2
    for hostile in HOSTILE[:4]:
        assert hostile in texts
    assert "What was heard" in page
    assert not {"img", "svg"} & {tag for tag, _ in parsed.elements}


# Scripts and style.


def test_vendored_scripts_are_what_was_fetched() -> None:
    tool = Path(__file__).parents[3] / "tools" / "make_report_assets.py"
    subprocess.run([sys.executable, tool, "--check"], check=True)


@pytest.mark.parametrize("path", sorted(ASSETS.glob("[a-u]*.js")), ids=lambda path: path.name)
def test_scripts_stay_small_and_take_text_as_text(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith('"use strict";')
    assert text.count("\n") <= 300
    for risky in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
    ):
        assert risky not in text


def luminance(colour: str) -> float:
    """WCAG 2: relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_can_be_read_on_every_ground(theme: int) -> None:
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", (ASSETS / "style.css").read_text("utf-8"))
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[theme]))
    costs = [f"cost-{step}" for step in range(1, 6)]
    grounds = {
        "fg": ["bg", "panel", "chosen", *costs],
        "muted": ["bg", "panel"],
        "accent": ["bg", "panel"],
        "error": ["bg", *costs],
    }
    for text, behind in grounds.items():
        for ground in behind:
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for series in range(1, 7):
        assert contrast(colours[f"series-{series}"], colours["bg"]) >= 3


def test_data_cannot_end_its_block() -> None:
    block = data_block("data", {"text": "</script x><!--<script>&\u2028"})
    inside = block.partition(">")[2].rpartition("</script>")[0]
    assert not set("<>&\u2028").intersection(inside)
    assert json.loads(inside) == {"text": "</script x><!--<script>&\u2028"}


def test_whole_numbers_are_as_narrow_as_they_fit() -> None:
    for top, kind in ((255, "u1"), (256, "u2"), (65_535, "u2"), (65_536, "u4")):
        assert packed(np.array([0, top]))["type"] == kind
        assert np.frombuffer(b64decode(packed(np.array([0, top]))["data"]), f"<{kind}")[1] == top


def test_incomplete_results_are_refused() -> None:
    result = comparison([difference("wer", -0.1, 0.01)])
    broken = Result(
        result.kind, {**result.tables, "differences": result.tables["differences"].drop("rate")},
        result.provenance,
    )  # fmt: skip
    with pytest.raises(InputError, match="a result lacks"):
        render([broken])
