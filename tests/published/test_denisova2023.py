"""Denisová & Rychlý 2023: precision@k and recall@k of all seven models, from the counts alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from misword.core.formatting import percent_of
from misword.io.lexicons import read_lexicon
from studies.denisova2023.arithmetic import correct_pairs, printed, recall_cells, recall_follows
from studies.denisova2023.published import MISPRINTS, Cell, cells


def test_the_example_of_the_definitions() -> None:
    """CZ-SK MUSE-S: 718 of 1,497 pairs, 1,158 headwords of which 11 yield one empty row."""
    assert printed(Cell(5, "MUSE-S", "CZ-SK", 1), 718) == "62.00/47.96"


def test_119_of_126_cells_follow_as_printed() -> None:
    """All but the misprints."""
    wrong = {cell for cell, value in cells().items() if correct_pairs(cell, value) is None}
    assert len(cells()) == 126
    assert wrong == set(MISPRINTS)


@pytest.mark.parametrize("cell", MISPRINTS, ids=lambda cell: "-".join(map(str, cell)))
def test_the_misprints_are_slips_of_a_digit(cell: Cell) -> None:
    """Each follows once two digits change places, or one is corrected."""
    as_printed, corrected = MISPRINTS[cell]
    assert cells()[cell] == as_printed
    assert correct_pairs(cell, corrected) is not None


def test_one_word_out_of_vocabulary_would_not_do() -> None:
    """The paper says 1 for CZ-SK with SketchEngine; its own numbers need 5."""
    cell = Cell(6, "MUSE-S", "CZ-SK", 5)
    assert correct_pairs(cell, cells()[cell]) is not None
    assert any(
        correct_pairs(key, value, unknown=1) is None
        for key, value in cells().items()
        if key.table == 6 and key.languages == "CZ-SK" and key not in MISPRINTS
    )


def test_rounding_would_not_do() -> None:
    """Table 5, VecMap-I, CZ-SK, recall at 5: 1019 of 1497 is 68.069 %, printed 68.06."""
    assert cells()[Cell(5, "VecMap-I", "CZ-SK", 5)].endswith("/68.06")
    assert percent_of(1019, 1497, truncate=True) == "68.06"
    assert percent_of(1019, 1497) == "68.07"


def test_all_recalls_of_tables_1_to_3_follow() -> None:
    """Each is a number of pairs of its lexicon, truncated."""
    assert [len(of_table) for of_table in recall_cells().values()] == [84, 56, 28]
    assert all(
        recall_follows(recall, pairs)
        for of_table in recall_cells().values()
        for _, recall, pairs in of_table
    )


@pytest.mark.parametrize(
    ("file", "pairs", "headwords"),
    [
        ("CS_SK_EVAL+TRAIN/CS-SK_eval_DF.csv", 1497, 1158),
        ("CS_SK_EVAL+TRAIN/cs-sk.5000-6500.txt", 1497, 1158),
        ("EN_KO_EVAL/EN-KO_EVAL_DF.csv", 1156, 1156),
        ("EN_KO_EVAL/en-ko.5000-6500.txt", 1156, 1156),
    ],
)
def test_the_released_lexicons_have_the_published_size(
    shared: Path, file: str, pairs: int, headwords: int
) -> None:
    """N and H as the tables need them (EN-KO: the lexicon of Table 3)."""
    gold = read_lexicon(shared / "bli" / "lexicographic" / file)
    assert (len(gold), len(gold.headwords)) == (pairs, headwords)
