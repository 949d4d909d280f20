"""The sections on the numbers that the paper prints: Tables 5 and 6, recall in Tables 1 to 3."""

from __future__ import annotations

from studies.common.conclusions import DIFFERS, REPRODUCED, Conclusion, Section
from studies.common.markdown import page, paragraph, table
from studies.denisova2023.arithmetic import correct_pairs, recall_cells, recall_follows
from studies.denisova2023.published import (
    GOLD,
    MISPRINTS,
    TABLE_1,
    UNKNOWN,
    VECTORS,
    Cell,
    cells,
    rows_of,
)

RULE = """A cell of Tables 5 and 6 has a precision and a recall. Both follow from one number of
correct pairs: recall is this number divided by the number of gold pairs; precision is this number
divided by k (H - O) + O, where H is the number of headwords and O of headwords out of the
vocabulary, each of which has one empty row. Both are truncated to two decimals, not rounded. A
cell follows if some number of correct pairs gives both numbers."""


def printed_numbers() -> Section:
    """Return the section on the arithmetic of Tables 5 and 6."""
    values = cells()
    wrong = [cell for cell, value in values.items() if correct_pairs(cell, value) is None]
    unexplained = [cell for cell in wrong if cell not in MISPRINTS]
    follow = f"{len(values) - len(wrong)} of {len(values)} cells follow as they are printed"
    text = f"""{follow}. The {len(wrong)} others follow after a correction of one or two digits:"""
    return Section(
        page(
            "## Tables 5 and 6: the printed numbers",
            paragraph(RULE),
            table(
                ["", "pairs", "headwords", *(f"without a vector, {v}" for v in VECTORS.values())],
                _sizes(),
            ),
            paragraph(text),
            table(
                ["table", "system", "languages", "k", "printed", "must be", "correct pairs"],
                [_misprint(cell) for cell in wrong],
                text_columns=3,
            ),
            paragraph(_second_printing()),
            paragraph(_unknown_headwords()),
        ).strip(),
        (
            Conclusion(
                "Tables 5 and 6, printed numbers",
                f"{follow}, {len(wrong)} are misprints",
                DIFFERS if unexplained else REPRODUCED,
                f"{len(wrong)} of {len(values)} cells are misprints",
            ),
        ),
    )


def _sizes() -> list[list[str]]:
    return [
        [
            languages,
            *(f"{n:,}" for n in sizes),
            *(str(UNKNOWN[each][languages]) for each in VECTORS),
        ]
        for languages, sizes in GOLD.items()
    ]


def _misprint(cell: Cell) -> list[str]:
    """Return the row of a misprint."""
    printed, corrected = MISPRINTS[cell]
    found = correct_pairs(cell, corrected)
    return [
        f"{cell.table}",
        cell.system,
        cell.languages,
        f"{cell.k}",
        printed,
        corrected,
        "" if found is None else f"{found:,}",
    ]


def _second_printing() -> str:
    """Compare recall at 10 with Table 1, which prints the same numbers."""
    differing = []
    for number, vectors in VECTORS.items():
        for system, row in rows_of(TABLE_1[vectors]).items():
            for languages, recall in zip(GOLD, row[3:], strict=True):
                value = cells()[Cell(number, system, languages, 10)].partition("/")[2]
                if value != recall:
                    differing.append(f"{system} {languages}: {recall} there, {value} here")
    return f"""Table 1 prints the recall at 10 again. It differs in {len(differing)} cell of
    {2 * 7 * 3} ({"; ".join(differing)}): the misprint is in Table 5."""


def _unknown_headwords() -> str:
    """Say what would follow with the number of unknown words in the text of the paper."""
    czech = {
        cell: value
        for cell, value in cells().items()
        if cell.table == 6 and cell.languages == "CZ-SK" and cell not in MISPRINTS
    }
    failing = sum(correct_pairs(cell, value, 1) is None for cell, value in czech.items())
    return f"""For CZ-SK with SketchEngine the text of the paper names 1 headword without a vector.
    With 1 instead of {UNKNOWN[6]["CZ-SK"]}, {failing} of these {len(czech)} cells would not
    follow."""


def recall_numbers() -> Section:
    """Return the section on recall in Tables 1 to 3."""
    rows, wrong = [], 0
    for number, of_table in recall_cells().items():
        failing = [cell for cell in of_table if not recall_follows(cell[1], cell[2])]
        wrong += len(failing)
        rows.append([f"Table {number}", f"{len(of_table)}", f"{len(of_table) - len(failing)}"])
    text = """Each recall of Tables 1 to 3 must be a number of correct pairs divided by the number
    of gold pairs, truncated to two decimals. With 1,500 pairs, about one of seven numbers with two
    decimals is possible by chance."""
    return Section(
        page(
            "## Tables 1 to 3: the printed numbers",
            paragraph(text),
            table(["", "cells", "follow"], rows),
        ).strip(),
        (
            Conclusion(
                "Tables 1 to 3, printed numbers",
                "recall follows from counts",
                DIFFERS if wrong else REPRODUCED,
            ),
        ),
    )
