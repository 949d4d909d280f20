"""The table of differences against the first system."""

from __future__ import annotations

from typing import Any

from misword.core.formatting import count, is_number, percent, probability, signed, signed_span
from misword.core.types import Result
from misword.report.html.markup import Cell, Markup, data_table, number_cell, text_cell
from misword.report.result_access import (
    VERDICT_TEXTS,
    confidence,
    rows,
    titles,
    unique,
    verdict,
)

# How many utterances got better, worse, stayed the same, or have no defined rate.
TALLIES = ("better", "worse", "same", "undefined")
# Columns of p-values and their headings; a test that was not made has no column.
TESTS = (
    ("p_holm", "p"),
    ("p_blocks_holm", "p, blocks"),
    ("p_mapsswe_holm", "p, MAPSSWE"),
)


def segment_cells(row: dict[str, Any]) -> tuple[Cell, Cell]:
    """Return the cells of MAPSSWE's statistic and of its number of segments."""
    z, segments = row.get("z_mapsswe"), row.get("segments_mapsswe")
    shown = f"{z:+.2f}" if is_number(z) else ""
    return number_cell(z, shown), number_cell(segments, count(segments))


def difference_table(result: Result) -> Markup:
    """Return the rates of both systems, their change with interval and p-values, and tallies."""
    differences, title = rows(result, "differences"), titles(result)
    several = len(unique(row["system"] for row in differences)) > 1
    first = differences[0]
    tests = [
        (name, heading)
        for name, heading in TESTS
        if any(is_number(row.get(name)) for row in differences)
    ]
    segments = any(is_number(row.get("segments_mapsswe")) for row in differences)
    tallies = [
        name for name in TALLIES if name != "undefined" or any(row.get(name) for row in differences)
    ]
    header = [
        *(["system"] if several else ()),
        "metric",
        "verdict",
        f"{first['baseline']}, %",
        "rate, %" if several else f"{first['system']}, %",
        "relative change, %",
        f"{confidence(result)} interval",
        *(heading for _, heading in tests),
        *(["z, MAPSSWE", "segments"] if segments else ()),
        *tallies,
    ]
    body = [
        [
            *([text_cell(row["system"])] if several else ()),
            text_cell(title(row["metric"])),
            text_cell(VERDICT_TEXTS[verdict(row)]),
            number_cell(row["baseline_rate"], percent(row["baseline_rate"])),
            number_cell(row["rate"], percent(row["rate"])),
            number_cell(row["relative"], signed(row["relative"])),
            number_cell(
                row["relative_low"], signed_span(row["relative_low"], row["relative_high"])
            ),
            *(number_cell(row.get(name), probability(row.get(name))) for name, _ in tests),
            *(segment_cells(row) if segments else ()),
            *(number_cell(row[name], count(row[name])) for name in tallies),
        ]
        for row in differences
    ]
    faint = [verdict(row) in ("unclear", "untested") for row in differences]
    return data_table(header, body, label="differences", faint=faint, tall=True)
