"""The pages of docs/studies: the index, and figures that take little time to compute again."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from shutil import copytree

import pytest

from studies import __main__ as command
from studies.common import data
from studies.common.conclusions import EXPLANATIONS
from studies.common.index import INDEX, summary_rows, write_index

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "studies"
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "studies").rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)


def page(paper: str) -> str:
    return (PAGES / f"{paper}.md").read_text("utf-8")


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_each_study_has_a_page_and_is_run() -> None:
    folders = {path.parent.name for path in (ROOT / "studies").glob("*/__init__.py")} - {"common"}
    assert folders == set(command.PAPERS)
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == folders


def test_the_index_has_the_summaries_of_all_pages(tmp_path: Path) -> None:
    copied = copytree(PAGES, tmp_path / "studies")
    write_index(copied)
    assert (copied / INDEX).read_text("utf-8") == (PAGES / INDEX).read_text("utf-8")


@pytest.mark.parametrize("paper", command.PAPERS)
def test_each_status_is_explained(paper: str) -> None:
    rows = list(summary_rows(page(paper)))
    assert rows
    for _, (_, _, status) in rows:
        names = [part.rpartition(": ")[2] for part in status.split("; ")]
        assert set(names) <= set(EXPLANATIONS)


def test_a_study_without_data_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page stays as it is, and the command says what is missing."""
    folder = copytree(PAGES, tmp_path / "studies")
    before = (folder / "le2016.md").read_bytes()
    monkeypatch.setattr(command, "FOLDER", folder)
    monkeypatch.setattr(data, "SHARED", tmp_path / "nowhere")
    assert command.main(["le2016"]) == 1
    assert str(tmp_path / "nowhere" / "wce-dev") in capsys.readouterr().err
    assert (folder / "le2016.md").read_bytes() == before


def test_an_unknown_study_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["le2017"]) == 2
    assert "le2016, roux2022" in capsys.readouterr().err


@pytest.mark.slow
def test_le_published_files(shared: Path) -> None:
    """Tables 5, 8, 9 and 10, by WER, BLEU and WER-E."""
    from studies.le2016 import recomputed
    from studies.le2016.outputs import PublishedOutputs

    outputs, text = PublishedOutputs(bootstrap=0), page("le2016")
    assert recomputed.word_errors(outputs).text in text
    translated = outputs.oracle_translations(("bleu",))
    assert [round(value, 2) for value in translated.values("bleu").values()] == [
        30.82, 35.30, 35.38, 35.42,
    ]  # fmt: skip
    for row in (recomputed.score_row, recomputed.wins_row):
        assert f"| {' | '.join(row(translated, 'bleu'))} |" in text
    assert [outputs.chosen_scale(metric) for metric in ("wer", "wer-e")] == [10, 11]


@pytest.mark.slow
def test_le_with_whisper(shared: Path) -> None:
    """Table 6, intervals included."""
    from studies.le2016 import repeated
    from studies.le2016.lists import WhisperLists

    assert repeated.oracles(WhisperLists()).text in page("le2016")


@pytest.mark.slow
def test_roux_french_gain(shared: Path) -> None:
    """The held-out WER of the French lists."""
    from studies.roux2022.rescored_rates import gain_rows
    from studies.roux2022.systems import french

    (row,) = gain_rows(french())
    assert f"| {' | '.join(row)} |" in page("roux2022")


def test_denisova_printed_numbers() -> None:
    """The arithmetic of Tables 5 and 6, and of recall in Tables 1 to 3."""
    from studies.denisova2023 import arithmetic_sections

    text = page("denisova2023")
    assert arithmetic_sections.printed_numbers().text in text
    assert arithmetic_sections.recall_numbers().text in text


def test_kementchedjhieva_dictionaries(shared: Path) -> None:
    """The composition of the annotated dictionaries, and the margin of Section 4."""
    from studies.kementchedjhieva2019 import composition, false_positives

    text = page("kementchedjhieva2019")
    assert composition.shares().text in text
    assert false_positives.margin().text in text


@pytest.mark.slow
def test_kementchedjhieva_examples(shared: Path) -> None:
    """Table 2, with paradigms of UniMorph."""
    from studies.kementchedjhieva2019 import false_positives

    assert false_positives.examples().text in page("kementchedjhieva2019")
