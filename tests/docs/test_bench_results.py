"""Results of benchmarks say where they come from, and quoted ratios are read from the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BENCH = ROOT / "bench"
# Benchmarks that another one runs, or that write no page.
NOT_RUN = {"ab", "check", "corpus", "interactions", "quotes", "run", "short", "stamps", "timing"}


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCH)


def test_each_result_has_its_commit() -> None:
    """`python bench/run.py NAME` runs a benchmark and writes the line."""
    import stamps

    pages = stamps.results()
    assert len(pages) > 40
    lacking = [page.name for page in pages if stamps.stamp_of(page.read_text("utf-8")) is None]
    assert not lacking


def test_the_page_of_measurements_has_the_day_of_each_result() -> None:
    """If this fails, run `python bench/quotes.py`."""
    import stamps

    page = stamps.SPEED.read_text("utf-8")
    assert stamps.dated(page) == page
    listed = set(re.findall(r"bench/results/([\w-]+\.md)\), \d{4}", page))
    assert len(listed) > 30


def test_pages_have_the_rows_of_the_results() -> None:
    """If this fails, run `python bench/quotes.py`."""
    import quotes
    import stamps

    tables = quotes.measured()
    for path in quotes.pages():
        page = path.read_text("utf-8")
        assert quotes.updated(page, tables) == page, path.name
    newer = [(columns, {name: f"{rows[name]} |" for name in rows}) for columns, rows in tables]
    page = stamps.SPEED.read_text("utf-8")
    assert len(set(quotes.updated(page, newer).split("\n")) - set(page.split("\n"))) > 20


def test_a_stamp_is_written_once() -> None:
    import stamps

    first = stamps.Stamp("0123abc", False, "2026-01-02")
    second = stamps.Stamp("4567def", True, "2026-01-03")
    text = stamps.stamped(stamps.stamped("# A\n\n| 1 |\n", first), second)
    assert text == "# A\n\n| 1 |\n\nMeasured at commit 4567def with changes on 2026-01-03.\n"
    assert stamps.stamp_of(text) == second


def test_one_command_runs_every_benchmark() -> None:
    import run

    scripts = {path.stem for path in BENCH.glob("*.py")} - NOT_RUN
    assert scripts == {Path(words[0]).stem for words in run.COMMANDS.values()} & scripts
    assert all((ROOT / words[0]).exists() for words in run.COMMANDS.values())


def test_quoted_ratios_are_read_and_compared(tmp_path: Path) -> None:
    import check

    page = tmp_path / "page.md"
    page.write_text(
        "Fast: 66 times jiwer.\n\nWords:\n\n| | gives | CPU s | wall s | CPU ratio | wall ratio |\n"
        "|:--|:--|--:|--:|--:|--:|\n| misword | S | 0.1 | 0.1 | 1.0 | 1.0 |\n"
        "| kaldialign loop | S | 1.5 | 1.5 | 18.8 | 18.8 |\n\n| other | 5.0 |\n",
        "utf-8",
    )
    found = list(check.quotes(page))
    assert [(quote.key, quote.ratio) for quote in found] == [
        (("Words", "jiwer.process_words"), 66.0),
        (("Words", "misword"), 1.0),
        (("Words", "kaldialign loop"), 18.8),
    ]
    ratios = {("Words", "jiwer.process_words"): 50.0, ("Words", "kaldialign loop"): 14.5}
    assert list(check.wrong(iter(found), ratios)) == []
    ratios = {("Words", "jiwer.process_words"): 49.0, ("Words", "kaldialign loop"): 30.0}
    assert len(list(check.wrong(iter(found), ratios))) == 2


def test_ratios_of_speed_are_measured_again() -> None:
    """The titles and rows of the page are those of the benchmark, so that no ratio is left out."""
    import check

    keys = {quote.key for quote in check.quotes(ROOT / "docs" / "speed.md")}
    assert ("Words", "jiwer.process_words") in keys
    assert ("Characters", "jiwer.process_characters") in keys
    measured = (BENCH / "spine.py").read_text("utf-8")
    for title, row in keys:
        if title in ("Words", "Characters"):
            assert f'"{title}"' in measured
            assert f'"{row}"' in measured


def test_versions_are_compared_by_work_that_both_can_do() -> None:
    import ab

    table = ab.table({"score": 0.2, "old": 1.0}, {"score": 0.1, "new": 1.0}, "main")
    assert "| score | 0.2000 | 0.1000 | 0.50 |" in table
    assert table.endswith("not in both: new, old")
