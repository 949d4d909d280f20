"""The page without a browser: its content, and that users' text cannot become code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

import misword
from misword.core.errors import InputError, OptionError
from misword.core.types import Result
from misword.io.results import read_result, write_result
from misword.report import render, write_report
from misword.report.markup import data_block
from results_made import (
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

ASSETS = Path(misword.__file__).parent / "report" / "assets"


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
    "kind",
    [
        "scores",
        "combination",
        "comparison",
        "correlation",
        "agreement",
        "evaluation",
        "fit",
        "mbr",
        "oracle",
        "robustness",
        "system-tuning",
        "tuning",
    ],
)
def test_results_without_tables_still_make_a_page(kind: str) -> None:
    page = render([Result(kind, {}, {})])
    assert "without a headline" in page
    assert "figure" not in {tag for tag, _ in Parsed(page).elements}


# The file.


def test_hostile_strings_are_text() -> None:
    """The page has the same elements and attributes as one with harmless strings."""
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
    scripts = [text for known, text in page.scripts if known.get("type") != "application/json"]
    assert scripts
    for text in scripts:
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


def test_robustness_is_shown_with_its_strings_as_text() -> None:
    page = render([robustness()])
    parsed = Parsed(page)
    texts = "".join(parsed.texts)
    assert sum(tag == "figure" for tag, _ in parsed.elements) == 2
    for hostile in HOSTILE[:4]:
        assert hostile in texts
    assert "Noisy sentences" in page
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
        "fg": ["bg", "panel", "chosen", "forgiven", *costs],
        "muted": ["bg", "panel"],
        "accent": ["bg", "panel"],
        "better": ["bg", "panel"],
        "worse": ["bg", "panel"],
        "error": ["bg", *costs],
        "forgiven-line": ["bg", "forgiven"],
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


def test_incomplete_results_are_refused() -> None:
    result = comparison([difference("wer", -0.1, 0.01)])
    broken = Result(
        result.kind, {**result.tables, "differences": result.tables["differences"].drop("rate")},
        result.provenance,
    )  # fmt: skip
    with pytest.raises(InputError, match="missing in a result"):
        render([broken])
