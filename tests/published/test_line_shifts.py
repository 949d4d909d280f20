"""Shifts planted into the files of Le 2016 are found, and the files as they are have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from misword.asr.line_shifts.search import find_shifts

SYSTEMS = [f"{number:02d}" for number in range(1, 21)]


def read(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "wce-dev"


@pytest.mark.parametrize("system", SYSTEMS)
def test_clean_files_have_no_shift(folder: Path, system: str) -> None:
    assert find_shifts(read(folder / "ref.fr"), read(folder / f"hyp/scale_{system}.fr")) == []
    translations = read(folder / f"slt/scale_{system}.en")
    assert find_shifts(read(folder / "post-edition.en"), translations) == []


def test_source_and_translation_have_no_shift(folder: Path) -> None:
    assert find_shifts(read(folder / "ref.fr"), read(folder / "post-edition.en")) == []


PAIRS = [
    ("ref.fr", "hyp/scale_01.fr"),
    ("ref.fr", "hyp/scale_10.fr"),
    ("post-edition.en", "slt/1best.en"),
    ("ref.fr", "post-edition.en"),
]


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize("place", [211, 1300, 2500])
@pytest.mark.parametrize("offset", [1, 3, -2])
def test_planted_shifts_are_found(
    folder: Path, left: str, right: str, place: int, offset: int
) -> None:
    lines = read(folder / right)
    lines[place : place + max(-offset, 0)] = lines[40 : 40 + max(offset, 0)]
    (shift,) = find_shifts(read(folder / left), lines)
    assert shift.offset == offset
    assert abs(shift.first - (place + 1)) <= 5
    assert shift.last >= 2640


def test_three_shifts_in_one_file(folder: Path) -> None:
    lines = read(folder / "hyp/scale_10.fr")
    lines = (
        lines[:600] + lines[:1] + lines[600:1500] + lines[30:33] + lines[1500:2100] + lines[2102:]
    )
    shifts = find_shifts(read(folder / "ref.fr"), lines)
    assert [shift.offset for shift in shifts] == [1, 4, 2]
    for shift, first in zip(shifts, (601, 1501, 2101), strict=True):
        assert abs(shift.first - first) <= 5
