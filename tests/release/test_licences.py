"""Every file of the package has a licence in docs/licences.md, and licences are told apart."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from make_licences import PAGE
from misword.report.page import LICENCES
from release.bundled import (
    PARTS,
    bundled_problems,
    bundled_table,
    expression_problems,
    missing_texts,
)
from release.packages import is_permissive, short_name
from release.project import ROOT, extras, packages_of_extra, required_packages

SOURCE = ROOT / "src"
TEXTS = sorted({part.text or "LICENSE" for part in PARTS})


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The files of the package, as the wheel has them."""
    path = tmp_path / "misword.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in SOURCE.rglob("*"):
            name = file.relative_to(SOURCE).as_posix()
            if file.is_file() and file.suffix not in {".c", ".h", ".pyc"}:
                archive.writestr(name, b"")
        for text in TEXTS:
            archive.writestr(f"misword-0.dist-info/licenses/{text}", b"")
    return path


def test_every_file_has_a_licence(wheel: Path) -> None:
    assert bundled_problems(wheel) == []


def test_a_file_without_a_licence_is_found(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("misword/text/foreign.dat", b"")
    (problem,) = bundled_problems(wheel)
    assert problem.startswith("misword/text/foreign.dat: no licence")


def test_a_licence_without_its_text_is_found(tmp_path: Path) -> None:
    path = tmp_path / "empty.whl"
    zipfile.ZipFile(path, "w").close()
    problems = bundled_problems(path)
    assert "src/misword/report/assets/LICENSE.vega: not among the licences of the wheel" in problems
    assert "Vega 6.4: not in the wheel" in problems


def test_licences_of_pyproject_are_those_of_the_parts() -> None:
    assert expression_problems() == []
    assert missing_texts() == []


def test_every_report_has_the_licences_of_the_chart_library() -> None:
    assert set(LICENCES) == {path.name for path in (SOURCE / "misword/report").rglob("LICENSE.*")}


def test_the_page_lists_all_parts_and_packages() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    assert set(bundled_table()) <= set(lines)
    rows = {line.partition("|")[2].partition("|")[0].strip(): line for line in lines}
    for extra in extras():
        for package in packages_of_extra(extra):
            assert package in rows[f"`{extra}`"], f"{package}: python tools/make_licences.py"
    for package in required_packages():
        assert any(package in line for line in lines), package


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only OR Apache-2.0", True),
        ("GPL-3.0-or-later", False),
        ("LGPL-2.1-only", False),
        ("MPL-2.0 AND MIT", False),
        ("CC-BY-NC-4.0", False),
        ("not stated", False),
    ],
)
def test_permissive_licences(licence: str, expected: bool) -> None:
    assert is_permissive(licence) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MIT License", "MIT"),
        ("Apache Software License", "Apache-2.0"),
        ("BSD 3-Clause License", "BSD-3-Clause"),
        ("MPL-2.0 AND MIT", "MPL-2.0 AND MIT"),
        ("GNU Lesser General Public License v2 (LGPLv2)", "LGPL"),
        ("UNKNOWN", None),
        ("", None),
    ],
)
def test_names_of_licences(text: str, expected: str | None) -> None:
    assert short_name(text) == expected
