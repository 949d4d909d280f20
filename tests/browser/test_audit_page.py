"""The page of an audit in a browser: drawn, and no word is taken for code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import misword
from browser.steps import drawn
from misword.core.types import Result
from results_made import HOSTILE

if TYPE_CHECKING:
    from browser.conftest import Open


def strange(folder: Path) -> Result:
    """Words and names of systems that look like code."""
    pairs = [*((f"word{n}", text) for n, text in enumerate(HOSTILE)), ("dog", "hund"), ("x", "x")]
    files = []
    for name, shift in (("first", 0), ("second", 1)):
        path = folder / f"{name}.jsonl"
        path.write_text(candidate_lines(pairs, shift), "utf-8")
        files.append(path)
    systems = dict(zip(HOSTILE[:2], files, strict=True))
    found = misword.audit(
        pairs, "et", "sk", flags="proper-noun,identical,script,training-pair", training=pairs[:2]
    )
    return found.compare_systems(systems, 1, bootstrap=20).result()


def candidate_lines(pairs: list[tuple[str, str]], shift: int) -> str:
    """Candidates as JSON lines; with a shift, each word has the next one's translation."""
    targets = [target for _, target in pairs]
    targets = targets[shift:] + targets[:shift]
    rows = zip(pairs, targets, strict=True)
    return "".join(
        json.dumps({"word": source, "candidate": target}) + "\n" for (source, _), target in rows
    )


def test_the_page_is_drawn_and_text_stays_text(open_page: Open, tmp_path: Path) -> None:
    page = open_page(strange(tmp_path))
    drawn(page)
    assert page.locator("figure .chart svg path").count() > 3
    titles = page.locator("h3").all_inner_texts()
    assert titles[:5] == [
        "Do systems change places?",
        "Errors that may be right",
        "What the lexicon consists of",
        "What it shares with the training lexicon",
        "The pairs of each flag",
    ]
    assert page.evaluate("window.hacked") is None
